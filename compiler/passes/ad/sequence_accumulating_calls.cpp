// Functions that are handed accumulators.  No target hands them on, and the derivative of what such
// a function writes depends on the order; so accumulation that calls functions becomes updates of
// arrays in turn (sequencer.h), before anything is differentiated.
#include <algorithm>

#include "passes/ad/sequencer.h"
#include "passes/passes.h"
#include "support/check.h"

namespace dagaz::passes {

using namespace ir;

namespace ad {

void Sequencer::capture(const Operand& operand) {
  if (!operand.is_name()) return;
  const NameId name = operand.name();
  if (std::find(captured_.begin(), captured_.end(), name) != captured_.end()) return;
  for (const Operand& size : names_->type(name).shape) capture(size);
  captured_.push_back(name);
}

void Sequencer::call(Statement statement, Builder& out) {
  auto& call = std::get<Call>(statement.operation);
  DZ_CHECK(functions_ != nullptr, "accumulators are handed to no functions any more");
  const Function& function = functions_->written.at(call.function);
  Inputs inputs;
  for (const Operand& argument : call.arguments) {
    const bool mine = argument.is_name() && is_mine(argument.name());
    inputs.push_back(mine ? std::optional(cells_.at(argument.name()).input) : std::nullopt);
  }
  const auto places = given_back(function, *names_, functions_->written);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i] || !inputs[*places[i]]) continue;
    const NameId argument = call.arguments[*places[i]].name();
    statement.results[i] = Binder{next(statement.results[i].name, argument)};
    call.result_types[i] = array_type(call.result_types[i]);
  }
  call.function = version(function, inputs);
  for (Operand& argument : call.arguments) argument = operand(argument);
  call.arguments.insert(call.arguments.end(), captured_.begin(), captured_.end());
  out.add(std::move(statement));
}

std::string Sequencer::version(const Function& function, const Inputs& inputs) {
  Function header;
  header.name = function.name + "_arrays_" + scope_;
  header.consumes = function.consumes;
  Sequencer inside(*names_, functions_);
  inside.scope_ = scope_;
  Substitution parameters;
  const auto add_parameter = [&](NameId original, Type type) {
    const NameId name =
        names_->fresh(names_->base(original), substitute(std::move(type), parameters));
    header.parameters.push_back(Binder{name});
    return name;
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const NameId original = function.parameters[i].name;
    const Type& type = names_->type(original);
    if (inputs[i]) {
      inside.enter(original, *inputs[i], add_parameter(original, array_type(type)));
      header.consumes[i] = true;
    } else {
      parameters.emplace(original, add_parameter(original, type));
    }
    if (type.kind != TypeKind::accumulator) continue;
    header.name += inputs[i] ? "_" + std::to_string(*inputs[i]) : "_other";
  }
  const auto places = given_back(function, *names_, functions_->written);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Type type = substitute(function.result_types[i], parameters);
    header.result_types.push_back(places[i] && inputs[*places[i]] ? array_type(type) : type);
  }
  for (const NameId name : captured_) {
    inside.captured_.push_back(add_parameter(name, names_->type(name)));
    header.consumes.push_back(false);
    parameters.emplace(name, inside.captured_.back());
  }
  for (const std::optional<Lambda>& each : operators_) {
    inside.operators_.push_back(each);
    if (!each) continue;
    inside.operators_.back() = renamed(*each, *names_);
    substitute(*inside.operators_.back(), parameters, *names_);
  }
  const std::string name = header.name;
  if (!functions_->written.emplace(name, std::move(header)).second) return name;
  functions_->versions.push_back(name);
  Body body = renamed(function.body, *names_);
  substitute(body, parameters, *names_);
  functions_->written.at(name).body = inside.body(body, Builder(*names_));
  return name;
}

}  // namespace ad

namespace {

Body without_accumulating_calls(Body body, Names& names, ad::AccumulatingFunctions& functions) {
  return ad::sequenced(
      std::move(body), names, &functions,
      [](const WithAccumulator& with) { return ad::has_accumulating_call(with.body.body); });
}

bool is_handed_accumulators(const Function& function, const Names& names) {
  return std::any_of(function.parameters.begin(), function.parameters.end(),
                     [&](const Binder& each) {
                       return names.type(each.name).kind == TypeKind::accumulator;
                     });
}

}  // namespace

bool sequence_accumulating_calls(ParallelProgram& parallel) {
  Program& program = parallel.program;
  const auto is_handed = [&](const Function& each) {
    return is_handed_accumulators(each, program.names);
  };
  if (std::none_of(program.functions.begin(), program.functions.end(), is_handed)) return false;
  ad::AccumulatingFunctions functions;
  for (const Function& each : program.functions) functions.written.emplace(each.name, each);
  for (Function& each : program.functions) {
    each.body = without_accumulating_calls(std::move(each.body), program.names, functions);
  }
  // Versions may ask for further ones.
  for (std::size_t i = 0; i < functions.versions.size(); ++i) {
    Function version = functions.written.at(functions.versions[i]);
    version.body = without_accumulating_calls(std::move(version.body), program.names, functions);
    program.functions.push_back(std::move(version));
  }
  std::erase_if(program.functions, is_handed);
  return true;
}

}  // namespace dagaz::passes
