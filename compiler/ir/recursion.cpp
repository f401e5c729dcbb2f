// Tarjan's strongly connected components of the graph of calls.
#include "ir/recursion.h"

#include <algorithm>
#include <vector>

#include "ir/fields.h"

namespace dagaz::ir {

namespace {

class Cycles {
 public:
  explicit Cycles(const Program& program) : program_(program), nodes_(program.functions.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) index_.emplace(program.functions[i].name, i);
  }

  std::unordered_map<std::string, std::size_t> run() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].number == 0) visit(i);
    }
    return std::move(cycles_);
  }

 private:
  struct Node {
    std::size_t number = 0;   // in the order of visits, from 1
    std::size_t reaches = 0;  // the least number on the stack that it reaches
    bool on_stack = false;
    bool calls_itself = false;
  };

  void visit(std::size_t function) {
    nodes_[function].number = nodes_[function].reaches = ++visited_;
    nodes_[function].on_stack = true;
    stack_.push_back(function);
    look_at_calls(function, program_.functions[function].body);
    if (nodes_[function].reaches == nodes_[function].number) take_component(function);
  }

  void look_at_calls(std::size_t caller, const Body& body) {
    for (const Statement& statement : body.statements) {
      if (const auto* call = std::get_if<Call>(&statement.operation)) look_at(caller, *call);
      for_each_scope(statement.operation,
                     [&](const Body& inner) { look_at_calls(caller, inner); });
    }
  }

  void look_at(std::size_t caller, const Call& call) {
    const auto found = index_.find(call.function);
    if (found == index_.end()) return;
    const std::size_t callee = found->second;
    if (callee == caller) nodes_[caller].calls_itself = true;
    const bool fresh = nodes_[callee].number == 0;
    if (fresh) visit(callee);
    if (!nodes_[callee].on_stack) return;
    nodes_[caller].reaches = std::min(
        nodes_[caller].reaches, fresh ? nodes_[callee].reaches : nodes_[callee].number);
  }

  /// What lies on the stack from `first` on is one component.
  void take_component(std::size_t first) {
    const auto begin = std::find(stack_.begin(), stack_.end(), first);
    const bool is_cycle = stack_.end() - begin > 1 || nodes_[first].calls_itself;
    for (auto at = begin; at != stack_.end(); ++at) {
      nodes_[*at].on_stack = false;
      if (is_cycle) cycles_.emplace(program_.functions[*at].name, first);
    }
    stack_.erase(begin, stack_.end());
  }

  const Program& program_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::size_t> stack_;
  std::size_t visited_ = 0;
  std::unordered_map<std::string, std::size_t> cycles_;
};

}  // namespace

std::unordered_map<std::string, std::size_t> recursive_functions(const Program& program) {
  return Cycles(program).run();
}

}  // namespace dagaz::ir
