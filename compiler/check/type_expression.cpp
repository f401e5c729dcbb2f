// See type_expression.h.
#include "check/type_expression.h"

#include <algorithm>
#include <unordered_map>

#include "check/print_type.h"
#include "check/rewrite.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

void TypeExpressions::report(DiagnosticKind kind, const Range& range, std::string message) {
  // The second walk meets the same mistakes again.
  if (pass_ == Pass::resolve_names) context_.diagnostics.report(kind, range, std::move(message));
}

WrittenType TypeExpressions::evaluate(ast::TypeExp& exp) {
  WrittenType result;
  match(
      exp.node, [&](ast::TypeName& t) { evaluate_name(t, result, exp.range); },
      [&](ast::TupleType& t) { evaluate_tuple(t, result); },
      [&](ast::RecordType& t) { evaluate_record(t, result, exp.range); },
      [&](ast::SumType& t) { evaluate_sum(t, result, exp.range); },
      [&](ast::ArrayType& t) { evaluate_array(t, result); },
      [&](ast::UniqueType& t) { evaluate_unique(t, result, exp.range); },
      [&](ast::ArrowType& t) { evaluate_arrow(t, result); },
      [&](ast::ExistentialType& t) { evaluate_existential(t, result); },
      [&](ast::TypeApplication& t) { evaluate_application(t, result, exp.range); });
  exp.type = result.type;
  return result;
}

const Type* TypeExpressions::component(ast::TypeExp& exp, WrittenType& whole) {
  const WrittenType part = evaluate(exp);
  whole.existentials.insert(whole.existentials.end(), part.existentials.begin(),
                            part.existentials.end());
  whole.anonymous.insert(whole.anonymous.end(), part.anonymous.begin(), part.anonymous.end());
  whole.liftedness = std::max(whole.liftedness, part.liftedness);
  return part.type;
}

// ---------------------------------------------------------------- names

bool TypeExpressions::lookup(ast::TypeName& name) {
  if (pass_ == Pass::with_sizes) return name.id.valid();
  const Member member = scope_.resolve(NameSpace::type, name.name);
  if (member.kind != MemberKind::type) return false;
  name.id = member.type();
  met_unusable_ = met_unusable_ || context_.type_names[name.id].unusable;
  return true;
}

void TypeExpressions::expand(TypeNameId id,
                             std::vector<std::variant<const Size*, const Type*>> arguments,
                             WrittenType& result) {
  const TypeNameInfo& info = context_.type_names[id];
  result.liftedness = std::max(result.liftedness, info.liftedness);
  if (info.definition == nullptr) {
    result.type = context_.types.named({id, std::move(arguments), false});
    return;
  }
  if (arguments.empty() && info.existentials.empty()) {
    result.type = info.definition;
    return;
  }
  Substitution substitution(context_);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const BindingId* size = as<BindingId>(info.parameters[i])) {
      substitution.add(*size, std::get<const Size*>(arguments[i]));
    } else {
      substitution.add(std::get<TypeNameId>(info.parameters[i]),
                       std::get<const Type*>(arguments[i]));
    }
  }
  std::vector<BindingId> fresh;
  for (const BindingId open : info.existentials) {
    const BindingId size = context_.new_size(context_.text(open), context_.range_of(open));
    substitution.add(open, size);
    fresh.push_back(size);
  }
  result.type = substitution.type(info.definition);
  result.existentials.insert(result.existentials.end(), fresh.begin(), fresh.end());
}

void TypeExpressions::evaluate_name(ast::TypeName& name, WrittenType& result, const Range& range) {
  result.type = context_.types.unit();
  if (!lookup(name)) return;
  const TypeNameInfo& info = context_.type_names[name.id];
  if (!info.parameters.empty()) {
    report(DiagnosticKind::type_name, range,
           "type constructor `" + std::string(context_.text(info.name)) +
               "` is used without any arguments, but takes " +
               std::to_string(info.parameters.size()));
    return;
  }
  expand(name.id, {}, result);
}

void TypeExpressions::evaluate_application(ast::TypeApplication& application, WrittenType& result,
                                           const Range& range) {
  // `t a b` may be nested to the left.
  std::vector<ast::TypeArgument*> written;
  ast::TypeExp* root = application.function;
  std::vector<ast::TypeApplication*> chain{&application};
  while (auto* inner = as<ast::TypeApplication>(root->node)) {
    chain.push_back(inner);
    root = inner->function;
  }
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    for (ast::TypeArgument& argument : (*link)->arguments) written.push_back(&argument);
  }
  result.type = context_.types.unit();
  auto* name = as<ast::TypeName>(root->node);
  if (name == nullptr) {
    report(DiagnosticKind::type_name, root->range, "this type is not a type constructor");
    return;
  }
  if (!lookup(*name)) return;
  const TypeNameInfo info = context_.type_names[name->id];
  const std::string spelling(context_.text(info.name));
  if (info.parameters.size() != written.size()) {
    report(DiagnosticKind::type_name, range,
           "type constructor `" + spelling + "` requires " +
               std::to_string(info.parameters.size()) + " arguments, but provided " +
               std::to_string(written.size()));
    return;
  }
  std::vector<std::variant<const Size*, const Type*>> arguments;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const bool wants_size = as<BindingId>(info.parameters[i]) != nullptr;
    auto* size = as<ast::Dimension>(written[i]->value);
    if (wants_size != (size != nullptr)) {
      report(DiagnosticKind::type_name, range,
             "argument " + std::to_string(i + 1) + " of type constructor `" + spelling +
                 "` must be a " + (wants_size ? "size in brackets" : "type"));
      return;
    }
    if (size != nullptr) {
      arguments.emplace_back(dimension(*size, result.existentials));
    } else {
      // What a type is applied to says nothing about uniqueness.
      const Type* type = component(*std::get<ast::TypeExp*>(written[i]->value), result);
      arguments.emplace_back(context_.types.not_unique(type));
    }
  }
  expand(name->id, std::move(arguments), result);
}

// ---------------------------------------------------------------- composite types

void TypeExpressions::evaluate_tuple(const ast::TupleType& tuple, WrittenType& result) {
  std::vector<const Type*> elements;
  for (ast::TypeExp* element : tuple.elements) elements.push_back(component(*element, result));
  result.type = context_.types.tuple(elements);
}

void TypeExpressions::evaluate_record(const ast::RecordType& record, WrittenType& result,
                                      const Range& range) {
  std::vector<std::pair<Symbol, const Type*>> fields;
  for (const auto& [name, type] : record.fields) {
    for (const auto& field : fields) {
      if (field.first == name.symbol) {
        report(DiagnosticKind::duplicate_name, range,
               "duplicate record fields: `" + std::string(context_.text(name.symbol)) + "`");
        break;
      }
    }
    fields.emplace_back(name.symbol, component(*type, result));
  }
  result.type = context_.types.record(std::move(fields));
}

void TypeExpressions::evaluate_sum(const ast::SumType& sum, WrittenType& result,
                                   const Range& range) {
  std::vector<std::pair<Symbol, std::vector<const Type*>>> constructors;
  for (const auto& [name, payload] : sum.constructors) {
    for (const auto& constructor : constructors) {
      if (constructor.first == name.symbol) {
        report(DiagnosticKind::duplicate_name, name.range,
               "duplicate constructors: `#" + std::string(context_.text(name.symbol)) + "`");
        break;
      }
    }
    std::vector<const Type*> types;
    for (ast::TypeExp* type : payload) types.push_back(component(*type, result));
    constructors.emplace_back(name.symbol, std::move(types));
  }
  if (constructors.size() >= 256) {
    report(DiagnosticKind::type_name, range, "sum types must have less than 256 constructors");
  }
  result.type = context_.types.sum(std::move(constructors));
}

const Size* TypeExpressions::dimension(const ast::Dimension& dimension,
                                       std::vector<BindingId>& open) {
  if (dimension.size != nullptr) return sizes_.read(*dimension.size);
  if (pass_ == Pass::resolve_names) return context_.types.any();
  const BindingId size = context_.new_size("d", dimension.range);
  open.push_back(size);
  return context_.types.named_size(size);
}

void TypeExpressions::evaluate_array(const ast::ArrayType& array, WrittenType& result) {
  const Size* size = dimension(array.dimension, result.existentials);
  const Type* element = component(*array.element, result);
  if (result.liftedness != Liftedness::unlifted) {
    report(DiagnosticKind::lifted_type, array.element->range,
           result.liftedness == Liftedness::lifted
               ? "an array cannot have elements of a lifted type, which may contain functions"
               : "an array cannot have elements of a size-lifted type (might cause an irregular "
                 "array)");
    result.liftedness = Liftedness::unlifted;
  }
  result.type = context_.types.array(size, element);
}

void TypeExpressions::evaluate_unique(const ast::UniqueType& unique, WrittenType& result,
                                      const Range& range) {
  const std::size_t errors = context_.diagnostics.error_count();
  const Type* type = component(*unique.type, result);
  if (!may_hold_array(type) && context_.diagnostics.error_count() == errors) {
    report(DiagnosticKind::useless_uniqueness, range,
           "declaring `" + print_type(context_, type) + "` as unique has no effect");
  }
  result.type = context_.types.unique(type);
}

void TypeExpressions::evaluate_arrow(ast::ArrowType& arrow, WrittenType& result) {
  const WrittenType from = evaluate(*arrow.from);
  const Scope::Frame frame(scope_);
  if (arrow.parameter && pass_ == Pass::resolve_names) {
    check_distinct_parameters(arrow);
    arrow.parameter_id = context_.new_binding(arrow.parameter->symbol, arrow.parameter->range);
    scope_.bind_value(arrow.parameter->symbol, arrow.parameter_id);
  }
  if (arrow.parameter) {
    const Type* bare = context_.types.not_unique(from.type);
    if (pass_ == Pass::resolve_names) {
      context_.values[arrow.parameter_id].unsized = context_.types.erase(bare);
    } else {
      context_.set_type(arrow.parameter_id, bare);
    }
  }
  const WrittenType to = evaluate(*arrow.to);
  result.anonymous = from.anonymous;
  for (const auto* more : {&from.existentials, &to.anonymous}) {
    result.anonymous.insert(result.anonymous.end(), more->begin(), more->end());
  }
  result.type = context_.types.arrow(
      {arrow.parameter_id, context_.types.not_unique(from.type), has_unique(from.type),
       to.existentials, to.type});
  result.liftedness = Liftedness::lifted;
}

/// Reports a parameter name that a later parameter of the same function type repeats.
void TypeExpressions::check_distinct_parameters(const ast::ArrowType& arrow) {
  const ast::TypeExp* rest = arrow.to;
  while (const auto* next = as<ast::ArrowType>(rest->node)) {
    if (next->parameter && next->parameter->symbol == arrow.parameter->symbol) {
      Diagnostic& d = context_.diagnostics.report(
          DiagnosticKind::duplicate_name, next->parameter->range,
          "name `" + std::string(context_.text(next->parameter->symbol)) + "` is also bound "
          "by an earlier parameter");
      d.labels.push_back({arrow.parameter->range, "also bound at this place"});
      return;
    }
    rest = next->to;
  }
}

void TypeExpressions::evaluate_existential(ast::ExistentialType& existential,
                                           WrittenType& result) {
  const Scope::Frame frame(scope_);
  if (pass_ == Pass::resolve_names) {
    existential.size_ids.clear();
    for (const ast::Name& name : existential.sizes) {
      const BindingId id = context_.new_size(context_.text(name.symbol), name.range);
      context_.result.bindings[id].name = name.symbol;
      existential.size_ids.push_back(id);
      scope_.bind_value(name.symbol, id);
    }
  }
  result.type = component(*existential.type, result);
  result.liftedness = std::max(result.liftedness, Liftedness::size_lifted);
  if (pass_ == Pass::with_sizes) {
    const Witnesses witnesses = size_witnesses(result.type);
    for (std::size_t i = 0; i < existential.size_ids.size(); ++i) {
      if (contains(witnesses.constructive, existential.size_ids[i])) continue;
      const ast::Name& name = existential.sizes[i];
      context_.diagnostics.report(DiagnosticKind::unused_size, name.range,
                                  "existential size `" +
                                      std::string(context_.text(name.symbol)) +
                                      "` is not used as the size of an array");
    }
  }
  result.existentials.insert(result.existentials.begin(), existential.size_ids.begin(),
                             existential.size_ids.end());
}

}  // namespace dagaz::check
