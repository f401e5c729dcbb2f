// Variables, folded arithmetic and structured control flow of the code being emitted.
#include "emit/code/emitter.h"

#include <iterator>

#include "tree/walk.h"

namespace dagaz::emit {

Code Emitter::collect(const std::function<void()>& build) {
  Code collected;
  Code* const outer = std::exchange(emission_->code, &collected);
  build();
  emission_->code = outer;
  return collected;
}

void Emitter::append(Code code) {
  Code& all = *emission_->code;
  all.insert(all.end(), std::make_move_iterator(code.begin()),
             std::make_move_iterator(code.end()));
}

NameId Emitter::variable(std::string_view base, ScalarType type) {
  const NameId name = names().fresh(std::string(base), ir::scalar_of(type));
  record(name);
  return name;
}

void Emitter::start_recording() {
  emission_->recording = true;
  emission_->recorded.clear();
}

// Nested code was recorded when it was emitted.
void Emitter::record_targets(const Instruction& instruction) {
  const tree::InstructionVisitor visitor{
      [](const Operand&) {}, [this](NameId name) { emission_->recorded.insert(name); },
      [](const Code&) {}};
  tree::visit(instruction, visitor);
}

NameId Emitter::block_variable(std::string_view base) {
  return names().fresh(std::string(base), ir::Type{ScalarType::i8, {}, ir::TypeKind::block});
}

Operand Emitter::scalar(ScalarOp op, ScalarType type, std::vector<Operand> arguments,
                        std::string_view base) {
  std::vector<ir::Constant> constants;
  for (const Operand& argument : arguments) {
    if (argument.is_constant()) constants.push_back(argument.constant());
  }
  const ScalarType result = ir::result_type(op, type, type);
  if (constants.size() == arguments.size()) {
    if (const auto value = ir::evaluate(op, type, result, constants)) return *value;
  }
  const NameId target = variable(base, result);
  emit(Assign{target, op, type, result, std::move(arguments)});
  return target;
}

Operand Emitter::add(const Operand& a, const Operand& b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  return scalar(ScalarOp::add, ScalarType::i64, {a, b});
}

Operand Emitter::sub(const Operand& a, const Operand& b) {
  if (is_constant(b, 0)) return a;
  if (a == b) return ir::i64_operand(0);
  return scalar(ScalarOp::sub, ScalarType::i64, {a, b});
}

Operand Emitter::mul(const Operand& a, const Operand& b) {
  if (is_constant(a, 1)) return b;
  if (is_constant(b, 1)) return a;
  if (is_constant(a, 0) || is_constant(b, 0)) return ir::i64_operand(0);
  return scalar(ScalarOp::mul, ScalarType::i64, {a, b});
}

Operand Emitter::divide(const Operand& a, const Operand& b) {
  if (is_constant(b, 1)) return a;
  return scalar(ScalarOp::udiv, ScalarType::i64, {a, b});
}

Operand Emitter::remainder(const Operand& a, const Operand& b) {
  if (is_constant(b, 1)) return ir::i64_operand(0);
  return scalar(ScalarOp::urem, ScalarType::i64, {a, b});
}

Operand Emitter::divide_up(const Operand& a, const Operand& b) {
  if (is_constant(b, 1)) return a;
  return divide(add(a, sub(b, ir::i64_operand(1))), b);
}

Operand Emitter::minimum(const Operand& a, const Operand& b) {
  if (a == b) return a;
  return scalar(ScalarOp::smin, ScalarType::i64, {a, b});
}

Operand Emitter::maximum(const Operand& a, const Operand& b) {
  if (a == b) return a;
  return scalar(ScalarOp::smax, ScalarType::i64, {a, b});
}

Operand Emitter::less(const Operand& a, const Operand& b) {
  return scalar(ScalarOp::slt, ScalarType::i64, {a, b});
}

Operand Emitter::equal(const Operand& a, const Operand& b) {
  return scalar(ScalarOp::eq, ScalarType::i64, {a, b});
}

Operand Emitter::both(const Operand& a, const Operand& b) {
  return scalar(ScalarOp::bit_and, ScalarType::boolean, {a, b});
}

Operand Emitter::product(const std::vector<Operand>& factors) {
  Operand result = ir::i64_operand(1);
  for (const Operand& factor : factors) result = mul(result, factor);
  return result;
}

// More bytes than any machine has, and few enough to be added up.
static constexpr std::int64_t too_large = std::int64_t{1} << 62;

Operand Emitter::size_mul(const Operand& a, const Operand& b) {
  const Operand exact = mul(a, b);
  if (exact.is_constant() || exact == a || exact == b) return exact;
  Operand wraps;
  if (b.is_constant()) {
    wraps = less(ir::i64_operand(too_large / ir::integer_value(b.constant())), a);
  } else {
    constexpr auto i64 = ScalarType::i64;
    const Operand above = scalar(ScalarOp::umul_hi, i64, {a, b});
    const Operand top = scalar(ScalarOp::lshr, i64, {exact, ir::i64_operand(62)});
    const Operand excess = scalar(ScalarOp::bit_or, i64, {above, top});
    wraps = scalar(ScalarOp::ne, i64, {excess, ir::i64_operand(0)});
  }
  return scalar(ScalarOp::select, ScalarType::i64, {wraps, ir::i64_operand(too_large), exact});
}

Operand Emitter::to_i64(const Operand& value, ScalarType from) {
  if (from == ScalarType::i64) return value;
  if (value.is_constant()) return ir::i64_operand(ir::integer_value(value.constant()));
  const NameId target = variable("wide", ScalarType::i64);
  emit(Assign{target, ScalarOp::sign_extend, from, ScalarType::i64, {value}});
  return target;
}

NameId Emitter::mutable_variable(std::string_view base, ScalarType type, const Operand& initial) {
  const NameId name = variable(base, type);
  move(name, initial);
  return name;
}

void Emitter::loop(std::string_view base, const Operand& bound, LoopHints hints,
                   const std::function<void(Operand)>& body) {
  const NameId index = variable(base, ScalarType::i64);
  if (is_constant(bound, 1)) {
    move(index, ir::i64_operand(0));
    body(index);
    return;
  }
  Code inner = collect([&] { body(index); });
  emit(For{index, bound, std::move(inner), hints});
}

void Emitter::rolled_loop(std::string_view base, const Operand& bound,
                          const std::function<void(Operand)>& body) {
  const NameId index = mutable_variable(base, ScalarType::i64, ir::i64_operand(0));
  const NameId more = variable("more", ScalarType::boolean);
  Code test = collect([&] {
    emit(Assign{more, ScalarOp::slt, ScalarType::i64, ScalarType::boolean, {index, bound}});
  });
  Code inner = collect([&] {
    body(index);
    move(index, add(index, ir::i64_operand(1)));
  });
  emit(While{std::move(test), more, std::move(inner), true});
}

void Emitter::branch(const Operand& condition, const std::function<void()>& yes,
                     const std::function<void()>& no) {
  if (condition.is_constant()) {
    if (condition.constant().bits != 0) {
      yes();
    } else if (no) {
      no();
    }
    return;
  }
  Code yes_code = collect(yes);
  Code no_code = no ? collect(no) : Code{};
  emit(If{condition, std::move(yes_code), std::move(no_code)});
}

std::vector<Operand> Emitter::unflatten(const Operand& flat, const std::vector<Operand>& extents) {
  std::vector<Operand> coordinates(extents.size());
  Operand rest = flat;
  for (std::size_t k = extents.size(); k-- > 1;) {
    coordinates[k] = remainder(rest, extents[k]);
    rest = divide(rest, extents[k]);
  }
  if (!coordinates.empty()) coordinates[0] = rest;
  return coordinates;
}

}  // namespace dagaz::emit
