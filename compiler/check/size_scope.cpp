// Sizes whose names cannot be seen from outside become unknown sizes.  See sizes.h.
#include <algorithm>

#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

namespace {

/// Rebuilds a type with killed sizes replaced.  A size that contains another one is replaced in
/// terms of the other's replacement where that suffices: of `([n]t, [n+1]t)` without `n` stays
/// `([d]t, [d+1]t)`.
class Hider {
 public:
  using Names = std::vector<BindingId>;
  Hider(Context& context, const std::function<bool(const Size*)>& is_killed,
        const std::function<BindingId()>& fresh, Names& created)
      : context_(context), is_killed_(is_killed), fresh_(fresh), created_(created) {}

  const Type* top(const Type* type) {
    prepare(type);
    return rewrite(type);
  }

 private:
  struct Pair { const Size* from; const Size* to; };

  static std::size_t weight(const Size* size) {
    std::size_t result = 1;
    if (const auto* f = as<AppliedSize>(size->node)) {
      for (const Size* argument : f->arguments) result += weight(argument);
    } else if (as<ExpressionSize>(size->node)) {
      for_each_name(size, [&](BindingId) { ++result; });
    }
    return result;
  }

  /// Replaces whole dimensions first, smaller ones before larger ones.
  void prepare(const Type* type) {
    std::vector<const Size*> sizes;
    for_each_dimension(type, [&](const Size* s, SizePosition position, const Names&) {
      if (position == SizePosition::immediate) sizes.push_back(s);
    });
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const Size* a, const Size* b) { return weight(a) < weight(b); });
    for (const Size* s : sizes) {
      if (!known(s)) mapping_.push_back({s, replace(s)});
    }
  }

  const Size* known(const Size* size) {
    for (const Pair& pair : mapping_) {
      if (same_size(context_.types, pair.from, size)) return pair.to;
    }
    return nullptr;
  }

  const Size* by_parts(const Size* size) {
    if (const Size* done = known(size)) return done;
    const auto* f = as<AppliedSize>(size->node);
    if (f == nullptr) return size;
    std::vector<const Size*> arguments;
    bool changed = false;
    for (const Size* argument : f->arguments) {
      arguments.push_back(by_parts(argument));
      changed = changed || arguments.back() != argument;
    }
    return changed ? context_.types.applied(f->function, std::move(arguments)) : size;
  }

  const Size* replace(const Size* size) {
    const Size* result = by_parts(size);
    if (!is_killed_(result)) return result;
    const BindingId name = fresh_();
    created_.push_back(name);
    return context_.types.named_size(name);
  }

  const Type* rewrite(const Type* type) {
    return match(
        type->node, [&](const PrimitiveType&) { return type; },
        [&](const Array& a) {
          const Size* size = replace(a.size);
          const Type* element = rewrite(a.element);
          if (size == a.size && element == a.element) return type;
          return context_.types.array(size, element, a.unique);
        },
        [&](const Record& r) {
          Record copy = r;
          for (auto& f : copy.fields) f.second = rewrite(f.second);
          return copy.fields.empty() ? type : context_.types.arena().make(Type{std::move(copy)});
        },
        [&](const Sum& s) {
          Sum copy = s;
          for (auto& constructor : copy.constructors) {
            for (auto& payload : constructor.second) payload = rewrite(payload);
          }
          return context_.types.arena().make(Type{std::move(copy)});
        },
        [&](const Arrow& a) { return rewrite_arrow(a); },
        [&](const Named& n) {
          if (n.arguments.empty()) return type;
          Named copy = n;
          for (auto& argument : copy.arguments) {
            if (const Size* const* s = as<const Size*>(argument)) {
              argument = replace(*s);
            } else {
              argument = rewrite(std::get<const Type*>(argument));
            }
          }
          return context_.types.named(std::move(copy));
        },
        [&](const MetaType&) { return type; });
  }

  const Type* rewrite_arrow(const Arrow& a) {
    Arrow copy = a;
    copy.from = rewrite(a.from);
    const std::size_t outer = created_.size();
    const std::size_t outer_mapping = mapping_.size();
    prepare(a.to);
    copy.to = rewrite(a.to);
    // What only the result needs is decided anew by each call.
    copy.existentials.insert(copy.existentials.end(),
                             created_.begin() + static_cast<std::ptrdiff_t>(outer),
                             created_.end());
    created_.resize(outer);
    mapping_.resize(outer_mapping);
    return context_.types.arrow(std::move(copy));
  }

  Context& context_;
  const std::function<bool(const Size*)>& is_killed_;
  const std::function<BindingId()>& fresh_;
  Names& created_;
  std::vector<Pair> mapping_;
};

}  // namespace

const Type* Sizes::hide_sizes(const Type* type, const std::function<bool(const Size*)>& is_killed,
                              const Range& range, const char* why, Names& created) {
  const std::function<BindingId()> fresh = [&] { return solver_.unknown(range, why); };
  return Hider(context_, is_killed, fresh, created).top(type);
}

const Type* Sizes::leave_scope(const Type* type, const Names& names, const Range& range,
                               Names& created) {
  if (names.empty()) return type;
  bool found = false;
  for_each_free_size(type, [&](BindingId name) { found = found || contains(names, name); });
  if (!found) return type;
  const auto killed = [&](const Size* size) {
    bool mentioned = false;
    for_each_name(size, [&](BindingId name) { mentioned = mentioned || contains(names, name); });
    return mentioned;
  };
  return hide_sizes(type, killed, range, "a name in this size goes out of scope here", created);
}

/// Result types must not compute with unknown sizes: `[x+y]` with unknown `x` is `[z]`.
const Type* Sizes::hide_unknown(const Type* type) {
  bool found = false;
  for_each_free_size(type, [&](BindingId name) {
    found = found || solver_.kind(name) == SizeKind::unknown;
  });
  if (!found) return type;
  const Names witnesses = size_witnesses(type).constructive;
  const auto killed = [&](const Size* size) {
    if (as<NamedSize>(size->node)) return false;
    bool mentioned = false;
    for_each_name(size, [&](BindingId name) {
      mentioned = mentioned ||
                  (solver_.kind(name) == SizeKind::unknown && !contains(witnesses, name));
    });
    return mentioned;
  };
  Names created;
  return hide_sizes(type, killed, {}, "", created);
}

/// Binds instantiated sizes that were found existential where they stand.
const Type* Sizes::hide_pending(const Type* type, const Range& range, Names& created) {
  if (!solver_.has_existentials()) return type;
  Substitution representatives(context_);
  bool found = false;
  for_each_free_size(type, [&](BindingId name) {
    if (!solver_.is_pending(name)) return;
    found = true;
    const BindingId representative = solver_.representative(name);
    if (representative != name) representatives.add(name, representative);
  });
  if (!found) return type;
  if (!representatives.empty()) type = representatives.type(type);
  const auto killed = [&](const Size* size) {
    bool mentioned = false;
    for_each_name(size, [&](BindingId name) { mentioned = mentioned || solver_.is_pending(name); });
    return mentioned;
  };
  return hide_sizes(type, killed, range, "this size is decided by a function", created);
}

}  // namespace dagaz::check
