// Variables, applications, operators and broadcasts, without sizes.  See infer.h.
#include <algorithm>

#include "check/infer.h"
#include "check/print_type.h"
#include "check/rewrite.h"
#include "support/match.h"
#include "syntax/foreign_functions.h"

namespace dagaz::check {

// ---------------------------------------------------------------- variables

/// Turns `x.f.g` into projections of the variable made of the first `first_field` names.
void Inference::resolve_projections(ast::Exp& exp, std::size_t first_field) {
  const ast::QualifiedName name = std::get<ast::Variable>(exp.node).name;
  std::vector<ast::Name> parts = name.qualifiers;
  parts.push_back(name.name);
  ast::QualifiedName root;
  root.qualifiers.assign(parts.begin(),
                         parts.begin() + static_cast<std::ptrdiff_t>(first_field - 1));
  root.name = parts[first_field - 1];
  root.range = cover(parts[0].range, root.name.range);
  ast::Exp* base = context_.program.arena.make(
      ast::Exp{root.range, ast::Variable{root, {}, nullptr}, nullptr, {}});
  for (std::size_t i = first_field; i + 1 < parts.size(); ++i) {
    base = context_.program.arena.make(ast::Exp{cover(root.range, parts[i].range),
                                                ast::Project{base, parts[i]}, nullptr, {}});
  }
  exp.node = ast::Project{base, parts.back()};
}

static bool is_number_type(std::string_view name) {
  for (int i = 0; i < 12; ++i) {
    const auto type = static_cast<Primitive>(i);
    if (type != Primitive::boolean && primitive_name(type) == name) return true;
  }
  return false;
}

const Type* Inference::infer_variable(ast::Exp& exp) {
  auto& variable = std::get<ast::Variable>(exp.node);
  const ast::QualifiedName& name = variable.name;
  if (variable.id.valid()) return instantiate(variable, exp.range);  // made by the checker
  // A qualifier that is a value starts a chain of projections.
  const ModuleInfo* module = nullptr;
  for (std::size_t i = 0; i < name.qualifiers.size(); ++i) {
    const Symbol symbol = name.qualifiers[i].symbol;
    const Member member = module == nullptr ? scope_.find(NameSpace::term, symbol)
                                            : module->members.find(NameSpace::term, symbol);
    if (member.kind == MemberKind::value) {
      resolve_projections(exp, i + 1);
      return infer_node(exp);
    }
    if (member.kind != MemberKind::module) break;
    module = context_.modules[member.module()];
    if (module->parameter != nullptr) break;
  }
  const Member member = scope_.resolve(NameSpace::term, name);
  if (member.kind == MemberKind::none) return unusable(exp.range);
  if (member.kind == MemberKind::module) {
    const std::string spelling(context_.text(name.name.symbol));
    Diagnostic& d = error(DiagnosticKind::unknown_name, exp.range,
                          "`" + spelling + "` is a module, not a value");
    if (is_number_type(spelling)) {
      d.hints.push_back("a number is converted by the function for its type: `" + spelling +
                        (spelling == "i64" ? ".i32" : ".i64") + " x`");
    }
    return unusable(exp.range);
  }
  const std::string_view spelling = context_.text(name.name.symbol);
  if (spelling.size() > 1 && spelling[0] == '_') {
    error(DiagnosticKind::underscore_name, name.name.range,
          "use of `" + std::string(spelling) + "`: names that start with an underscore say that " +
              "they are not used");
  }
  if (module != nullptr && module->is_intrinsics && !context_.in_library) {
    error(DiagnosticKind::direct_intrinsic, exp.range,
          "intrinsic functions are meant for the standard library; their names and types may "
          "change");
  }
  variable.id = member.value();
  resolved_.push_back(&exp);
  if (variable.id == defining_) is_recursive_ = true;
  return instantiate(variable, exp.range);
}

const Type* Inference::instantiate(ast::Variable& variable, const Range& range) {
  context_.values[variable.id].is_used = true;
  const ValueInfo& info = context_.values[variable.id];
  const auto with_operand = [&](const Type* operand, const Type* result) {
    variable.instance = context_.types.arena().make(Instance{{}, {operand}});
    return context_.types.arrow(operand, context_.types.arrow(operand, result));
  };
  switch (info.kind) {
    case ValueKind::operation: {
      const Type* operand = solver_.fresh_primitive(range, info.operands);
      return with_operand(operand, operand);
    }
    case ValueKind::comparison:
      return with_operand(solver_.fresh_primitive(range, info.operands),
                          context_.types.boolean());
    case ValueKind::equality:
      return with_operand(solver_.fresh(range, Liftedness::unlifted), context_.types.boolean());
    case ValueKind::broadcast:
      error(DiagnosticKind::broadcast_shape, range,
            "`broadcast` must be applied to a function and its operands");
      return unusable(range);
    case ValueKind::unusable: return unusable(range);
    case ValueKind::ordinary: break;
  }
  if (info.unsized == nullptr) return unusable(range);
  if (info.type_parameters.empty()) return info.unsized;
  Substitution substitution(context_);
  Instance instance;
  const Symbol name = context_.result.bindings[variable.id].name;
  for (const TypeNameId parameter : info.type_parameters) {
    const Liftedness allowed = context_.type_names[parameter].liftedness;
    const Type* argument = solver_.fresh(range, allowed);
    instance.types.push_back(argument);
    substitution.add(parameter, argument);
    instantiations_.push_back({range, name, allowed, argument});
  }
  variable.instance = context_.types.arena().make(std::move(instance));
  return substitution.type(info.unsized);
}

// ---------------------------------------------------------------- applications

/// `f`, for messages.
static std::string function_name(const Context& context, const ast::Exp* function) {
  if (function != nullptr && as<ast::Variable>(function->node) != nullptr) {
    return "`" + print_expression(context, function) + "`";
  }
  return "this function";
}

/// The spelling of `function`, if it is a name without qualifiers.
static std::string_view plain_name(const Context& context, const ast::Exp* function) {
  const auto* variable = function == nullptr ? nullptr : as<ast::Variable>(function->node);
  if (variable == nullptr || !variable->name.qualifiers.empty()) return "";
  return context.text(variable->name.name.symbol);
}

static bool is_built_in_operator(std::string_view name) {
  return !name.empty() && std::string_view("+-*/%<>=!&|^").find(name[0]) != std::string_view::npos;
}

/// What is usually meant where `function` cannot be applied to so many arguments.
static void hint_at_application(Diagnostic& d, const Type* function, std::string_view name,
                                const ast::Exp* function_exp, const ast::Exp* argument) {
  const bool is_index = argument != nullptr && as<ast::ArrayLiteral>(argument->node) != nullptr;
  if (as<Array>(function->node) && is_index) {
    std::vector<Edit> edits;
    if (function_exp != nullptr) {
      const Range& array = function_exp->range;
      edits.push_back({{array.file, array.end, argument->range.begin}, ""});
    }
    d.hints.emplace_back("an index stands directly behind the array, without a space: `xs[i]`",
                         std::move(edits), Applicability::certain);
  } else if (name == "map" || name == "zip") {
    d.hints.push_back("`" + std::string(name) + "2`, `" + std::string(name) +
                      "3` … take several arrays");
  }
}

/// The type of a function of the library, whose order of arguments may be remembered wrongly.
static void hint_at_signature(Diagnostic& d, const Context& context, const ast::Exp* function) {
  const auto* variable = function == nullptr ? nullptr : as<ast::Variable>(function->node);
  if (variable == nullptr || !d.hints.empty()) return;
  const ValueInfo& info = context.values[variable->id];
  if (info.scheme == nullptr || info.scheme->type_parameters.empty()) return;
  d.hints.push_back(function_name(context, function) + " has type `" +
                    print_scheme(context, *info.scheme) + "`");
}

/// Where a part of an application has an error, what does not fit may follow from it.
void Inference::forget_consequences(const Diagnostics::Mark& before_parts,
                                    const Diagnostics::Mark& after_parts) {
  if (after_parts.errors > before_parts.errors) context_.diagnostics.undo(after_parts);
}

const Type* Inference::apply(const Type* function, const Type* argument,
                             const ast::Exp* function_exp, const ast::Exp* argument_exp,
                             std::size_t position, const Range& range) {
  function = solver_.head(function);
  const Range& culprit = argument_exp != nullptr ? argument_exp->range : range;
  const auto* arrow = as<Arrow>(function->node);
  if (arrow == nullptr) {
    const Type* result = solver_.fresh(range);
    if (!solver_.equate(function, context_.types.arrow(argument, result))) {
      const std::string name = function_name(context_, function_exp);
      if (position == 0) {
        Diagnostic& d = error(DiagnosticKind::type_mismatch,
                              function_exp != nullptr ? function_exp->range : range,
                              "cannot apply " + name + ", as it is not a function");
        d.labels.push_back({function_exp != nullptr ? function_exp->range : range,
                            "this has type `" + text(function) + "`"});
        hint_at_application(d, function, "", function_exp, argument_exp);
      } else {
        Diagnostic& d = error(DiagnosticKind::type_mismatch, culprit,
                              name + " accepts only " + std::to_string(position) +
                                  (position == 1 ? " argument" : " arguments"));
        hint_at_application(d, function, plain_name(context_, function_exp), nullptr,
                            argument_exp);
      }
      return nullptr;
    }
    return result;
  }
  const Type* from = arrow->from;
  const Type* to = arrow->to;
  if (!solver_.equate(argument, from)) {
    Diagnostic& d = error(DiagnosticKind::type_mismatch, culprit,
                          "cannot apply " + function_name(context_, function_exp) +
                              " to this argument: it has type `" + text(argument) +
                              "`, but `" + text(from) + "` is expected");
    explain(d, argument, from, is_built_in_operator(plain_name(context_, function_exp)));
    hint_at_signature(d, context_, function_exp);
    if (as<Arrow>(solver_.head(argument)->node) && plain_name(context_, function_exp) == "-") {
      d.hints.push_back("`f -1` subtracts; a negative argument needs parentheses: `f (-1)`");
    }
    return nullptr;
  }
  return to;
}

static bool is_derivative(std::string_view name) {
  constexpr std::string_view names[] = {"vjp", "jvp", "vjp2", "jvp2", "grad", "value_and_grad"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Says where a derivative is asked for of a function that takes several arguments.
bool Inference::refuse_derivative(const ast::Apply& e, const Type* function) {
  const std::string_view name = plain_name(context_, e.function);
  const auto* first = as<Arrow>(solver_.head(function)->node);
  const auto* second = first == nullptr ? nullptr : as<Arrow>(solver_.head(first->to)->node);
  if (second == nullptr || !is_derivative(name)) return false;
  const std::string of = function_name(context_, e.arguments[0]);
  Diagnostic& d =
      error(DiagnosticKind::type_mismatch, e.arguments[0]->range,
            "`" + std::string(name) + "` differentiates functions of one argument, but " + of +
                " takes several");
  d.labels.push_back({e.arguments[0]->range, "this has type `" + text(function) + "`"});
  d.hints.emplace_back("by all of them: `" + std::string(name) +
                       " (\\(x, y) -> f x y) (x, y) …`; by the first: `" + std::string(name) +
                       " (\\x -> f x y) x …`");
  return true;
}

const Type* Inference::infer_apply(ast::Exp& exp) {
  auto& e = std::get<ast::Apply>(exp.node);
  const Type* function = nullptr;
  if (auto* variable = as<ast::Variable>(e.function->node)) {
    const Member member = variable->name.qualifiers.empty()
                              ? scope_.find(NameSpace::term, variable->name.name.symbol)
                              : Member{};
    if (member.kind == MemberKind::value &&
        context_.values[member.value()].kind == ValueKind::broadcast && e.arguments.size() > 1) {
      std::vector<ast::Exp*> operands(e.arguments.begin() + 1, e.arguments.end());
      exp.node = ast::Broadcast{e.arguments[0], std::move(operands), nullptr};
      return infer_broadcast(exp);
    }
  }
  const Diagnostics::Mark before = context_.diagnostics.mark();
  function = infer(*e.function);
  std::vector<const Type*> arguments;
  for (ast::Exp* argument : e.arguments) arguments.push_back(infer(*argument));
  if (refuse_derivative(e, arguments[0])) return unusable(exp.range);
  const Diagnostics::Mark parts = context_.diagnostics.mark();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    function = apply(function, arguments[i], e.function, e.arguments[i], i, exp.range);
    if (function != nullptr) continue;
    forget_consequences(before, parts);
    return unusable(exp.range);
  }
  if (!pending_.empty()) retry_broadcasts();
  return function;
}

static bool is_order(std::string_view name) {
  return name == "<" || name == "<=" || name == ">" || name == ">=";
}

/// What is usually meant where operands do not fit.
void Inference::hint_at_operator(Diagnostic& d, const ast::Binary& e) {
  const std::string_view name = plain_name(context_, e.operation);
  const Range& at = e.operation->range;
  const auto is_array = [&](const ast::Exp* operand) {
    return operand->type != nullptr && as<Array>(solver_.head(operand->type)->node) != nullptr;
  };
  const auto* left = as<ast::Binary>(e.left->node);
  if (is_order(name) && left != nullptr && is_order(plain_name(context_, left->operation))) {
    const std::string middle = print_expression(context_, left->right);
    d.hints.emplace_back(
        "comparisons are joined by `&&`: `a " +
            std::string(plain_name(context_, left->operation)) + " " + middle + " && " + middle +
            " " + std::string(name) + " b`",
        std::vector<Edit>{{{at.file, at.begin, at.begin}, "&& " + middle + " "}},
        Applicability::certain);
  } else if (is_built_in_operator(name) && (is_array(e.left) || is_array(e.right))) {
    d.hints.emplace_back("`." + std::string(name) + "` works on arrays, element by element",
                         std::vector<Edit>{{{at.file, at.begin, at.begin}, "."}},
                         Applicability::certain);
  }
}

/// `fn x => e`, a function as other languages write it.
bool Inference::refuse_fat_arrow(ast::Binary& e) {
  const auto* operation = as<ast::Variable>(e.operation->node);
  if (operation == nullptr || plain_name(context_, e.operation) != "=>") return false;
  if (scope_.find(NameSpace::term, operation->name.name.symbol).kind != MemberKind::none) {
    return false;
  }
  // Every part gets a type, but what is said of them is wrong.
  const Diagnostics::Mark before = context_.diagnostics.mark();
  for (ast::Exp* part : {e.operation, e.left, e.right}) infer(*part);
  context_.diagnostics.undo(before);
  Diagnostic& d = error(DiagnosticKind::unknown_name, e.operation->range, "unknown name `=>`");
  std::vector<Edit> edits;
  const auto* head = as<ast::Apply>(e.left->node);
  if (head != nullptr && syntax::begins_function_elsewhere(plain_name(context_, head->function))) {
    const Range& word = head->function->range;
    edits = {{{word.file, word.begin, head->arguments[0]->range.begin}, "\\"},
             {e.operation->range, "->"}};
  }
  d.hints.emplace_back(syntax::lambda_hint, std::move(edits), Applicability::certain);
  return true;
}

const Type* Inference::infer_binary(ast::Binary& e, const Range& range) {
  if (refuse_fat_arrow(e)) return unusable(range);
  const Type* operation = infer(*e.operation);
  const Type* left = infer(*e.left);
  const Type* right = infer(*e.right);
  operation = apply(operation, left, e.operation, e.left, 0, range);
  const Type* result =
      operation == nullptr ? nullptr : apply(operation, right, e.operation, e.right, 1, range);
  if (result == nullptr) {
    hint_at_operator(context_.diagnostics.last(), e);
    return unusable(range);
  }
  if (!pending_.empty()) retry_broadcasts();
  return result;
}

const Type* Inference::infer_left_section(ast::LeftSection& e, const Range& range) {
  const Type* operation = infer(*e.operation);
  const Type* left = infer(*e.left);
  const Type* result = apply(operation, left, e.operation, e.left, 0, range);
  if (result == nullptr) return unusable(range);
  const Type* right = solver_.fresh(range);
  const Type* whole = apply(result, right, e.operation, nullptr, 1, range);
  return whole == nullptr ? unusable(range) : context_.types.arrow(right, whole);
}

const Type* Inference::infer_right_section(ast::RightSection& e, const Range& range) {
  const Type* operation = infer(*e.operation);
  const Type* right = infer(*e.right);
  const Type* left = solver_.fresh(range);
  const Type* partial = apply(operation, left, e.operation, nullptr, 0, range);
  if (partial == nullptr) return unusable(range);
  const Type* whole = apply(partial, right, e.operation, e.right, 1, range);
  return whole == nullptr ? unusable(range) : context_.types.arrow(left, whole);
}

// ---------------------------------------------------------------- broadcasts

const Type* Inference::infer_local_open(ast::Exp& exp) {
  auto& e = std::get<ast::LocalOpen>(exp.node);
  const ast::Name& first = e.module.qualifiers.empty() ? e.module.name : e.module.qualifiers[0];
  // The first name that is a value makes this a broadcast of that value.
  const ModuleInfo* module = nullptr;
  std::vector<ast::Name> path = e.module.qualifiers;
  path.push_back(e.module.name);
  bool is_value = false;
  for (const ast::Name& part : path) {
    const Member member = module == nullptr ? scope_.find(NameSpace::term, part.symbol)
                                            : module->members.find(NameSpace::term, part.symbol);
    is_value = member.kind == MemberKind::value;
    if (member.kind != MemberKind::module) break;
    module = context_.modules[member.module()];
  }
  if (is_value) {
    std::vector<ast::Exp*> operands{e.body};
    if (auto* tuple = as<ast::Tuple>(e.body->node); tuple != nullptr && !tuple->elements.empty()) {
      operands = tuple->elements;
    }
    ast::Exp* function = context_.program.arena.make(
        ast::Exp{cover(first.range, e.module.name.range), ast::Variable{e.module, {}, nullptr},
                 nullptr, {}});
    exp.node = ast::Broadcast{function, std::move(operands), nullptr};
    return infer_broadcast(exp);
  }
  module = scope_.find_module(path);
  if (module == nullptr) return unusable(exp.range);
  const Scope::Frame frame(scope_);
  scope_.open(module->members);
  return infer(*e.body);
}

const Type* Inference::infer_broadcast(ast::Exp& exp) {
  auto& e = std::get<ast::Broadcast>(exp.node);
  infer(*e.function);
  for (ast::Exp* operand : e.operands) infer(*operand);
  const Type* result = solver_.fresh(exp.range);
  if (!try_broadcast(exp, result)) pending_.push_back({&exp, result});
  return result;
}

void Inference::hint_at_rows(Diagnostic& d, const ast::Broadcast& e) {
  const std::string function = print_expression(context_, e.function);
  d.hints.emplace_back("a broadcast hands over single elements; `map " + function +
                       " xs` applies to each row");
}

void Inference::report_missing_operands(const ast::Broadcast& e, const Type* rest) {
  const std::size_t given = e.operands.size();
  Diagnostic& d = error(DiagnosticKind::type_mismatch, e.function->range,
                        function_name(context_, e.function) + " takes more than the " +
                            (given == 1 ? "one operand" : std::to_string(given) + " operands") +
                            " of this broadcast");
  d.labels.push_back({e.function->range,
                      "each element would be a function of type `" + text(rest) + "`"});
  d.hints.emplace_back("operands are separated by commas: `f.(xs, ys)`");
}

bool Inference::try_broadcast(ast::Exp& exp, const Type* result) {
  auto& e = std::get<ast::Broadcast>(exp.node);
  std::vector<const Type*> elements;
  std::size_t rank = 0;
  for (const ast::Exp* operand : e.operands) {
    const Type* element = solver_.head(operand->type);
    std::size_t operand_rank = 0;
    while (const auto* array = as<Array>(element->node)) {
      element = solver_.head(array->element);
      ++operand_rank;
    }
    if (solver_.is_unknown(element)) return false;
    elements.push_back(element);
    rank = std::max(rank, operand_rank);
  }
  const Type* function = e.function->type;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto* arrow = as<Arrow>(solver_.head(function)->node);
    const bool wants_array = arrow != nullptr && as<Array>(solver_.head(arrow->from)->node);
    function = apply(function, elements[i], e.function, e.operands[i], i, exp.range);
    if (function == nullptr) {
      if (wants_array) hint_at_rows(context_.diagnostics.last(), e);
      return true;
    }
  }
  if (rank > 0 && as<Arrow>(solver_.head(function)->node)) {
    report_missing_operands(e, function);
    return true;
  }
  expect(array_of_rank(rank, function), result, exp.range, "this broadcast");
  return true;
}

void Inference::retry_broadcasts() {
  bool progress = true;
  while (progress && !pending_.empty()) {
    progress = false;
    const std::vector<Pending> todo = std::move(pending_);
    pending_.clear();
    for (const Pending& p : todo) {
      if (try_broadcast(*p.exp, p.result)) {
        progress = true;
      } else {
        pending_.push_back(p);
      }
    }
  }
}

void Inference::report_broadcasts() {
  retry_broadcasts();
  for (const Pending& p : pending_) {
    const auto& e = std::get<ast::Broadcast>(p.exp->node);
    for (const ast::Exp* operand : e.operands) {
      const Type* element = solver_.head(operand->type);
      while (const auto* array = as<Array>(element->node)) element = solver_.head(array->element);
      if (!solver_.is_unknown(element)) continue;
      Diagnostic& d = error(DiagnosticKind::ambiguous_type, operand->range,
                            "the rank of this broadcast operand is not known");
      d.hints.push_back("add a type annotation that says how many dimensions it has");
      break;
    }
  }
  pending_.clear();
}

}  // namespace dagaz::check
