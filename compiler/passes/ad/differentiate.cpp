// Removes Differentiate and CustomDerivative from a program, innermost first.
//
// Functions are inlined, simplified and fused before, so that operators of reductions are in view
// and what can be one nest is one.  The code made here is plain IR, with dead primal code in it;
// simplification and a second fusion follow.
#include <algorithm>
#include <utility>

#include "ir/device_threads.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/traces.h"
#include "passes/ad/chunked_operators.h"
#include "passes/ad/consumption.h"
#include "passes/ad/custom.h"
#include "passes/ad/forward.h"
#include "passes/ad/function_derivatives.h"
#include "passes/ad/lasting_values.h"
#include "passes/ad/normalise.h"
#include "passes/ad/reverse.h"
#include "passes/ad/wanted_values.h"
#include "passes/ad/sequential_accumulators.h"
#include "passes/passes.h"
#include "passes/traces.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes {

using namespace ir;
using namespace ad;

namespace {

std::optional<std::int64_t> known_size(const std::optional<Operand>& operand) {
  if (!operand || !operand->is_constant()) return std::nullopt;
  return integer_value(operand->constant());
}

class Differentiator {
 public:
  Differentiator(Program& program, AdReport* report, const AdOptions& options)
      : program_(&program),
        report_(report),
        options_(options),
        functions_(program, report, [this](Body& each) { body(each, {}); }) {}

  void run();

 private:
  // Where code stands: how many derivatives are taken around it, and whether a map is; for a
  // derivative, whether the value of the function is used, too.
  struct Place {
    int derivatives = 0;
    bool in_map = false;
    bool value_is_used = false;
  };
  void body(Body& body, Place place);
  void differentiate(Statement statement, Differentiate operation, Place place, Builder& out);
  void forward(Differentiate operation, Environment& environment, std::vector<Operand>& results);
  // What forward mode is applied to.  With a count, seeds are arrays of so many, and so are the
  // tangents.
  struct Seeded {
    std::vector<Operand> arguments;
    std::vector<Operand> seeds;
    std::optional<std::int64_t> count = std::nullopt;
    std::vector<std::pair<NameId, Operand>> known = {};  // values computed before
  };
  void forward_side_by_side(const Lambda& function, const Seeded& seeded,
                            Environment& environment, std::vector<Operand>& results);
  void reverse(Differentiate operation, Place place, Environment& environment,
               std::vector<Operand>& results);
  // The return sweep, from the seeds of results.
  std::vector<Operand> adjoints_of_parameters(const std::vector<Operand>& seeds,
                                              const Lambda& function, Reverse& reverse);
  // For each of a batch of seeds: a map over them.
  std::vector<NameId> adjoints_of_batch(const Differentiate& operation, const Lambda& function,
                                        Reverse& reverse);
  void print_traces(Differentiate& operation, Builder& out);
  std::vector<Operand> protected_arguments(const Differentiate& operation,
                                           const std::vector<Operand>& values, Builder& out);

  Program* program_;
  AdReport* report_;
  AdOptions options_;
  Functions functions_;
};

// Binds the results of a replaced statement.  They must be fresh arrays: a value that is, or is
// part of, something from outside is copied.
void bind_results(const std::vector<Binder>& results, const std::vector<Operand>& values,
                  std::vector<Statement> made, Builder& out) {
  NameSet fresh;
  for (const Statement& statement : made) {
    // What a branch or a loop gives may be a part of something else.
    if (is_view(statement.operation) || std::holds_alternative<Branch>(statement.operation) ||
        std::holds_alternative<Loop>(statement.operation)) {
      continue;
    }
    for (const Binder& result : statement.results) fresh.insert(result.name);
  }
  out.add_all(std::move(made));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool array =
        values[i].is_name() && out.names().type(values[i].name()).is_array();
    Operation operation = Identity{values[i]};
    if (array && fresh.erase(values[i].name()) == 0) operation = Copy{values[i].name()};
    out.add(Statement{{results[i]}, std::move(operation), {}, out.location()});
  }
}

void Differentiator::run() {
  functions_.finish_all();
  for (Function& each : program_->functions) {
    inline_custom_derivatives(each.body, program_->names, functions_);
  }
  declare_device_questions(*program_);
  if (report_ != nullptr) report_->locations = program_->locations;
}

static bool repeats_its_body_in_parallel(const Operation& operation) {
  return !std::holds_alternative<Loop>(operation) && !std::holds_alternative<Branch>(operation) &&
         !std::holds_alternative<WithAccumulator>(operation) &&
         !std::holds_alternative<Differentiate>(operation);
}

/// What statements and results use, if there is a derivative among the statements.
static NameSet used_around_derivatives(const Body& body, const Names& names) {
  NameSet used;
  const bool any = std::any_of(
      body.statements.begin(), body.statements.end(), [](const Statement& each) {
        return std::holds_alternative<Differentiate>(each.operation);
      });
  if (!any) return used;
  for (const Statement& each : body.statements) {
    for (const NameId name : free_names(each, names)) used.insert(name);
  }
  for (const Operand& each : body.results) {
    if (each.is_name()) used.insert(each.name());
  }
  return used;
}

void Differentiator::body(Body& body, Place place) {
  Builder out(program_->names);
  const NameSet used = used_around_derivatives(body, program_->names);
  for (Statement& statement : body.statements) {
    const bool inner = std::holds_alternative<Differentiate>(statement.operation);
    const Place inside{place.derivatives + (inner ? 1 : 0),
                       place.in_map || repeats_its_body_in_parallel(statement.operation)};
    for_each_scope(statement.operation, [&](Body& nested) { this->body(nested, inside); });
    out.set_location(statement.location);
    out.set_tokens(statement.tokens);
    if (inner) {
      Differentiate operation = std::move(std::get<Differentiate>(statement.operation));
      const std::size_t values = operation.function.result_types.size();
      Place here = place;
      here.value_is_used =
          std::any_of(statement.results.begin(),
                      statement.results.begin() + static_cast<std::ptrdiff_t>(values),
                      [&](const Binder& each) { return used.contains(each.name); });
      differentiate(std::move(statement), std::move(operation), here, out);
    } else {
      out.add(std::move(statement));
    }
  }
  body.statements = out.take();
}

// jvp and vjp only observe their arguments and seeds, whatever the function does to its own.
std::vector<Operand> Differentiator::protected_arguments(const Differentiate& operation,
                                                         const std::vector<Operand>& values,
                                                         Builder& out) {
  const NameSet consumed =
      consumed_names(operation.function.body.statements, program_->names, functions_);
  std::vector<Operand> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Operand value = values[i];
    if (i < operation.function.parameters.size() &&
        consumed.count(operation.function.parameters[i].name) != 0) {
      value = out.add(Copy{value.name()}, program_->names.base(value.name()));
    }
    result.push_back(value);
  }
  return result;
}

void Differentiator::differentiate(Statement statement, Differentiate operation, Place place,
                                   Builder& out) {
  Builder code = out.nested();
  Environment environment(program_->names, code, functions_);
  environment.look_into(out);
  std::vector<Operand> results;
  print_traces(operation, code);
  Body& body = operation.function.body;
  body = with_ordered_accumulation(std::move(body), operation.mode, program_->names);
  if (operation.mode == DerivativeMode::forward) {
    forward(std::move(operation), environment, results);
  } else {
    reverse(std::move(operation), place, environment, results);
  }
  out.set_location(statement.location);
  out.set_tokens(statement.tokens);
  bind_results(statement.results, results, code.take(), out);
}

// Traces print once for each evaluation of a derivative, and not in what that evaluates again: the
// function is evaluated for them alone, as far as they need it, and differentiated without.
void Differentiator::print_traces(Differentiate& operation, Builder& out) {
  if (!has_trace(operation.function.body)) return;
  Environment values(program_->names, out, functions_);
  values.inline_lambda(operation.function,
                       protected_arguments(operation, operation.arguments, out));
  remove_traces(operation.function.body);
}

// ---------------------------------------------------------------- forward mode

void Differentiator::forward(Differentiate operation, Environment& environment,
                             std::vector<Operand>& results) {
  const auto batch = known_size(operation.batch);
  Builder& out = environment.out();
  if (report_ != nullptr) {
    report_->entries.push_back(AdReportEntry{
        out.location(), operation.batch ? "tangents along many directions" : "tangent", "forward",
        "computed beside the values", ""});
  }
  if (!operation.batch || (batch && *batch > 0 && *batch <= options_.tangents_together)) {
    Seeded seeded{protected_arguments(operation, operation.arguments, out), operation.seeds,
                  batch};
    if (!operation.batch) seeded.seeds = protected_arguments(operation, operation.seeds, out);
    forward_side_by_side(operation.function, seeded, environment, results);
    return;
  }
  // The values once; the tangents by a map over the seeds, which uses the values.
  const Lambda& function = operation.function;
  results = environment.inline_lambda(
      function, protected_arguments(operation, operation.arguments, out));
  Seeded seeded;
  for (const NameId name : lasting_values(function.body.statements, program_->names, functions_)) {
    seeded.known.emplace_back(name, environment.operand(name));
  }
  MapScanReduce map;
  map.width = *operation.batch;
  for (const Operand& seed : operation.seeds) {
    map.arrays.push_back(seed.name());
    map.map.parameters.push_back(Binder{program_->names.fresh(
        "seed", row_of(program_->names.type(seed)))});
  }
  std::vector<Operand> row_seeds;
  for (const Binder& parameter : map.map.parameters) row_seeds.push_back(parameter.name);
  std::vector<Operand> rows;
  {
    NestedScope scope(environment);
    seeded.arguments = protected_arguments(operation, operation.arguments, environment.out());
    seeded.seeds = protected_arguments(operation, row_seeds, environment.out());
    forward_side_by_side(function, seeded, environment, rows);
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(results.size()));
    map.map.body = scope.take(rows);
  }
  for (const Operand& result : results) {
    map.map.result_types.push_back(program_->names.type(result));
  }
  for (const NameId tangents : out.add_results(std::move(map), "tangents")) {
    results.push_back(tangents);
  }
}

void Differentiator::forward_side_by_side(const Lambda& function, const Seeded& seeded,
                                          Environment& environment,
                                          std::vector<Operand>& results) {
  const auto& [arguments, seeds, count, known] = seeded;
  Builder& out = environment.out();
  const auto directions = static_cast<int>(count.value_or(1));
  const NameSet consumed =
      consumed_names(function.body.statements, program_->names, functions_);
  Forward forward(environment, directions);
  for (const auto& [name, value] : known) forward.provided.emplace(name, value);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const NameId parameter = function.parameters[i].name;
    environment.bind(parameter, arguments[i]);
    if (!carries_derivative(program_->names.type(parameter))) continue;
    for (int j = 0; j < directions; ++j) {
      Operand seed = seeds[i];
      if (count) seed = out.index(seed.name(), {i64_operand(j)}, "seed");
      if (count && consumed.count(parameter) != 0) seed = out.add(Copy{seed.name()}, "seed");
      forward.tangents.seed(parameter, j, seed);
    }
  }
  differentiate_forward(forward, function.body.statements);
  results = environment.operands(function.body.results);
  for (const Operand& value : function.body.results) {
    if (!count) {
      results.push_back(forward.tangents.or_zero(value, 0));
      continue;
    }
    ArrayLiteral all{environment.type_of(value), {}};
    for (int j = 0; j < directions; ++j) all.elements.push_back(forward.tangents.or_zero(value, j));
    results.push_back(out.add(std::move(all), "tangents"));
  }
}

// ---------------------------------------------------------------- reverse mode

void Differentiator::reverse(Differentiate operation, Place place, Environment& environment,
                             std::vector<Operand>& results) {
  Lambda function = std::move(operation.function);
  const bool again = place.derivatives > 0;
  const bool alone = !again && !place.in_map && !operation.batch && options_.least_chunk > 0;
  if (alone) {
    function.body = with_chunked_operators(std::move(function.body), function.parameters,
                                           environment.out(), options_);
  }
  function.body = normalise(std::move(function.body), program_->names,
                            options_.for_ranks ? OwnRows::apart : OwnRows::places);
  Reverse reverse{environment, report_,
                  ReverseOptions{.differentiated_again = again,
                                 .in_chunks = alone,
                                 .least_chunk = options_.least_chunk,
                                 .most_chunks = options_.most_chunks,
                                 .kept_beyond_values = options_.kept_beyond_values,
                                 .in_order = options_.in_order,
                                 .for_ranks = options_.for_ranks}};
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    environment.bind(function.parameters[i].name, operation.arguments[i]);
    reverse.adjoints.activate(function.parameters[i].name);
  }
  reverse.adjoints.analyse(function.body.statements);
  forward_sweep(reverse, function.body.statements);
  results = environment.operands(function.body.results);
  Builder& out = environment.out();
  if (place.value_is_used) reverse.wanted = WantedValues(out);
  if (operation.batch) {
    for (const NameId one : adjoints_of_batch(operation, function, reverse)) results.push_back(one);
    return;
  }
  for (const Operand& one : adjoints_of_parameters(operation.seeds, function, reverse)) {
    results.push_back(one);
  }
  out.add_all(reverse.wanted.in_order(out.take()));
}

std::vector<Operand> Differentiator::adjoints_of_parameters(const std::vector<Operand>& seeds,
                                                            const Lambda& function,
                                                            Reverse& reverse) {
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const Operand& result = function.body.results[i];
    if (!carries_derivative(reverse.environment.type_of(result))) continue;
    reverse.adjoints.add(result, seeds[i], Ownership::shared);
  }
  return_sweep(reverse, function.body.statements);
  std::vector<Operand> adjoints;
  for (const Binder& parameter : function.parameters) {
    adjoints.push_back(reverse.adjoints.take_or_zero(parameter.name));
  }
  return adjoints;
}

std::vector<NameId> Differentiator::adjoints_of_batch(const Differentiate& operation,
                                                      const Lambda& function, Reverse& reverse) {
  Environment& environment = reverse.environment;
  MapScanReduce map;
  map.width = *operation.batch;
  std::vector<Operand> seeds;
  for (const Operand& seed : operation.seeds) {
    map.arrays.push_back(seed.name());
    const NameId row = program_->names.fresh("seed", row_of(program_->names.type(seed)));
    map.map.parameters.push_back(Binder{row});
    seeds.push_back(row);
  }
  {
    NestedScope scope(environment);
    map.map.body = scope.take(adjoints_of_parameters(seeds, function, reverse));
  }
  for (const Binder& parameter : function.parameters) {
    map.map.result_types.push_back(environment.type_of(Operand(parameter.name)));
  }
  return environment.out().add_results(std::move(map), "adjoints");
}

bool holds_derivatives(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& each) {
    bool found = std::holds_alternative<Differentiate>(each.operation) ||
                 std::holds_alternative<CustomDerivative>(each.operation);
    for_each_scope(each.operation,
                   [&](const Body& nested) { found = found || holds_derivatives(nested); });
    return found;
  });
}

}  // namespace

bool has_derivatives(const ParallelProgram& program) {
  return std::any_of(program.program.functions.begin(), program.program.functions.end(),
                     [](const Function& each) { return holds_derivatives(each.body); });
}

bool differentiate(ParallelProgram& program, AdReport* report, const AdOptions& options) {
  if (!has_derivatives(program)) return false;
  add_quiet_functions(program.program);
  Differentiator(program.program, report, options).run();
  return true;
}

}  // namespace dagaz::passes
