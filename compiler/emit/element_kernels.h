// Elements that host code writes as values on the device say are written by kernels of one thread.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "emit/pending_scalars.h"

namespace dagaz::emit {

/// How often each variable of a function is used.
using UseCounts = std::unordered_map<NameId, int>;

class ElementKernels {
 public:
  /// Of the code that ends in `out`, before which `pending` waits.
  ElementKernels(Code& out, ir::Names& names, const PendingScalars& pending, const UseCounts& uses)
      : out_(out), names_(names), pending_(pending), uses_(uses) {}

  /// Whether `one` needs values that wait, and all that it does a kernel can do: then one follows
  /// in `out` that does it.  What an If does with references, the same on both sides, host code
  /// does then, whatever the condition.
  bool take(const Instruction& one, const Mentions& mentions);
  /// Gives the kernels their names.
  void finish(Kernels& kernels, const std::string& function);

 private:
  struct Parts {
    Code in_kernel;
    Code on_host;
  };
  std::optional<Parts> parts_of(const Instruction& one, const UseCounts& inside) const;
  bool split(const Code& code, const UseCounts& inside, Parts& parts) const;
  Code& kernel();

  Code& out_;
  ir::Names& names_;
  const PendingScalars& pending_;
  const UseCounts& uses_;
};

/// Adds how often `code` uses each variable.
void count_uses(const Code& code, UseCounts& uses);

}  // namespace dagaz::emit
