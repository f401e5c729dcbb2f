// Inlines calls of functions that do not reach themselves, callees first, and removes functions
// that no entry point reaches.  A long function with several calls stays a function: chains of
// functions that each call the one before twice grow without bound otherwise.  Statements keep
// their source location, with the place of the call as the chain that error messages show.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/passes.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class Inliner {
 public:
  explicit Inliner(Program& program) : program_(program) {
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      index_.emplace(program.functions[i].name, i);
    }
    states_.resize(program.functions.size(), State::unseen);
    recursive_.resize(program.functions.size(), false);
    calls_.resize(program.functions.size(), 0);
  }

  bool run() {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) find_recursion(i);
    std::fill(states_.begin(), states_.end(), State::unseen);
    for (std::size_t i = 0; i < program_.functions.size(); ++i) inline_into(i);
    remove_unreachable();
    return changed_;
  }

 private:
  enum class State : std::uint8_t { unseen, active, done };

  /// What is longer is worth a call.
  static constexpr std::size_t longest_copied = 256;

  static std::size_t length(const Body& body) {
    std::size_t statements = body.statements.size();
    for (const Statement& statement : body.statements) {
      for_each_scope(statement.operation, [&](const Body& inner) { statements += length(inner); });
    }
    return statements;
  }

  bool stays(std::size_t function) const {
    if (recursive_[function] || is_trace(program_.functions[function].name)) return true;
    return calls_[function] > 1 && length(program_.functions[function].body) > longest_copied;
  }

  template <typename Visit>
  static void each_call(const Body& body, const Visit& visit) {
    for (const Statement& statement : body.statements) {
      if (const auto* call = std::get_if<Call>(&statement.operation)) visit(call->function);
      for_each_scope(statement.operation, [&](const Body& inner) { each_call(inner, visit); });
    }
  }

  // Whoever is reached again while active is recursive, and so is everything on the way.
  void find_recursion(std::size_t function) {
    if (states_[function] != State::unseen) return;
    states_[function] = State::active;
    stack_.push_back(function);
    each_call(program_.functions[function].body, [&](const std::string& name) {
      const auto found = index_.find(name);
      if (found == index_.end()) return;
      ++calls_[found->second];
      find_recursion(found->second);
      if (states_[found->second] != State::active) return;
      const auto from = std::find(stack_.begin(), stack_.end(), found->second);
      for (auto at = from; at != stack_.end(); ++at) recursive_[*at] = true;
    });
    stack_.pop_back();
    states_[function] = State::done;
  }

  void inline_into(std::size_t function) {
    if (states_[function] != State::unseen) return;
    states_[function] = State::active;
    each_call(program_.functions[function].body, [&](const std::string& name) {
      const auto found = index_.find(name);
      if (found != index_.end()) inline_into(found->second);
    });
    replace_calls(program_.functions[function].body);
    states_[function] = State::done;
  }

  void replace_calls(Body& body) {
    Builder out(program_.names);
    for (Statement& statement : body.statements) {
      for_each_scope(statement.operation, [this](Body& inner) { replace_calls(inner); });
      const auto* call = std::get_if<Call>(&statement.operation);
      const auto found = call == nullptr ? index_.end() : index_.find(call->function);
      if (found == index_.end() || stays(found->second)) {
        out.add(std::move(statement));
      } else {
        expand(*call, statement, program_.functions[found->second], out);
      }
    }
    body.statements = out.take();
  }

  void expand(const Call& call, const Statement& statement, const Function& callee,
              Builder& out) {
    changed_ = true;
    Lambda function{callee.parameters, callee.body, callee.result_types};
    function = renamed(function, program_.names);
    Substitution with;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      with.emplace(function.parameters[i].name, call.arguments[i]);
    }
    substitute(function, with, program_.names);
    chains_.clear();
    place(function.body, statement);
    for (Statement& inner : function.body.statements) out.add(std::move(inner));
    for (std::size_t i = 0; i < statement.results.size(); ++i) {
      out.add(Statement{{statement.results[i]},
                        Identity{function.body.results[i]},
                        statement.tokens,
                        statement.location});
    }
  }

  /// Gives inlined statements the call's tokens and place.
  void place(Body& body, const Statement& call) {
    for (Statement& statement : body.statements) {
      statement.tokens.insert(statement.tokens.end(), call.tokens.begin(), call.tokens.end());
      if (statement.location.valid()) statement.location = chained(statement.location, call);
      for_each_scope(statement.operation, [&](Body& inner) { place(inner, call); });
    }
  }
  /// `location`, inlined at the call.
  LocationId chained(LocationId location, const Statement& call) {
    if (!call.location.valid()) return location;
    const auto found = chains_.find(location);
    if (found != chains_.end()) return found->second;
    Location copy = program_.locations[location.index];
    copy.inlined_at =
        copy.inlined_at.valid() ? chained(copy.inlined_at, call) : call.location;
    program_.locations.push_back(copy);
    const LocationId result(program_.locations.size() - 1);
    chains_.emplace(location, result);
    return result;
  }

  void remove_unreachable() {
    if (program_.entries.empty()) return;
    std::unordered_set<std::string> reached;
    std::vector<std::string> work;
    for (const EntryPoint& entry : program_.entries) work.push_back(entry.function);
    while (!work.empty()) {
      const std::string name = work.back();
      work.pop_back();
      const auto found = index_.find(name);
      if (found == index_.end() || !reached.insert(name).second) continue;
      each_call(program_.functions[found->second].body,
                [&](const std::string& callee) { work.push_back(callee); });
    }
    const std::size_t removed = std::erase_if(program_.functions, [&](const Function& function) {
      return !reached.contains(function.name);
    });
    if (removed > 0) changed_ = true;
  }

  Program& program_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<State> states_;
  std::vector<bool> recursive_;
  std::vector<std::size_t> calls_;  // of each function, before anything is inlined
  std::vector<std::size_t> stack_;
  std::unordered_map<LocationId, LocationId> chains_;
  bool changed_ = false;
};

}  // namespace

bool inline_functions(ParallelProgram& program) { return Inliner(program.program).run(); }

}  // namespace dagaz::passes
