// Variables, applications and broadcasts with sizes.  See sizes.h.
#include <algorithm>
#include <deque>

#include "check/expression_walk.h"
#include "check/print_type.h"
#include "check/sizes.h"
#include "support/edits.h"
#include "support/match.h"

namespace dagaz::check {

namespace {

/// Instantiates a scheme.  Each type parameter gets one set of size variables; every further
/// occurrence gets copies of them, which stand apart if the size turns out to be existential.
class Instantiator : public Rewriter {
 public:
  Instantiator(Context& context, SizeSolver& solver, const Range& range)
      : Rewriter(context), solver_(solver), range_(range) {}

  void add(BindingId parameter, BindingId variable) {
    sizes_.emplace_back(parameter, context_.types.named_size(variable));
  }
  void add(TypeNameId parameter, const Type* argument) {
    types_.push_back({parameter, argument, nullptr, {}});
  }
  /// The argument of type parameter number `i`, with sizes.
  const Type* argument(std::size_t i) { return canonical(types_[i]); }

 protected:
  const Size* replace_size(BindingId name) override {
    for (const auto& [parameter, size] : sizes_) {
      if (parameter == name) return size;
    }
    return nullptr;
  }
  const TypeReplacement* replace_type(TypeNameId name) override {
    for (Argument& a : types_) {
      if (a.parameter == name) return occurrence(a);
    }
    return nullptr;
  }

 private:
  struct Argument {
    TypeNameId parameter;
    const Type* unsized;
    const Type* canonical;
    std::vector<BindingId> sizes;
  };

  const Type* canonical(Argument& a) {
    if (a.canonical == nullptr) {
      a.canonical = solver_.with_fresh_sizes(
          a.unsized, SizeKind::instantiated, {range_, "instantiation"},
          context_.type_names[a.parameter].liftedness, &a.sizes);
    }
    return a.canonical;
  }

  const TypeReplacement* occurrence(Argument& a) {
    const bool first = a.canonical == nullptr;
    const Type* type = canonical(a);
    if (!first && !a.sizes.empty()) {
      const int number = solver_.next_occurrence();
      Substitution copies(context_);
      for (const BindingId size : a.sizes) {
        const BindingId copy =
            solver_.fresh(SizeKind::copy, {range_, "instantiation"}, context_.text(size));
        SizeConstraint* c = solver_.find(copy);
        c->other = size;
        c->occurrence = number;
        copies.add(size, copy);
      }
      type = copies.type(type);
    }
    replacements_.push_back({{}, {}, type});
    return &replacements_.back();
  }

  SizeSolver& solver_;
  Range range_;
  std::vector<std::pair<BindingId, const Size*>> sizes_;
  std::vector<Argument> types_;
  std::deque<TypeReplacement> replacements_;
};

}  // namespace

// ---------------------------------------------------------------- variables

const Type* Sizes::check_variable(ast::Variable& variable, ast::Exp& exp) {
  const ValueInfo& info = context_.values[variable.id];
  switch (info.kind) {
    case ValueKind::operation:
    case ValueKind::comparison:
    case ValueKind::broadcast:
    case ValueKind::unusable: return exp.type;
    case ValueKind::equality: {
      const Type* operand =
          fresh_sizes(variable.instance->types[0], exp.range, Liftedness::unlifted);
      variable.instance = context_.types.arena().make(Instance{{}, {operand}});
      return context_.types.arrow(operand,
                                  context_.types.arrow(operand, context_.types.boolean()));
    }
    case ValueKind::ordinary: break;
  }
  if (info.sizes_unknown || info.scheme == nullptr) {
    return fresh_sizes(exp.type, exp.range, Liftedness::unlifted);
  }
  const Scheme& scheme = *info.scheme;
  if (scheme.size_parameters.empty() && scheme.type_parameters.empty()) return scheme.type;
  return instantiate(variable, scheme, exp.range);
}

const Type* Sizes::instantiate(ast::Variable& variable, const Scheme& scheme,
                               const Range& range) {
  Instantiator instantiator(context_, solver_, range);
  Instance instance;
  for (const BindingId parameter : scheme.size_parameters) {
    const BindingId size = solver_.fresh(
        SizeKind::instantiated, {range, "instantiated size parameter"}, context_.text(parameter));
    instance.sizes.push_back(context_.types.named_size(size));
    instantiator.add(parameter, size);
  }
  for (std::size_t i = 0; i < scheme.type_parameters.size(); ++i) {
    const bool given = variable.instance != nullptr && i < variable.instance->types.size();
    instantiator.add(scheme.type_parameters[i],
                     given ? variable.instance->types[i] : context_.types.unit());
  }
  const Type* type = instantiator.type(scheme.type);
  for (std::size_t i = 0; i < scheme.type_parameters.size(); ++i) {
    instance.types.push_back(instantiator.argument(i));
  }
  variable.instance = context_.types.arena().make(std::move(instance));
  return type;
}

// ---------------------------------------------------------------- applications

const Type* Sizes::with_new_existentials(const Type* type, const Names& existentials,
                                         const ast::Exp* callee, const Range& range,
                                         Names& created) {
  if (existentials.empty()) return type;
  Substitution names(context_);
  for (const BindingId old : existentials) {
    const BindingId fresh = solver_.unknown(
        range, callee == nullptr ? "a function decides it" : "the called function decides it",
        context_.text(old));
    names.add(old, fresh);
    created.push_back(fresh);
  }
  return names.type(type);
}

/// Names bound inside `type`.
static void bound_inside(const Type* type, std::vector<BindingId>& names) {
  match(
      type->node, [](const PrimitiveType&) {},
      [&](const Array& a) { bound_inside(a.element, names); },
      [&](const Record& r) {
        for (const auto& f : r.fields) bound_inside(f.second, names);
      },
      [&](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) bound_inside(payload, names);
        }
      },
      [&](const Arrow& a) {
        if (a.parameter.valid()) names.push_back(a.parameter);
        names.insert(names.end(), a.existentials.begin(), a.existentials.end());
        bound_inside(a.from, names);
        bound_inside(a.to, names);
      },
      [&](const Named& n) {
        for (const auto& argument : n.arguments) {
          const Type* const* t = as<const Type*>(argument);
          if (t != nullptr) bound_inside(*t, names);
        }
      },
      [](const MetaType&) {});
}

/// Whether one of `names` is needed for a parameter in `type` but not told by a value of it.
static bool needed_too_early(const Type* type, const std::vector<BindingId>& names) {
  std::vector<BindingId> produced;
  std::vector<BindingId> needed;
  for_each_dimension(
      type, [&](const Size* size, SizePosition position, const std::vector<BindingId>& bound) {
        for_each_name(size, [&](BindingId name) {
          if (contains(bound, name)) return;
          if (position == SizePosition::immediate) produced.push_back(name);
          if (position == SizePosition::parameter) needed.push_back(name);
        });
      });
  return std::any_of(needed.begin(), needed.end(), [&](BindingId name) {
    return contains(names, name) && !contains(produced, name);
  });
}

const Type* Sizes::apply(const Type* function, ast::Exp* argument, const Type* argument_type,
                         const ast::Exp* callee, const Range& range, Names& created) {
  const auto* arrow = as<Arrow>(function->node);
  if (arrow == nullptr) return function;  // an earlier error
  const Range& culprit = argument != nullptr ? argument->range : range;
  unify(arrow->from, argument_type, culprit, Site::argument, callee);
  const std::size_t outer = created.size();
  const Type* result = normal(arrow->to);
  result = with_new_existentials(result, arrow->existentials, callee, range, created);
  result = hide_pending(result, range, created);

  if (as<Arrow>(result->node) != nullptr) {
    Names problematic(created.begin() + static_cast<std::ptrdiff_t>(outer), created.end());
    bound_inside(normal(argument_type), problematic);
    if (!problematic.empty() && needed_too_early(result, problematic)) {
      error(DiagnosticKind::existential_size, range,
            "existential size would appear in function parameter of return type `" +
                print_type(context_, result) +
                "`: a function argument returns sizes that are known only when it is called");
    }
  }
  const BindingId parameter = arrow->parameter;
  if (!parameter.valid() || !mentions(result, parameter)) return result;
  Substitution value(context_);
  if (argument == nullptr || has_binding(*argument)) {
    if (argument != nullptr) {
      error(DiagnosticKind::size_expression_binding, argument->range,
            "size expression with binding is replaced by unknown size");
    }
    const BindingId name = solver_.unknown(culprit, "it is the value of this argument", "n");
    created.push_back(name);
    value.add(parameter, context_.types.named_size(name));
  } else {
    value.add(parameter, size_of(argument));
  }
  return value.type(result);
}

const Type* Sizes::check_apply(ast::Apply& e, ast::Exp& exp) {
  const Type* type = check(*e.function);
  std::vector<const Type*> arguments;
  for (ast::Exp* argument : e.arguments) arguments.push_back(check(*argument));
  exp.existentials.clear();
  earlier_arguments_.clear();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    type = apply(type, e.arguments[i], arguments[i], e.function, exp.range, exp.existentials);
    earlier_arguments_.emplace_back(e.arguments[i], arguments[i]);
  }
  return type;
}

const Type* Sizes::check_binary(ast::Binary& e, ast::Exp& exp) {
  const Type* type = check(*e.operation);
  const Type* left = check(*e.left);
  const Type* right = check(*e.right);
  exp.existentials.clear();
  earlier_arguments_.clear();
  type = apply(type, e.left, left, e.operation, exp.range, exp.existentials);
  earlier_arguments_.emplace_back(e.left, left);
  return apply(type, e.right, right, e.operation, exp.range, exp.existentials);
}

const Type* Sizes::check_left_section(ast::LeftSection& e, ast::Exp& exp) {
  const Type* type = check(*e.operation);
  const Type* left = check(*e.left);
  exp.existentials.clear();
  earlier_arguments_.clear();
  return apply(type, e.left, left, e.operation, exp.range, exp.existentials);
}

const Type* Sizes::check_right_section(ast::RightSection& e, ast::Exp& exp) {
  const Type* type = check(*e.operation);
  const Type* right = check(*e.right);
  const auto* outer = as<Arrow>(type->node);
  const auto* inner = outer == nullptr ? nullptr : as<Arrow>(outer->to->node);
  if (inner == nullptr || !outer->existentials.empty()) {
    error(DiagnosticKind::type_mismatch, e.operation->range,
          "operator section with invalid operator of type `" + print_type(context_, type) + "`");
    return exp.type;
  }
  // As if the operator took its right operand first.
  Arrow second = *outer;
  second.existentials = inner->existentials;
  second.to = inner->to;
  Arrow first = *inner;
  first.existentials.clear();
  first.to = context_.types.arrow(std::move(second));
  exp.existentials.clear();
  earlier_arguments_.clear();
  return apply(context_.types.arrow(std::move(first)), e.right, right, e.operation, exp.range,
               exp.existentials);
}

// ---------------------------------------------------------------- broadcasts

namespace {

bool is_one(const Size* size) {
  const auto* constant = as<ConstantSize>(size->node);
  return constant != nullptr && constant->value == 1;
}

/// `[n][3]`, with each dimension in a column of its own.
std::string aligned_shape(const Context& context, const std::vector<const Size*>& shape,
                          const std::vector<std::size_t>& widths) {
  std::string result;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    std::string text;
    if (i + shape.size() >= widths.size()) {
      text = "[" + print_size(context, shape[i + shape.size() - widths.size()]) + "]";
    }
    result += std::string(widths[i] - std::min(widths[i], text.size()), ' ') + text;
  }
  return result;
}

}  // namespace

void Sizes::report_shapes(const ast::Broadcast& e,
                          const std::vector<std::vector<const Size*>>& shapes, std::size_t culprit,
                          const Size* found, const Size* wanted, const Range& range) {
  std::size_t rank = 0;
  for (const auto& shape : shapes) rank = std::max(rank, shape.size());
  std::vector<std::size_t> widths(rank, 1);
  for (const auto& shape : shapes) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      auto& width = widths[i + rank - shape.size()];
      width = std::max(width, print_size(context_, shape[i]).size() + 3);
    }
  }
  Diagnostic& d = error(DiagnosticKind::broadcast_shape, range,
                        "cannot broadcast: sizes `" + print_size(context_, wanted) + "` and `" +
                            print_size(context_, found) + "` do not match");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    d.labels.push_back({e.operands[i]->range,
                        "shape" + aligned_shape(context_, shapes[i], widths) +
                            (i == culprit ? "  here" : "")});
  }
  explain_size(d, wanted);
  explain_size(d, found);
  d.hints.push_back("operands are aligned at the last dimension; a missing dimension, or one of "
                    "the literal size 1, is stretched");
  if (hint_at_rows_of_one(d, e, shapes)) return;
  d.hints.push_back("if the sizes are always equal, say so with a size coercion: `x :> [n]t`");
}

/// One element for each row, which numpy writes with `keepdims`: `[n]` beside `[n][m]`.  A coercion
/// would be right where n = m, and mean something else.
bool Sizes::hint_at_rows_of_one(Diagnostic& d, const ast::Broadcast& e,
                                const std::vector<std::vector<const Size*>>& shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const auto& other : shapes) {
      if (shapes[i].size() != 1 || other.size() != 2) continue;
      if (print_size(context_, shapes[i][0]) != print_size(context_, other[0])) continue;
      const Range& range = e.operands[i]->range;
      d.hints.emplace_back(
          "for one element a row, make rows of one: `map (\\a -> [a]) (" +
              print_expression(context_, e.operands[i]) + ")`",
          around(range, "(map (\\a -> [a]) (", "))"), Applicability::certain);
      return true;
    }
  }
  return false;
}

bool Sizes::plan_shape(const ast::Broadcast& e, const Shapes& shapes, BroadcastPlan& plan) {
  const auto rank = static_cast<std::size_t>(plan.rank);
  plan.shape.assign(rank, nullptr);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = 0; j < shapes[i].size(); ++j) {
      const Size* size = shapes[i][j];
      const Size*& whole = plan.shape[j + rank - shapes[i].size()];
      if (whole == nullptr || (is_one(whole) && !is_one(size))) {
        whole = size;
      } else if (!is_one(size)) {
        const Type* unit = context_.types.unit();
        const bool fits = solver_.unify(context_.types.array(whole, unit),
                                        context_.types.array(size, unit),
                                        {e.operands[i]->range, "broadcast"});
        if (!fits) {
          report_shapes(e, shapes, i, size, whole, e.operands[i]->range);
          return false;
        }
      }
    }
  }
  return true;
}

const Type* Sizes::check_broadcast(ast::Broadcast& e, ast::Exp& exp) {
  const Type* function = check(*e.function);
  Shapes shapes;
  std::vector<const Type*> elements;
  std::size_t rank = 0;
  for (ast::Exp* operand : e.operands) {
    const Type* type = normal(check(*operand));
    shapes.emplace_back();
    while (const auto* array = as<Array>(type->node)) {
      shapes.back().push_back(array->size);
      type = array->element;
    }
    elements.push_back(type);
    rank = std::max(rank, shapes.back().size());
  }
  BroadcastPlan plan;
  plan.rank = static_cast<int>(rank);
  if (!plan_shape(e, shapes, plan)) return exp.type;
  for (const auto& shape : shapes) {
    BroadcastPlan::Operand operand;
    for (std::size_t j = 0; j < shape.size(); ++j) {
      operand.stretched.push_back(is_one(shape[j]) &&
                                  !is_one(plan.shape[j + rank - shape.size()]));
    }
    plan.operands.push_back(std::move(operand));
  }
  exp.existentials.clear();
  earlier_arguments_.clear();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    function = apply(function, nullptr, elements[i], e.function, e.operands[i]->range,
                     exp.existentials);
  }
  if (!exp.existentials.empty()) {
    error(DiagnosticKind::existential_size, e.function->range,
          "the function of a broadcast must give results of the same size for all elements");
  }
  plan.element = function;
  const Type* result = function;
  for (auto size = plan.shape.rbegin(); size != plan.shape.rend(); ++size) {
    result = context_.types.array(*size, result);
  }
  e.plan = context_.types.arena().make(std::move(plan));
  return result;
}

}  // namespace dagaz::check
