// What a function must be to be called from outside, and what the outside sees of it.
#include <algorithm>
#include <functional>

#include "check/declarations.h"
#include "check/expression_walk.h"
#include "check/local_checks.h"
#include "check/print_type.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

/// The type as the interface names it: the abbreviation that was written, or the printed type.
static std::string interface_name(const Context& context, const Type* type,
                                  const ast::TypeExp* written) {
  while (written != nullptr) {
    if (const auto* unique = as<ast::UniqueType>(written->node)) {
      written = unique->type;
    } else if (const auto* name = as<ast::TypeName>(written->node)) {
      return std::string(context.text(name->name.name.symbol));
    } else {
      break;
    }
  }
  return print_type(context, type);
}

static const ast::TypeExp* written_type(const ast::Pattern& pattern) {
  const ast::Pattern* p = &pattern;
  while (const auto* attributed = as<ast::AttributePattern>(p->node)) p = attributed->pattern;
  const auto* ascribed = as<ast::AscribedPattern>(p->node);
  return ascribed == nullptr ? nullptr : ascribed->type;
}

void Declarations::check_entry(ast::Declaration& declaration, ast::ValueDeclaration& value) {
  const Range& range = value.name.range;
  const std::string name(context_.text(value.name.symbol));
  const auto fail = [&](std::string message) {
    context_.diagnostics.report(DiagnosticKind::entry_point, range, std::move(message));
  };
  if (module_depth_ > 0) return fail("entry points may not be declared inside modules");
  if (value.scheme == nullptr) return;
  const Scheme& scheme = *value.scheme;
  if (!scheme.type_parameters.empty()) {
    return fail("entry point functions may not be polymorphic");
  }
  std::vector<const Type*> parameters;
  std::vector<bool> consumed;
  const Type* result = scheme.type;
  while (const auto* arrow = as<Arrow>(result->node)) {
    parameters.push_back(arrow->from);
    consumed.push_back(arrow->consumes);
    result = arrow->to;
  }
  for (const BindingId size : scheme.size_parameters) {
    bool in_parameters = false;
    bool constructive = false;
    for (const Type* p : parameters) {
      in_parameters = in_parameters || mentions(p, size);
      constructive = constructive || contains(size_witnesses(p).constructive, size);
    }
    if (mentions(result, size) && !in_parameters) {
      return fail("entry point functions must not be size-polymorphic in their return type");
    }
    if (!constructive) {
      return fail("entry point size parameter `" + std::string(context_.text(size)) +
                  "` only used non-constructively");
    }
  }
  parameters.push_back(result);
  for (const Type* type : parameters) {
    if (!is_first_order(context_, type)) {
      return fail("entry point functions may not be higher-order");
    }
  }
  parameters.pop_back();
  value.is_entry = true;
  EntryPoint entry;
  entry.name = name;
  entry.documentation = declaration.documentation;
  entry.declaration = &declaration;
  fill_entry(entry, value, parameters, consumed, result);
  if (in_root_) context_.result.entries.push_back(std::move(entry));
}

void Declarations::fill_entry(EntryPoint& entry, const ast::ValueDeclaration& value,
                              const std::vector<const Type*>& parameters,
                              const std::vector<bool>& consumed, const Type* result) {
  const std::vector<ast::Pattern*>& patterns = value.function.parameters;
  const ast::TypeExp* written_result = value.function.result_type;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EntryValue parameter;
    parameter.type = parameters[i];
    parameter.unique = consumed[i];
    const ast::TypeExp* written = nullptr;
    if (i < patterns.size()) {
      const BindingId id = parameter_name(*patterns[i]);
      if (id.valid()) parameter.name = context_.text(id);
      written = written_type(*patterns[i]);
    } else if (written_result != nullptr) {
      if (const auto* arrow = as<ast::ArrowType>(written_result->node)) {
        if (arrow->parameter) parameter.name = context_.text(arrow->parameter->symbol);
        written = arrow->from;
        written_result = arrow->to;
      }
    }
    parameter.type_name = interface_name(context_, parameters[i], written);
    entry.parameters.push_back(std::move(parameter));
  }
  if (written_result != nullptr) {
    if (const auto* open = as<ast::ExistentialType>(written_result->node)) {
      written_result = open->type;
    }
  }
  const auto add = [&](const Type* type, const ast::TypeExp* written) {
    entry.results.push_back({"", interface_name(context_, type, written), type, has_unique(type)});
  };
  const auto* record = as<Record>(result->node);
  const bool named = written_result != nullptr &&
                     as<ast::TupleType>(written_result->node) == nullptr &&
                     as<ast::UniqueType>(written_result->node) == nullptr;
  if (record == nullptr || context_.types.tuple_length(*record) < 0 || named) {
    return add(result, written_result);
  }
  const auto* tuple =
      written_result == nullptr ? nullptr : as<ast::TupleType>(written_result->node);
  for (std::size_t i = 0; i < record->fields.size(); ++i) {
    add(record->fields[i].second, tuple == nullptr ? nullptr : tuple->elements[i]);
  }
}

}  // namespace dagaz::check
