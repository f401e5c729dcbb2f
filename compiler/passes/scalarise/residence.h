// On a GPU, reading an element of an array in host code waits for the device.  Which arrays of
// host code are made of scalars, and which lie in the device's memory.
#pragma once

#include "ir/name_flags.h"
#include "passes/scalarise/small_arrays.h"

namespace dagaz::passes::scalarising {

/// Filled by a walk in order of execution.
class Residence {
 public:
  explicit Residence(const Names& names) : names_(names) {}

  /// Records where the results of a statement are, once what is inside it has been recorded.
  void record(const Statement& statement);
  void add_device_array(NameId name) { on_device_.insert(name); }
  /// Whether reading an element costs more than a load.  What is small and was made of scalars
  /// will be scalars again.
  bool is_on_device(const Operand& operand) const;

 private:
  bool makes_device_arrays(const Operation& operation) const;

  const Names& names_;
  NameFlags on_device_;
};

}  // namespace dagaz::passes::scalarising
