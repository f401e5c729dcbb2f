#include "ir/device_threads.h"

#include <algorithm>
#include <string>

#include "ir/fields.h"

namespace dagaz::ir {

Operation ask_device_threads() {
  return Call{std::string(device_threads_function), {}, {scalar_of(ScalarType::i64)}};
}

static bool asks(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    const auto* call = as<Call>(one.operation);
    bool found = call != nullptr && call->function == device_threads_function;
    for_each_scope(one.operation, [&](const Body& inner) { found = found || asks(inner); });
    return found;
  });
}

void declare_device_threads(Program& program) {
  const std::vector<Function>& functions = program.functions;
  const bool is_there = std::any_of(functions.begin(), functions.end(), [](const Function& one) {
    return one.name == device_threads_function;
  });
  const bool is_called = std::any_of(functions.begin(), functions.end(),
                                     [](const Function& one) { return asks(one.body); });
  if (is_there || !is_called) return;
  Function function{std::string(device_threads_function), {}, {}, {scalar_of(ScalarType::i64)}, {}};
  function.body.results.push_back(i64_operand(1));
  program.functions.push_back(std::move(function));
}

}  // namespace dagaz::ir
