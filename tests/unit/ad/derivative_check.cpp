// Builds jvp and vjp of a function around it, removes them with the AD pass, and compares.
#include "derivative_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>

#include "ir/builder.h"
#include "ir/names.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace dagaz::ad_test {

using namespace ir;

namespace {

using Values = std::vector<Value>;

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void verified(const Program& program, const std::string& what) {
  const auto violations = verify(program, Stage::parallel);
  if (!violations.empty()) {
    throw Fault(what + " is ill-formed: " + violations.front() + "\n" + print(program));
  }
}

bool is_real(const Value& value) { return value.element == ScalarType::f64; }

Type batched(const Type& type, std::optional<std::int64_t> batch) {
  return batch ? array_over(i64_operand(*batch), type) : type;
}

// Adds a function that differentiates `of` with respect to its reals.  Its parameters: those of
// `of`, then the seeds.  Its results: the derivatives alone.
void add_derivative(Program& program, const std::string& of, const std::string& name,
                    DerivativeMode mode, std::optional<std::int64_t> batch = std::nullopt) {
  const auto found = std::find_if(program.functions.begin(), program.functions.end(),
                                  [&](const Function& each) { return each.name == of; });
  Names& names = program.names;
  const Lambda original =
      renamed(Lambda{found->parameters, found->body, found->result_types}, names);
  Function result;
  result.name = name;
  Differentiate operation;
  operation.mode = mode;
  if (batch) operation.batch = i64_operand(*batch);
  operation.function.body = original.body;
  operation.function.result_types = original.result_types;
  Substitution constants;
  for (const Binder& each : original.parameters) {
    const Type type = substitute(names.type(each.name), constants);
    const NameId parameter = names.fresh(names.base(each.name), type);
    result.parameters.push_back(Binder{parameter});
    if (type.element == ScalarType::f64) {
      operation.function.parameters.push_back(each);
      operation.arguments.push_back(parameter);
    } else {
      constants.emplace(each.name, parameter);
    }
  }
  substitute(operation.function, constants, names);
  std::vector<Type> parameter_types;
  for (const Binder& each : operation.function.parameters) {
    names.set_type(each.name, substitute(names.type(each.name), constants));
    parameter_types.push_back(names.type(each.name));
  }
  const bool forward = mode == DerivativeMode::forward;
  for (const Type& type : forward ? parameter_types : operation.function.result_types) {
    const NameId seed = names.fresh("seed", batched(type, batch));
    result.parameters.push_back(Binder{seed});
    operation.seeds.push_back(seed);
  }
  Statement statement;
  for (const Type& type : operation.function.result_types) {
    statement.results.push_back(Binder{names.fresh("y", type)});
  }
  for (const Type& type : forward ? operation.function.result_types : parameter_types) {
    const NameId derivative = names.fresh("d", batched(type, batch));
    statement.results.push_back(Binder{derivative});
    result.body.results.push_back(derivative);
    result.result_types.push_back(batched(type, batch));
  }
  statement.operation = std::move(operation);
  result.body.statements.push_back(std::move(statement));
  result.consumes.assign(result.parameters.size(), false);
  program.functions.push_back(std::move(result));
}

ParallelProgram optimised(ParallelProgram program) {
  const auto step = [&](bool (*pass)(ParallelProgram&), const std::string& name) {
    const ParallelProgram before = program;
    pass(program);
    try {
      verified(program.program, "the program after " + name);
    } catch (const Fault& fault) {
      throw Fault(std::string(fault.what()) + "\nbefore " + name + ":\n" + print(before.program));
    }
  };
  step(passes::simplify, "simplify");
  step(passes::common_subexpressions, "common-subexpressions");
  step([](ParallelProgram& each) { return passes::fuse(each, {}); }, "fuse");
  step(passes::simplify, "simplify");
  step(passes::eliminate_dead_code, "eliminate-dead-code");
  return program;
}

Program differentiated(Program program, const DerivativeOptions& options = {}) {
  verified(program, "the program before AD");
  ParallelProgram result{std::move(program)};
  if (options.optimise) result = optimised(std::move(result));
  passes::differentiate(result, nullptr, {});
  verified(result.program, "the program after AD");
  if (options.optimise) result = optimised(std::move(result));
  return std::move(result.program);
}

Values run(const Program& program, const std::string& function, Values arguments) {
  auto result = interpret(program, function, std::move(arguments));
  if (auto* error = std::get_if<RuntimeError>(&result)) {
    throw Fault(function + " fails: " + error->message + "\n" + print(program));
  }
  return std::get<Values>(std::move(result));
}

Values joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_real(a[i])) continue;
    for (std::size_t j = 0; j < a[i].elements.size(); ++j) sum += number(a[i], j) * number(b[i], j);
  }
  return sum;
}

Value random_like(const Value& value, std::mt19937_64& random) {
  Value result = value;
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto& element : result.elements) {
    element = is_real(value) ? std::bit_cast<std::uint64_t>(uniform(random)) : 0;
  }
  return result;
}

Values random_like(const Values& values, std::mt19937_64& random) {
  Values result;
  for (const Value& value : values) result.push_back(random_like(value, random));
  return result;
}

Values reals(const Values& values) {
  Values result;
  std::copy_if(values.begin(), values.end(), std::back_inserter(result), is_real);
  return result;
}

// arguments + step·direction, in the reals.
Values moved(Values arguments, const Values& direction, double step) {
  std::size_t next = 0;
  for (Value& argument : arguments) {
    if (!is_real(argument)) continue;
    const Value& along = direction[next++];
    for (std::size_t i = 0; i < argument.elements.size(); ++i) {
      argument.elements[i] =
          std::bit_cast<std::uint64_t>(number(argument, i) + step * number(along, i));
    }
  }
  return arguments;
}

void expect_close(const Values& a, const Values& b, double tolerance, const std::string& what,
                  const Program& program) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].shape != b[i].shape) throw Fault(what + ": shapes differ\n" + print(program));
    if (!is_real(a[i])) continue;
    for (std::size_t j = 0; j < a[i].elements.size(); ++j) {
      const double x = number(a[i], j);
      const double y = number(b[i], j);
      if (std::abs(x - y) <= tolerance * (1 + std::abs(x) + std::abs(y))) continue;
      throw Fault(what + ": value " + std::to_string(i) + ", element " + std::to_string(j) +
                  ": " + std::to_string(x) + " and " + std::to_string(y) + "\n" +
                  print(program));
    }
  }
}

void expect_equal(double a, double b, double tolerance, const std::string& what,
                  const Program& program) {
  if (std::abs(a - b) <= tolerance * (1 + std::abs(a) + std::abs(b))) return;
  throw Fault(what + ": " + std::to_string(a) + " and " + std::to_string(b) + "\n" +
              print(program));
}

Values differences(const Program& program, const std::string& function, const Values& arguments,
                   const Values& direction) {
  const double step = 1e-5;
  const Values above = run(program, function, moved(arguments, direction, step));
  const Values below = run(program, function, moved(arguments, direction, -step));
  Values result = above;
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < result[i].elements.size(); ++j) {
      const double slope =
          is_real(result[i]) ? (number(above[i], j) - number(below[i], j)) / (2 * step) : 0;
      result[i].elements[j] = std::bit_cast<std::uint64_t>(slope);
    }
  }
  return result;
}

// Values stacked along a new outer dimension.
Values stacked(const std::vector<Values>& rows) {
  Values result = rows.front();
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].shape.insert(result[i].shape.begin(), static_cast<std::int64_t>(rows.size()));
    for (std::size_t r = 1; r < rows.size(); ++r) {
      result[i].elements.append(rows[r][i].elements);
    }
  }
  return result;
}

void check_first_order(const Program& plain, const Values& arguments,
                       const DerivativeOptions& options) {
  std::mt19937_64 random(options.seed);
  Program program = plain;
  add_derivative(program, "f", "jvp", DerivativeMode::forward);
  add_derivative(program, "f", "vjp", DerivativeMode::reverse);
  program = differentiated(std::move(program), options);
  const Values results = run(program, "f", arguments);
  const Values inputs = reals(arguments);
  const Values v = random_like(inputs, random);
  const Values w = random_like(results, random);
  const Values tangents = run(program, "jvp", joined(arguments, v));
  expect_close(tangents, differences(differentiated(plain), "f", arguments, v),
               options.difference_tolerance, "jvp and differences", program);
  const Values adjoints = run(program, "vjp", joined(arguments, w));
  expect_equal(dot(w, tangents), dot(adjoints, v), options.product_tolerance,
               "<w, J v> and <J' w, v>", program);
  Values none = w;
  for (Value& each : none) std::fill(each.elements.begin(), each.elements.end(), 0);
  for (const Value& each : run(program, "vjp", joined(arguments, none))) {
    for (std::size_t i = 0; i < each.elements.size(); ++i) {
      expect_equal(number(each, i), 0, 0, "a zero cotangent's adjoint and 0", program);
    }
  }
}

// The adjoints of the optimised program against those of the program as it is.
void check_fused(const Program& plain, const Values& arguments, const DerivativeOptions& options) {
  std::mt19937_64 random(options.seed);
  Program program = plain;
  add_derivative(program, "f", "vjp", DerivativeMode::reverse);
  const Program fused = differentiated(program, DerivativeOptions{.optimise = true});
  const Program unfused = differentiated(std::move(program));
  const Values inputs = joined(arguments, random_like(run(unfused, "f", arguments), random));
  expect_close(run(fused, "vjp", inputs), run(unfused, "vjp", inputs), 1e-12,
               "vjp of the fused and of the unfused program", fused);
}

// Batches of 3 seeds, and of 9, which are too many for side by side, against single seeds.
void check_batches(const Program& plain, const Values& arguments,
                   const DerivativeOptions& options) {
  std::mt19937_64 random(options.seed);
  for (const std::int64_t batch : {3, 9}) {
    Program program = plain;
    add_derivative(program, "f", "jvp", DerivativeMode::forward);
    add_derivative(program, "f", "vjp", DerivativeMode::reverse);
    add_derivative(program, "f", "jmp", DerivativeMode::forward, batch);
    add_derivative(program, "f", "mjp", DerivativeMode::reverse, batch);
    program = differentiated(std::move(program), options);
    const Values results = run(program, "f", arguments);
    const Values inputs = reals(arguments);
    std::vector<Values> vs, ws, tangents, adjoints;
    for (std::int64_t i = 0; i < batch; ++i) {
      vs.push_back(random_like(inputs, random));
      ws.push_back(random_like(results, random));
      tangents.push_back(run(program, "jvp", joined(arguments, vs.back())));
      adjoints.push_back(run(program, "vjp", joined(arguments, ws.back())));
    }
    expect_close(run(program, "jmp", joined(arguments, stacked(vs))), stacked(tangents), 1e-12,
                 "jmp and jvp", program);
    expect_close(run(program, "mjp", joined(arguments, stacked(ws))), stacked(adjoints), 1e-12,
                 "mjp and vjp", program);
  }
}

// Second derivatives, forward and reverse, of the gradient.
void check_second_order(const Program& plain, const Values& arguments,
                        const DerivativeOptions& options) {
  std::mt19937_64 random(options.seed);
  Program program = plain;
  const Values results = run(differentiated(plain), "f", arguments);
  const Values inner = joined(arguments, random_like(results, random));
  add_derivative(program, "f", "gradient", DerivativeMode::reverse);
  add_derivative(program, "gradient", "jvp", DerivativeMode::forward);
  add_derivative(program, "gradient", "vjp", DerivativeMode::reverse);
  program = differentiated(std::move(program), options);
  const Values v = random_like(reals(inner), random);
  const Values u = random_like(run(program, "gradient", inner), random);
  const Values tangents = run(program, "jvp", joined(inner, v));
  expect_close(tangents, differences(program, "gradient", inner, v),
               options.difference_tolerance, "jvp of vjp and differences", program);
  const Values adjoints = run(program, "vjp", joined(inner, u));
  expect_equal(dot(u, tangents), dot(adjoints, v), 1e-9, "<u, H v> and <H' u, v>", program);
}

}  // namespace

Program program_of(const std::string& source) {
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add("test.ir", source);
  auto program = parse(file, files, diagnostics);
  if (!program) {
    throw std::runtime_error(render(diagnostics.all().front(), files, RenderStyle::plain));
  }
  return std::move(*program);
}

Value scalar(double value) {
  return Value{ScalarType::f64, {}, {std::bit_cast<std::uint64_t>(value)}};
}
Value integer(std::int64_t value) {
  return Value{ScalarType::i64, {}, {static_cast<std::uint64_t>(value)}};
}
Value vector(const std::vector<double>& values) {
  Value result{ScalarType::f64, {static_cast<std::int64_t>(values.size())}, {}};
  for (const double value : values) result.elements.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}
Value integers(const std::vector<std::int64_t>& values) {
  Value result{ScalarType::i64, {static_cast<std::int64_t>(values.size())}, {}};
  for (const std::int64_t value : values) {
    result.elements.push_back(static_cast<std::uint64_t>(value));
  }
  return result;
}
Value matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  Value result = vector(values);
  result.shape = {rows, columns};
  return result;
}
double number(const Value& value, std::size_t index) {
  return std::bit_cast<double>(value.elements[index]);
}

std::string derivative_fault(const Program& program, const Values& arguments,
                             const DerivativeOptions& options) {
  try {
    check_first_order(program, arguments, options);
    check_fused(program, arguments, options);
    check_batches(program, arguments, options);
    if (options.second_order) check_second_order(program, arguments, options);
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

Program with_vjp(const Program& program) {
  Program copy = program;
  add_derivative(copy, "f", "vjp", DerivativeMode::reverse);
  return differentiated(std::move(copy));
}

Program optimised_vjp(const Program& program) {
  Program copy = program;
  add_derivative(copy, "f", "vjp", DerivativeMode::reverse);
  return differentiated(std::move(copy), DerivativeOptions{.optimise = true});
}

Values vjp(const Program& program, const Values& arguments, const Values& cotangents) {
  return run(with_vjp(program), "vjp", joined(arguments, cotangents));
}

Values jvp(const Program& program, const Values& arguments, const Values& tangents) {
  Program copy = program;
  add_derivative(copy, "f", "jvp", DerivativeMode::forward);
  return run(differentiated(std::move(copy)), "jvp", joined(arguments, tangents));
}

}  // namespace dagaz::ad_test
