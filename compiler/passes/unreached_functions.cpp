#include "passes/unreached_functions.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dagaz::passes {

bool remove_unreached_functions(ir::Program& program) {
  if (program.entries.empty()) return false;
  std::unordered_map<std::string, const ir::Function*> functions;
  for (const ir::Function& function : program.functions) functions[function.name] = &function;
  std::unordered_set<std::string> reached;
  std::vector<std::string> work;
  for (const ir::EntryPoint& entry : program.entries) work.push_back(entry.function);
  while (!work.empty()) {
    const std::string name = work.back();
    work.pop_back();
    const auto found = functions.find(name);
    if (found == functions.end() || !reached.insert(name).second) continue;
    each_call(found->second->body, [&](const std::string& callee) { work.push_back(callee); });
  }
  return std::erase_if(program.functions, [&](const ir::Function& function) {
           return !reached.contains(function.name);
         }) > 0;
}

}  // namespace dagaz::passes
