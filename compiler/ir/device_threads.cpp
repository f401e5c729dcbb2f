#include "ir/device_threads.h"

#include <algorithm>
#include <string>

namespace dagaz::ir {

Operation ask_device_threads() {
  return Call{std::string(device_threads_function), {}, {scalar_of(ScalarType::i64)}};
}

void declare_device_threads(std::vector<Function>& functions) {
  const bool is_there = std::any_of(functions.begin(), functions.end(), [](const Function& one) {
    return one.name == device_threads_function;
  });
  if (is_there) return;
  Function function{std::string(device_threads_function), {}, {}, {scalar_of(ScalarType::i64)}, {}};
  function.body.results.push_back(i64_operand(1024));
  functions.push_back(std::move(function));
}

}  // namespace dagaz::ir
