// See attributes.h.  Attributes that nothing looks for may have any arguments.
#include "check/attributes.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace dagaz::check {

namespace {

enum class Takes : std::uint8_t { nothing, positive_number, number_or_variable, name };

struct Rule {
  std::string_view attribute;
  Takes takes;
};

constexpr Rule rules[] = {
    {"stripmine", Takes::positive_number}, {"bound", Takes::number_or_variable},
    {"param", Takes::name},                {"keep", Takes::nothing},
    {"unroll", Takes::nothing},            {"unsafe", Takes::nothing},
    {"sequential", Takes::nothing},        {"sequential_outer", Takes::nothing},
    {"forward", Takes::nothing},           {"reverse", Takes::nothing},
    {"true_dep", Takes::nothing},
};

bool agrees(const ast::Attribute& attribute, Takes takes) {
  if (takes == Takes::nothing) return !attribute.has_arguments;
  if (attribute.arguments.size() != 1) return false;
  const ast::Attribute& argument = attribute.arguments.front();
  if (argument.has_arguments) return false;
  switch (takes) {
    case Takes::positive_number: return !argument.name.valid() && argument.number > 0;
    case Takes::number_or_variable: return true;
    case Takes::name: return argument.name.valid();
    case Takes::nothing: break;
  }
  return false;
}

std::string description(Takes takes, std::string_view attribute) {
  const std::string name(attribute);
  switch (takes) {
    case Takes::nothing: return "no arguments";
    case Takes::positive_number: return "a number of at least 1, as in `#[" + name + "(4)]`";
    case Takes::number_or_variable: return "a number or a variable, as in `#[" + name + "(100)]`";
    case Takes::name: return "a name, as in `#[" + name + "(size)]`";
  }
  return "";
}

}  // namespace

void check_attribute(Context& context, const ast::Attribute& attribute) {
  if (!attribute.name.valid()) return;
  const std::string_view name = context.text(attribute.name);
  const auto* const rule = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& each) {
    return each.attribute == name;
  });
  if (rule == std::end(rules) || agrees(attribute, rule->takes)) return;
  context.diagnostics.report(DiagnosticKind::attribute_arguments, attribute.range,
                             "`#[" + std::string(name) + "]` takes " +
                                 description(rule->takes, name));
}

}  // namespace dagaz::check
