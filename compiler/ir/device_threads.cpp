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

static bool asks(const Body& body, std::string_view function) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    const auto* call = as<Call>(one.operation);
    bool found = call != nullptr && call->function == function;
    for_each_scope(one.operation,
                   [&](const Body& inner) { found = found || asks(inner, function); });
    return found;
  });
}

static void declare(Program& program, std::string_view name, std::int64_t answer) {
  const std::vector<Function>& functions = program.functions;
  const bool is_there = std::any_of(functions.begin(), functions.end(),
                                    [&](const Function& one) { return one.name == name; });
  const bool is_called = std::any_of(functions.begin(), functions.end(),
                                     [&](const Function& one) { return asks(one.body, name); });
  if (is_there || !is_called) return;
  Function function{std::string(name), {}, {}, {scalar_of(ScalarType::i64)}, {}};
  function.body.results.push_back(i64_operand(answer));
  program.functions.push_back(std::move(function));
}

void declare_device_questions(Program& program) {
  declare(program, device_threads_function, 1);
  declare(program, block_bytes_function, 0);
}

}  // namespace dagaz::ir
