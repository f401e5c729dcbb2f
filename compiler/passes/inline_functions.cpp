// Inlines calls of functions that do not reach themselves, callees first, and removes functions
// that no entry point reaches.  A long function with several calls stays a function: chains of
// functions that each call the one before twice grow without bound otherwise.  Statements keep
// their source location, with the place of the call as the chain that error messages show.
//
// What an entry point does nothing but call is compiled once for it and for other calls if it is
// long, unless these are in parallel operations or in derivatives, where more is gained by
// inlining.
//
// What is marked `noinline` stays a function, and is differentiated as one, but for calls that
// would change where code runs.  A thread cannot take an array from what it calls, so a parallel
// operation whose body calls such a function is a loop on the host; so is one whose derivative has
// the adjoint of an array from a call.  No target hands accumulators to functions.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/passes.h"
#include "passes/unreached_functions.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class Inliner {
 public:
  Inliner(Program& program, const Tunables& tunables)
      : program_(program), tunables_(tunables) {
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      index_.emplace(program.functions[i].name, i);
    }
    states_.resize(program.functions.size(), State::unseen);
    recursive_.resize(program.functions.size(), false);
    calls_.resize(program.functions.size(), 0);
    places_.resize(program.functions.size());
    implements_entry_.resize(program.functions.size(), false);
    for (const EntryPoint& entry : program.entries) find_implementation(entry);
  }

  bool run() {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) find_recursion(i);
    find_places();
    std::fill(states_.begin(), states_.end(), State::unseen);
    for (std::size_t i = 0; i < program_.functions.size(); ++i) inline_into(i);
    if (remove_unreached_functions(program_)) changed_ = true;
    return changed_;
  }

 private:
  enum class State : std::uint8_t { unseen, active, done };

  /// What is around a call, or around some call of the function whose body it is in.
  struct Place {
    bool parallel = false;
    bool differentiated = false;
    bool operator==(const Place&) const = default;
    Place inside(const Operation& operation) const {
      return {parallel || std::holds_alternative<MapScanReduce>(operation) ||
                  std::holds_alternative<Histogram>(operation) ||
                  std::holds_alternative<Scatter>(operation),
              differentiated || std::holds_alternative<Differentiate>(operation)};
    }
  };

  static std::int64_t length(const Body& body) {
    auto statements = static_cast<std::int64_t>(body.statements.size());
    for (const Statement& statement : body.statements) {
      for_each_scope(statement.operation, [&](const Body& inner) { statements += length(inner); });
    }
    return statements;
  }

  bool stays(std::size_t function, const Place& place) const {
    const Function& callee = program_.functions[function];
    if (recursive_[function] || is_trace(callee.name)) return true;
    if (callee.noinline) return can_be_called(callee, place);
    if (implements_entry_[function] && (place.parallel || place.differentiated)) return false;
    return calls_[function] > 1 && length(callee.body) > tunables_.copied_function;
  }

  bool can_be_called(const Function& callee, const Place& place) const {
    const bool accumulates =
        std::any_of(callee.parameters.begin(), callee.parameters.end(), [&](const Binder& one) {
          return program_.names.type(one.name).kind == TypeKind::accumulator;
        });
    const bool gives_arrays =
        std::any_of(callee.result_types.begin(), callee.result_types.end(),
                    [](const Type& type) { return type.is_array(); });
    return !accumulates && !(place.parallel && (place.differentiated || gives_arrays));
  }

  // What the entry point does nothing but call, also if it checks and renames things.
  void find_implementation(const EntryPoint& entry) {
    const auto found = index_.find(entry.function);
    if (found == index_.end()) return;
    std::optional<std::size_t> called;
    for (const Statement& statement : program_.functions[found->second].body.statements) {
      if (const auto* call = std::get_if<Call>(&statement.operation)) {
        const auto callee = index_.find(call->function);
        if (called || callee == index_.end()) return;
        called = callee->second;
      } else if (!is_trivial(statement.operation)) {
        return;
      }
    }
    if (called) implements_entry_[*called] = true;
  }
  static bool is_trivial(const Operation& operation) {
    return std::holds_alternative<Identity>(operation) ||
           std::holds_alternative<Scalar>(operation) || std::holds_alternative<Assert>(operation);
  }

  // The places of all calls, until no function is called in one more.
  void find_places() {
    const bool matters = std::any_of(program_.functions.begin(), program_.functions.end(),
                                     [](const Function& one) { return one.noinline; }) ||
                         std::find(implements_entry_.begin(), implements_entry_.end(), true) !=
                             implements_entry_.end();
    if (!matters) return;
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t i = 0; i < program_.functions.size(); ++i) {
        grown = note_places(program_.functions[i].body, places_[i]) || grown;
      }
    }
  }
  bool note_places(const Body& body, const Place& place) {
    bool grown = false;
    for (const Statement& statement : body.statements) {
      const auto* call = std::get_if<Call>(&statement.operation);
      const auto found = call == nullptr ? index_.end() : index_.find(call->function);
      if (found != index_.end()) {
        Place& known = places_[found->second];
        const Place all{known.parallel || place.parallel,
                        known.differentiated || place.differentiated};
        grown = grown || all != known;
        known = all;
      }
      const Place inside = place.inside(statement.operation);
      for_each_scope(statement.operation,
                     [&](const Body& inner) { grown = note_places(inner, inside) || grown; });
    }
    return grown;
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
    replace_calls(program_.functions[function].body, places_[function]);
    states_[function] = State::done;
  }

  void replace_calls(Body& body, const Place& place) {
    Builder out(program_.names);
    for (Statement& statement : body.statements) {
      const Place inside = place.inside(statement.operation);
      for_each_scope(statement.operation, [&](Body& inner) { replace_calls(inner, inside); });
      const auto* call = std::get_if<Call>(&statement.operation);
      const auto found = call == nullptr ? index_.end() : index_.find(call->function);
      if (found == index_.end() || stays(found->second, place)) {
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

  Program& program_;
  const Tunables& tunables_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<State> states_;
  std::vector<bool> recursive_;
  std::vector<std::size_t> calls_;  // of each function, before anything is inlined
  std::vector<Place> places_;       // of the calls of each function, taken together
  std::vector<bool> implements_entry_;
  std::vector<std::size_t> stack_;
  std::unordered_map<LocationId, LocationId> chains_;
  bool changed_ = false;
};

}  // namespace

bool inline_functions(ParallelProgram& program, const Tunables& tunables) {
  return Inliner(program.program, tunables).run();
}

}  // namespace dagaz::passes
