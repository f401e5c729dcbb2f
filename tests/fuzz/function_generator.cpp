// The function as a whole, maps, reads, rearranging, and derivatives inside.
#include "function_generator.h"

#include "derivative_check.h"
#include "generate_function.h"

namespace dagaz::fuzz {

using namespace ir;

Operand FunctionGenerator::constant() {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return number(uniform(random_));
}

// Bounded smooth functions.
Operand FunctionGenerator::arithmetic(Scope& scope, Builder& out) {
  constexpr ScalarType type = ScalarType::f64;
  const Operand x = real(scope);
  const Operand y = real(scope);
  switch (below(8)) {
    case 0: return out.scalar(ScalarOp::add, type, {x, y});
    case 1: return out.scalar(ScalarOp::sub, type, {x, y});
    case 2: return out.scalar(ScalarOp::sin, type, {x});
    case 3: return out.scalar(ScalarOp::cos, type, {x});
    case 4: return out.scalar(ScalarOp::atan, type, {x});
    default: return out.scalar(ScalarOp::tanh, type, {out.scalar(ScalarOp::mul, type, {x, y})});
  }
}

// map over one array or two, and scalars and arrays from outside.
void FunctionGenerator::map(Scope& scope, Builder& out, int depth) {
  const std::size_t which = below(scope.vectors.size());
  Family& from = scope.vectors[which];
  std::vector<NameId> inputs = {pick(from)};
  if (below(2) == 0) inputs.push_back(pick(from));
  const std::size_t results = 1 + below(2);
  const auto made =
      out.map(from.size, inputs, [&](Builder& inner, const std::vector<NameId>& parameters) {
        Scope nested = scope;
        for (const NameId parameter : parameters) nested.reals.push_back(parameter);
        nested.reals.push_back(parameters[0]);
        statements(nested, inner, 1 + below(3), depth - 1);
        std::vector<Operand> values;
        for (std::size_t i = 0; i < results; ++i) values.push_back(arithmetic(nested, inner));
        return values;
      });
  from.members.insert(from.members.end(), made.begin(), made.end());
}

void FunctionGenerator::map_of_rows(Scope& scope, Builder& out, int depth) {
  const bool gives_rows = below(2) == 0;
  std::vector<NameId> inputs = {pick(scope.matrices)};
  if (below(2) == 0) inputs.push_back(pick(scope.columns()));
  const auto made = out.map(
      i64_operand(outer_size), inputs,
      [&](Builder& inner, const std::vector<NameId>& parameters) {
        Scope nested = scope;
        std::vector<NameId>& rows = nested.rows().members;
        rows.insert(rows.end(), 2, parameters[0]);
        if (parameters.size() > 1) nested.reals.push_back(parameters[1]);
        statements(nested, inner, 1 + below(3), depth - 1);
        return std::vector<Operand>{gives_rows ? Operand(nested.rows().members.back())
                                               : arithmetic(nested, inner)};
      });
  (gives_rows ? scope.matrices : scope.columns().members).push_back(made[0]);
}

void FunctionGenerator::read(Scope& scope, Builder& out) {
  const Operand i = pick(scope.integers);
  switch (below(4)) {
    case 0:
      scope.reals.push_back(out.index(pick(scope.matrices), {i, pick(scope.integers)}));
      break;
    case 1: scope.rows().members.push_back(out.index(pick(scope.matrices), {i}).name()); break;
    default: scope.reals.push_back(out.index(pick(pick(scope.vectors)), {i}));
  }
}

void FunctionGenerator::rearrange(Scope& scope, Builder& out) {
  const Operand outer = i64_operand(outer_size);
  const Operand inner = i64_operand(inner_size);
  switch (below(6)) {
    case 0: {
      // Transposed, and back to the shape by row-major order.
      const NameId turned = out.add(Permute{pick(scope.matrices), {1, 0}}, "t");
      scope.matrices.push_back(out.add(Reshape{turned, {outer, inner}}, "r"));
      break;
    }
    case 1:
      scope.matrices.push_back(out.add(Replicate{{outer}, pick(scope.rows())}, "r"));
      break;
    case 2: {
      const NameId one = out.add(ArrayLiteral{scalar_of(ScalarType::f64), {real(scope)}}, "a");
      scope.columns().members.push_back(out.add(Concat{outer, {pick(scope.rows()), one}}, "c"));
      break;
    }
    case 3:
      scope.rows().members.push_back(
          out.add(Slice{pick(scope.columns()), {{false, i64_operand(2), inner, i64_operand(-1)}}},
                  "s"));
      break;
    case 4: {
      Family& a = pick(scope.vectors);
      Family& b = pick(scope.vectors);
      const Operand size = out.add_i64(a.size, b.size);
      const NameId joined = out.add(Concat{size, {pick(a), pick(b)}}, "c");
      scope.vectors.push_back({size, {joined}});
      break;
    }
    default: {
      Family& family = pick(scope.vectors);
      family.members.push_back(out.add(Replicate{{family.size}, real(scope)}, "r"));
    }
  }
}

// A derivative of a function of a real and a row, in either mode.
void FunctionGenerator::derivative(Scope& scope, Builder& out, int depth) {
  const Type real_type = scalar_of(ScalarType::f64);
  Differentiate result;
  result.mode = below(3) == 0 ? DerivativeMode::forward : DerivativeMode::reverse;
  result.arguments = {real(scope), pick(scope.rows())};
  const Type row_type = out.names().type(result.arguments[1]);
  result.function = out.lambda(
      {real_type, row_type}, {"x", "row"},
      [&](Builder& inner, const std::vector<NameId>& parameters) {
        Scope nested = scope;
        nested.reals.insert(nested.reals.end(), nested.reals.size() / 2 + 1, parameters[0]);
        std::vector<NameId>& rows = nested.rows().members;
        rows.insert(rows.end(), rows.size() / 2 + 1, parameters[1]);
        statements(nested, inner, 1 + below(3), depth - 1);
        nested.reals.push_back(inner.index(pick(nested.rows()), {pick(nested.integers)}));
        return std::vector<Operand>{arithmetic(nested, inner)};
      });
  const bool forward = result.mode == DerivativeMode::forward;
  result.seeds = {real(scope)};
  if (forward) result.seeds.push_back(pick(scope.rows()));
  const auto made = out.add_results(std::move(result), "d");
  scope.reals.push_back(made[1]);
  if (!forward) scope.rows().members.push_back(made[2]);
}

// sin x · y with the derivative that it has, from its arguments as the tape; or tanh x from its
// result.
void FunctionGenerator::custom_derivative(Scope& scope, Builder& out) {
  constexpr ScalarType type = ScalarType::f64;
  const Type real_type = scalar_of(type);
  CustomDerivative result;
  if (below(2) == 0) {
    result.tape = 2;
    result.arguments = {real(scope), real(scope)};
    result.function = out.lambda(
        {real_type, real_type}, {"x", "y"}, [&](Builder& inner, const std::vector<NameId>& p) {
          const Operand sine = inner.scalar(ScalarOp::sin, type, {p[0]});
          return std::vector<Operand>{p[0], p[1], inner.scalar(ScalarOp::mul, type, {sine, p[1]})};
        });
    result.adjoint = out.lambda(
        {real_type, real_type, real_type}, {"x", "y", "w"},
        [&](Builder& inner, const std::vector<NameId>& p) {
          const Operand sine = inner.scalar(ScalarOp::sin, type, {p[0]});
          const Operand cosine = inner.scalar(ScalarOp::cos, type, {p[0]});
          const Operand slope = inner.scalar(ScalarOp::mul, type, {cosine, p[1]});
          return std::vector<Operand>{inner.scalar(ScalarOp::mul, type, {slope, p[2]}),
                                      inner.scalar(ScalarOp::mul, type, {sine, p[2]})};
        });
  } else {
    result.arguments = {real(scope)};
    result.function =
        out.lambda({real_type}, {"x"}, [&](Builder& inner, const std::vector<NameId>& p) {
          return std::vector<Operand>{inner.scalar(ScalarOp::tanh, type, {p[0]})};
        });
    result.adjoint =
        out.lambda({real_type, real_type}, {"y", "w"},
                   [&](Builder& inner, const std::vector<NameId>& p) {
                     const Operand square = inner.scalar(ScalarOp::mul, type, {p[0], p[0]});
                     const Operand slope = inner.scalar(ScalarOp::sub, type, {number(1), square});
                     return std::vector<Operand>{inner.scalar(ScalarOp::mul, type, {slope, p[1]})};
                   });
  }
  scope.reals.push_back(out.add_results(std::move(result), "custom")[0]);
}

void FunctionGenerator::nesting_statement(Scope& scope, Builder& out, int depth) {
  switch (below(12)) {
    case 0: case 1: map(scope, out, depth); break;
    case 2: map_of_rows(scope, out, depth); break;
    case 3: branch(scope, out, depth); break;
    case 4: branch_of_sizes(scope, out, depth); break;
    case 5: alternatives(scope, out, depth); break;
    case 6: derivative(scope, out, depth); break;
    case 7: loop(scope, out, depth); break;
    case 8: while_loop(scope, out, depth); break;
    case 9: loop_over_array(scope, out, depth); break;
    case 10: growing_loop(scope, out, depth); break;
    default: {
      const NameId copy = copied(pick(scope.matrices), out);
      scope.matrices.push_back(loops_over_rows(scope, out, depth, copy));
    }
  }
}

void FunctionGenerator::statement(Scope& scope, Builder& out, int depth) {
  if (depth > 0 && below(3) == 0) return nesting_statement(scope, out, depth);
  switch (below(13)) {
    case 0: case 1: read(scope, out); break;
    case 2: case 3: rearrange(scope, out); break;
    case 4: update(scope, out); break;
    case 5: histogram(scope, out); break;
    case 6: scatter(scope, out); break;
    case 7: branch_that_writes(scope, out); break;
    case 8: accumulation(scope, out); break;
    case 9: reduce_or_scan(scope, out); break;
    case 10: custom_derivative(scope, out); break;
    case 11: segments(scope, out); break;
    default: scope.reals.push_back(arithmetic(scope, out)); break;
  }
}

void FunctionGenerator::statements(Scope& scope, Builder& out, std::size_t count, int depth) {
  for (std::size_t i = 0; i < count; ++i) statement(scope, out, depth);
}

Program FunctionGenerator::program() {
  Program result;
  Function function;
  function.name = "f";
  const auto parameter = [&](const std::string& base, const Type& type) {
    const NameId name = result.names.fresh(base, type);
    function.parameters.push_back(Binder{name});
    return name;
  };
  const Type real_type = scalar_of(ScalarType::f64);
  const Operand outer = i64_operand(outer_size);
  const Operand inner = i64_operand(inner_size);
  Scope scope;
  scope.reals = {parameter("x", real_type), parameter("y", real_type)};
  scope.vectors = {{inner, {parameter("row", array_over(inner, real_type))}}};
  scope.vectors.push_back({outer, {parameter("column", array_over(outer, real_type))}});
  scope.matrices = {parameter("matrix", array_of(ScalarType::f64, {outer, inner}))};
  scope.integers = {i64_operand(0), i64_operand(1),
                    parameter("k", scalar_of(ScalarType::i64))};
  Builder out(result.names);
  statements(scope, out, 4 + below(8), 3);
  const std::vector<Operand> results = {scope.reals.back(), scope.columns().members.back(),
                                        scope.matrices.back(), scope.rows().members.back(),
                                        scope.reals[below(scope.reals.size())]};
  for (const Operand& each : results) function.result_types.push_back(result.names.type(each));
  function.body = out.take_body(results);
  function.consumes.assign(function.parameters.size(), false);
  result.functions.push_back(std::move(function));
  return result;
}

Program generate_function(std::uint64_t seed) { return FunctionGenerator(seed).program(); }

std::vector<Value> generate_points(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  const auto numbers = [&](std::size_t count) {
    std::vector<double> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(uniform(random));
    return result;
  };
  return {ad_test::scalar(uniform(random)),
          ad_test::scalar(uniform(random)),
          ad_test::vector(numbers(inner_size)),
          ad_test::vector(numbers(outer_size)),
          ad_test::matrix(outer_size, inner_size, numbers(outer_size * inner_size)),
          ad_test::integer(static_cast<std::int64_t>(random() % inner_size))};
}

}  // namespace dagaz::fuzz
