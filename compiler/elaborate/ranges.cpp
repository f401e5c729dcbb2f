// Ranges: start..second...end and its relatives.
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

/// The numbers of one range, at its own type, and what must hold of them.
class RangeBuilder {
 public:
  RangeBuilder(Elaborator& elaborator, const ast::RangeExp& node, Frame* frame)
      : e_(elaborator), node_(node) {
    const ValueRef start = e_.evaluate(node.start, frame);
    primitive_ = e_.primitive_of(start);
    type_ = scalar_type(primitive_);
    start_ = e_.scalar_of(start);
    if (node.second != nullptr) second_ = e_.scalar_of(e_.evaluate(node.second, frame));
    end_ = e_.scalar_of(e_.evaluate(node.end, frame));
  }

  ValueRef build() {
    using enum ir::ScalarOp;
    const std::int64_t unit = node_.kind == ast::RangeEnd::down_to ? -1 : 1;
    const ir::Operand zero = ir::zero_of(type_);
    const ir::Operand step = second_.has_value() ? op(sub, *second_, start_)
                                                 : ir::Operand(ir::make_integer(type_, unit));
    // The step's sign is that of the order of the first two numbers, also for unsigned ones.
    const ir::Operand downwards = second_.has_value() ? less(*second_, start_)
                                                      : ir::Operand(ir::make_bool(unit < 0));
    const ir::Operand is_zero = op(eq, step, zero);
    const auto ascends = [&] { return less(start_, end_); };
    const auto descends = [&] { return less(end_, start_); };
    ir::Operand wrong = is_zero;
    ir::Operand distance;
    switch (node_.kind) {
      case ast::RangeEnd::up_to:
        wrong = e_.logical_or(wrong, e_.logical_or(downwards, descends()));
        distance = wide_difference(end_, start_);
        break;
      case ast::RangeEnd::down_to:
        wrong = e_.logical_or(wrong,
                              e_.logical_or(e_.logical_not(downwards), ascends()));
        distance = wide_difference(start_, end_);
        break;
      case ast::RangeEnd::inclusive: {
        wrong = e_.logical_or(
            wrong, e_.logical_or(e_.logical_and(downwards, ascends()),
                                 e_.logical_and(e_.logical_not(downwards), descends())));
        const ir::Operand exclusive =
            e_.out->select(ir::ScalarType::i64, downwards, wide_difference(start_, end_),
                           wide_difference(end_, start_));
        distance = e_.out->add_i64(exclusive, ir::i64_operand(1));
        break;
      }
    }
    const Guarded guarded(e_, check(wrong));
    const ir::Operand count = count_of(distance, step, downwards);
    const TypeRef array = e_.arena.array(count, e_.arena.scalar(primitive_));
    return e_.arena.leaf(array, e_.emit_one(ir::Iota{type_, count, start_, step}));
  }

 private:
  ir::Operand op(ir::ScalarOp operation, const ir::Operand& a, const ir::Operand& b) {
    return e_.scalar(operation, type_, {a, b});
  }
  ir::Operand less(const ir::Operand& a, const ir::Operand& b) {
    if (a == b) return ir::make_bool(false);
    if (b == ir::Operand(ir::zero_of(type_)) && a.is_name() && e_.known_sizes.contains(a.name())) {
      return ir::make_bool(false);
    }
    return op(is_unsigned(primitive_) ? ir::ScalarOp::ult : ir::ScalarOp::slt, a, b);
  }
  ir::Operand wide(const ir::Operand& a) { return e_.to_i64(a, primitive_); }
  ir::Operand wide_difference(const ir::Operand& a, const ir::Operand& b) {
    return e_.out->sub_i64(wide(a), wide(b));
  }

  /// distance / |step|, rounded up.
  ir::Operand count_of(const ir::Operand& distance, const ir::Operand& step,
                       const ir::Operand& downwards) {
    if (!second_.has_value()) return distance;
    const ir::ScalarType i64 = ir::ScalarType::i64;
    const ir::Operand up = wide_difference(*second_, start_);
    const ir::Operand down = wide_difference(start_, *second_);
    const ir::Operand size = e_.out->select(i64, downwards, down, up);
    if (size == ir::i64_operand(1)) return distance;
    const ir::Operand is_zero = op(ir::ScalarOp::eq, step, ir::zero_of(type_));
    const ir::Operand safe = e_.out->select(i64, is_zero, ir::i64_operand(1), size);
    const ir::Operand rounding = e_.out->sub_i64(safe, ir::i64_operand(1));
    return e_.scalar(ir::ScalarOp::sdiv, i64, {e_.out->add_i64(distance, rounding), safe});
  }

  std::optional<ir::NameId> check(const ir::Operand& wrong) {
    std::string message = "Range {}";
    std::vector<ir::Operand> arguments{wide(start_)};
    if (second_.has_value()) {
      message += "..{}";
      arguments.push_back(wide(*second_));
    }
    message += node_.kind == ast::RangeEnd::up_to     ? "..<{}"
               : node_.kind == ast::RangeEnd::down_to ? "..>{}"
                                                      : "...{}";
    arguments.push_back(wide(end_));
    return e_.check(e_.logical_not(wrong), message + " is invalid.", std::move(arguments));
  }

  Elaborator& e_;
  const ast::RangeExp& node_;
  check::Primitive primitive_ = check::Primitive::i64;
  ir::ScalarType type_ = ir::ScalarType::i64;
  ir::Operand start_;
  std::optional<ir::Operand> second_;
  ir::Operand end_;
};

}  // namespace

ValueRef Elaborator::evaluate_range(const ast::Exp* exp, const ast::RangeExp& node, Frame* frame) {
  const At at(*this, exp->range);
  return RangeBuilder(*this, node, frame).build();
}

}  // namespace dagaz::elaborate
