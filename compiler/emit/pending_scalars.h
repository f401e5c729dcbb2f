// Scalars of host code that wait to be read from the device, and what is computed from them.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emit/code/tree.h"
#include "emit/context/context.h"

namespace dagaz::emit {

using NameSet = std::unordered_set<NameId>;

/// What an instruction and the code inside it read, set, and mention of memory other than by loads.
struct Mentions {
  NameSet used;
  NameSet set;
  NameSet not_loaded;

  void add(const Instruction& one);
  void add(const Code& code);
};

class PendingScalars {
 public:
  bool empty() const { return steps_.empty(); }
  bool contains(NameId name) const { return values_.contains(name); }
  bool contains(const Operand& operand) const {
    return operand.is_name() && contains(operand.name());
  }
  bool contains_any(const NameSet& names) const;

  /// A ReadElement, or an Assign or Move of what waits already; the variable that it sets.
  NameId add(Instruction step);
  /// Takes `one` if it releases memory that is yet to be read.
  bool keep_release(Instruction& one);
  /// Whether what waits would be another value after `one`: its memory may be written, or what it
  /// is computed from set.
  bool would_change(const Mentions& one) const;

  /// In a kernel: the instructions that give it those of `names` that wait.
  Code in_kernel(const NameSet& names) const;
  /// On the host: all that waits, reads side by side.
  void flush(Code& out);

 private:
  struct Step {
    Instruction one;
    std::vector<Instruction> releases = {};
    const ReadElement* read() const;
    NameId target() const;
    std::vector<Operand> operands() const;
  };

  std::vector<Step> steps_;
  NameSet values_;
};

/// What a kernel does instead of a ReadElement or WriteElement of the host.
Instruction in_kernel(const Instruction& one);

}  // namespace dagaz::emit
