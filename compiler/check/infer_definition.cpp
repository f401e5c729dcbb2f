// The end of type inference for one definition: what is still open becomes a type parameter, a
// default, or an error; then every type in the tree is resolved.  See infer.h.
#include <algorithm>
#include <unordered_map>

#include "check/attributes.h"
#include "check/expression_walk.h"
#include "check/infer.h"
#include "check/type_size.h"
#include "support/match.h"

namespace dagaz::check {

Inference::Generalised Inference::infer_definition(ast::Function& function, const ast::Name& name,
                                                   BindingId id, bool may_recur) {
  const std::size_t errors = context_.diagnostics.error_count();
  Generalised result;
  const Type* type = nullptr;
  {
    const Scope::Frame frame(scope_);
    const Type* self = solver_.fresh(name.range);
    if (may_recur && !function.parameters.empty()) {
      defining_ = id;
      context_.values[id].unsized = self;
      scope_.bind_value(name.symbol, id);
    }
    type = infer_function(function);
    if (is_recursive_) expect(type, self, name.range, "a use of this function in its own body");
  }
  report_broadcasts();
  if (context_.diagnostics.error_count() == errors && !poisoned_) {
    check_instances();
    report_ambiguous();
    if (!context_.in_library) report_unused();
    report_unfinished();
  }
  if (solver_.gave_up()) {
    all_broken_ = true;
  } else if (is_too_large(solver_.resolve(type))) {
    report_too_large(context_, name.range);
    all_broken_ = true;
  }
  if (context_.diagnostics.error_count() > errors) poisoned_ = true;
  generalise(type, result);
  default_primitives(type);
  finish_function(function);
  for (ast::Exp* size : size_expressions_) finish_types(*size);
  ValueInfo& info = context_.values[id];
  info.unsized = finish(type);
  if (poisoned_) info.kind = ValueKind::unusable;
  result.is_recursive = is_recursive_;
  return result;
}

void Inference::forget_names() {
  for (ast::Exp* exp : resolved_) std::get<ast::Variable>(exp->node).id = {};
}

WrittenType Inference::infer_type(ast::TypeExp& type) {
  const WrittenType result = written(type);
  report_broadcasts();
  report_ambiguous();
  default_primitives(result.type);
  for (ast::Exp* size : size_expressions_) finish_types(*size);
  return result;
}

// ---------------------------------------------------------------- lifted types

/// The first function type in `type`, if any.
static bool has_function(const Type* type) {
  return match(
      type->node, [](const PrimitiveType&) { return false; },
      [](const Array& a) { return has_function(a.element); },
      [](const Record& r) {
        return std::any_of(r.fields.begin(), r.fields.end(),
                           [](const auto& f) { return has_function(f.second); });
      },
      [](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) {
            if (has_function(payload)) return true;
          }
        }
        return false;
      },
      [](const Arrow&) { return true; }, [](const Named&) { return false; },
      [](const MetaType&) { return false; });
}

/// The most lifted type name in `type`.
static void most_lifted(const Context& context, const Type* type, TypeNameId& found) {
  match(
      type->node, [](const PrimitiveType&) {},
      [&](const Array& a) { most_lifted(context, a.element, found); },
      [&](const Record& r) {
        for (const auto& f : r.fields) most_lifted(context, f.second, found);
      },
      [&](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) most_lifted(context, payload, found);
        }
      },
      [&](const Arrow& a) {
        most_lifted(context, a.from, found);
        most_lifted(context, a.to, found);
      },
      [&](const Named& n) {
        if (!found.valid() ||
            context.type_names[n.name].liftedness > context.type_names[found].liftedness) {
          found = n.name;
        }
        for (const auto& argument : n.arguments) {
          const Type* const* t = as<const Type*>(argument);
          if (t != nullptr) most_lifted(context, *t, found);
        }
      },
      [](const MetaType&) {});
}

void Inference::check_instances() {
  for (const Instantiation& i : instantiations_) {
    if (i.allowed == Liftedness::lifted) continue;
    check_instance(solver_.resolve(i.type), i.allowed, i.range, i.name);
  }
}

void Inference::check_instance(const Type* type, Liftedness allowed, const Range& range,
                               Symbol name) {
  const std::string where =
      " (when instantiating a type parameter of `" + std::string(context_.text(name)) + "`)";
  if (has_function(type)) {
    error(DiagnosticKind::functional_value, range,
          "type `" + text(type) + "` found to be functional" + where);
    return;
  }
  TypeNameId worst;
  most_lifted(context_, type, worst);
  if (!worst.valid()) return;
  const TypeNameInfo& info = context_.type_names[worst];
  const bool bad = allowed == Liftedness::unlifted ? info.liftedness != Liftedness::unlifted
                                                   : info.liftedness == Liftedness::lifted;
  if (!bad) return;
  Diagnostic& d = error(
      DiagnosticKind::lifted_type, range,
      std::string(info.is_parameter ? "type parameter `" : "type `") +
          std::string(context_.text(info.name)) + "` is lifted and " +
          (allowed == Liftedness::unlifted ? "cannot be an array element"
                                           : "may be a functional type") +
          where);
  if (info.range.valid()) d.labels.push_back({info.range, "bound here"});
}

// ---------------------------------------------------------------- open types

void Inference::report_ambiguous() {
  for (std::uint32_t i = 0; i < solver_.size(); ++i) {
    const TypeSolver::Kind kind = solver_.kind(i);
    if (kind == TypeSolver::Kind::record) {
      Diagnostic& d = error(DiagnosticKind::ambiguous_type, solver_.range(i),
                            "type is ambiguous: it must be a record with fields `" +
                                solver_.describe(i) + "`, but nothing says which others it has");
      d.hints.push_back("add a type annotation");
    } else if (kind == TypeSolver::Kind::sum) {
      Diagnostic& d = error(DiagnosticKind::ambiguous_type, solver_.range(i),
                            "type is ambiguous: it must be a sum type with constructors `" +
                                solver_.describe(i) + "`, but nothing says which others it has");
      d.hints.push_back("add a type annotation");
    }
  }
}

void Inference::report_unused() {
  for (const BindingId id : bound_) {
    const std::string name(context_.text(id));
    if (context_.values[id].is_used || name.starts_with('_')) continue;
    Diagnostic& d = error(DiagnosticKind::unused_name, context_.range_of(id),
                          "unused name `" + name + "`");
    const Range& range = context_.range_of(id);
    d.hints.emplace_back("if that is intended, call it `_" + name + "`",
                         std::vector<Edit>{{{range.file, range.begin, range.begin}, "_"}},
                         Applicability::possible);
  }
}

void Inference::report_unfinished() {
  for (const OpenHole& hole : holes_) {
    const std::string type =
        solver_.is_unknown(hole.type) ? "of any type" : "of type `" + text(hole.type) + "`";
    error(DiagnosticKind::hole, hole.range,
          "a hole " + type + ": a program that comes here fails");
  }
  for (const ast::Exp* exp : attributed_) {
    check_attributed(context_, std::get<ast::Attributed>(exp->node));
  }
}

/// The unsolved variables in `type`, in order of occurrence.
static void open_variables(const TypeSolver& solver, const Type* type,
                           std::vector<std::uint32_t>& found) {
  type = solver.head(type);
  match(
      type->node, [](const PrimitiveType&) {},
      [&](const Array& a) { open_variables(solver, a.element, found); },
      [&](const Record& r) {
        for (const auto& f : r.fields) open_variables(solver, f.second, found);
      },
      [&](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) open_variables(solver, payload, found);
        }
      },
      [&](const Arrow& a) {
        open_variables(solver, a.from, found);
        open_variables(solver, a.to, found);
      },
      [&](const Named& n) {
        for (const auto& argument : n.arguments) {
          const Type* const* t = as<const Type*>(argument);
          if (t != nullptr) open_variables(solver, *t, found);
        }
      },
      [&](const MetaType& m) {
        if (std::find(found.begin(), found.end(), m.index) == found.end()) {
          found.push_back(m.index);
        }
      });
}

void Inference::generalise(const Type* type, Generalised& result) {
  std::vector<std::uint32_t> open;
  open_variables(solver_, type, open);
  int number = 0;
  for (const std::uint32_t index : open) {
    if (solver_.kind(index) != TypeSolver::Kind::free) continue;
    TypeNameInfo info;
    info.name = context_.names.intern("t" + std::to_string(number++));
    info.range = solver_.range(index);
    info.liftedness = solver_.liftedness(index);
    info.is_parameter = true;
    const TypeNameId id = context_.new_type_name(std::move(info));
    result.type_parameters.push_back(id);
    solver_.solve(index, context_.types.named({id, {}, false}));
  }
}

void Inference::default_primitives(const Type* type) {
  std::vector<std::uint32_t> visible;
  open_variables(solver_, type, visible);
  for (std::uint32_t i = 0; i < solver_.size(); ++i) {
    switch (solver_.kind(i)) {
      case TypeSolver::Kind::solved: continue;
      case TypeSolver::Kind::free:
      case TypeSolver::Kind::record:
      case TypeSolver::Kind::sum:
        // Nothing depends on this type.
        solver_.solve(i, context_.types.unit());
        continue;
      case TypeSolver::Kind::primitive: break;
    }
    const PrimitiveSet allowed = solver_.allowed(i);
    Primitive chosen = Primitive::i32;
    if ((allowed & (allowed - 1)) == 0) {
      while (primitive_bit(chosen) != allowed) {
        chosen = static_cast<Primitive>((static_cast<unsigned>(chosen) + 1) % 12);
      }
    } else {
      if ((allowed & primitive_bit(Primitive::i32)) == 0) chosen = Primitive::f64;
      const bool is_visible = std::find(visible.begin(), visible.end(), i) != visible.end();
      if (is_visible && !poisoned_) {
        error(DiagnosticKind::defaulted_type, solver_.range(i),
              "defaulting ambiguous type to `" + std::string(primitive_name(chosen)) + "`");
      }
    }
    solver_.solve(i, context_.types.primitive(chosen));
  }
}

// ---------------------------------------------------------------- resolution

const Type* Inference::finish(const Type* type) {
  return type == nullptr ? context_.types.unit() : solver_.resolve(type);
}

void Inference::finish_pattern(ast::Pattern& pattern) {
  pattern.type = finish(pattern.type);
  match(
      pattern.node,
      [&](ast::NamePattern& p) {
        // What stands behind a mistake may not have been looked at.
        if (p.id.valid()) context_.values[p.id].unsized = pattern.type;
      },
      [](ast::WildcardPattern&) {},
      [&](ast::TuplePattern& p) {
        for (ast::Pattern* element : p.elements) finish_pattern(*element);
      },
      [&](ast::RecordPattern& p) {
        for (auto& field : p.fields) finish_pattern(*field.second);
      },
      [&](ast::ConstructorPattern& p) {
        for (ast::Pattern* argument : p.arguments) finish_pattern(*argument);
      },
      [&](ast::LiteralPattern& p) { finish_types(*p.literal); },
      [&](ast::AscribedPattern& p) { finish_pattern(*p.pattern); },
      [&](ast::AttributePattern& p) { finish_pattern(*p.pattern); });
}

void Inference::finish_function(ast::Function& function) {
  for (ast::Pattern* parameter : function.parameters) finish_pattern(*parameter);
  finish_types(*function.body);
}

void Inference::finish_types(ast::Exp& exp) {
  ast::Exp* current = &exp;
  while (true) {
    current->type = finish(current->type);
    if (auto* let = as<ast::Let>(current->node)) {
      finish_types(*let->value);
      finish_pattern(*let->pattern);
      current = let->body;
      continue;
    }
    if (auto* function = as<ast::LetFunction>(current->node)) {
      finish_function(function->function);
      if (function->id.valid()) {
        ValueInfo& info = context_.values[function->id];
        info.unsized = finish(info.unsized);
      }
      current = function->body;
      continue;
    }
    break;
  }
  if (auto* variable = as<ast::Variable>(current->node)) {
    if (variable->instance != nullptr) {
      Instance instance = *variable->instance;
      for (const Type*& type : instance.types) type = finish(type);
      variable->instance = context_.types.arena().make(std::move(instance));
    }
    return;
  }
  if (auto* lambda = as<ast::Lambda>(current->node)) {
    finish_function(lambda->function);
    return;
  }
  if (auto* e = as<ast::Match>(current->node)) {
    for (ast::Case& c : e->cases) finish_pattern(*c.pattern);
  } else if (auto* loop = as<ast::Loop>(current->node)) {
    finish_pattern(*loop->pattern);
    if (auto* f = as<ast::ForLoop>(loop->form)) finish_pattern(*f->index);
    if (auto* in = as<ast::ForInLoop>(loop->form)) finish_pattern(*in->element);
  }
  for_each_child(*current, [&](ast::Exp*& child) { finish_types(*child); });
}

}  // namespace dagaz::check
