// What the interpreter's names stand for.  All names of a program share one table of values: a name
// is bound once in the program, so only recursion has to save and restore.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ir/interpret.h"
#include "ir/value.h"

namespace dagaz::ir {

class Bindings {
 public:
  explicit Bindings(const Names& names) : values_(names.size()) {}

  const Value& at(NameId name) const { return values_[name.index]; }
  Value value_of(const Operand& operand) const {
    return operand.is_name() ? at(operand.name()) : scalar_value(operand.constant());
  }
  std::vector<Value> values_of(const std::vector<Operand>& operands) const;
  Constant scalar(const Operand& operand) const {
    return operand.is_name() ? scalar_of_value(at(operand.name())) : operand.constant();
  }
  std::int64_t integer(const Operand& operand) const { return integer_value(scalar(operand)); }
  std::vector<std::int64_t> integers(const std::vector<Operand>& operands) const;
  bool holds(const Operand& condition) const { return scalar(condition).bits != 0; }

  void bind(NameId name, Value value) { values_[name.index] = std::move(value); }
  /// In the memory of the scalar that has the name.
  void bind(NameId name, const Constant& scalar);
  /// The value of `name`, which has none from then on.
  Value take(NameId name) { return std::exchange(values_[name.index], Value{}); }

 private:
  std::vector<Value> values_;
};

}  // namespace dagaz::ir
