// Combining into memory that other threads combine into at the same time: a machine instruction
// where there is one, else a loop around compare-and-exchange on the bits.
#include "imperative/lowering.h"

namespace dagaz::imperative {

static ScalarType bits_type(ScalarType type) {
  switch (ir::bit_width(type)) {
    case 64: return ScalarType::i64;
    case 32: return ScalarType::i32;
    case 16: return ScalarType::i16;
    default: return ScalarType::i8;
  }
}

// The atomic instruction that combines as `op` does, if there is one for `type`.
static std::optional<AtomicOp> instruction_for(const ir::Lambda& op, ScalarType type) {
  if (!is_simple(op) || ir::bit_width(type) < 32) return std::nullopt;
  switch (as<ir::Scalar>(op.body.statements[0].operation)->op) {
    case ScalarOp::add: return AtomicOp::add;
    case ScalarOp::smin: return AtomicOp::smin;
    case ScalarOp::smax: return AtomicOp::smax;
    case ScalarOp::umin: return AtomicOp::umin;
    case ScalarOp::umax: return AtomicOp::umax;
    case ScalarOp::bit_and: return AtomicOp::bit_and;
    case ScalarOp::bit_or: return AtomicOp::bit_or;
    case ScalarOp::bit_xor: return AtomicOp::bit_xor;
    default: return std::nullopt;
  }
}

Operand Lowering::to_bits(const Operand& value, ScalarType type) {
  const ScalarType bits = bits_type(type);
  if (bits == type) return value;
  const NameId target = variable("bits", bits);
  const ScalarOp op = ir::is_float(type) ? ScalarOp::float_to_bits : ScalarOp::zero_extend;
  emit(Assign{target, op, type, bits, {value}});
  return target;
}

Operand Lowering::from_bits(const Operand& value, ScalarType type) {
  const ScalarType bits = bits_type(type);
  if (bits == type) return value;
  const NameId target = variable("old", type);
  const ScalarOp op = ir::is_float(type) ? ScalarOp::bits_to_float : ScalarOp::to_boolean;
  emit(Assign{target, op, bits, type, {value}});
  return target;
}

void Lowering::combine_scalar_atomically(const ir::Lambda& op, ScalarType type, const Place& place,
                                         const std::vector<Operand>& indices,
                                         const Operand& value) {
  const Operand index = element_at(*this, place, indices);
  if (const auto instruction = instruction_for(op, type)) {
    emit(Atomic{variable("old", type), *instruction, place.block, index, value, type,
                place.space});
    return;
  }
  const ScalarType bits = bits_type(type);
  const NameId expected = variable("expected", bits);
  const NameId again = mutable_variable("again", ScalarType::boolean, ir::make_bool(true));
  if (place.space == Space::shared) {
    // Among the threads of a block, a load beside atomic instructions is a race.
    const Operand zero = ir::make_integer(bits, 0);
    emit(CompareExchange{expected, place.block, index, zero, zero, bits, place.space});
  } else {
    emit(Load{expected, place.block, index, bits, place.space});
  }
  Code attempt = collect([&] {
    const ir::Lambda fresh = copy_of(op);
    const ir::Type scalar_type = ir::scalar_of(type);
    const std::vector<Value> arguments = {{from_bits(expected, type), scalar_type, std::nullopt},
                                          {value, scalar_type, std::nullopt}};
    lower_lambda(fresh, arguments, {}, [&](const std::vector<Value>& results) {
      const NameId found = variable("found", bits);
      emit(CompareExchange{found, place.block, index, expected,
                           to_bits(results[0].operand, type), bits, place.space});
      emit(Assign{again, ScalarOp::ne, bits, ScalarType::boolean, {found, expected}});
      move(expected, found);
    });
  });
  const NameId condition = variable("continue", ScalarType::boolean);
  Code test = collect([&] { move(condition, again); });
  emit(While{std::move(test), condition, std::move(attempt)});
}

void Lowering::combine_atomically(const ir::Lambda& op, const ir::Type& row, const Place& place,
                                  const std::vector<Operand>& indices, const Value& value) {
  if (row.is_scalar()) {
    combine_scalar_atomically(op, row.element, place, indices, value.operand);
    return;
  }
  if (!plan::is_positionwise(op, names())) {
    unsupported("accumulating rows with an operator that is not element by element");
  }
  const ir::Lambda& core = innermost_lambda(op);
  const Place part = part_at(*this, place, indices);
  for_each_point(row.shape, ir::i64_operand(8), "accumulate",
                 [&](const std::vector<Operand>& point) {
                   const Operand element = load(*value.place, point, row.element, "x");
                   combine_scalar_atomically(core, row.element, part, point, element);
                 });
}

}  // namespace dagaz::imperative
