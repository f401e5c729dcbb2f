// jvp, vjp and their relatives: the function and its arguments are flattened, the differentiation
// itself is an operation of the IR.
#include "elaborate/array_intrinsics.h"
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

/// A lambda over the leaves of `parameters` that applies `function` to the values.
struct Flattened {
  ir::Lambda lambda;
  TypeRef result = nullptr;
};

TypeRef type_argument(Elaborator& e, const IntrinsicCall& call, std::size_t index) {
  if (call.here.instance == nullptr || call.here.instance->types.size() <= index) return nullptr;
  return e.try_evaluate_type(call.here.instance->types[index], call.here.frame);
}

Flattened flatten(Elaborator& e, TypeRef parameter, TypeRef expected,
                  const std::function<ValueRef(ValueRef)>& function) {
  Flattened flat;
  const std::size_t mark = e.names().size();
  flat.result = expected;
  flat.lambda = e.lambda(leaf_types(parameter), {}, [&](const std::vector<ir::NameId>& leaves) {
    const ValueRef value = function(e.arena.from_leaves(parameter, leaves));
    if (flat.result == nullptr) {
      flat.result = e.arena.type_of(value);
      if (!e.open_type(flat.result, mark).sizes.empty()) {
        e.unsupported({}, "the size of this function's result is known only inside it");
      }
    }
    return leaves_of(value);
  });
  flat.lambda.result_types = leaf_types(flat.result);
  return flat;
}

ValueRef differentiate(Elaborator& e, const IntrinsicCall& call, ir::DerivativeMode mode,
                       bool batched) {
  const ValueRef function = call.arguments[0];
  const ValueRef argument = call.arguments[1];
  const ValueRef seed = call.arguments[2];
  const TypeRef parameter = e.arena.type_of(argument);
  Flattened flat = flatten(e, parameter, type_argument(e, call, 1), [&](ValueRef value) {
    return e.apply(function, {value}, call.range);
  });
  const bool forward = mode == ir::DerivativeMode::forward;
  TypeRef derivative = forward ? flat.result : parameter;
  ir::Differentiate operation{mode, std::move(flat.lambda), leaves_of(argument), leaves_of(seed),
                              std::nullopt};
  if (batched) {
    operation.batch = e.array_shape(seed).size;
    derivative = e.arena.array(*operation.batch, derivative);
  }
  const std::vector<ir::NameId> primals = e.fresh(leaf_types(flat.result));
  const std::vector<ir::NameId> derivatives = e.fresh(leaf_types(derivative));
  std::vector<ir::NameId> results = primals;
  results.insert(results.end(), derivatives.begin(), derivatives.end());
  if (!results.empty()) e.emit_named(results, std::move(operation));
  return e.tuple({e.arena.from_leaves(flat.result, primals),
                  e.arena.from_leaves(derivative, derivatives)});
}

template <ir::DerivativeMode mode, bool batched>
ValueRef build_derivative(Elaborator& e, const IntrinsicCall& call) {
  return differentiate(e, call, mode, batched);
}

/// A custom derivative: `adjoint` maps what it is given, flattened, to the adjoint of `argument`.
ValueRef custom(Elaborator& e, const Flattened& function, TypeRef adjoint_parameter,
                const std::function<ValueRef(ValueRef)>& adjoint, ValueRef argument,
                TypeRef result, int tape) {
  const TypeRef parameter = e.arena.type_of(argument);
  Flattened flat = flatten(e, adjoint_parameter, parameter, adjoint);
  const std::vector<ir::NameId> results = e.fresh(leaf_types(result));
  if (!results.empty()) {
    e.emit_named(results, ir::CustomDerivative{function.lambda, std::move(flat.lambda),
                                               leaves_of(argument), tape});
  }
  return e.arena.from_leaves(result, results);
}

ValueRef build_with_vjp(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef argument = call.arguments[2];
  const Flattened function =
      flatten(e, e.arena.type_of(argument), type_argument(e, call, 1), [&](ValueRef value) {
        return e.apply(call.arguments[0], {value}, call.range);
      });
  const TypeRef pair = e.arena.record(
      {{e.tuple_field(0), function.result}, {e.tuple_field(1), function.result}});
  const auto adjoint = [&](ValueRef both) {
    const ValueRef first = e.project(both, e.tuple_field(0), call.range);
    const ValueRef second = e.project(both, e.tuple_field(1), call.range);
    return e.apply(call.arguments[1], {first, second}, call.range);
  };
  return custom(e, function, pair, adjoint, argument, function.result, 0);
}

// f returns (tape, result); the adjoint takes (tape, adjoint of the result).
ValueRef build_with_vjp_tape(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef argument = call.arguments[2];
  const TypeRef result = type_argument(e, call, 1);
  const TypeRef tape = type_argument(e, call, 2);
  const TypeRef expected =
      result == nullptr || tape == nullptr
          ? nullptr
          : e.arena.record({{e.tuple_field(0), tape}, {e.tuple_field(1), result}});
  const Flattened function =
      flatten(e, e.arena.type_of(argument), expected, [&](ValueRef value) {
        return e.apply(call.arguments[0], {value}, call.range);
      });
  const auto& fields = std::get<RecordShape>(function.result->node).fields;
  return custom(
      e, function, function.result,
      [&](ValueRef both) { return e.apply(call.arguments[1], {both}, call.range); }, argument,
      fields[1].second, static_cast<int>(fields[0].second->leaf_count));
}

using enum ir::DerivativeMode;
constexpr Intrinsic intrinsics[] = {
    {"jvp2", 3, build_derivative<forward, false>}, {"vjp2", 3, build_derivative<reverse, false>},
    {"jmp2", 3, build_derivative<forward, true>},  {"mjp2", 3, build_derivative<reverse, true>},
    {"with_vjp", 3, build_with_vjp},               {"with_vjp_tape", 3, build_with_vjp_tape},
};

}  // namespace

std::span<const Intrinsic> derivative_intrinsics() { return intrinsics; }

}  // namespace dagaz::elaborate
