// What gradients cost, counted on the IR that differentiation and optimisation give.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "derivative_check.h"
#include "ir/fields.h"
#include "support/match.h"

namespace {

using namespace dagaz;
using namespace dagaz::ir;

using Sizes = std::map<std::string, double>;  // of parameters, by base name

double size_of(const Operand& operand, const Sizes& sizes, const Names& names) {
  if (operand.is_constant()) return static_cast<double>(integer_value(operand.constant()));
  const auto found = sizes.find(names.base(operand.name()));
  REQUIRE(found != sizes.end());
  return found->second;
}

/// How often a floating-point operation is evaluated; a branch counts both sides.
double evaluations(ScalarOp op, const Body& body, const Sizes& sizes, const Names& names) {
  double count = 0;
  for (const Statement& each : body.statements) {
    if (const auto* scalar = as<Scalar>(each.operation)) {
      count += scalar->op == op && is_float(scalar->type);
    }
    double times = 1;
    if (const auto* map = as<MapScanReduce>(each.operation)) {
      times = size_of(map->width, sizes, names);
    }
    for_each_scope(each.operation, [&](const Body& inner) {
      count += times * evaluations(op, inner, sizes, names);
    });
  }
  return count;
}

template <typename Node>
int occurrences(const Body& body) {
  int count = 0;
  for (const Statement& each : body.statements) {
    count += std::holds_alternative<Node>(each.operation);
    for_each_scope(each.operation, [&](const Body& inner) { count += occurrences<Node>(inner); });
  }
  return count;
}

/// Constants among the names of emitted code, as far as they follow from parameters.
using Known = std::map<NameId, Constant>;

std::optional<Constant> known_value(const Operand& operand, const Known& known) {
  if (operand.is_constant()) return operand.constant();
  const auto found = known.find(operand.name());
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// The elements of the arrays made to be written that are alive at the same time, at most: those
/// of a scope and of the largest of the scopes in it.  Loops are looked at in their first
/// iteration.
double stored(const Body& body, Known known) {
  double here = 0;
  double inside = 0;
  for (const Statement& each : body.statements) {
    if (const auto* scalar = as<Scalar>(each.operation)) {
      std::vector<Constant> arguments;
      for (const Operand& argument : scalar->arguments) {
        if (const auto value = known_value(argument, known)) arguments.push_back(*value);
      }
      if (arguments.size() != scalar->arguments.size()) continue;
      const auto value = evaluate(scalar->op, scalar->type, scalar->result, arguments);
      if (value) known.insert_or_assign(each.results[0].name, *value);
    } else if (const auto* scratch = as<Scratch>(each.operation)) {
      double elements = 1;
      for (const Operand& size : scratch->shape) {
        const auto value = known_value(size, known);
        REQUIRE(value.has_value());
        elements *= static_cast<double>(integer_value(*value));
      }
      here += elements;
    } else if (const auto* loop = as<Loop>(each.operation)) {
      Known first = known;
      if (const auto* form = as<ForForm>(loop->form)) {
        first.insert_or_assign(form->index.name, make_integer(ScalarType::i64, 0));
      }
      inside = std::max(inside, stored(loop->body, first));
    } else {
      for_each_scope(each.operation, [&](const Body& inner) {
        inside = std::max(inside, stored(inner, known));
      });
    }
  }
  return here + inside;
}

const Function& function(const Program& program, std::string_view name) {
  for (const Function& each : program.functions) {
    if (each.name == name) return each;
  }
  FAIL("no function " << std::string(name));
  throw std::logic_error("no such function");
}

const char* const mixture = R"(
function f (n: i64, k: i64, d: i64, means: [k][d]f64, factors: [k][d][d]f64, points: [n][d]f64) -> [f64] {
  total: f64 = map_scan_reduce n [points] map \(point: [d]f64) -> [f64] {
    terms: [k]f64 = map_scan_reduce k [means, factors] map \(mean: [d]f64, factor: [d][d]f64) -> [f64] {
      centred: [d]f64 = map_scan_reduce d [point, mean] map \(p: f64, m: f64) -> [f64] {
        c: f64 = sub.f64 p m
        return c }
      distance: f64 = map_scan_reduce d [factor] map \(row: [d]f64) -> [f64] {
        y: f64 = map_scan_reduce d [row, centred] map \(r: f64, c1: f64) -> [f64] {
          rc: f64 = mul.f64 r c1
          return rc } reductions [(op \(a: f64, b: f64) -> [f64] { s: f64 = add.f64 a b return s } neutral [0.0f64])]
        yy: f64 = mul.f64 y y
        return yy } reductions [(op \(a1: f64, b1: f64) -> [f64] { s1: f64 = add.f64 a1 b1 return s1 } neutral [0.0f64])]
      term: f64 = neg.f64 distance
      return term }
    sum: f64 = map_scan_reduce k [terms] map \(t: f64) -> [f64] {
      e: f64 = exp.f64 t
      return e } reductions [(op \(a2: f64, b2: f64) -> [f64] { s2: f64 = add.f64 a2 b2 return s2 } neutral [0.0f64])]
    l: f64 = log.f64 sum
    return l } reductions [(op \(a3: f64, b3: f64) -> [f64] { s3: f64 = add.f64 a3 b3 return s3 } neutral [0.0f64])]
  return total
})";

const char* const powers = R"(
function f (n: i64, x: f64) -> [f64] {
  y: f64 = loop values [a: f64 = x] form for i: i64 < n body {
    b: f64 = sin.f64 a
    c: f64 = mul.f64 a b
    return c }
  return y
})";

/// A state of m numbers that is stepped n times, as in a simulation.
std::string simulation(const std::string& attributes) {
  return R"(
function f (n: i64, m: i64, xs: [m]f64, c: f64) -> [[m]f64] {
  ys: [m]f64 = loop values [s: [m]f64 = xs] form for i: i64 < n body {
    t: [m]f64 = map_scan_reduce m [s] map \(x: f64) -> [f64] {
      y: f64 = sin.f64 x
      z: f64 = mul.f64 y c
      return z }
    return t })" + attributes + R"(
  return ys
})";
}

/// What a gradient stores whose first parameters are these sizes.
double stored_in(const Function& gradient, const std::vector<std::int64_t>& sizes) {
  Known known;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    known.insert_or_assign(gradient.parameters[i].name, make_integer(ScalarType::i64, sizes[i]));
  }
  return stored(gradient.body, known);
}

/// What the gradient of a simulation of n steps of m numbers stores.
double stored_by_gradient(const std::string& attributes, std::int64_t n, std::int64_t m) {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(simulation(attributes)));
  return stored_in(function(program, "vjp"), {n, m});
}

/// Rows are stepped one after the other, n times, from what the row before became.
std::string layers(const std::string& of_steps, const std::string& of_rows) {
  return R"(
function f (n: i64, m: i64, l: i64, xs: [l][m]f64, z: [m]f64) -> [[l][m]f64] {
  own: [l][m]f64 = copy xs
  ys: [l][m]f64 = loop values [s: [l][m]f64 = own] form for i: i64 < n body {
    last: [m]f64, t: [l][m]f64 = loop values [before: [m]f64 = z, r: [l][m]f64 = s] form for j: i64 < l body {
      row: [m]f64 = index r [j]
      a: [m]f64 = map_scan_reduce m [row, before] map \(x: f64, y: f64) -> [f64] {
        p: f64 = mul.f64 x y
        v: f64 = tanh.f64 p
        return v }
      b: [m]f64 = map_scan_reduce m [a] map \(w: f64) -> [f64] {
        u: f64 = mul.f64 w w
        return u }
      q: [l][m]f64 = update r [j, 0 : m : 1] b
      return a, q })" +
         of_rows + R"(
    return t })" +
         of_steps + R"(
  return ys
})";
}

/// How often the gradient evaluates the steps' functions, in steps of the primal.
double steps_of_gradient(const std::string& source) {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(source));
  const Sizes sizes = {{"m", 10}};
  const double primal =
      evaluations(ScalarOp::tanh, function(program, "f").body, sizes, program.names);
  CHECK(primal == 10);
  return evaluations(ScalarOp::tanh, function(program, "vjp").body, sizes, program.names) / primal;
}

/// The sum of sines scales the next state.
std::string scaled(const std::string& attributes) {
  return R"(
function f (n: i64, m: i64, xs: [m]f64) -> [[m]f64] {
  ys: [m]f64 = loop values [s: [m]f64 = xs] form for i: i64 < n body {
    sum: f64 = map_scan_reduce m [s] map \(x: f64) -> [f64] {
      y: f64 = sin.f64 x
      return y } reductions [(op \(p: f64, q: f64) -> [f64] {
        r: f64 = add.f64 p q
        return r } neutral [0.0f64])]
    t: [m]f64 = map_scan_reduce m [s] map \(z: f64) -> [f64] {
      u: f64 = mul.f64 z sum
      return u }
    return t })" + attributes + R"(
  return ys
})";
}

const char* const nest = R"(
function f (n: i64, m: i64, xs: [n][m]f64, ys: [n]f64) -> [[n][m]f64] {
  r: [n][m]f64 = map_scan_reduce n [xs, ys] map \(row: [m]f64, y: f64) -> [[m]f64] {
    rr: [m]f64 = map_scan_reduce m [row] map \(x: f64) -> [f64] {
      e: f64 = exp.f64 x
      p: f64 = mul.f64 e y
      return p }
    return rr }
  return r
})";

const char* const recurrences = R"(
function f (n: i64, xs: [n]f64, keys: [n]i64) -> [f64, [n]f64, [8]f64] {
  a: f64, b: f64 = map_scan_reduce n [xs] map \(x: f64) -> [f64, f64] {
    s: f64 = sin.f64 x
    c: f64 = cos.f64 x
    return s, c } reductions [(op \(a1: f64, b1: f64, a2: f64, b2: f64) -> [f64, f64] {
      p: f64 = mul.f64 b2 a1
      q: f64 = add.f64 p a2
      r: f64 = mul.f64 b1 b2
      return q, r } neutral [0.0f64, 1.0f64])]
  ys: [n]f64 = map_scan_reduce n [xs] map \(x1: f64) -> [f64] {
    s1: f64 = sin.f64 x1
    return s1 } scans [(op \(c1: f64, c2: f64) -> [f64] {
      m: f64 = mul.f64 c1 c2
      return m } neutral [1.0f64])]
  ones: [8]f64 = replicate [8] 1.0f64
  bins: [8]f64 = histogram n [keys, xs] map \(k: i64, x2: f64) -> [i64, f64] {
    s2: f64 = cos.f64 x2
    return k, s2 } operators [([8] [ones] [1.0f64] op \(d1: f64, d2: f64) -> [f64] {
      d: f64 = mul.f64 d1 d2
      return d })]
  return a, ys, bins
})";

/// The arrays of n elements that statements of the function itself make.
int arrays_of_all(const Function& function, const Names& names) {
  int count = 0;
  for (const Statement& each : function.body.statements) {
    for (const Binder& result : each.results) {
      const Type& type = names.type(result.name);
      count += type.rank() > 0 && type.shape[0].is_name() &&
               names.base(type.shape[0].name()) == "n";
    }
  }
  return count;
}

}  // namespace

TEST_CASE("the gradient of a mixture evaluates as many exponentials as twice the primal") {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(mixture));
  // All points in one chunk.
  const Sizes sizes = {{"n", 1000}, {"chunk", 1000}, {"k", 25}, {"d", 20}};
  const double primal =
      evaluations(ScalarOp::exp, function(program, "f").body, sizes, program.names);
  const Body& gradient = function(program, "vjp").body;
  CHECK(primal == 25000);
  CHECK(evaluations(ScalarOp::exp, gradient, sizes, program.names) <= 2 * primal);
  CHECK(occurrences<Accumulate>(gradient) == 0);
}

// The products of centred points and factors, and two of their adjoints with the one and the other.
TEST_CASE("the gradient of a mixture is three products for the primal's one") {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(mixture));
  const Sizes sizes = {{"n", 1000}, {"chunk", 1000}, {"k", 25}, {"d", 20}};
  const double product = 1000 * 25 * 20 * 20;
  const Body& gradient = function(program, "vjp").body;
  const double multiplications = evaluations(ScalarOp::mul, gradient, sizes, program.names);
  CHECK(multiplications >= 3 * product);
  CHECK(multiplications <= 3.2 * product);
}

TEST_CASE("the gradient of a mixture keeps arrays of a chunk of points alone") {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(mixture));
  const Function& gradient = function(program, "vjp");
  for (const Statement& each : gradient.body.statements) {
    for (const Binder& result : each.results) {
      const Type& type = program.names.type(result.name);
      const bool of_all_points = type.rank() > 2 && type.shape[0].is_name() &&
                                 program.names.base(type.shape[0].name()) == "n";
      CHECK_MESSAGE(!of_all_points, program.names.base(result.name));
    }
  }
}

TEST_CASE("gradients of general operators keep arrays of a chunk of elements alone") {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(recurrences));
  // The adjoint of xs before and after each of three loops, that of ys before and after its loop.
  CHECK(arrays_of_all(function(program, "vjp"), program.names) <= 6);
}

TEST_CASE("the gradient of a loop keeps one array, of its value at each iteration") {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(powers));
  CHECK(occurrences<Scratch>(function(program, "vjp").body) == 1);
}

TEST_CASE("the gradient of a simulation keeps a state for each step; strip-mined, of each root") {
  CHECK(stored_by_gradient("", 10000, 50) == 10000 * 50);
  CHECK(stored_by_gradient(" attributes (2)", 10000, 50) <= 2 * 100 * 50);
  CHECK(stored_by_gradient(" attributes (2)", 40000, 50) <= 2 * 200 * 50);
  CHECK(stored_by_gradient(" attributes (3)", 8000, 50) <= 3 * 20 * 50);
}

TEST_CASE("the gradient of nested loops that step rows evaluates each step twice, if it may") {
  CHECK(steps_of_gradient(layers("", "")) == 2);
  CHECK(steps_of_gradient(layers(" attributes (1)", "")) == 3);
  CHECK(steps_of_gradient(layers(" attributes (2)", "")) == 3);
  // In the inner loop alone: one execution to keep what it computes.
  CHECK(steps_of_gradient(layers("", " attributes (-1)")) == 2);
  CHECK(steps_of_gradient(layers(" attributes (-1)", "")) == 2);
  CHECK(steps_of_gradient(layers(" attributes (-1)", " attributes (-1)")) == 1);
}

TEST_CASE("what a loop keeps by its attribute is not evaluated again") {
  const auto sines = [](const std::string& attributes) {
    const Program program = ad_test::optimised_vjp(ad_test::program_of(scaled(attributes)));
    const Body& gradient = function(program, "vjp").body;
    return evaluations(ScalarOp::sin, gradient, {{"m", 10}}, program.names);
  };
  CHECK(sines("") == 20);
  CHECK(sines(" attributes (-1)") == 10);
}

TEST_CASE("the gradient of nested loops that step rows keeps two rows for each step") {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(layers("", "")));
  CHECK(stored_in(function(program, "vjp"), {100, 50, 7}) == 2 * 100 * 50 * 7);
}

TEST_CASE("the gradient of a nest of maps is one statement") {
  const Program program = ad_test::optimised_vjp(ad_test::program_of(nest));
  const Body& gradient = function(program, "vjp").body;
  CHECK(gradient.statements.size() == 1);
  CHECK(occurrences<Accumulate>(gradient) == 0);
  CHECK(occurrences<Scratch>(gradient) == 0);
}
