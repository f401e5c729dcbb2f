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

// `pattern` is what `function` binds its argument to, if that is known.
Flattened flatten(Elaborator& e, TypeRef parameter, TypeRef expected,
                  const std::function<ValueRef(ValueRef)>& function,
                  const ast::Pattern* pattern = nullptr) {
  Flattened flat;
  const std::size_t mark = e.names().size();
  flat.result = expected;
  const std::vector<ir::NameId> leaves = e.fresh_for(pattern, parameter);
  for (const ir::NameId leaf : leaves) flat.lambda.parameters.push_back({leaf});
  const Temporarily<Request> cleared(e.request, Request{});
  flat.lambda.body = e.nested_body([&] {
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

/// Which leaves of `type` say what constructor a sum is.
void append_tags(TypeRef type, std::vector<bool>& out) {
  match(
      type->node, [&](const ScalarShape&) { out.push_back(false); },
      [&](const ArrayShape& t) { append_tags(t.element, out); },
      [&](const RecordShape& t) {
        for (const auto& [name, field] : t.fields) append_tags(field, out);
      },
      [&](const SumShape& t) {
        std::vector<bool> slots(t.slot_types.size(), false);
        for (const ConstructorShape& constructor : t.constructors) {
          std::vector<bool> payload;
          for (const TypeRef part : constructor.payload) append_tags(part, payload);
          for (std::size_t i = 0; i < payload.size(); ++i) {
            if (payload[i]) slots[constructor.slots[i]] = true;
          }
        }
        out.push_back(true);
        out.insert(out.end(), slots.begin(), slots.end());
      },
      [&](const AccumulatorShape& t) { append_tags(t.array, out); }, [](const FunctionShape&) {});
}

/// The derivative of a sum is made by the constructor of the sum: `leaves` with the tags of
/// `value`, a value of `type`; with several derivatives, each has them.
std::vector<ir::Operand> with_tags(Elaborator& e, TypeRef type, std::vector<ir::Operand> leaves,
                                   const std::vector<ir::Operand>& value,
                                   const std::optional<ir::Operand>& batch) {
  std::vector<bool> tags;
  append_tags(type, tags);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!tags[i]) continue;
    if (batch) {
      leaves[i] = e.emit_one(ir::Replicate{{*batch}, value[i]});
    } else if (e.names().type(value[i]).is_scalar()) {
      leaves[i] = value[i];
    } else {
      leaves[i] = e.emit_one(ir::Copy{value[i].name()});
    }
  }
  return leaves;
}

/// The derivative of `flat` at `argument`, with one seed or, if `batched`, one for each.
ValueRef differentiate(Elaborator& e, ir::DerivativeMode mode, bool batched, Flattened flat,
                       ValueRef argument, ValueRef seed) {
  const TypeRef parameter = e.arena.type_of(argument);
  const bool forward = mode == ir::DerivativeMode::forward;
  const TypeRef differentiated = forward ? flat.result : parameter;
  TypeRef derivative = differentiated;
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
  const std::optional<ir::Operand> batch = operation.batch;
  if (!results.empty()) e.emit_named(results, std::move(operation));
  const ValueRef primal = e.arena.from_leaves(flat.result, primals);
  const std::vector<ir::Operand> tagged =
      with_tags(e, differentiated, {derivatives.begin(), derivatives.end()},
                leaves_of(forward ? primal : argument), batch);
  return e.tuple({primal, e.arena.from_leaves(derivative, tagged.data())});
}

template <ir::DerivativeMode mode, bool batched>
ValueRef build_derivative(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef function = call.arguments[0];
  const ValueRef argument = call.arguments[1];
  const auto apply = [&](ValueRef value) { return e.apply(function, {value}, call.range); };
  Flattened flat = flatten(e, e.arena.type_of(argument), type_argument(e, call, 1), apply,
                           e.parameter_pattern(function, 0));
  return differentiate(e, mode, batched, std::move(flat), argument, call.arguments[2]);
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

// A tuple of these types; null where one is not known.
TypeRef tuple_of(Elaborator& e, const std::vector<TypeRef>& types) {
  std::vector<std::pair<Symbol, TypeRef>> fields;
  for (const TypeRef type : types) {
    if (type == nullptr) return nullptr;
    fields.emplace_back(e.tuple_field(fields.size()), type);
  }
  return e.arena.record(std::move(fields));
}

ValueRef build_with_vjp(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef argument = call.arguments[2];
  const Flattened function =
      flatten(e, e.arena.type_of(argument), type_argument(e, call, 1), [&](ValueRef value) {
        return e.apply(call.arguments[0], {value}, call.range);
      });
  const TypeRef pair = tuple_of(e, {function.result, function.result});
  const auto adjoint = [&](ValueRef both) {
    const ValueRef result = e.project(both, e.tuple_field(0), call.range);
    const ValueRef seed = e.project(both, e.tuple_field(1), call.range);
    const std::vector<ir::Operand> tagged =
        with_tags(e, function.result, leaves_of(seed), leaves_of(result), std::nullopt);
    return e.apply(call.arguments[1],
                   {result, e.arena.from_leaves(function.result, tagged.data())}, call.range);
  };
  return custom(e, function, pair, adjoint, argument, function.result, 0);
}

// f returns (tape, result); the adjoint takes (tape, adjoint of the result).
ValueRef build_with_vjp_tape(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef argument = call.arguments[2];
  const TypeRef result = type_argument(e, call, 1);
  const TypeRef tape = type_argument(e, call, 2);
  const TypeRef expected = tuple_of(e, {tape, result});
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

// f returns (tape, result, result), of which derivatives see the first: a part of the tape that the
// adjoint does not take.
ValueRef build_with_vjp_twin(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef argument = call.arguments[2];
  const TypeRef result = type_argument(e, call, 1);
  const TypeRef tape = type_argument(e, call, 2);
  const TypeRef expected = tuple_of(e, {tape, result, result});
  const Flattened function = flatten(e, e.arena.type_of(argument), expected, [&](ValueRef value) {
    return e.apply(call.arguments[0], {value}, call.range);
  });
  const auto& fields = std::get<RecordShape>(function.result->node).fields;
  const TypeRef kept = fields[0].second;
  const TypeRef twin = fields[1].second;
  return custom(
      e, function, tuple_of(e, {kept, twin}),
      [&](ValueRef both) { return e.apply(call.arguments[1], {both}, call.range); }, argument,
      fields[2].second, static_cast<int>(kept->leaf_count + twin->leaf_count));
}

using enum ir::DerivativeMode;
constexpr Intrinsic derivatives_built[] = {
    {"jvp2", 3, build_derivative<forward, false>},
    {"vjp2", 3, build_derivative<reverse, false>},
    {"jmp2", 3, build_derivative<forward, true>},
    {"mjp2", 3, build_derivative<reverse, true>},
    {"with_vjp", 3, build_with_vjp},
    {"with_vjp_tape", 3, build_with_vjp_tape},
    {"with_vjp_twin", 3, build_with_vjp_twin},
};

}  // namespace

ValueRef differentiate_function(Elaborator& e, ir::DerivativeMode mode,
                                const std::function<ValueRef(ValueRef)>& function,
                                ValueRef argument, ValueRef seed, TypeRef result) {
  Flattened flat = flatten(e, e.arena.type_of(argument), result, function);
  return differentiate(e, mode, false, std::move(flat), argument, seed);
}

std::span<const Intrinsic> derivative_intrinsics() { return derivatives_built; }

}  // namespace dagaz::elaborate
