// Making two sizes equal: variables are solved, and sizes that a call decides are taken over by
// variables that may.  See size_solver.h.
#include <algorithm>

#include "check/size_solver.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

bool SizeSolver::is_flexible(BindingId name, int& at_level) {
  const SizeConstraint* c = find(name);
  if (c == nullptr) return false;
  const auto flexible = [](SizeKind k) {
    return k == SizeKind::free || k == SizeKind::instantiated || k == SizeKind::solved ||
           k == SizeKind::copy;
  };
  if (c->kind == SizeKind::copy) {
    const SizeConstraint* origin = find(c->other);
    if (origin != nullptr && !flexible(origin->kind)) return false;
  } else if (!flexible(c->kind)) {
    return false;
  }
  at_level = c->level;
  return true;
}

bool SizeSolver::mentions_bound(const Size* size) {
  if (bound_.empty()) return false;
  bool found = false;
  for_each_name(size, [&](BindingId name) { found = found || contains(bound_, name); });
  return found;
}

/// `size` in terms of the parameters of the first type.
const Size* SizeSolver::with_common_binders(const Size* size) {
  if (binder_pairs_.empty()) return size;
  Substitution names(context_);
  for (const auto& [first, second] : binder_pairs_) names.add(second, first);
  return names.size(size);
}

/// `a` is of the first type, `b` of the second one, which is the expected one if `swapped`.
bool SizeSolver::unify_dimension(bool swapped, const Size* a, const Size* b) {
  a = with_common_binders(normal(a));
  b = with_common_binders(normal(b));
  if (as<AnonymousSize>(a->node) || as<AnonymousSize>(b->node)) return true;
  if (swapped) std::swap(a, b);
  return mode_ == Mode::exact ? unify_exactly(swapped, a, b) : link_if_possible(a, b);
}

bool SizeSolver::unify_exactly(bool swapped, const Size* a, const Size* b) {
  // Of a part that failed before.
  if (as<AnonymousSize>(a->node) || as<AnonymousSize>(b->node)) return true;
  if (const auto parts = similar_parts(context_.types, a, b)) {
    for (const auto& [x, y] : *parts) {
      if (!unify_exactly(swapped, normal(x), normal(y))) {
        failure_.expected = a;
        failure_.actual = b;
        return false;
      }
    }
    return true;
  }
  int at_level = 0;
  const auto* x = as<NamedSize>(a->node);
  if (x != nullptr && is_flexible(x->name, at_level) &&
      (!mentions_bound(b) || contains(bound_, x->name))) {
    return link(x->name, at_level, b);
  }
  const auto* y = as<NamedSize>(b->node);
  if (y != nullptr && is_flexible(y->name, at_level) &&
      (!mentions_bound(a) || contains(bound_, y->name))) {
    return link(y->name, at_level, a);
  }
  return absorb_or_fail(swapped, a, b);
}

bool SizeSolver::absorb_or_fail(bool swapped, const Size* a, const Size* b) {
  if (link_local(a, b, swapped) || link_local(b, a, !swapped)) return true;
  if (absorb(a, b) || absorb(b, a)) return true;
  return fail(a, b, "");
}

/// A size of an instantiated type may be a parameter of a function inside that same type.
bool SizeSolver::link_local(const Size* variable, const Size* other, bool of_second) {
  const auto* named = as<NamedSize>(variable->node);
  if (named == nullptr || contains(bound_, named->name) || !mentions_bound(other)) return false;
  SizeConstraint* c = find(named->name);
  if (c == nullptr || (c->kind != SizeKind::instantiated && c->kind != SizeKind::copy)) {
    return false;
  }
  if (of_second && !binder_pairs_.empty()) {
    Substitution names(context_);
    for (const auto& [first, second] : binder_pairs_) names.add(first, second);
    other = names.size(other);
  }
  bool registered = true;
  for_each_name(other, [&](BindingId name) {
    if (contains(bound_, name) && kind(name) != SizeKind::parameter) registered = false;
  });
  if (!registered) return false;
  c->kind = SizeKind::solved;
  c->solution = other;
  return true;
}

/// A size of an instantiated type that meets a bound size is existential.
bool SizeSolver::absorb(const Size* variable, const Size* other) {
  const auto* named = as<NamedSize>(variable->node);
  if (named == nullptr || contains(bound_, named->name) || !mentions_bound(other)) return false;
  SizeConstraint* c = find(named->name);
  if (c != nullptr && c->kind == SizeKind::copy) c = find(c->other);
  if (c == nullptr) return false;
  if (c->kind == SizeKind::existential) return true;
  if (c->kind != SizeKind::instantiated || c->liftedness == ast::Liftedness::unlifted) {
    return false;
  }
  Range computed;
  for_each_name(other, [&](BindingId name) {
    const SizeConstraint* o = find(name);
    if (o == nullptr || o->kind != SizeKind::unknown || computed.valid()) return;
    computed = o->usage.range.valid() ? o->usage.range : usage_.range;
  });
  const auto* key = as<NamedSize>(other->node);
  mark_existential(*find(c->name), key == nullptr ? BindingId() : key->name, computed);
  return true;
}

/// Whether the types bind `inner` where `existential` is decided: by a call that gets `inner`.
bool SizeSolver::bound_before(BindingId inner, BindingId existential) const {
  const auto end = std::find(bound_.begin(), bound_.end(), existential);
  return end != bound_.end() && std::find(bound_.begin(), end, inner) != end;
}

bool SizeSolver::link(BindingId name, int name_level, const Size* size) {
  // Copies equal what they copy until that is found existential, so links go by the originals.
  Substitution originals(context_);
  bool any_copy = false;
  for_each_name(size, [&](BindingId n) {
    const SizeConstraint* c = find(n);
    if (c == nullptr || c->kind != SizeKind::copy) return;
    originals.add(n, c->other);
    any_copy = true;
  });
  if (any_copy) size = originals.size(size);
  SizeConstraint* c = find(name);
  if (c->kind == SizeKind::copy) {
    const SizeConstraint* origin = find(c->other);
    if (origin != nullptr) return link(origin->name, origin->level, size);
  }
  if (const auto* named = as<NamedSize>(size->node); named != nullptr && named->name == name) {
    return true;
  }
  bool ok = true;
  for_each_name(size, [&](BindingId n) {
    if (!ok) return;
    if (n == name) {
      ok = fail(context_.types.named_size(name), size,
                "occurs check: a size cannot contain itself");
      return;
    }
    SizeConstraint* inner = find(n);
    if (inner == nullptr || inner->level < name_level || bound_before(n, name)) return;
    if (inner->kind == SizeKind::parameter) {
      ok = fail(context_.types.named_size(name), size,
                "`" + std::string(context_.text(n)) + "` is not in scope where the other size " +
                    "is determined (scope violation)");
      return;
    }
    inner->level = name_level;
  });
  if (!ok) return false;
  c = find(name);
  c->kind = SizeKind::solved;
  c->solution = size;
  c->level = name_level;
  c->usage = usage_;
  return true;
}

/// Links `a` to `b` where that cannot fail; leaves other differences alone.
bool SizeSolver::link_if_possible(const Size* a, const Size* b) {
  if (const auto parts = similar_parts(context_.types, a, b)) {
    for (const auto& [x, y] : *parts) link_if_possible(normal(x), normal(y));
    return true;
  }
  const auto can_link = [&](BindingId name, int name_level, const Size* size) {
    bool ok = true;
    for_each_name(size, [&](BindingId n) {
      if (n == name || contains(bound_, n)) ok = false;
      const SizeConstraint* c = find(n);
      if (c == nullptr) return;
      if (c->level > name_level) ok = false;
      if (c->kind == SizeKind::parameter && c->level >= name_level) ok = false;
    });
    return ok;
  };
  int at_level = 0;
  // That the branches of a choice differ in a size does not narrow what a caller may pass for `[]`.
  const auto may_become = [&](const NamedSize* from) {
    return from != nullptr && is_flexible(from->name, at_level) &&
           !(find(from->name)->kind == SizeKind::free && find(from->name)->any_argument);
  };
  const auto* x = as<NamedSize>(a->node);
  if (may_become(x) && can_link(x->name, at_level, b)) {
    return link(x->name, at_level, b);
  }
  const auto* y = as<NamedSize>(b->node);
  if (may_become(y) && can_link(y->name, at_level, a)) {
    return link(y->name, at_level, a);
  }
  return true;
}

}  // namespace dagaz::check
