// Calls of the function by which a program takes one of two numbers (ir/by_device.h):
//
//   by_device' a b  =  a on a CPU, b on a GPU
//
// What depends on the number is decided before anything else is: what is meant for the other device
// is gone when functions have been inlined and equations applied.
#include "passes/choose_by_device.h"

#include <algorithm>

#include "ir/by_device.h"
#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes {

static void choose(ir::Body& body, std::size_t argument) {
  for (ir::Statement& one : body.statements) {
    const auto* call = as<ir::Call>(one.operation);
    if (call != nullptr && call->function == ir::by_device_function) {
      one.operation = ir::Identity{call->arguments[argument]};
    } else {
      ir::for_each_scope(one.operation, [&](ir::Body& inner) { choose(inner, argument); });
    }
  }
}

bool choose_by_device(ir::ParallelProgram& program, FlattenTarget target) {
  std::vector<ir::Function>& functions = program.program.functions;
  const auto asked =
      std::find_if(functions.begin(), functions.end(), [](const ir::Function& one) {
        return one.name == ir::by_device_function;
      });
  if (asked == functions.end()) return false;
  functions.erase(asked);
  for (ir::Function& function : functions) {
    choose(function.body, target == FlattenTarget::cpu ? 0 : 1);
  }
  return true;
}

}  // namespace dagaz::passes
