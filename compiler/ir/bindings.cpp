// What the interpreter's names stand for.
#include "ir/bindings.h"

namespace dagaz::ir {

std::vector<Value> Bindings::values_of(const std::vector<Operand>& operands) const {
  std::vector<Value> values;
  values.reserve(operands.size());
  for (const Operand& operand : operands) values.push_back(value_of(operand));
  return values;
}

std::vector<std::int64_t> Bindings::integers(const std::vector<Operand>& operands) const {
  std::vector<std::int64_t> values;
  values.reserve(operands.size());
  for (const Operand& operand : operands) values.push_back(integer(operand));
  return values;
}

void Bindings::bind(NameId name, const Constant& scalar) {
  Value& value = values_[name.index];
  value.element = scalar.type;
  value.shape.clear();
  value.elements.assign(scalar.bits);
}

}  // namespace dagaz::ir
