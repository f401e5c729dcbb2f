// Fuzzes differentiation: random nests of maps, reductions, scans, loops, branches, gathers and
// updates on small arrays of reals, checked as the unit tests of AD check their functions, by
// differences and by the inner product of the modes.
//
//   fuzz_ad [--seed=N] [--seconds=S] [--programs=N] [--optimise] [--second-order]
//
// A finding is printed with the seed that repeats it.
#include <chrono>
#include <cstring>
#include <limits>
#include <iostream>
#include <random>
#include <string>

#include "derivative_check.h"
#include "ir/builder.h"
#include "ir/print.h"

namespace {

using namespace dagaz;
using namespace dagaz::ir;

/// The sizes of all arrays: rows of vectors and matrices.
constexpr std::int64_t outer_size = 3;
constexpr std::int64_t inner_size = 2;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program program();

 private:
  /// What may be used where code is being made.
  struct Scope {
    std::vector<Operand> reals;
    std::vector<Operand> integers;  // below both sizes
    std::vector<NameId> rows;       // [inner_size]
    std::vector<NameId> columns;    // [outer_size]
    std::vector<NameId> matrices;   // [outer_size][inner_size]
  };

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_()) % limit; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  Operand constant() {
    std::uniform_real_distribution<double> uniform(-1, 1);
    return Operand(make_float(ScalarType::f64, uniform(random_)));
  }
  Operand real(const Scope& scope) { return below(8) == 0 ? constant() : pick(scope.reals); }
  std::vector<NameId>& arrays(Scope& scope, std::int64_t size) {
    return size == outer_size ? scope.columns : scope.rows;
  }

  void statements(Scope& scope, Builder& out, int count, int depth);
  void statement(Scope& scope, Builder& out, int depth);
  Operand arithmetic(const Scope& scope, Builder& out);
  void map(Scope& scope, Builder& out, int depth);
  void map_of_rows(Scope& scope, Builder& out, int depth);
  void reduce_or_scan(Scope& scope, Builder& out);
  void loop(Scope& scope, Builder& out, int depth);
  void loop_over_array(Scope& scope, Builder& out, int depth);
  NameId loops_over_rows(Scope& scope, Builder& out, int depth, NameId matrix);
  int kept();
  void branch(Scope& scope, Builder& out, int depth);
  void read(Scope& scope, Builder& out);
  void rearrange(Scope& scope, Builder& out);
  void write(Scope& scope, Builder& out);
  void scatter_or_histogram(Scope& scope, Builder& out);
  Lambda real_operator(Builder& out, ScalarOp op);

  std::mt19937_64 random_;
};

// Bounded smooth functions, so that differences are accurate.
Operand Generator::arithmetic(const Scope& scope, Builder& out) {
  constexpr ScalarType type = ScalarType::f64;
  const Operand x = real(scope);
  const Operand y = real(scope);
  switch (below(8)) {
    case 0: return out.scalar(ScalarOp::add, type, {x, y});
    case 1: return out.scalar(ScalarOp::sub, type, {x, y});
    case 2: return out.scalar(ScalarOp::sin, type, {x});
    case 3: return out.scalar(ScalarOp::tanh, type, {out.scalar(ScalarOp::mul, type, {x, y})});
    case 4: return out.scalar(ScalarOp::cos, type, {x});
    case 5: return out.scalar(ScalarOp::atan, type, {x});
    default: {
      const Operand product = out.scalar(ScalarOp::mul, type, {x, y});
      return out.scalar(ScalarOp::tanh, type, {product});
    }
  }
}

// map over one array or two, and scalars and arrays from outside.
void Generator::map(Scope& scope, Builder& out, int depth) {
  const std::int64_t size = below(2) == 0 ? outer_size : inner_size;
  auto& from = arrays(scope, size);
  if (from.empty()) return;
  std::vector<NameId> inputs = {pick(from)};
  if (below(2) == 0) inputs.push_back(pick(from));
  const std::size_t results = 1 + below(2);
  const auto made = out.map(
      i64_operand(size), inputs, [&](Builder& inner, const std::vector<NameId>& parameters) {
        Scope nested = scope;
        for (const NameId parameter : parameters) nested.reals.push_back(parameter);
        nested.reals.push_back(parameters[0]);
        statements(nested, inner, 1 + static_cast<int>(below(3)), depth - 1);
        std::vector<Operand> values;
        for (std::size_t i = 0; i < results; ++i) values.push_back(arithmetic(nested, inner));
        return values;
      });
  for (const NameId name : made) arrays(scope, size).push_back(name);
}

void Generator::map_of_rows(Scope& scope, Builder& out, int depth) {
  if (scope.matrices.empty()) return;
  const bool gives_rows = below(2) == 0;
  std::vector<NameId> inputs = {pick(scope.matrices)};
  if (!scope.columns.empty() && below(2) == 0) inputs.push_back(pick(scope.columns));
  const auto made = out.map(
      i64_operand(outer_size), inputs,
      [&](Builder& inner, const std::vector<NameId>& parameters) {
        Scope nested = scope;
        nested.rows.push_back(parameters[0]);
        nested.rows.push_back(parameters[0]);
        if (parameters.size() > 1) nested.reals.push_back(parameters[1]);
        statements(nested, inner, 1 + static_cast<int>(below(3)), depth - 1);
        if (!gives_rows) return std::vector<Operand>{arithmetic(nested, inner)};
        if (nested.rows.back() == parameters[0]) map(nested, inner, 0);
        return std::vector<Operand>{nested.rows.back()};
      });
  (gives_rows ? scope.matrices : scope.columns).push_back(made[0]);
}

Lambda Generator::real_operator(Builder& out, ScalarOp op) {
  const Type type = scalar_of(ScalarType::f64);
  return out.lambda({type, type}, {"x", "y"}, [&](Builder& inner, const std::vector<NameId>& p) {
    return std::vector<Operand>{
        inner.scalar(op, ScalarType::f64, {Operand(p[0]), Operand(p[1])})};
  });
}

void Generator::reduce_or_scan(Scope& scope, Builder& out) {
  const std::int64_t size = below(2) == 0 ? outer_size : inner_size;
  auto& from = arrays(scope, size);
  if (from.empty()) return;
  const Operand zero(make_float(ScalarType::f64, 0));
  const Operand one(make_float(ScalarType::f64, 1));
  const bool scans = below(2) == 0;
  const auto run = [&](Lambda op, std::vector<Operand> neutral, std::vector<NameId> inputs) {
    const Operand width = i64_operand(size);
    if (scans) {
      for (const NameId each : out.scan(width, inputs, {std::move(op), std::move(neutral)})) {
        from.push_back(each);
      }
    } else {
      for (const NameId each : out.reduce(width, inputs, {std::move(op), std::move(neutral)})) {
        scope.reals.push_back(each);
      }
    }
  };
  switch (below(4)) {
    case 0: run(real_operator(out, ScalarOp::add), {zero}, {pick(from)}); break;
    case 1: run(real_operator(out, ScalarOp::mul), {one}, {pick(from)}); break;
    case 2: {
      const double infinity = std::numeric_limits<double>::infinity();
      run(real_operator(out, ScalarOp::fmax), {Operand(make_float(ScalarType::f64, -infinity))},
          {pick(from)});
      break;
    }
    default: {
      // Composition of x ↦ a + b·x.
      const Type type = scalar_of(ScalarType::f64);
      Lambda op = out.lambda(
          {type, type, type, type}, {}, [&](Builder& inner, const std::vector<NameId>& p) {
            const Operand scaled =
                inner.scalar(ScalarOp::mul, ScalarType::f64, {Operand(p[3]), Operand(p[0])});
            const Operand sum =
                inner.scalar(ScalarOp::add, ScalarType::f64, {Operand(p[2]), scaled});
            const Operand product =
                inner.scalar(ScalarOp::mul, ScalarType::f64, {Operand(p[1]), Operand(p[3])});
            return std::vector<Operand>{sum, product};
          });
      run(std::move(op), {zero, one}, {pick(from), pick(from)});
    }
  }
}

void Generator::loop(Scope& scope, Builder& out, int depth) {
  Names& names = out.names();
  const Type type = scalar_of(ScalarType::f64);
  Loop result;
  Scope nested = scope;
  const std::size_t values = 1 + below(2);
  for (std::size_t i = 0; i < values; ++i) {
    const NameId parameter = names.fresh("a", type);
    result.values.push_back(LoopValue{Binder{parameter}, real(scope)});
    nested.reals.push_back(parameter);
    nested.reals.push_back(parameter);
  }
  const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
  result.form = ForForm{Binder{index}, i64_operand(static_cast<std::int64_t>(below(3)))};
  nested.integers.push_back(index);
  Builder inner = out.nested();
  statements(nested, inner, 1 + static_cast<int>(below(2)), depth - 1);
  std::vector<Operand> next;
  for (std::size_t i = 0; i < values; ++i) next.push_back(arithmetic(nested, inner));
  result.body = inner.take_body(std::move(next));
  result.attributes.stripmine = kept();
  for (const NameId each : out.add_results(std::move(result), "l")) scope.reals.push_back(each);
}

// A loop that updates an array in place.
void Generator::loop_over_array(Scope& scope, Builder& out, int depth) {
  if (scope.columns.empty()) return;
  Names& names = out.names();
  const NameId copy = out.add(Copy{pick(scope.columns)}, "copy");
  const NameId parameter = names.fresh("as", names.type(copy));
  const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
  Loop result;
  result.values = {{Binder{parameter}, copy}};
  result.form = ForForm{Binder{index}, i64_operand(static_cast<std::int64_t>(below(3)))};
  Scope nested = scope;
  Builder inner = out.nested();
  nested.reals.push_back(inner.index(parameter, {pick(scope.integers)}));
  nested.reals.push_back(inner.index(parameter, {Operand(index)}));
  nested.integers.push_back(index);
  statements(nested, inner, static_cast<int>(below(3)), depth - 1);
  const Operand value = arithmetic(nested, inner);
  const Operand place = pick(nested.integers);
  const NameId updated = inner.add(
      Update{parameter, {{true, place, i64_operand(1), i64_operand(1)}}, value}, "as");
  result.body = inner.take_body({updated});
  result.attributes.stripmine = kept();
  scope.columns.push_back(out.add_results(std::move(result), "as")[0]);
}

// What #[stripmine(n)] or #[keep] ask for.
int Generator::kept() {
  switch (below(8)) {
    case 0: return 2;
    case 1: return 1;
    case 2: return -1;
    default: return 0;
  }
}

// Nested loops that read and write rows of one matrix, and hand on a number.
NameId Generator::loops_over_rows(Scope& scope, Builder& out, int depth, NameId matrix) {
  Names& names = out.names();
  const NameId parameter = names.fresh("rows", names.type(matrix));
  const NameId number = names.fresh("a", scalar_of(ScalarType::f64));
  const NameId index = names.fresh("i", scalar_of(ScalarType::i64));
  Loop result;
  result.values = {{Binder{number}, real(scope)}, {Binder{parameter}, matrix}};
  result.form = ForForm{Binder{index}, i64_operand(static_cast<std::int64_t>(1 + below(2)))};
  Scope nested = scope;
  nested.reals.push_back(number);
  nested.integers.push_back(index);
  Builder inner = out.nested();
  NameId rows = parameter;
  if (below(2) == 0) {
    const NameId row = inner.index(rows, {pick(nested.integers)}).name();
    nested.rows.push_back(inner.add(Copy{row}, "row"));
  }
  if (below(3) == 0) {
    const NameId all = inner.map(i64_operand(outer_size), {rows},
                                 [&](Builder& body, const std::vector<NameId>& row) {
                                   const Operand x = body.index(row[0], {i64_operand(1)});
                                   return std::vector<Operand>{
                                       body.scalar(ScalarOp::sin, ScalarType::f64, {x})};
                                 })[0];
    nested.columns.push_back(all);
  }
  statements(nested, inner, static_cast<int>(below(3)), depth - 1);
  if (below(2) == 0) rows = loops_over_rows(nested, inner, depth - 1, rows);
  if (below(2) == 0) {
    nested.reals.push_back(inner.index(rows, {pick(nested.integers), i64_operand(1)}));
  }
  if (below(3) != 0) {
    const NameId row = inner.add(Copy{pick(nested.rows)}, "row");
    const std::vector<SliceDimension> place = {
        {true, pick(nested.integers), i64_operand(1), i64_operand(1)},
        {false, i64_operand(0), i64_operand(inner_size), i64_operand(1)}};
    rows = inner.add(Update{rows, place, row}, "rows");
  }
  const Operand value = arithmetic(nested, inner);
  result.body = inner.take_body({value, rows});
  result.attributes.stripmine = kept();
  const auto results = out.add_results(std::move(result), "rows");
  scope.reals.push_back(results[0]);
  return results[1];
}

void Generator::branch(Scope& scope, Builder& out, int depth) {
  const Operand condition =
      out.scalar(ScalarOp::flt, ScalarType::f64, {pick(scope.reals), constant()});
  const bool array = below(2) == 0 && !scope.columns.empty();
  const auto side = [&](Builder& inner) {
    Scope nested = scope;
    statements(nested, inner, 1 + static_cast<int>(below(2)), depth - 1);
    if (array) return std::vector<Operand>{pick(nested.columns)};
    return std::vector<Operand>{arithmetic(nested, inner)};
  };
  const NameId result = out.branch(condition, side, side)[0];
  if (array) {
    scope.columns.push_back(result);
  } else {
    scope.reals.push_back(result);
  }
}

void Generator::read(Scope& scope, Builder& out) {
  const Operand i = pick(scope.integers);
  const Operand j = pick(scope.integers);
  switch (below(4)) {
    case 0:
      if (!scope.rows.empty()) scope.reals.push_back(out.index(pick(scope.rows), {i}));
      break;
    case 1:
      if (!scope.columns.empty()) scope.reals.push_back(out.index(pick(scope.columns), {i}));
      break;
    case 2:
      if (!scope.matrices.empty()) scope.reals.push_back(out.index(pick(scope.matrices), {i, j}));
      break;
    default:
      if (!scope.matrices.empty()) {
        scope.rows.push_back(out.index(pick(scope.matrices), {i}).name());
      }
  }
}

void Generator::rearrange(Scope& scope, Builder& out) {
  const std::vector<Operand> shape = {i64_operand(outer_size), i64_operand(inner_size)};
  switch (below(5)) {
    case 0:
      if (!scope.matrices.empty()) {
        // Transposed, and back to the shape by row-major order.
        const NameId turned = out.add(Permute{pick(scope.matrices), {1, 0}}, "t");
        scope.matrices.push_back(out.add(Reshape{turned, shape}, "r"));
      }
      break;
    case 1:
      if (!scope.rows.empty()) {
        scope.matrices.push_back(
            out.add(Replicate{{i64_operand(outer_size)}, pick(scope.rows)}, "r"));
      }
      break;
    case 2:
      if (!scope.rows.empty()) {
        const NameId one = out.add(ArrayLiteral{scalar_of(ScalarType::f64), {real(scope)}}, "a");
        scope.columns.push_back(
            out.add(Concat{i64_operand(outer_size), {pick(scope.rows), one}}, "c"));
      }
      break;
    case 3:
      if (!scope.columns.empty()) {
        scope.rows.push_back(out.add(
            Slice{pick(scope.columns),
                  {{false, i64_operand(2), i64_operand(inner_size), i64_operand(-1)}}},
            "s"));
      }
      break;
    default:
      scope.columns.push_back(
          out.add(Replicate{{i64_operand(outer_size)}, real(scope)}, "r"));
  }
}

void Generator::write(Scope& scope, Builder& out) {
  if (scope.matrices.empty() || scope.rows.empty()) return;
  const NameId copy = out.add(Copy{pick(scope.matrices)}, "copy");
  const std::vector<SliceDimension> row = {
      {true, pick(scope.integers), i64_operand(1), i64_operand(1)},
      {false, i64_operand(0), i64_operand(inner_size), i64_operand(1)}};
  scope.matrices.push_back(out.add(Update{copy, row, pick(scope.rows)}, "m"));
}

void Generator::scatter_or_histogram(Scope& scope, Builder& out) {
  if (scope.columns.empty() || scope.rows.empty()) return;
  const NameId copy = out.add(Copy{pick(scope.columns)}, "copy");
  const Operand width = i64_operand(inner_size);
  const std::vector<Operand> shape = {i64_operand(outer_size)};
  const NameId places = out.add(
      Iota{ScalarType::i64, width, i64_operand(static_cast<std::int64_t>(below(3))),
           i64_operand(static_cast<std::int64_t>(below(3)))},
      "is");
  const NameId values = pick(scope.rows);
  const std::vector<Type> types = {scalar_of(ScalarType::i64), scalar_of(ScalarType::f64)};
  if (below(3) == 0) {
    // Distinct places, for which write wins is unspecified.
    const NameId distinct = out.add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(2)},
                                    "is");
    Scatter scatter{width, {distinct, values}, identity_lambda(types, out.names()),
                    {{shape, copy}}};
    scope.columns.push_back(out.add(std::move(scatter), "s"));
    return;
  }
  const bool sums = below(2) == 0;
  Histogram histogram;
  histogram.width = width;
  histogram.arrays = {places, values};
  histogram.map = identity_lambda(types, out.names());
  histogram.operators = {{shape,
                          {copy},
                          {Operand(make_float(ScalarType::f64, sums ? 0 : 1))},
                          real_operator(out, sums ? ScalarOp::add : ScalarOp::mul)}};
  scope.columns.push_back(out.add(std::move(histogram), "h"));
}

void Generator::statement(Scope& scope, Builder& out, int depth) {
  const std::size_t kind = depth > 0 ? below(12) : 5 + below(7);
  switch (kind) {
    case 0: case 1: map(scope, out, depth); break;
    case 2: map_of_rows(scope, out, depth); break;
    case 3: branch(scope, out, depth); break;
    case 4:
      switch (below(3)) {
        case 0: loop(scope, out, depth); break;
        case 1: loop_over_array(scope, out, depth); break;
        default: {
          const NameId copy = out.add(Copy{pick(scope.matrices)}, "copy");
          scope.matrices.push_back(loops_over_rows(scope, out, depth, copy));
        }
      }
      break;
    case 5: read(scope, out); break;
    case 6: rearrange(scope, out); break;
    case 7: write(scope, out); break;
    case 8: scatter_or_histogram(scope, out); break;
    case 9: reduce_or_scan(scope, out); break;
    default: scope.reals.push_back(arithmetic(scope, out)); break;
  }
}

void Generator::statements(Scope& scope, Builder& out, int count, int depth) {
  for (int i = 0; i < count; ++i) statement(scope, out, depth);
}

Program Generator::program() {
  Program result;
  Function function;
  function.name = "f";
  Scope scope;
  const auto parameter = [&](const std::string& base, const Type& type) {
    const NameId name = result.names.fresh(base, type);
    function.parameters.push_back(Binder{name});
    return name;
  };
  const Operand outer = i64_operand(outer_size);
  const Operand inner = i64_operand(inner_size);
  scope.reals = {parameter("x", scalar_of(ScalarType::f64)),
                 parameter("y", scalar_of(ScalarType::f64))};
  scope.rows = {parameter("row", array_of(ScalarType::f64, {inner}))};
  scope.columns = {parameter("column", array_of(ScalarType::f64, {outer}))};
  scope.matrices = {parameter("matrix", array_of(ScalarType::f64, {outer, inner}))};
  scope.integers = {i64_operand(0), i64_operand(1),
                    parameter("k", scalar_of(ScalarType::i64))};
  Builder out(result.names);
  statements(scope, out, 3 + static_cast<int>(below(6)), 3);
  const std::vector<Operand> results = {scope.reals.back(), scope.columns.back(),
                                        scope.matrices.back(), scope.rows.back()};
  for (const Operand& each : results) function.result_types.push_back(result.names.type(each));
  function.body = out.take_body(results);
  function.consumes.assign(function.parameters.size(), false);
  result.functions.push_back(std::move(function));
  return result;
}

std::vector<Value> arguments(std::uint64_t seed) {
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

/// The number after `--name=`.
bool option(const char* argument, const char* name, std::uint64_t& value) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0) return false;
  value = std::stoull(argument + length);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::uint64_t seconds = 10;
  std::uint64_t programs = ~std::uint64_t{0};
  ad_test::DerivativeOptions options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--optimise") == 0) {
      options.optimise = true;
    } else if (std::strcmp(argv[i], "--second-order") == 0) {
      options.second_order = true;
    } else if (!option(argv[i], "--seed=", seed) && !option(argv[i], "--seconds=", seconds) &&
               !option(argv[i], "--programs=", programs)) {
      std::cerr << "fuzz_ad: unknown option " << argv[i] << '\n';
      return 2;
    }
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::uint64_t tried = 0;
  for (; tried < programs && Clock::now() < end; ++tried) {
    const std::uint64_t number = seed + tried;
    const Program program = Generator(number).program();
    const std::string fault = ad_test::derivative_fault(program, arguments(number), options);
    if (fault.empty()) continue;
    std::cout << print(program) << '\n' << fault << "\nrepeat: fuzz_ad --programs=1 --seed="
              << number << (options.optimise ? " --optimise" : "")
              << (options.second_order ? " --second-order" : "") << '\n';
    return 1;
  }
  std::cout << tried << " programs\n";
  return 0;
}
