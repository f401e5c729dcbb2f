#include "ir/device_threads.h"

#include <algorithm>
#include <string>

#include "ir/fields.h"

namespace dagaz::ir {

static Operation ask(std::string_view function) {
  return Call{std::string(function), {}, {scalar_of(ScalarType::i64)}};
}

Operation ask_device_threads() { return ask(device_threads_function); }
Operation ask_block_bytes() { return ask(block_bytes_function); }
Operation ask_whether_threads_meet(Operand iterations) {
  return Call{std::string(threads_meet_function), {iterations}, {scalar_of(ScalarType::boolean)}};
}

static bool asks(const Body& body, std::string_view function) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    const auto* call = as<Call>(one.operation);
    bool found = call != nullptr && call->function == function;
    for_each_scope(one.operation,
                   [&](const Body& inner) { found = found || asks(inner, function); });
    return found;
  });
}

static bool is_asked(const Program& program, std::string_view question) {
  const std::vector<Function>& functions = program.functions;
  return std::any_of(functions.begin(), functions.end(),
                     [&](const Function& one) { return asks(one.body, question); });
}

/// Adds a function for a question if something asks it, and it is not there.
static void declare(Program& program, std::string_view question, Operand answer,
                    const std::vector<Type>& parameters) {
  const std::vector<Function>& functions = program.functions;
  const bool is_there = std::any_of(functions.begin(), functions.end(),
                                    [&](const Function& one) { return one.name == question; });
  if (is_there || !is_asked(program, question)) return;
  Function function{std::string(question), {}, {}, {scalar_of(answer.constant().type)}, {}};
  for (const Type& type : parameters) {
    function.parameters.push_back({program.names.fresh("p", type)});
    function.consumes.push_back(false);
  }
  function.body.results.push_back(answer);
  program.functions.push_back(std::move(function));
}

void declare_device_questions(Program& program) {
  declare(program, device_threads_function, i64_operand(1), {});
  declare(program, block_bytes_function, i64_operand(0), {});
  declare(program, threads_meet_function, Operand(make_bool(false)), {scalar_of(ScalarType::i64)});
}

}  // namespace dagaz::ir
