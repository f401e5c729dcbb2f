#include "emit/thread/atomics.h"

#include "emit/memory/elements.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "plan/thread_code.h"

namespace dagaz::emit {

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
  if (!is_simple(op) || !plan::has_atomic_instructions(type)) return std::nullopt;
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

static Operand to_bits(Context& c, const Operand& value, ScalarType type) {
  const ScalarType bits = bits_type(type);
  if (bits == type) return value;
  const NameId target = c.variable("bits", bits);
  const ScalarOp op = ir::is_float(type) ? ScalarOp::float_to_bits : ScalarOp::zero_extend;
  c.emit(Assign{target, op, type, bits, {value}});
  return target;
}

static Operand from_bits(Context& c, const Operand& value, ScalarType type) {
  const ScalarType bits = bits_type(type);
  if (bits == type) return value;
  const NameId target = c.variable("old", type);
  const ScalarOp op = ir::is_float(type) ? ScalarOp::bits_to_float : ScalarOp::to_boolean;
  c.emit(Assign{target, op, bits, type, {value}});
  return target;
}

void combine_scalar_atomically(Context& c, const ir::Lambda& op, ScalarType type,
                               const Place& place, const std::vector<Operand>& indices,
                               const Operand& value) {
  const Operand index = element_at(c, place, indices);
  if (const auto instruction = instruction_for(op, type)) {
    c.emit(Atomic{c.variable("old", type), *instruction, place.block, index, value, type,
                  place.space});
    return;
  }
  const ScalarType bits = bits_type(type);
  const NameId expected = c.variable("expected", bits);
  const NameId again = c.mutable_variable("again", ScalarType::boolean, ir::make_bool(true));
  if (place.space == Space::shared) {
    // Among the threads of a block, a load beside atomic instructions is a race.
    const Operand zero = ir::make_integer(bits, 0);
    c.emit(CompareExchange{expected, place.block, index, zero, zero, bits, place.space});
  } else {
    c.emit(Load{expected, place.block, index, bits, place.space});
  }
  Code attempt = c.collect([&] {
    const ir::Lambda fresh = copy_of(c, op);
    const ir::Type scalar_type = ir::scalar_of(type);
    const std::vector<Value> arguments = {{from_bits(c, expected, type), scalar_type, std::nullopt},
                                          {value, scalar_type, std::nullopt}};
    emit_lambda(c, fresh, arguments, {}, [&](const std::vector<Value>& results) {
      const NameId found = c.variable("found", bits);
      c.emit(CompareExchange{found, place.block, index, expected,
                             to_bits(c, results[0].operand, type), bits, place.space});
      c.emit(Assign{again, ScalarOp::ne, bits, ScalarType::boolean, {found, expected}});
      c.move(expected, found);
    });
  });
  const NameId condition = c.variable("continue", ScalarType::boolean);
  Code test = c.collect([&] { c.move(condition, again); });
  c.emit(While{std::move(test), condition, std::move(attempt)});
}

void combine_atomically(Context& c, const ir::Lambda& op, const ir::Type& row, const Place& place,
                        const std::vector<Operand>& indices, const Value& value) {
  if (row.is_scalar()) {
    combine_scalar_atomically(c, op, row.element, place, indices, value.operand);
    return;
  }
  DZ_CHECK(plan::is_positionwise(op, c.names()), "rows that no instruction combines");
  const ir::Lambda& core = innermost_lambda(op);
  const Place part = part_at(c, place, indices);
  for_each_point(c, row.shape, little_work(c, row.shape.size()), "accumulate",
                 [&](const std::vector<Operand>& point) {
                   const Operand element = load(c, *value.place, point, row.element, "x");
                   combine_scalar_atomically(c, core, row.element, part, point, element);
                 });
}

}  // namespace dagaz::emit
