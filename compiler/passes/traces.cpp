#include "passes/traces.h"

#include <string>
#include <unordered_set>

#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "support/match.h"

namespace dagaz::passes {

void remove_traces(ir::Body& body) {
  std::erase_if(body.statements,
                [](const ir::Statement& one) { return ir::is_trace(one.operation); });
  for (ir::Statement& one : body.statements) {
    auto* call = as<ir::Call>(one.operation);
    if (call != nullptr && ir::prints(one.operation)) {
      call->function = ir::quiet_name(call->function);
    } else if (auto* custom = as<ir::CustomDerivative>(one.operation)) {
      remove_traces(custom->function.body);
    } else {
      ir::for_each_scope(one.operation, [](ir::Body& inner) { remove_traces(inner); });
    }
  }
}

void add_quiet_functions(ir::Program& program) {
  std::unordered_set<std::string> names;
  for (const ir::Function& function : program.functions) names.insert(function.name);
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const ir::Function& loud = program.functions[k];
    if (!ir::is_named_as_printing(loud.name)) continue;
    const std::string name = ir::quiet_name(loud.name);
    if (!names.insert(name).second) continue;
    ir::Lambda copy =
        renamed(ir::Lambda{loud.parameters, loud.body, loud.result_types}, program.names);
    remove_traces(copy.body);
    ir::Function function{name, std::move(copy.parameters), loud.consumes,
                          std::move(copy.result_types), std::move(copy.body)};
    program.functions.push_back(std::move(function));
  }
}

}  // namespace dagaz::passes
