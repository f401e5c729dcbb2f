// The end of size inference: open sizes become size parameters, existentials or errors, and the
// tree gets its final types.  See sizes.h.
#include <algorithm>
#include <vector>

#include "check/expression_walk.h"
#include "check/print_type.h"
#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

const Scheme* Sizes::check_definition(ast::Function& function, const ast::Name& name,
                                      BindingId id, const std::vector<TypeNameId>& inferred,
                                      bool is_recursive) {
  const std::size_t errors = context_.diagnostics.error_count();
  solver_.clear();
  finished_.clear();
  const Scheme* scheme =
      check_binding(function, name.symbol, name.range, id, inferred, is_recursive);
  if (context_.diagnostics.error_count() == errors) report_ambiguous();
  if (context_.diagnostics.error_count() > errors) return nullptr;
  finish_function(function);
  Scheme final_scheme = *scheme;
  final_scheme.type = finish_type(scheme->type);
  check_causality(*function.body);
  if (context_.diagnostics.error_count() > errors) return nullptr;
  return context_.types.scheme(std::move(final_scheme));
}

void Sizes::check_rest(ast::Function& function, const ast::Name& name, BindingId id,
                       bool is_recursive, const BrokenExpressions& broken) {
  solver_.clear();
  finished_.clear();
  broken_ = &broken;
  check_binding(function, name.symbol, name.range, id, {}, is_recursive);
  broken_ = nullptr;
}

// ---------------------------------------------------------------- generalisation

/// Instantiated sizes that were not found existential are ordinary ones.
void Sizes::collapse_instances(int min_level) {
  for (SizeConstraint& c : solver_.all()) {
    if (c.level < min_level) continue;
    if (c.kind == SizeKind::copy && solver_.kind(c.other) != SizeKind::existential) {
      c.kind = SizeKind::solved;
      c.solution = context_.types.named_size(c.other);
    } else if (c.kind == SizeKind::instantiated) {
      c.kind = SizeKind::free;
    }
  }
}

/// Puts existential sizes at the innermost function result that they belong to: those of the
/// value itself into `here`.
const Type* Sizes::place_existentials(const Names& names, const Type* type, Names& here) {
  if (names.empty()) return type;
  Names immediate;
  for_each_dimension(type, [&](const Size* s, SizePosition position, const Names& bound) {
    if (position != SizePosition::immediate) return;
    for_each_name(s, [&](BindingId name) {
      if (!contains(bound, name)) immediate.push_back(name);
    });
  });
  Names there;
  for (const BindingId name : names) {
    Names& target = contains(immediate, name) ? here : there;
    if (!contains(target, name)) target.push_back(name);
  }
  if (there.empty()) return type;
  const std::function<const Type*(const Type*)> deeper = [&](const Type* t) -> const Type* {
    if (const auto* a = as<Arrow>(t->node)) {
      Arrow copy = *a;
      Names inner = there;
      inner.insert(inner.end(), a->existentials.begin(), a->existentials.end());
      copy.existentials.clear();
      copy.to = place_existentials(inner, a->to, copy.existentials);
      return context_.types.arrow(std::move(copy));
    }
    if (const auto* r = as<Record>(t->node)) {
      Record copy = *r;
      for (auto& f : copy.fields) f.second = deeper(f.second);
      return context_.types.arena().make(Type{std::move(copy)});
    }
    if (const auto* s = as<Sum>(t->node)) {
      Sum copy = *s;
      for (auto& constructor : copy.constructors) {
        for (auto& payload : constructor.second) payload = deeper(payload);
      }
      return context_.types.arena().make(Type{std::move(copy)});
    }
    return t;
  };
  return deeper(type);
}

namespace {

/// The names of sizes in a type that are not bound there.
struct VisibleNames {
  std::vector<BindingId> all;
  std::vector<BindingId> produced;
  std::vector<BindingId> in_parameters;
};

VisibleNames visible_in(const Type* type) {
  VisibleNames names;
  for_each_dimension(
      type, [&](const Size* s, SizePosition position, const std::vector<BindingId>& bound) {
        for_each_name(s, [&](BindingId n) {
          if (contains(bound, n)) return;
          if (!contains(names.all, n)) names.all.push_back(n);
          if (position == SizePosition::immediate) names.produced.push_back(n);
          if (position == SizePosition::parameter) names.in_parameters.push_back(n);
        });
      });
  return names;
}

}  // namespace

const Scheme* Sizes::generalise(ast::Function& function, Symbol name, const Range& range,
                                const std::vector<TypeNameId>& inferred, const Type* result) {
  const int level = solver_.level - static_cast<int>(function.parameters.size());
  collapse_instances(level);
  for (ast::Pattern* parameter : function.parameters) parameter->type = normal(parameter->type);
  result = normal(result);
  const Type* whole = function_type(function.parameters, result, {});

  Scheme scheme;
  for (const ast::TypeParameter& p : function.type_parameters) {
    if (p.size_id.valid()) scheme.size_parameters.push_back(p.size_id);
    if (p.type_id.valid()) scheme.type_parameters.push_back(p.type_id);
  }
  scheme.type_parameters.insert(scheme.type_parameters.end(), inferred.begin(), inferred.end());

  // What is visible in the type decides what is generalised.
  const auto [visible, produced, in_parameters] = visible_in(whole);
  Names existentials;
  for (const BindingId n : visible) {
    const SizeConstraint* c = solver_.find(n);
    if (c == nullptr || c->level < level || contains(scheme.size_parameters, n)) continue;
    if (c->kind == SizeKind::free) {
      scheme.size_parameters.push_back(n);
    } else if (c->kind == SizeKind::unknown) {
      if (contains(in_parameters, n) && !contains(produced, n)) {
        Diagnostic& d = error(DiagnosticKind::existential_size, range,
                              "unknown size `" + std::string(context_.text(n)) +
                                  "` in parameter of `" + std::string(context_.text(name)) +
                                  "`, which is inferred as `" + print_type(context_, whole) + "`");
        explain_size(d, context_.types.named_size(n));
      } else if (contains(produced, n) || mentions(result, n)) {
        existentials.push_back(n);
      }
    }
  }
  for (const BindingId n : scheme.size_parameters) {
    if (contains(visible, n)) continue;
    error(DiagnosticKind::unused_size, context_.range_of(n),
          "size parameter `" + std::string(context_.text(n)) + "` unused");
  }
  for (const BindingId n : scheme.size_parameters) solver_.remove(n);
  Names here;
  result = place_existentials(existentials, result, here);
  has_open_result_ = !here.empty();
  scheme.type = function_type(function.parameters, result, here);
  if (function.parameters.empty() && !here.empty()) {
    // The sizes of a constant are told by the value of its expression.
    function.body->type = context_.types.not_unique(result);
    for (const BindingId n : here) {
      if (!contains(function.body->existentials, n)) function.body->existentials.push_back(n);
    }
  }
  return context_.types.scheme(std::move(scheme));
}

void Sizes::report_ambiguous() {
  collapse_instances(0);
  std::vector<Range> reported;
  for (const SizeConstraint& c : solver_.all()) {
    if (c.kind != SizeKind::free) continue;
    Usage usage = c.usage;
    if (usage.what[0] == '\0' || std::string_view(usage.what) == "instantiation") {
      for (const SizeConstraint& other : solver_.all()) {
        if (other.kind == SizeKind::solved && other.usage.what[0] != '\0' &&
            solver_.same_variable(other.name, c.name)) {
          usage = other.usage;
          break;
        }
      }
    }
    if (std::find(reported.begin(), reported.end(), usage.range) != reported.end()) continue;
    reported.push_back(usage.range);
    std::string message = "ambiguous size `" + std::string(context_.text(c.name)) + "`";
    if (usage.what[0] != '\0') message += std::string(" arising from ") + usage.what;
    Diagnostic& d = error(DiagnosticKind::ambiguous_size, usage.range, std::move(message));
    d.hints.push_back("nothing says what this size is; a type annotation can");
  }
}

// ---------------------------------------------------------------- final types

const Type* Sizes::finish_type(const Type* type) {
  if (type == nullptr) return type;
  type = normal(type);
  if (solver_.has_existentials()) {
    Names created;
    const Type* bound = hide_pending(type, {}, created);
    if (created.empty()) {
      type = bound;
    } else {
      // Sizes that the program computes elsewhere are unknown sizes of that place.
      Substitution computed(context_);
      for_each_free_size(type, [&](BindingId name) {
        const SizeConstraint* c = solver_.find(name);
        if (c != nullptr && c->kind == SizeKind::copy) c = solver_.find(c->other);
        if (c == nullptr || c->kind != SizeKind::existential || !c->computed_at.valid()) return;
        const Range at = c->computed_at;
        computed.add(name, solver_.unknown(at, "it is computed elsewhere"));
      });
      if (!computed.empty()) type = computed.type(type);
    }
  }
  finish_size_expressions(type);
  return type;
}

namespace {

/// Makes sizes anonymous that are existential: they differ from use to use.
class PendingSizes : public Rewriter {
 public:
  PendingSizes(Context& context, SizeSolver& solver) : Rewriter(context), solver_(solver) {}

 protected:
  const Size* replace_size(BindingId name) override {
    return solver_.is_pending(name) ? context_.types.any() : nullptr;
  }

 private:
  SizeSolver& solver_;
};

}  // namespace

const Size* Sizes::without_pending(const Size* size) {
  return solver_.has_existentials() ? PendingSizes(context_, solver_).size(size) : size;
}

const Type* Sizes::without_pending(const Type* type) {
  return solver_.has_existentials() ? PendingSizes(context_, solver_).type(type) : type;
}

const Size* Sizes::finish_size(const Size* size) {
  size = solver_.normal(size);
  finish_size_expressions(size);
  return size;
}

void Sizes::finish_size_expressions(const Size* size) {
  const auto visit = [&](const ast::Exp* exp) {
    if (finished_.insert(exp).second) finish(*const_cast<ast::Exp*>(exp));
  };
  if (const auto* f = as<AppliedSize>(size->node)) {
    const auto* variable = as<ast::Variable>(f->function->node);
    if (variable == nullptr || variable->instance != nullptr) visit(f->function);
    for (const Size* argument : f->arguments) finish_size_expressions(argument);
  } else if (const auto* e = as<ExpressionSize>(size->node)) {
    visit(e->expression);
  }
}

void Sizes::finish_size_expressions(const Type* type) {
  for_each_dimension(type, [&](const Size* size, SizePosition, const Names&) {
    if (as<AppliedSize>(size->node) || as<ExpressionSize>(size->node)) {
      finish_size_expressions(size);
    }
  });
}

void Sizes::finish_type_exp(ast::TypeExp& type) {
  type.type = finish_type(type.type);
  const auto on_dimension = [&](ast::Dimension& d) {
    if (d.size != nullptr) finish(*d.size);
  };
  match(
      type.node, [](ast::TypeName&) {},
      [&](ast::TupleType& t) {
        for (ast::TypeExp* element : t.elements) finish_type_exp(*element);
      },
      [&](ast::RecordType& t) {
        for (auto& f : t.fields) finish_type_exp(*f.second);
      },
      [&](ast::SumType& t) {
        for (auto& c : t.constructors) {
          for (ast::TypeExp* payload : c.second) finish_type_exp(*payload);
        }
      },
      [&](ast::ArrayType& t) {
        on_dimension(t.dimension);
        finish_type_exp(*t.element);
      },
      [&](ast::UniqueType& t) { finish_type_exp(*t.type); },
      [&](ast::ArrowType& t) {
        finish_type_exp(*t.from);
        finish_type_exp(*t.to);
      },
      [&](ast::ExistentialType& t) { finish_type_exp(*t.type); },
      [&](ast::TypeApplication& t) {
        for (ast::TypeArgument& a : t.arguments) {
          match(
              a.value, [&](ast::Dimension& d) { on_dimension(d); },
              [&](ast::TypeExp* argument) { finish_type_exp(*argument); });
        }
      });
}

void Sizes::finish_pattern(ast::Pattern& pattern) {
  pattern.type = finish_type(pattern.type);
  match(
      pattern.node,
      [&](ast::NamePattern& p) {
        context_.set_type(p.id, context_.types.not_unique(pattern.type));
      },
      [](ast::WildcardPattern&) {},
      [&](ast::TuplePattern& p) {
        for (ast::Pattern* element : p.elements) finish_pattern(*element);
      },
      [&](ast::RecordPattern& p) {
        for (auto& f : p.fields) finish_pattern(*f.second);
      },
      [&](ast::ConstructorPattern& p) {
        for (ast::Pattern* argument : p.arguments) finish_pattern(*argument);
      },
      [&](ast::LiteralPattern& p) { finish(*p.literal); },
      [&](ast::AscribedPattern& p) {
        finish_pattern(*p.pattern);
        finish_type_exp(*p.type);
      },
      [&](ast::AttributePattern& p) { finish_pattern(*p.pattern); });
}

void Sizes::finish_function(ast::Function& function) {
  for (ast::Pattern* parameter : function.parameters) finish_pattern(*parameter);
  if (function.result_type != nullptr) finish_type_exp(*function.result_type);
  finish(*function.body);
}

void Sizes::finish(ast::Exp& exp) {
  ast::Exp* current = &exp;
  while (true) {
    current->type = finish_type(current->type);
    if (auto* let = as<ast::Let>(current->node)) {
      finish(*let->value);
      finish_pattern(*let->pattern);
      current = let->body;
    } else if (auto* function = as<ast::LetFunction>(current->node)) {
      finish_function(function->function);
      if (function->scheme != nullptr) {
        Scheme scheme = *function->scheme;
        scheme.type = finish_type(scheme.type);
        function->scheme = context_.types.scheme(std::move(scheme));
        context_.values[function->id].scheme = function->scheme;
      }
      current = function->body;
    } else {
      break;
    }
  }
  finish_node(*current);
}

void Sizes::finish_node(ast::Exp& exp) {
  if (auto* variable = as<ast::Variable>(exp.node)) {
    if (variable->instance != nullptr) {
      Instance instance = *variable->instance;
      for (const Size*& size : instance.sizes) {
        size = without_pending(solver_.normal(size));
        finish_size_expressions(size);
      }
      for (const Type*& type : instance.types) {
        type = without_pending(normal(type));
        finish_size_expressions(type);
      }
      variable->instance = context_.types.arena().make(std::move(instance));
    }
    return;
  }
  if (auto* lambda = as<ast::Lambda>(exp.node)) {
    finish_function(lambda->function);
    return;
  }
  if (auto* e = as<ast::Match>(exp.node)) {
    for (ast::Case& c : e->cases) finish_pattern(*c.pattern);
  } else if (auto* loop = as<ast::Loop>(exp.node)) {
    finish_pattern(*loop->pattern);
    if (auto* f = as<ast::ForLoop>(loop->form)) finish_pattern(*f->index);
    if (auto* in = as<ast::ForInLoop>(loop->form)) finish_pattern(*in->element);
  } else if (auto* ascription = as<ast::Ascription>(exp.node)) {
    finish_type_exp(*ascription->type);
  } else if (auto* coercion = as<ast::Coercion>(exp.node)) {
    finish_type_exp(*coercion->type);
  } else if (auto* broadcast = as<ast::Broadcast>(exp.node)) {
    if (broadcast->plan != nullptr) {
      BroadcastPlan plan = *broadcast->plan;
      for (const Size*& size : plan.shape) size = finish_size(size);
      plan.element = finish_type(plan.element);
      broadcast->plan = context_.types.arena().make(std::move(plan));
    }
  }
  check::for_each_child(exp, [&](ast::Exp*& child) { finish(*child); });
}

}  // namespace dagaz::check
