#include "emit/memory/virtual_arrays.h"

namespace dagaz::emit {

bool make_virtual(Context& c, NameId result, ScalarType element, const Operand& start,
                  const std::optional<Operand>& stride) {
  if (!c.memory.element_only.contains(result)) return false;
  c.arrays.bind_virtual(result, VirtualArray{element, start, stride});
  if (stride && element == ScalarType::i64 && is_constant(start, 0) && is_constant(*stride, 1)) {
    c.known.iotas.insert(result);
  }
  return true;
}

Operand virtual_element(Context& c, const VirtualArray& array, const Operand& index) {
  if (!array.stride) return array.start;
  Operand position = index;
  if (array.element != ScalarType::i64) {
    const NameId narrow = c.variable("i", array.element);
    c.emit(Assign{narrow, ScalarOp::sign_extend, ScalarType::i64, array.element, {index}});
    position = narrow;
  }
  const Operand scaled = is_constant(*array.stride, 1)
                             ? position
                             : c.scalar(ScalarOp::mul, array.element, {position, *array.stride});
  return is_constant(array.start, 0)
             ? scaled
             : c.scalar(ScalarOp::add, array.element, {array.start, scaled});
}

}  // namespace dagaz::emit
