// A rough count of operations, for grain sizes: how much work one iteration of a parallel loop is.
#include <algorithm>

#include "imperative/lowering.h"
#include "support/match.h"

namespace dagaz::imperative {

// What is unknown before the body runs counts as this many iterations.
static constexpr std::int64_t unknown_width = 16;

namespace {

enum class Counted { operations, additions };  // the latter: numbers that are accumulated

/// Walks a body; sizes that are known outside it enter the count as operands.
class CostEstimate {
 public:
  CostEstimate(Emitter& emitter, const ir::Body& body, Counted counted)
      : emitter_(emitter), counted_(counted) {
    for (const NameId name : ir::bound_names(body)) inside_.insert(name);
  }

  Operand of(const ir::Body& body) {
    std::int64_t fixed = counted_ == Counted::operations ? 1 : 0;
    Operand rest = ir::i64_operand(0);
    for (const ir::Statement& statement : body.statements) {
      const Operand one = of(statement.operation);
      if (one.is_constant()) {
        fixed += ir::integer_value(one.constant());
      } else {
        rest = emitter_.add(rest, one);
      }
    }
    return emitter_.add(rest, ir::i64_operand(fixed));
  }

 private:
  Operand known(const Operand& size) const {
    if (size.is_constant() || !inside_.contains(size.name())) return size;
    return ir::i64_operand(unknown_width);
  }

  Operand volume(const std::vector<Operand>& shape) {
    Operand result = ir::i64_operand(1);
    for (const Operand& size : shape) result = emitter_.mul(result, known(size));
    return result;
  }

  Operand times(const Operand& width, const ir::Body& body) {
    return emitter_.mul(known(width), of(body));
  }

  Operand of_loop(const ir::Loop& loop) {
    const auto* form = as<ir::ForForm>(loop.form);
    const bool countable =
        form && emitter_.names().type(form->index.name).element == ScalarType::i64;
    return times(countable ? form->bound : ir::i64_operand(unknown_width), loop.body);
  }

  Operand of(const ir::Operation& operation) {
    if (const auto* map = as<ir::MapScanReduce>(operation)) return times(map->width, map->map.body);
    if (const auto* histogram = as<ir::Histogram>(operation)) {
      return times(histogram->width, histogram->map.body);
    }
    if (const auto* scatter = as<ir::Scatter>(operation)) {
      return times(scatter->width, scatter->map.body);
    }
    if (const auto* loop = as<ir::Loop>(operation)) return of_loop(*loop);
    if (const auto* branch = as<ir::Branch>(operation)) {
      return emitter_.add(of(branch->then_body), of(branch->else_body));
    }
    if (const auto* with = as<ir::WithAccumulator>(operation)) return of(with->body.body);
    return counted_ == Counted::operations ? operations_of(operation) : additions_of(operation);
  }

  Operand additions_of(const ir::Operation& operation) {
    const auto* addition = as<ir::Accumulate>(operation);
    if (addition == nullptr) return ir::i64_operand(0);
    return volume(emitter_.names().type(addition->value).shape);
  }

  Operand operations_of(const ir::Operation& operation) {
    const auto fixed = [](std::int64_t count) { return ir::i64_operand(count); };
    if (const auto* scalar = as<ir::Scalar>(operation)) return fixed(cost_of_scalar(scalar->op));
    if (as<ir::Call>(operation)) return fixed(200);
    if (const auto* replicate = as<ir::Replicate>(operation)) return volume(replicate->shape);
    if (const auto* iota = as<ir::Iota>(operation)) return volume({iota->count});
    if (const auto* concat = as<ir::Concat>(operation)) return volume({concat->width});
    if (const auto* copy = as<ir::Copy>(operation)) {
      return volume(emitter_.names().type(copy->array).shape);
    }
    return fixed(1);
  }

  Emitter& emitter_;
  Counted counted_;
  std::unordered_set<NameId> inside_;
};

}  // namespace

Operand Lowering::cost_of(const ir::Body& body) {
  return CostEstimate(*this, body, Counted::operations).of(body);
}

PointCost Lowering::point_cost_of(const ir::SegmentedMap& e) {
  const bool accumulates =
      std::any_of(e.result_types.begin(), e.result_types.end(), [](const ir::Type& type) {
        return type.kind == ir::TypeKind::accumulator;
      });
  if (is_gpu() || mode_ != Mode::host || !accumulates) return {};
  return {cost_of(e.body), CostEstimate(*this, e.body, Counted::additions).of(e.body)};
}

Operand Lowering::grain_for(const Operand& cost) {
  return maximum(ir::i64_operand(1), divide(ir::i64_operand(options_.task_operations),
                                            maximum(cost, ir::i64_operand(1))));
}

}  // namespace dagaz::imperative
