// Iotas and replicated scalars that are only read element by element never lie in memory.
#include "imperative/lowering.h"

namespace dagaz::imperative {

bool Lowering::make_virtual(NameId result, ScalarType element, const Operand& start,
                            const std::optional<Operand>& stride) {
  if (!memory_.element_only.contains(result)) return false;
  virtual_arrays_.insert_or_assign(result, VirtualArray{element, start, stride});
  if (stride && element == ScalarType::i64 && is_constant(start, 0) && is_constant(*stride, 1)) {
    virtual_iotas_.insert(result);
  }
  return true;
}

Operand Lowering::virtual_element(const VirtualArray& array, const Operand& index) {
  if (!array.stride) return array.start;
  Operand position = index;
  if (array.element != ScalarType::i64) {
    const NameId narrow = variable("i", array.element);
    emit(Assign{narrow, ScalarOp::sign_extend, ScalarType::i64, array.element, {index}});
    position = narrow;
  }
  const Operand scaled = is_constant(*array.stride, 1)
                             ? position
                             : scalar(ScalarOp::mul, array.element, {position, *array.stride});
  return is_constant(array.start, 0)
             ? scaled
             : scalar(ScalarOp::add, array.element, {array.start, scaled});
}

}  // namespace dagaz::imperative
