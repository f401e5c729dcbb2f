// See attributes.h.  Those that steer the peer's compiler are passed over in silence.
#include "check/attributes.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "check/expression_walk.h"
#include "check/library_files.h"
#include "support/match.h"
#include "support/suggest_spelling.h"

namespace dagaz::check {

namespace {

// `anything`: what else there is, is looked at where the attribute is.
enum class Takes : std::uint8_t {
  nothing,
  strip_count,
  dimension,
  number_or_variable,
  name,
  anything
};
enum class Place : std::uint8_t { expression, loop, loop_parameter, parameter, function };

struct Rule {
  std::string_view attribute;
  Takes takes;
  Place place = Place::expression;
};

constexpr Rule rules[] = {
    {"stripmine", Takes::strip_count, Place::loop},
    {"bound", Takes::number_or_variable, Place::loop},
    {"keep", Takes::nothing, Place::loop},
    {"unroll", Takes::nothing, Place::loop},
    {"true_dep", Takes::nothing, Place::loop_parameter},
    {"split", Takes::dimension, Place::parameter},
    {"replicated", Takes::nothing, Place::parameter},
    {"param", Takes::name},
    {"unsafe", Takes::nothing},
    {"sequential", Takes::nothing},
    {"sequential_outer", Takes::nothing},
    {"forward", Takes::nothing},
    {"reverse", Takes::nothing},
    {"warn", Takes::anything},
    {"trace", Takes::anything},
    {"noinline", Takes::nothing, Place::function},
    {"inline", Takes::nothing, Place::function},
    {"blank", Takes::anything},
    {"scratch", Takes::anything},
};

// More strips shrink little of what is kept, while the code grows with their square.
constexpr std::int64_t most_strip_mining = 12;

constexpr std::string_view of_the_peer[] = {
    "noextract", "incremental_flattening", "flattening", "sequential_inner",
    "opaque", "break", "noalias", "no_outer", "no_intra", "only_intra", "only_inner", "spec",
    "nofuse", "on_gpu", "noduplicate", "nodce"};

const Rule* rule_of(std::string_view name) {
  const auto* const rule = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& each) {
    return each.attribute == name;
  });
  return rule == std::end(rules) ? nullptr : rule;
}

bool agrees(const ast::Attribute& attribute, Takes takes) {
  if (takes == Takes::nothing) return !attribute.has_arguments;
  if (takes == Takes::anything) return true;
  if (attribute.arguments.size() != 1) return false;
  const ast::Attribute& argument = attribute.arguments.front();
  if (argument.has_arguments) return false;
  switch (takes) {
    case Takes::strip_count:
      return !argument.name.valid() && 0 < argument.number && argument.number <= most_strip_mining;
    case Takes::dimension: return !argument.name.valid() && argument.number >= 0;
    case Takes::number_or_variable: return true;
    case Takes::name: return argument.name.valid();
    case Takes::nothing:
    case Takes::anything: break;
  }
  return false;
}

std::string description(Takes takes, std::string_view attribute) {
  const std::string name(attribute);
  switch (takes) {
    case Takes::nothing: return "no arguments";
    case Takes::strip_count: return "a number from 1 to 12, as in `#[" + name + "(4)]`";
    case Takes::dimension: return "a dimension from 0 on, as in `#[" + name + "(0)]`";
    case Takes::number_or_variable: return "a number or a variable, as in `#[" + name + "(100)]`";
    case Takes::name: return "a name, as in `#[" + name + "(size)]`";
    case Takes::anything: break;
  }
  return "";
}

void report_unknown(Context& context, const ast::Attribute& attribute, std::string_view name) {
  Diagnostic& d = context.diagnostics.report(
      DiagnosticKind::ineffective_attribute, attribute.range,
      "there is no attribute `" + std::string(name) + "`, so it changes nothing");
  Spelling similar(name);
  for (const Rule& each : rules) similar.consider(each.attribute);
  Range spelt = attribute.range;
  spelt.end = spelt.begin + static_cast<std::uint32_t>(name.size());
  suggest_spelling(d, spelt, similar);
}

void report_ineffective(Context& context, const ast::Attribute& attribute, std::string_view name,
                        const char* what_it_is_for) {
  context.diagnostics.report(
      DiagnosticKind::ineffective_attribute, attribute.range,
      "`#[" + std::string(name) + "]` changes nothing here: it is for " + what_it_is_for);
}

bool calls_own_function(const Context& context, const ast::Exp& exp) {
  const auto* call = as<ast::Apply>(exp.node);
  if (call == nullptr) return false;
  const auto* function = as<ast::Variable>(call->function->node);
  const bool is_known = function != nullptr && function->id.valid();
  return !is_known || !is_of_library(context, context.range_of(function->id));
}

// Whether a loop is executed in `exp`, or may be in a function that it calls.  Attributes do not
// reach into functions that are arguments.
bool may_be_a_loop(const Context& context, const ast::Exp& exp) {
  std::vector<const ast::Exp*> todo{&exp};
  while (!todo.empty()) {
    const ast::Exp& next = *todo.back();
    todo.pop_back();
    if (as<ast::Loop>(next.node) != nullptr || calls_own_function(context, next)) return true;
    if (as<ast::Lambda>(next.node) != nullptr) continue;
    for_each_child(next, [&](const ast::Exp* child) { todo.push_back(child); });
  }
  return false;
}

}  // namespace

void check_attribute(Context& context, const ast::Attribute& attribute, AttributePlace place) {
  if (!attribute.name.valid() || context.in_library) return;
  const std::string_view name = context.text(attribute.name);
  const Rule* const rule = rule_of(name);
  if (rule == nullptr) {
    const auto* const end = std::end(of_the_peer);
    if (std::find(std::begin(of_the_peer), end, name) == end) {
      report_unknown(context, attribute, name);
    }
    return;
  }
  if (!agrees(attribute, rule->takes)) {
    context.diagnostics.report(DiagnosticKind::attribute_arguments, attribute.range,
                               "`#[" + std::string(name) + "]` takes " +
                                   description(rule->takes, name));
  } else if (rule->place == Place::function) {
    if (place != AttributePlace::pattern) return;
    report_ineffective(context, attribute, name, "a function or a call");
  } else if (rule->place == Place::loop_parameter && place != AttributePlace::pattern) {
    report_ineffective(context, attribute, name, "a parameter of a loop");
  } else if (rule->place == Place::parameter && place != AttributePlace::pattern) {
    report_ineffective(context, attribute, name, "a parameter of an entry point");
  } else if (place == AttributePlace::pattern &&
             (rule->place == Place::loop_parameter || rule->place == Place::parameter)) {
    return;
  } else if (place != AttributePlace::expression) {
    report_ineffective(context, attribute, name,
                       rule->place == Place::loop ? "a loop" : "an expression");
  }
}

void check_attributed(Context& context, const ast::Attributed& attributed) {
  if (!attributed.attribute.name.valid() || context.in_library) return;
  const std::string_view name = context.text(attributed.attribute.name);
  const Rule* const rule = rule_of(name);
  if (rule == nullptr || rule->place != Place::loop) return;
  if (!may_be_a_loop(context, *attributed.value)) {
    report_ineffective(context, attributed.attribute, name, "a loop");
  }
}

}  // namespace dagaz::check
