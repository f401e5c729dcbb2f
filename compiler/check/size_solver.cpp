// The state of the solver, and types whose sizes are made equal.  See size_solver.h.
#include "check/size_solver.h"

#include "check/print_type.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

namespace {

/// Replaces solved size variables.
class Normaliser : public Rewriter {
 public:
  Normaliser(Context& context, SizeSolver& solver) : Rewriter(context), solver_(solver) {}

 protected:
  const Size* replace_size(BindingId name) override {
    SizeConstraint* c = solver_.find(name);
    if (c == nullptr) return nullptr;
    if (c->kind == SizeKind::copy) {
      c = solver_.find(c->other);
      if (c == nullptr) return nullptr;
    }
    if (c->kind != SizeKind::solved) return nullptr;
    const BindingId solved = c->name;
    const Size* result = size(c->solution);
    solver_.find(solved)->solution = result;  // later look-ups are short
    return result;
  }

 private:
  SizeSolver& solver_;
};

}  // namespace

SizeSolver::SizeSolver(Context& context) : context_(context) {}

void SizeSolver::clear() {
  for (const SizeConstraint& c : constraints_) slots_[c.name.index] = 0;
  constraints_.clear();
  representatives_.clear();
  unknown_names_.clear();
  level = 0;
  existentials_ = 0;
}

void SizeSolver::constrain(SizeConstraint constraint) {
  const std::size_t index = constraint.name.index;
  if (index >= slots_.size()) slots_.resize(index + index / 2 + 64);
  if (slots_[index] != 0) {
    constraints_[slots_[index] - 1] = std::move(constraint);
    return;
  }
  constraints_.push_back(std::move(constraint));
  slots_[index] = static_cast<std::uint32_t>(constraints_.size());
}

void SizeSolver::add_parameter(BindingId name) {
  SizeConstraint c;
  c.kind = SizeKind::parameter;
  c.name = name;
  c.level = level;
  constrain(std::move(c));
}

BindingId SizeSolver::fresh(SizeKind kind, const Usage& usage, std::string_view name) {
  SizeConstraint c;
  c.kind = kind;
  c.name = context_.new_size(name, usage.range);
  c.level = level;
  c.usage = usage;
  const BindingId id = c.name;
  constrain(std::move(c));
  return id;
}

BindingId SizeSolver::unknown(const Range& range, const char* why, std::string_view name) {
  // Messages show several unknown sizes side by side, so they are told apart by subscripts.
  static constexpr const char* digits[] = {"₀", "₁", "₂", "₃", "₄",
                                           "₅", "₆", "₇", "₈", "₉"};
  if (const std::size_t mark = name.find("\xe2\x82"); mark != name.npos) {
    name = name.substr(0, mark);
  }
  std::string spelling(name);
  if (const int number = unknown_names_[spelling]++; number > 0) {
    for (const char c : std::to_string(number)) spelling += digits[c - '0'];
  }
  return fresh(SizeKind::unknown, {range, why}, spelling);
}

SizeConstraint* SizeSolver::find(BindingId name) {
  if (name.index >= slots_.size() || slots_[name.index] == 0) return nullptr;
  SizeConstraint& c = constraints_[slots_[name.index] - 1];
  return c.kind == SizeKind::none ? nullptr : &c;
}

SizeKind SizeSolver::kind(BindingId name) {
  const SizeConstraint* c = find(name);
  return c == nullptr ? SizeKind::none : c->kind;
}

void SizeSolver::remove(BindingId name) {
  if (SizeConstraint* c = find(name)) c->kind = SizeKind::none;
}

const Size* SizeSolver::normal(const Size* size) { return Normaliser(context_, *this).size(size); }
const Type* SizeSolver::normal(const Type* type) { return Normaliser(context_, *this).type(type); }

bool SizeSolver::fail(const Size* expected, const Size* actual, std::string message) {
  failure_ = {expected, actual, std::move(message), false};
  return false;
}

// ---------------------------------------------------------------- existential instances

bool SizeSolver::is_pending(BindingId name) {
  const SizeConstraint* c = find(name);
  if (c == nullptr) return false;
  if (c->kind == SizeKind::existential) return true;
  return c->kind == SizeKind::copy && kind(c->other) == SizeKind::existential;
}

BindingId SizeSolver::representative(BindingId name) {
  const SizeConstraint* c = find(name);
  if (c == nullptr || c->kind != SizeKind::copy) return name;
  const SizeConstraint* origin = find(c->other);
  if (origin == nullptr || origin->kind != SizeKind::existential || !origin->other.valid()) {
    return name;
  }
  return representatives_.try_emplace({c->occurrence, origin->other}, name).first->second;
}

void SizeSolver::mark_existential(SizeConstraint& constraint, BindingId key,
                                  const Range& computed_at) {
  constraint.kind = SizeKind::existential;
  constraint.other = key;
  constraint.computed_at = computed_at;
  ++existentials_;
}

bool SizeSolver::same_variable(BindingId a, BindingId b) {
  const auto follow = [&](BindingId name) {
    while (const SizeConstraint* c = find(name)) {
      if (c->kind != SizeKind::solved) break;
      const auto* named = as<NamedSize>(c->solution->node);
      if (named == nullptr) break;
      name = named->name;
    }
    return name;
  };
  return follow(a) == follow(b);
}

// ---------------------------------------------------------------- types

bool SizeSolver::unify(const Type* expected, const Type* actual, const Usage& usage) {
  mode_ = Mode::exact;
  usage_ = usage;
  bound_.clear();
  binder_pairs_.clear();
  failure_ = {};
  return subunify(false, expected, actual);
}

const Type* SizeSolver::unify_branches(const Type* a, const Type* b, const Usage& usage,
                                       std::vector<BindingId>& created) {
  mode_ = Mode::most_common;
  usage_ = usage;
  bound_.clear();
  binder_pairs_.clear();
  failure_ = {};
  if (!subunify(false, a, b)) return nullptr;
  mismatches_.clear();
  return match_sizes(normal(a), normal(b), created);
}

bool SizeSolver::subunify(bool swapped, const Type* a, const Type* b) {
  if (a == b || a->node.index() != b->node.index()) {
    // Types were found equal before; what differs now has been reported.
    return a == b || fail(nullptr, nullptr, "");
  }
  return match(
      a->node, [](const PrimitiveType&) { return true; },
      [&](const Array& x) {
        const auto& y = std::get<Array>(b->node);
        return unify_dimension(swapped, x.size, y.size) && subunify(swapped, x.element, y.element);
      },
      [&](const Record& x) {
        const auto& y = std::get<Record>(b->node);
        if (x.fields.size() != y.fields.size()) return fail(nullptr, nullptr, "");
        for (std::size_t i = 0; i < x.fields.size(); ++i) {
          if (!subunify(swapped, x.fields[i].second, y.fields[i].second)) return false;
        }
        return true;
      },
      [&](const Sum& x) {
        const auto& y = std::get<Sum>(b->node);
        if (x.constructors.size() != y.constructors.size()) return fail(nullptr, nullptr, "");
        for (std::size_t i = 0; i < x.constructors.size(); ++i) {
          const auto& p = x.constructors[i].second;
          const auto& q = y.constructors[i].second;
          for (std::size_t j = 0; j < p.size() && j < q.size(); ++j) {
            if (!subunify(swapped, p[j], q[j])) return false;
          }
        }
        return true;
      },
      [&](const Arrow& x) { return unify_arrows(swapped, x, std::get<Arrow>(b->node)); },
      [&](const Named& x) {
        const auto& y = std::get<Named>(b->node);
        if (x.name != y.name) return fail(nullptr, nullptr, "");
        for (std::size_t i = 0; i < x.arguments.size() && i < y.arguments.size(); ++i) {
          if (const Size* const* s = as<const Size*>(x.arguments[i])) {
            const Size* t = std::get<const Size*>(y.arguments[i]);
            if (!unify_dimension(swapped, *s, t)) return false;
          } else if (!subunify(swapped, std::get<const Type*>(x.arguments[i]),
                               std::get<const Type*>(y.arguments[i]))) {
            return false;
          }
        }
        return true;
      },
      [](const MetaType&) { return true; });
}

bool SizeSolver::unify_arrows(bool swapped, const Arrow& a, const Arrow& b) {
  const bool less_consuming = swapped ? b.consumes < a.consumes : a.consumes < b.consumes;
  if (less_consuming) {
    fail(nullptr, nullptr,
         "the parameters are incompatible regarding consuming their arguments");
    failure_.consumption = true;
    return false;
  }
  const bool a_unique = has_unique(a.to);
  const bool b_unique = has_unique(b.to);
  if (swapped ? a_unique < b_unique : b_unique < a_unique) {
    fail(nullptr, nullptr, "the return types have incompatible uniqueness");
    failure_.consumption = true;
    return false;
  }
  // Existentials take part in unification as variables, and vanish afterwards.
  std::vector<SizeConstraint> before;
  const auto introduce = [&](const std::vector<BindingId>& names, bool flexible) {
    for (const BindingId name : names) {
      const SizeConstraint* old = find(name);
      before.push_back(old == nullptr ? SizeConstraint{} : *old);
      before.back().name = name;
      SizeConstraint c;
      c.kind = flexible ? SizeKind::free : SizeKind::unknown;
      c.name = name;
      c.level = level;
      constrain(std::move(c));
    }
  };
  introduce(a.existentials, !swapped);
  introduce(b.existentials, swapped);
  const std::size_t outer = bound_.size();
  bool ok = subunify(!swapped, a.from, b.from);
  if (ok) {
    const bool paired =
        a.parameter.valid() && b.parameter.valid() && a.parameter != b.parameter;
    if (paired) binder_pairs_.emplace_back(a.parameter, b.parameter);
    if (a.parameter.valid()) bound_.push_back(a.parameter);
    if (b.parameter.valid()) bound_.push_back(b.parameter);
    bound_.insert(bound_.end(), a.existentials.begin(), a.existentials.end());
    bound_.insert(bound_.end(), b.existentials.begin(), b.existentials.end());
    ok = subunify(swapped, a.to, b.to);
    bound_.resize(outer);
    if (paired) binder_pairs_.pop_back();
  }
  for (const SizeConstraint& old : before) absorb_result(old.name, old, a.from);
  for (const SizeConstraint& old : before) remove(old.name);
  return ok;
}

/// If the existential `name` was resolved to an instantiated size, that size is existential, unless
/// the argument, of type `from`, tells it.
void SizeSolver::absorb_result(BindingId name, const SizeConstraint& before, const Type* from) {
  const SizeConstraint* c = find(name);
  if (c == nullptr || c->kind != SizeKind::solved) return;
  const Size* resolved = normal(c->solution);
  const auto* named = as<NamedSize>(resolved->node);
  if (named == nullptr) return;
  SizeConstraint* target = find(named->name);
  if (target != nullptr && target->kind == SizeKind::copy) target = find(target->other);
  if (target == nullptr || target->kind != SizeKind::instantiated ||
      target->liftedness == ast::Liftedness::unlifted || mentions(normal(from), named->name)) {
    return;
  }
  Range computed;
  if (before.kind == SizeKind::unknown) {
    computed = before.usage.range.valid() ? before.usage.range : usage_.range;
  }
  mark_existential(*target, name, computed);
}

}  // namespace dagaz::check
