// Patterns, parameters and functions, without sizes.  See infer.h.
#include <algorithm>

#include "check/attributes.h"
#include "check/expression_walk.h"
#include "check/infer.h"
#include "support/match.h"

namespace dagaz::check {

const Type* Inference::infer_record_pattern(ast::RecordPattern& pattern, const Range& range) {
  std::vector<std::pair<Symbol, const Type*>> fields;
  for (auto& [name, field] : pattern.fields) {
    const std::string spelling(context_.text(name.symbol));
    if (spelling[0] == '_') {
      Diagnostic& d = error(DiagnosticKind::underscore_name, name.range,
                            "underscore-prefixed fields are not allowed");
      const std::string meant = spelling.substr(1) + " = _";
      d.hints.emplace_back("did you mean `" + meant + "`?",
                           std::vector<Edit>{{name.range, meant}}, Applicability::certain);
    }
    const bool duplicate = std::any_of(fields.begin(), fields.end(), [&](const auto& f) {
      return f.first == name.symbol;
    });
    const Type* type = infer_pattern(*field);
    if (duplicate) {
      error(DiagnosticKind::duplicate_name, range,
            "duplicate fields in record pattern: `" + spelling + "`");
    } else {
      fields.emplace_back(name.symbol, type);
    }
  }
  return context_.types.record(std::move(fields));
}

const Type* Inference::infer_pattern(ast::Pattern& pattern) {
  pattern.type = match(
      pattern.node,
      [&](ast::NamePattern& p) {
        const Type* type = solver_.fresh(pattern.range);
        p.id = context_.new_binding(p.name.symbol, p.name.range);
        context_.values[p.id].unsized = type;
        bound_.push_back(p.id);
        return type;
      },
      [&](ast::WildcardPattern&) { return solver_.fresh(pattern.range); },
      [&](ast::TuplePattern& p) {
        std::vector<const Type*> elements;
        for (ast::Pattern* element : p.elements) elements.push_back(infer_pattern(*element));
        return context_.types.tuple(elements);
      },
      [&](ast::RecordPattern& p) { return infer_record_pattern(p, pattern.range); },
      [&](ast::ConstructorPattern& p) {
        std::vector<const Type*> payload;
        for (ast::Pattern* argument : p.arguments) payload.push_back(infer_pattern(*argument));
        return solver_.fresh_sum(pattern.range, p.constructor.symbol, std::move(payload));
      },
      [&](ast::LiteralPattern& p) { return infer(*p.literal); },
      [&](ast::AscribedPattern& p) {
        const Type* type = context_.types.erase(written(*p.type).type);
        const Type* inner = infer_pattern(*p.pattern);
        expect(inner, type, p.pattern->range, "this pattern");
        return type;
      },
      [&](ast::AttributePattern& p) {
        check_attribute(context_, p.attribute, AttributePlace::pattern);
        return infer_pattern(*p.pattern);
      });
  return pattern.type;
}

void Inference::bind_names(ast::Pattern& pattern) {
  for_each_name(pattern,
                [&](ast::NamePattern& name) { scope_.bind_value(name.name.symbol, name.id); });
}

void Inference::check_distinct(const std::vector<ast::TypeParameter>& parameters,
                               const std::vector<ast::Pattern*>& patterns) {
  std::vector<ast::Name> terms;
  std::vector<ast::Name> types;
  const auto add = [&](std::vector<ast::Name>& seen, const ast::Name& name) {
    for (const ast::Name& other : seen) {
      if (other.symbol != name.symbol) continue;
      Diagnostic& d = error(DiagnosticKind::duplicate_name, name.range,
                            "name `" + std::string(context_.text(name.symbol)) +
                                "` is also bound elsewhere in the same pattern");
      d.labels.push_back({other.range, "also bound at this place"});
      return;
    }
    seen.push_back(name);
  };
  for (const ast::TypeParameter& p : parameters) {
    add(p.kind == ast::ParameterKind::size ? terms : types, p.name);
  }
  for (ast::Pattern* pattern : patterns) {
    for_each_name(*pattern, [&](ast::NamePattern& name) { add(terms, name.name); });
  }
}

void Inference::bind_type_parameters(std::vector<ast::TypeParameter>& parameters) {
  for (ast::TypeParameter& p : parameters) {
    if (p.kind == ast::ParameterKind::size) {
      p.size_id = context_.new_binding(p.name.symbol, p.name.range);
      context_.set_type(p.size_id, context_.types.i64());
      scope_.bind_value(p.name.symbol, p.size_id);
      continue;
    }
    TypeNameInfo info;
    info.name = p.name.symbol;
    info.range = p.name.range;
    info.liftedness = p.kind == ast::ParameterKind::type          ? Liftedness::unlifted
                      : p.kind == ast::ParameterKind::size_lifted ? Liftedness::size_lifted
                                                                  : Liftedness::lifted;
    info.level = solver_.level;
    info.is_parameter = true;
    p.type_id = context_.new_type_name(std::move(info));
    scope_.bind_type(p.name.symbol, p.type_id);
  }
}

WrittenType Inference::written(ast::TypeExp& type) {
  const std::size_t errors = context_.diagnostics.error_count();
  WrittenType result = type_expressions_.evaluate(type);
  const bool has_error = context_.diagnostics.error_count() > errors;
  if (has_error || type_expressions_.met_unusable()) result.type = unusable(type.range);
  return result;
}

const Size* Inference::read(ast::Exp& exp) {
  const std::size_t broken = broken_.size();
  const Type* type = infer(exp);
  expect(type, context_.types.i64(), exp.range, "a size");
  if (broken_.size() > broken) mark_broken();
  size_expressions_.push_back(&exp);
  return context_.types.any();
}

const Type* Inference::result_type(ast::Function& function, const Type* body) {
  if (function.result_type == nullptr) return body;
  const Type* declared = context_.types.erase(written(*function.result_type).type);
  if (!solver_.equate(body, declared)) {
    // Both sides are sound in themselves, so nothing is broken.
    Diagnostic& d = context_.diagnostics.report(
        DiagnosticKind::type_mismatch, result_expression(*function.body).range,
        "function body does not have expected type: expected `" + text(declared) +
            "`, but the body has type `" + text(body) + "`");
    d.labels.push_back({function.result_type->range, "the result type is declared as this"});
    explain(d, body, declared);
  }
  return declared;
}

const Type* Inference::infer_function(ast::Function& function) {
  check_distinct(function.type_parameters, function.parameters);
  const Scope::Frame frame(scope_);
  const int outer_level = solver_.level;
  bind_type_parameters(function.type_parameters);
  ++solver_.level;
  std::vector<const Type*> parameters;
  for (ast::Pattern* parameter : function.parameters) {
    parameters.push_back(infer_pattern(*parameter));
    bind_names(*parameter);
    ++solver_.level;
  }
  const auto self = [&](const Type* result) {
    for (std::size_t i = parameters.size(); i-- > 0;) {
      const BindingId name = parameter_name(*function.parameters[i]);
      result = context_.types.arrow({name, parameters[i], false, {}, result});
    }
    return result;
  };
  const Type* result = nullptr;
  {
    // The result type is in scope of parameters but not of what the body binds.
    const Type* body = infer(*function.body);
    result = result_type(function, body);
  }
  solver_.level = outer_level;
  return self(result);
}

}  // namespace dagaz::check
