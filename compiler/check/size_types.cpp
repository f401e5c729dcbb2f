// Types whose sizes are replaced throughout: by fresh variables, or by new unknown sizes where two
// types differ.  See size_solver.h.
#include "check/size_solver.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

// ---------------------------------------------------------------- fresh sizes

namespace {

/// Gives every dimension of a type without sizes a new variable.
class Freshener {
 public:
  Freshener(Context& context, SizeSolver& solver, SizeKind kind, const Usage& usage,
            ast::Liftedness liftedness, std::vector<BindingId>* created)
      : context_(context),
        solver_(solver),
        kind_(kind),
        usage_(usage),
        liftedness_(liftedness),
        created_(created) {}

  const Size* size() {
    const BindingId name = solver_.fresh(kind_, usage_, "d");
    solver_.find(name)->liftedness = liftedness_;
    if (created_ != nullptr) created_->push_back(name);
    return context_.types.named_size(name);
  }

  const Type* type(const Type* original) {
    return match(
        original->node, [&](const PrimitiveType&) { return original; },
        [&](const Array& a) {
          const Size* outer = size();
          return context_.types.array(outer, type(a.element));
        },
        [&](const Record& r) {
          Record copy = r;
          for (auto& f : copy.fields) f.second = type(f.second);
          return context_.types.arena().make(Type{std::move(copy)});
        },
        [&](const Sum& s) {
          Sum copy = s;
          for (auto& constructor : copy.constructors) {
            for (auto& payload : constructor.second) payload = type(payload);
          }
          return context_.types.arena().make(Type{std::move(copy)});
        },
        [&](const Arrow& a) {
          Arrow copy = a;
          copy.from = type(a.from);
          copy.to = type(a.to);
          return context_.types.arrow(std::move(copy));
        },
        [&](const Named& n) {
          if (n.arguments.empty()) return original;
          Named copy = n;
          for (auto& argument : copy.arguments) {
            if (const Type* const* t = as<const Type*>(argument)) {
              argument = type(*t);
            } else {
              argument = size();
            }
          }
          return context_.types.named(std::move(copy));
        },
        [&](const MetaType&) { return original; });
  }

 private:
  Context& context_;
  SizeSolver& solver_;
  SizeKind kind_;
  Usage usage_;
  ast::Liftedness liftedness_;
  std::vector<BindingId>* created_;
};

}  // namespace

const Type* SizeSolver::with_fresh_sizes(const Type* type, SizeKind kind, const Usage& usage,
                                         ast::Liftedness liftedness,
                                         std::vector<BindingId>* created) {
  const Type* result =
      Freshener(context_, *this, kind, usage, liftedness, created).type(type);
  if (kind == SizeKind::instantiated) {
    result = rename_bound(context_, result);
    register_binders(result, usage.range);
  }
  return result;
}

void SizeSolver::register_binders(const Type* type, const Range& range) {
  match(
      type->node, [](const PrimitiveType&) {},
      [&](const Array& a) { register_binders(a.element, range); },
      [&](const Record& r) {
        for (const auto& f : r.fields) register_binders(f.second, range);
      },
      [&](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) register_binders(payload, range);
        }
      },
      [&](const Arrow& a) {
        if (a.parameter.valid()) add_parameter(a.parameter);
        register_binders(a.from, range);
        register_binders(a.to, range);
      },
      [&](const Named& n) {
        for (const auto& argument : n.arguments) {
          const Type* const* t = as<const Type*>(argument);
          if (t != nullptr) register_binders(*t, range);
        }
      },
      [](const MetaType&) {});
}

// ---------------------------------------------------------------- differences

const Size* SizeSolver::match_size(const Size* a, const Size* b, std::vector<BindingId>& created) {
  if (same_size(context_.types, a, b)) return a;
  for (const Mismatch& m : mismatches_) {
    if (same_size(context_.types, m.a, a) && same_size(context_.types, m.b, b)) return m.fresh;
  }
  const BindingId name = unknown(usage_.range, "the branches differ in this size", "differ");
  created.push_back(name);
  mismatches_.push_back({a, b, context_.types.named_size(name)});
  return mismatches_.back().fresh;
}

/// `a` with each size that differs from the one in `b` replaced by a new unknown size.
const Type* SizeSolver::match_sizes(const Type* a, const Type* b, std::vector<BindingId>& created) {
  if (a == b || a->node.index() != b->node.index()) return a;
  return match(
      a->node, [&](const PrimitiveType&) { return a; },
      [&](const Array& x) {
        const auto& y = std::get<Array>(b->node);
        const Size* size = match_size(x.size, y.size, created);
        return context_.types.array(size, match_sizes(x.element, y.element, created));
      },
      [&](const Record& x) {
        const auto& y = std::get<Record>(b->node);
        Record copy = x;
        for (std::size_t i = 0; i < x.fields.size(); ++i) {
          copy.fields[i].second = match_sizes(x.fields[i].second, y.fields[i].second, created);
        }
        return context_.types.arena().make(Type{std::move(copy)});
      },
      [&](const Sum& x) {
        const auto& y = std::get<Sum>(b->node);
        Sum copy = x;
        for (std::size_t i = 0; i < x.constructors.size(); ++i) {
          auto& payload = copy.constructors[i].second;
          for (std::size_t j = 0; j < payload.size(); ++j) {
            payload[j] = match_sizes(payload[j], y.constructors[i].second[j], created);
          }
        }
        return context_.types.arena().make(Type{std::move(copy)});
      },
      [&](const Arrow& x) {
        const auto& y = std::get<Arrow>(b->node);
        Arrow copy = x;
        copy.from = match_sizes(x.from, y.from, created);
        copy.to = match_sizes(x.to, y.to, created);
        return context_.types.arrow(std::move(copy));
      },
      [&](const Named& x) {
        const auto& y = std::get<Named>(b->node);
        Named copy = x;
        for (std::size_t i = 0; i < copy.arguments.size(); ++i) {
          if (const Size* const* s = as<const Size*>(copy.arguments[i])) {
            copy.arguments[i] = match_size(*s, std::get<const Size*>(y.arguments[i]), created);
          } else {
            copy.arguments[i] = match_sizes(std::get<const Type*>(copy.arguments[i]),
                                            std::get<const Type*>(y.arguments[i]), created);
          }
        }
        return context_.types.named(std::move(copy));
      },
      [&](const MetaType&) { return a; });
}

}  // namespace dagaz::check
