// Broadcasts become perfect nests of maps, the outermost dimension of the result first.
//
// An operand is an input of the maps over the dimensions that it has; where it is stretched it is
// read at position 0 through a view taken before the nest, so nothing stands between the maps and
// nothing is copied.
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

class BroadcastNest {
 public:
  BroadcastNest(Elaborator& elaborator, ValueRef function, TypeRef element, const Range& range)
      : e_(elaborator), function_(function), element_(element), range_(range) {}

  void set_shape(std::vector<ir::Operand> shape) {
    shape_ = std::move(shape);
    rows_.assign(shape_.size() + 1, element_);
    for (std::size_t d = shape_.size(); d-- > 0;) {
      rows_[d] = element_ == nullptr ? nullptr : e_.arena.array(shape_[d], rows_[d + 1]);
    }
  }

  void add_operand(ValueRef value, const std::vector<bool>& stretched) {
    const std::size_t missing = shape_.size() - stretched.size();
    std::vector<bool>& present = present_.emplace_back(shape_.size(), false);
    bool any_stretched = false;
    for (std::size_t d = 0; d < stretched.size(); ++d) {
      present[missing + d] = !stretched[d];
      any_stretched = any_stretched || stretched[d];
    }
    operands_.push_back(any_stretched ? view(value, stretched) : value);
  }

  ValueRef build() { return nest(0, operands_); }

 private:
  /// `value` at position 0 of the stretched dimensions.
  ValueRef view(ValueRef value, const std::vector<bool>& stretched) {
    const LeafValue& source = e_.leaf_of(value);
    TypeRef type = source.type;
    std::vector<ir::Operand> kept;
    for (const bool is_stretched : stretched) {
      const auto& shape = std::get<ArrayShape>(type->node);
      if (!is_stretched) kept.push_back(shape.size);
      type = shape.element;
    }
    for (std::size_t i = kept.size(); i-- > 0;) type = e_.arena.array(kept[i], type);
    std::vector<ir::Operand> leaves;
    for (const ir::Operand& leaf : source.leaves) {
      leaves.push_back(at_zero(e_.array_name(leaf), stretched));
    }
    return e_.arena.from_leaves(type, leaves.data());
  }

  ir::Operand at_zero(ir::NameId array, const std::vector<bool>& stretched) {
    const ir::Operand zero = ir::i64_operand(0);
    const ir::Operand one = ir::i64_operand(1);
    const std::vector<ir::Operand> shape = e_.names().type(array).shape;
    ir::Slice slice{array, {}};
    bool all_fixed = true;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool fixed = d < stretched.size() && stretched[d];
      all_fixed = all_fixed && fixed;
      slice.dimensions.push_back({fixed, zero, fixed ? one : shape[d], one});
    }
    if (!all_fixed) return e_.emit_one(std::move(slice));
    return e_.emit_one(ir::Index{array, std::vector<ir::Operand>(shape.size(), zero)});
  }

  ValueRef nest(std::size_t d, const std::vector<ValueRef>& values) {
    if (d == shape_.size()) return e_.apply(function_, values, range_);
    std::vector<ValueRef> inputs;
    std::vector<std::string> hints;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!present_[i][d]) continue;
      inputs.push_back(values[i]);
      const TypeRef element = e_.array_shape(values[i]).element;
      for (std::string& each : e_.parameter_hints(function_, i, element)) {
        hints.push_back(std::move(each));
      }
    }
    return e_.map(
        shape_[d], inputs, rows_[d + 1],
        [&](const std::vector<ValueRef>& elements) {
          std::vector<ValueRef> inner = values;
          std::size_t next = 0;
          for (std::size_t i = 0; i < inner.size(); ++i) {
            if (present_[i][d]) inner[i] = elements[next++];
          }
          return nest(d + 1, inner);
        },
        hints);
  }

  Elaborator& e_;
  ValueRef function_;
  TypeRef element_;
  Range range_;
  std::vector<ir::Operand> shape_;
  std::vector<TypeRef> rows_;  // rows_[d]: the type of the result below dimension d
  std::vector<ValueRef> operands_;
  std::vector<std::vector<bool>> present_;
};

}  // namespace

ValueRef Elaborator::evaluate_broadcast(const ast::Exp* exp, const ast::Broadcast& node,
                                        Frame* frame) {
  const At at(*this, exp->range);
  const check::BroadcastPlan& plan = *node.plan;
  ValueRef function = nullptr;
  std::vector<ValueRef> operands;
  {
    const Temporarily<Request> cleared(request, Request{});
    function = evaluate(node.function, frame);
    for (const ast::Exp* operand : node.operands) operands.push_back(evaluate(operand, frame));
  }
  if (plan.rank == 0) return apply(function, std::move(operands), exp->range);
  BroadcastNest nest(*this, function, try_evaluate_type(plan.element, frame), exp->range);
  std::vector<ir::Operand> shape;
  for (const check::Size* size : plan.shape) shape.push_back(evaluate_size(size, frame));
  nest.set_shape(std::move(shape));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    nest.add_operand(operands[i], plan.operands[i].stretched);
  }
  return nest.build();
}

}  // namespace dagaz::elaborate
