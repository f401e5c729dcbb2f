// See size_tools.h.
#include "check/size_tools.h"

#include <algorithm>

#include "check/expression_walk.h"
#include "support/match.h"

namespace dagaz::check {

bool contains(const std::vector<BindingId>& names, BindingId name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::int64_t> integer_literal(const ast::Exp* exp) {
  if (const auto* literal = as<ast::IntegerLiteral>(exp->node)) {
    return static_cast<std::int64_t>(literal->value);
  }
  if (const auto* negated = as<ast::Negate>(exp->node)) {
    if (const auto value = integer_literal(negated->value)) return -*value;
  }
  return std::nullopt;
}

/// Whether the literal `exp` is an i64, so that its value alone says what it is.
static bool is_i64(const ast::Exp* exp) {
  if (exp->type == nullptr) return true;
  const auto* primitive = as<PrimitiveType>(exp->type->node);
  return primitive == nullptr || primitive->primitive == Primitive::i64;
}

static std::vector<const Size*> sizes_of(TypeBuilder& types, const std::vector<ast::Exp*>& exps) {
  std::vector<const Size*> result;
  for (const ast::Exp* e : exps) result.push_back(size_of_expression(types, e));
  return result;
}

const Size* size_of_expression(TypeBuilder& types, const ast::Exp* exp) {
  exp = strip_expression(exp);
  if (const auto value = integer_literal(exp); value && is_i64(exp)) return types.constant(*value);
  if (const auto* variable = as<ast::Variable>(exp->node)) {
    if (variable->instance == nullptr) return types.named_size(variable->id);
  }
  if (const auto* binary = as<ast::Binary>(exp->node)) {
    return types.applied(binary->operation, sizes_of(types, {binary->left, binary->right}));
  }
  if (const auto* apply = as<ast::Apply>(exp->node)) {
    if (as<ast::Variable>(apply->function->node)) {
      return types.applied(apply->function, sizes_of(types, apply->arguments));
    }
  }
  return types.expression(exp);
}

ast::Exp* expression_of_size(TypeBuilder& types, ast::Arena& arena, const Size* size,
                             const Range& range) {
  ast::Exp result{range, ast::Hole{}, types.i64(), {}};
  match(
      size->node,
      [&](const ConstantSize& s) {
        result.node = ast::IntegerLiteral{static_cast<std::uint64_t>(s.value),
                                          ast::LiteralSuffix::i64};
      },
      [&](const NamedSize& s) { result.node = ast::Variable{{}, s.name, nullptr}; },
      [&](const AppliedSize& s) {
        std::vector<ast::Exp*> arguments;
        for (const Size* a : s.arguments) {
          arguments.push_back(expression_of_size(types, arena, a, range));
        }
        result.node = ast::Apply{const_cast<ast::Exp*>(s.function), std::move(arguments)};
      },
      [&](const ExpressionSize& s) { result = *s.expression; }, [](const AnonymousSize&) {},
      [](const MetaSize&) {});
  return arena.make(std::move(result));
}

// ---------------------------------------------------------------- comparison

using Parts = std::vector<std::pair<const Size*, const Size*>>;

/// Whether the variables or operators `a` and `b` are the same.
static bool same_function(const ast::Exp* a, const ast::Exp* b) {
  const auto* x = as<ast::Variable>(a->node);
  const auto* y = as<ast::Variable>(b->node);
  return x != nullptr && y != nullptr && x->id == y->id;
}

/// What distinguishes two nodes of the same kind besides their subexpressions.
static bool same_head(const ast::Exp& a, const ast::Exp& b) {
  if (a.node.index() != b.node.index()) return false;
  return match(
      a.node,
      [&](const ast::IntegerLiteral& x) {
        return x.value == std::get<ast::IntegerLiteral>(b.node).value;
      },
      [&](const ast::FloatLiteral& x) {
        return x.value == std::get<ast::FloatLiteral>(b.node).value;
      },
      [&](const ast::BoolLiteral& x) {
        return x.value == std::get<ast::BoolLiteral>(b.node).value;
      },
      [&](const ast::StringLiteral& x) {
        return x.bytes == std::get<ast::StringLiteral>(b.node).bytes;
      },
      [&](const ast::Variable&) { return same_function(&a, &b); },
      [&](const ast::Project& x) {
        return x.field.symbol == std::get<ast::Project>(b.node).field.symbol;
      },
      [&](const ast::Record& x) {
        const auto& y = std::get<ast::Record>(b.node);
        if (x.fields.size() != y.fields.size()) return false;
        for (std::size_t i = 0; i < x.fields.size(); ++i) {
          if (x.fields[i].first.symbol != y.fields[i].first.symbol) return false;
        }
        return true;
      },
      [&](const ast::Construct& x) {
        return x.constructor.symbol == std::get<ast::Construct>(b.node).constructor.symbol;
      },
      [&](const ast::RangeExp& x) { return x.kind == std::get<ast::RangeExp>(b.node).kind; },
      [&](const ast::Logical& x) { return x.kind == std::get<ast::Logical>(b.node).kind; },
      [&](const ast::PathSection& x) {
        const auto& y = std::get<ast::PathSection>(b.node);
        if (x.path.size() != y.path.size()) return false;
        for (std::size_t i = 0; i < x.path.size(); ++i) {
          const auto* f = std::get_if<ast::Name>(&x.path[i].step);
          const auto* g = std::get_if<ast::Name>(&y.path[i].step);
          if ((f == nullptr) != (g == nullptr)) return false;
          if (f != nullptr && f->symbol != g->symbol) return false;
        }
        return true;
      },
      [&](const ast::Index& x) {
        const auto& y = std::get<ast::Index>(b.node);
        if (x.dimensions.size() != y.dimensions.size()) return false;
        for (std::size_t i = 0; i < x.dimensions.size(); ++i) {
          const ast::IndexDimension& d = x.dimensions[i];
          const ast::IndexDimension& e = y.dimensions[i];
          if (d.is_slice != e.is_slice || !d.start != !e.start || !d.end != !e.end ||
              !d.stride != !e.stride) {
            return false;
          }
        }
        return true;
      },
      // The rest is told apart by its subexpressions alone, or never equal because it binds.
      [&](const auto&) { return !has_binding(a); });
}

std::optional<Parts> similar_parts(TypeBuilder& types, const Size* a, const Size* b) {
  if (a == b) return Parts{};
  if (a->node.index() != b->node.index()) return std::nullopt;
  if (const auto* x = as<ConstantSize>(a->node)) {
    if (x->value == std::get<ConstantSize>(b->node).value) return Parts{};
  } else if (const auto* n = as<NamedSize>(a->node)) {
    if (n->name == std::get<NamedSize>(b->node).name) return Parts{};
  } else if (const auto* f = as<AppliedSize>(a->node)) {
    const auto& g = std::get<AppliedSize>(b->node);
    if (!same_function(f->function, g.function) || f->arguments.size() != g.arguments.size()) {
      return std::nullopt;
    }
    Parts parts;
    for (std::size_t i = 0; i < f->arguments.size(); ++i) {
      parts.emplace_back(f->arguments[i], g.arguments[i]);
    }
    return parts;
  } else if (const auto* e = as<ExpressionSize>(a->node)) {
    const ast::Exp* x_exp = e->expression;
    const ast::Exp* y_exp = std::get<ExpressionSize>(b->node).expression;
    if (!same_head(*x_exp, *y_exp)) return std::nullopt;
    std::vector<const ast::Exp*> left;
    std::vector<const ast::Exp*> right;
    for_each_child(*x_exp, [&](const ast::Exp* child) { left.push_back(child); });
    for_each_child(*y_exp, [&](const ast::Exp* child) { right.push_back(child); });
    if (left.size() != right.size()) return std::nullopt;
    Parts parts;
    for (std::size_t i = 0; i < left.size(); ++i) {
      parts.emplace_back(size_of_expression(types, left[i]), size_of_expression(types, right[i]));
    }
    return parts;
  }
  return std::nullopt;
}

bool same_size(TypeBuilder& types, const Size* a, const Size* b) {
  const auto parts = similar_parts(types, a, b);
  return parts && std::all_of(parts->begin(), parts->end(), [&](const auto& part) {
           return same_size(types, part.first, part.second);
         });
}

// ---------------------------------------------------------------- names

static void names_in(const ast::Exp* exp, const std::function<void(BindingId)>& visit) {
  if (const auto* variable = as<ast::Variable>(exp->node)) visit(variable->id);
  for_each_child(*exp, [&](const ast::Exp* child) { names_in(child, visit); });
}

void for_each_name(const Size* size, const std::function<void(BindingId)>& visit) {
  if (const auto* n = as<NamedSize>(size->node)) {
    visit(n->name);
  } else if (const auto* f = as<AppliedSize>(size->node)) {
    names_in(f->function, visit);
    for (const Size* argument : f->arguments) for_each_name(argument, visit);
  } else if (const auto* e = as<ExpressionSize>(size->node)) {
    names_in(e->expression, visit);
  }
}

using DimensionVisit =
    std::function<void(const Size*, SizePosition, const std::vector<BindingId>&)>;

static void visit_dimensions(const Type* type, SizePosition position,
                             std::vector<BindingId>& bound, const DimensionVisit& visit) {
  match(
      type->node, [](const PrimitiveType&) {},
      [&](const Array& a) {
        visit(a.size, position, bound);
        visit_dimensions(a.element, position, bound, visit);
      },
      [&](const Record& r) {
        for (const auto& field : r.fields) {
          visit_dimensions(field.second, position, bound, visit);
        }
      },
      [&](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) {
            visit_dimensions(payload, position, bound, visit);
          }
        }
      },
      [&](const Arrow& a) {
        const std::size_t outer = bound.size();
        bound.insert(bound.end(), a.existentials.begin(), a.existentials.end());
        if (a.parameter.valid()) bound.push_back(a.parameter);
        visit_dimensions(a.from, SizePosition::parameter, bound, visit);
        visit_dimensions(a.to, SizePosition::result, bound, visit);
        bound.resize(outer);
      },
      [&](const Named& n) {
        for (const auto& argument : n.arguments) {
          if (const Size* const* size = as<const Size*>(argument)) {
            visit(*size, position, bound);
          } else {
            visit_dimensions(std::get<const Type*>(argument), SizePosition::parameter, bound,
                             visit);
          }
        }
      },
      [](const MetaType&) {});
}

void for_each_dimension(const Type* type, const DimensionVisit& visit) {
  std::vector<BindingId> bound;
  visit_dimensions(type, SizePosition::immediate, bound, visit);
}

void for_each_free_size(const Type* type, const std::function<void(BindingId)>& visit) {
  for_each_dimension(
      type, [&](const Size* size, SizePosition, const std::vector<BindingId>& bound) {
        for_each_name(size, [&](BindingId name) {
          if (!contains(bound, name)) visit(name);
        });
      });
}

bool mentions(const Size* size, BindingId name) {
  bool found = false;
  for_each_name(size, [&](BindingId other) { found = found || other == name; });
  return found;
}

bool mentions(const Type* type, BindingId name) {
  bool found = false;
  for_each_free_size(type, [&](BindingId other) { found = found || other == name; });
  return found;
}

Witnesses size_witnesses(const Type* type) {
  Witnesses result;
  std::vector<BindingId> others;
  for_each_dimension(
      type, [&](const Size* size, SizePosition position, const std::vector<BindingId>& bound) {
        const auto* named = as<NamedSize>(size->node);
        if (named != nullptr &&
            (position == SizePosition::immediate || contains(bound, named->name))) {
          if (!contains(result.constructive, named->name)) {
            result.constructive.push_back(named->name);
          }
        } else {
          for_each_name(size, [&](BindingId name) { others.push_back(name); });
        }
      });
  for (const BindingId name : others) {
    if (!contains(result.constructive, name) && !contains(result.others, name)) {
      result.others.push_back(name);
    }
  }
  return result;
}

}  // namespace dagaz::check
