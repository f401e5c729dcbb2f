// Reductions, scans, histograms and writes to arrays.
#include <limits>

#include "function_generator.h"

namespace dagaz::fuzz {

using namespace ir;

namespace {

constexpr ScalarType f64 = ScalarType::f64;

SliceDimension at(const Operand& index) {
  return {true, index, i64_operand(1), i64_operand(1)};
}

/// 2·k parameters, named after the first letters.
Lambda operator_on(std::size_t k, Builder& out, const Builder::BodyFunction& build) {
  return out.lambda(std::vector<Type>(2 * k, scalar_of(f64)), {"a", "b", "c", "d"}, build);
}

Lambda operator_of(ScalarOp op, Builder& out) {
  return operator_on(1, out, [&](Builder& inner, const std::vector<NameId>& p) {
    return std::vector<Operand>{inner.scalar(op, f64, {p[0], p[1]})};
  });
}

}  // namespace

// An associative operator on one real or two, and its neutral element.
FunctionGenerator::Operator FunctionGenerator::any_operator(Builder& out) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (below(8)) {
    case 0: return {operator_of(ScalarOp::add, out), {number(0)}};
    case 1: return {operator_of(ScalarOp::mul, out), {number(1)}};
    case 2: return {operator_of(ScalarOp::fmax, out), {number(-infinity)}};
    case 3: return {operator_of(ScalarOp::fmin, out), {number(infinity)}};
    case 4:
      // a + b + a·b
      return {operator_on(1, out,
                          [&](Builder& inner, const std::vector<NameId>& p) {
                            const Operand sum = inner.scalar(ScalarOp::add, f64, {p[0], p[1]});
                            const Operand product = inner.scalar(ScalarOp::mul, f64, {p[0], p[1]});
                            return std::vector<Operand>{
                                inner.scalar(ScalarOp::add, f64, {sum, product})};
                          }),
              {number(0)}};
    case 5:
      // The larger of two with what belongs to it.
      return {operator_on(2, out,
                          [&](Builder& inner, const std::vector<NameId>& p) {
                            const Operand less = inner.scalar(ScalarOp::flt, f64, {p[0], p[2]});
                            return std::vector<Operand>{inner.select(f64, less, p[2], p[0]),
                                                        inner.select(f64, less, p[3], p[1])};
                          }),
              {number(-infinity), number(0)}};
    case 6:
      // (a + bi) · (c + di)
      return {operator_on(2, out,
                          [&](Builder& inner, const std::vector<NameId>& p) {
                            const auto product = [&](std::size_t i, std::size_t j) {
                              return inner.scalar(ScalarOp::mul, f64, {p[i], p[j]});
                            };
                            const Operand real_part =
                                inner.scalar(ScalarOp::sub, f64, {product(0, 2), product(1, 3)});
                            const Operand imaginary =
                                inner.scalar(ScalarOp::add, f64, {product(0, 3), product(1, 2)});
                            return std::vector<Operand>{real_part, imaginary};
                          }),
              {number(1), number(0)}};
    default:
      // Composition of x ↦ a + b·x and x ↦ c + d·x.
      return {operator_on(2, out,
                          [&](Builder& inner, const std::vector<NameId>& p) {
                            const Operand scaled = inner.scalar(ScalarOp::mul, f64, {p[3], p[0]});
                            return std::vector<Operand>{
                                inner.scalar(ScalarOp::add, f64, {p[2], scaled}),
                                inner.scalar(ScalarOp::mul, f64, {p[1], p[3]})};
                          }),
              {number(0), number(1)}};
  }
}

void FunctionGenerator::reduce_or_scan(Scope& scope, Builder& out) {
  Operator chosen = any_operator(out);
  Family& from = pick(scope.vectors);
  std::vector<NameId> inputs;
  for (std::size_t i = 0; i < chosen.neutral.size(); ++i) inputs.push_back(pick(from));
  if (below(2) == 0) {
    const auto made =
        out.scan(from.size, inputs, {std::move(chosen.op), std::move(chosen.neutral)});
    from.members.insert(from.members.end(), made.begin(), made.end());
  } else {
    const auto made =
        out.reduce(from.size, inputs, {std::move(chosen.op), std::move(chosen.neutral)});
    scope.reals.insert(scope.reals.end(), made.begin(), made.end());
  }
}

// Bins of an operator; places may be equal, and outside.
void FunctionGenerator::histogram(Scope& scope, Builder& out) {
  Operator chosen = any_operator(out);
  Family& from = pick(scope.vectors);
  Family& into = pick(scope.vectors);
  const NameId places =
      out.add(Iota{ScalarType::i64, from.size, i64_operand(static_cast<std::int64_t>(below(3)) - 1),
                   i64_operand(static_cast<std::int64_t>(below(3)))},
              "is");
  Histogram result;
  result.width = from.size;
  result.arrays = {places};
  std::vector<Type> types = {scalar_of(ScalarType::i64)};
  std::vector<NameId> destinations;
  for (std::size_t i = 0; i < chosen.neutral.size(); ++i) {
    result.arrays.push_back(pick(from));
    types.push_back(scalar_of(f64));
    destinations.push_back(copied(pick(into), out));
  }
  result.map = identity_lambda(types, out.names());
  result.operators = {{{into.size}, destinations, std::move(chosen.neutral), std::move(chosen.op)}};
  const auto made = out.add_results(std::move(result), "h");
  into.members.insert(into.members.end(), made.begin(), made.end());
}

// Distinct places, for which write wins is unspecified; some may be outside.
NameId FunctionGenerator::scattered(Scope& scope, Builder& out, NameId consumed) {
  Family& from = pick(scope.vectors);
  const Operand size = out.names().type(consumed).shape.front();
  const NameId places =
      out.add(Iota{ScalarType::i64, from.size, i64_operand(static_cast<std::int64_t>(below(3)) - 1),
                   i64_operand(static_cast<std::int64_t>(1 + below(2)))},
              "is");
  const std::vector<Type> types = {scalar_of(ScalarType::i64), scalar_of(f64)};
  return out.add(Scatter{from.size,
                         {places, pick(from)},
                         identity_lambda(types, out.names()),
                         {{{size}, consumed}}},
                 "s");
}

void FunctionGenerator::scatter(Scope& scope, Builder& out) {
  Family& into = pick(scope.vectors);
  into.members.push_back(scattered(scope, out, copied(pick(into), out)));
}

// Sums of points of a map, some of which add twice or only on a condition.
void FunctionGenerator::accumulation(Scope& scope, Builder& out) {
  Family& from = pick(scope.vectors);
  Family& into = pick(scope.vectors);
  const NameId values = pick(from);
  const NameId destination = copied(pick(into), out);
  const Type accumulator{f64, {into.size}, TypeKind::accumulator};
  WithAccumulator result;
  result.inputs = {{{into.size}, destination, operator_of(ScalarOp::add, out), {number(0)}}};
  result.body = out.lambda(
      {accumulator}, {"acc"}, [&](Builder& inner, const std::vector<NameId>& opened) {
        const NameId places = inner.add(
            Iota{ScalarType::i64, from.size, i64_operand(0), i64_operand(1)}, "is");
        return std::vector<Operand>{inner.map(
            from.size, {places, values, opened[0]},
            [&](Builder& point, const std::vector<NameId>& p) {
              Scope nested = scope;
              nested.reals.push_back(p[1]);
              const Operand first = arithmetic(nested, point);
              const NameId once = point.add(Accumulate{p[2], {p[0]}, first}, "acc");
              if (below(2) == 0) return std::vector<Operand>{once};
              const Operand second = arithmetic(nested, point);
              const NameId twice =
                  point.add(Accumulate{once, {pick(nested.integers)}, second}, "acc");
              return std::vector<Operand>{twice};
            })[0]};
      });
  into.members.push_back(out.add_results(std::move(result), "sums")[0]);
}

void FunctionGenerator::update(Scope& scope, Builder& out) {
  if (below(2) == 0) {
    Family& into = pick(scope.vectors);
    const NameId copy = copied(pick(into), out);
    into.members.push_back(out.add(Update{copy, {at(pick(scope.integers))}, real(scope)}, "v"));
    return;
  }
  const NameId copy = copied(pick(scope.matrices), out);
  const std::vector<SliceDimension> row = {
      at(pick(scope.integers)),
      {false, i64_operand(0), i64_operand(inner_size), i64_operand(1)}};
  scope.matrices.push_back(out.add(Update{copy, row, pick(scope.rows())}, "m"));
}

// For each element of a vector as many copies as its place says, and at least one.
void FunctionGenerator::segments(Scope& scope, Builder& out) {
  Family& from = pick(scope.vectors);
  const NameId values = pick(from);
  const NameId sizes =
      out.add(Iota{ScalarType::i64, from.size, i64_operand(1), i64_operand(1)}, "is");
  FlatMap result;
  result.width = from.size;
  result.arrays = {sizes, values};
  result.varying = 1;
  result.map = out.lambda(
      {scalar_of(ScalarType::i64), scalar_of(f64)}, {"n", "x"},
      [&](Builder& inner, const std::vector<NameId>& p) {
        Scope nested = scope;
        nested.reals.push_back(p[1]);
        const NameId segment = inner.add(Replicate{{p[0]}, arithmetic(nested, inner)}, "segment");
        return std::vector<Operand>{p[0], segment};
      });
  result.map.result_types[1] = array_of(f64, {i64_operand(0)});
  const auto made = out.add_results(std::move(result), "flat");
  scope.vectors.push_back({Operand(made[0]), {made[3]}});
}

}  // namespace dagaz::fuzz
