// Names of traces, written and read.
#include "ir/traces.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/fields.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::ir {

static constexpr std::string_view prefix = "trace ";
static constexpr std::string_view separator = ": ";

bool is_trace(std::string_view function) { return function.starts_with(prefix); }

bool is_trace(const Operation& operation) {
  const auto* call = as<Call>(operation);
  return call != nullptr && is_trace(call->function);
}

std::string trace_function(const Traced& traced) {
  std::string name(prefix);
  name += traced.label;
  name += separator;
  name += traced.type + " (";
  for (const TracedLeaf& leaf : traced.leaves) {
    if (&leaf != traced.leaves.data()) name += ", ";
    for (std::size_t k = 0; k < leaf.rank; ++k) name += "[]";
    name += name_of(leaf.element);
  }
  return name + ")";
}

static TracedLeaf leaf_from(std::string_view text) {
  const std::size_t rank = static_cast<std::size_t>(std::count(text.begin(), text.end(), '['));
  const auto element = scalar_type_named(text.substr(2 * rank));
  DZ_CHECK(element.has_value(), "the name of a trace");
  return {*element, rank};
}

Traced traced_by(std::string_view function) {
  const std::size_t label = prefix.size();
  const std::size_t type = function.find(separator, label) + separator.size();
  const std::size_t open = function.rfind('(');
  std::string_view rest = function.substr(open + 1, function.rfind(')') - open - 1);
  Traced traced{std::string(function.substr(label, type - separator.size() - label)),
                std::string(function.substr(type, open - 1 - type)),
                {}};
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    traced.leaves.push_back(leaf_from(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return traced;
}

static constexpr std::string_view printing = "'prints";

bool is_named_as_printing(std::string_view function) {
  return function.find(printing) != std::string_view::npos;
}

std::string quiet_name(std::string_view function) {
  const std::size_t at = function.find(printing);
  DZ_CHECK(at != std::string_view::npos, "a function that prints");
  return std::string(function.substr(0, at)) + "'quiet" +
         std::string(function.substr(at + printing.size()));
}

bool prints(const Operation& operation) {
  const auto* call = as<Call>(operation);
  return call != nullptr && (is_trace(call->function) || is_named_as_printing(call->function));
}

namespace {

using Renamed = std::unordered_map<std::string, std::string>;

/// Replaces the names of called functions; whether there were any to replace.
bool rename_calls(Body& body, const Renamed& names) {
  bool any = false;
  for (Statement& one : body.statements) {
    auto* call = as<Call>(one.operation);
    const auto found = call == nullptr ? names.end() : names.find(call->function);
    if (found != names.end()) {
      call->function = found->second;
      any = true;
    }
    for_each_scope(one.operation, [&](Body& inner) { any = rename_calls(inner, names) || any; });
  }
  return any;
}

}  // namespace

void name_printing_functions(Program& program) {
  if (!has_trace(program)) return;
  // What an entry point begins with keeps its name.
  std::unordered_set<std::string> entries;
  for (const EntryPoint& entry : program.entries) entries.insert(entry.function);
  Renamed renamed;
  for (bool grown = true; grown;) {
    grown = false;
    for (Function& function : program.functions) {
      const bool calls = rename_calls(function.body, renamed);
      if (renamed.contains(function.name) || entries.contains(function.name)) continue;
      if (!calls && !has_trace(function.body)) continue;
      renamed.emplace(function.name, function.name + std::string(printing));
      grown = true;
    }
  }
  for (Function& function : program.functions) {
    const auto found = renamed.find(function.name);
    if (found != renamed.end()) function.name = found->second;
  }
}

bool has_trace(const Operation& operation) {
  bool found = prints(operation);
  for_each_scope(operation, [&](const Body& body) { found = found || has_trace(body); });
  return found;
}

bool has_trace(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(),
                     [](const Statement& one) { return has_trace(one.operation); });
}

bool has_trace(const Program& program) {
  return std::any_of(program.functions.begin(), program.functions.end(),
                     [](const Function& one) { return is_trace(one.name); });
}

}  // namespace dagaz::ir
