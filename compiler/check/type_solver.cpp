// See type_solver.h.
#include "check/type_solver.h"

#include <algorithm>

#include "check/print_type.h"
#include "check/type_size.h"
#include "support/match.h"

namespace dagaz::check {

/// The field or constructor `name` in `members`, or the end.
template <typename Members>
static auto find_named(Members& members, Symbol name) {
  return std::find_if(members.begin(), members.end(),
                      [&](const auto& member) { return member.first == name; });
}

const Type* TypeSolver::add(Meta meta) {
  meta.level = level;
  metas_.push_back(std::move(meta));
  return context_.types.meta(static_cast<std::uint32_t>(metas_.size() - 1));
}

const Type* TypeSolver::fresh(const Range& range, ast::Liftedness liftedness) {
  Meta meta;
  meta.liftedness = liftedness;
  meta.range = range;
  return add(std::move(meta));
}

const Type* TypeSolver::fresh_primitive(const Range& range, PrimitiveSet allowed) {
  Meta meta;
  meta.kind = Kind::primitive;
  meta.allowed = allowed;
  meta.range = range;
  return add(std::move(meta));
}

const Type* TypeSolver::fresh_record(const Range& range, Symbol field, const Type* type) {
  Meta meta;
  meta.kind = Kind::record;
  meta.fields = {{field, type}};
  meta.range = range;
  return add(std::move(meta));
}

const Type* TypeSolver::fresh_sum(const Range& range, Symbol constructor,
                                  std::vector<const Type*> payload) {
  Meta meta;
  meta.kind = Kind::sum;
  meta.constructors = {{constructor, std::move(payload)}};
  meta.range = range;
  return add(std::move(meta));
}

const Type* TypeSolver::head(const Type* type) const {
  const auto next_of = [this](const Type* one) -> const Type* {
    const auto* meta = as<MetaType>(one->node);
    const bool solved = meta != nullptr && metas_[meta->index].kind == Kind::solved;
    return solved ? metas_[meta->index].solution : nullptr;
  };
  const Type* end = type;
  while (const Type* next = next_of(end)) end = next;
  // The way is short the next time.  What a trial found may be undone, so it is left as it is.
  while (depth_ == 0 && type != end) {
    const Type* next = next_of(type);
    metas_[std::get<MetaType>(type->node).index].solution = end;
    type = next;
  }
  return end;
}

const Type* TypeSolver::resolve(const Type* original) const {
  const Type* type = head(original);
  return match(
      type->node, [&](const PrimitiveType&) { return type; },
      [&](const Array& a) {
        const Type* element = resolve(a.element);
        return element == a.element ? type : context_.types.array(a.size, element);
      },
      [&](const Record& r) {
        Record copy = r;
        bool changed = false;
        for (auto& field : copy.fields) {
          const Type* resolved = resolve(field.second);
          changed = changed || resolved != field.second;
          field.second = resolved;
        }
        return changed ? context_.types.arena().make(Type{std::move(copy)}) : type;
      },
      [&](const Sum& s) {
        Sum copy = s;
        bool changed = false;
        for (auto& constructor : copy.constructors) {
          for (auto& payload : constructor.second) {
            const Type* resolved = resolve(payload);
            changed = changed || resolved != payload;
            payload = resolved;
          }
        }
        return changed ? context_.types.arena().make(Type{std::move(copy)}) : type;
      },
      [&](const Arrow& a) {
        const Type* from = resolve(a.from);
        const Type* to = resolve(a.to);
        if (from == a.from && to == a.to) return type;
        return context_.types.arrow({a.parameter, from, false, {}, to});
      },
      [&](const Named& n) {
        if (n.arguments.empty()) return type;
        Named copy = n;
        for (auto& argument : copy.arguments) {
          if (const Type* const* t = as<const Type*>(argument)) argument = resolve(*t);
        }
        return context_.types.named(std::move(copy));
      },
      [&](const MetaType&) { return type; });
}

std::string TypeSolver::print(const Type* type) const {
  return print_open_type(
      context_, type, [&](const Type* t) { return head(t); },
      [&](std::uint32_t index) { return describe(index); });
}

bool TypeSolver::fail(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
  return false;
}

std::optional<ast::Name> TypeSolver::only_constructor(const Type* type) const {
  const auto* meta = as<MetaType>(head(type)->node);
  if (meta == nullptr || metas_[meta->index].kind != Kind::sum) return std::nullopt;
  const Meta& sum = metas_[meta->index];
  if (sum.constructors.size() != 1 || !sum.range.valid()) return std::nullopt;
  const Symbol name = sum.constructors.front().first;
  // The range is that of the expression or pattern, which begins with `#name`.
  const std::uint32_t begin = sum.range.begin + 1;
  const auto length = static_cast<std::uint32_t>(context_.text(name).size());
  return ast::Name{name, Range{sum.range.file, begin, begin + length}};
}

bool TypeSolver::is_unknown(const Type* type) const {
  const auto* meta = as<MetaType>(head(type)->node);
  return meta != nullptr && metas_[meta->index].kind == Kind::free;
}

void TypeSolver::save(std::uint32_t index) {
  if (depth_ > 0) trail_.emplace_back(index, metas_[index]);
}

void TypeSolver::solve(std::uint32_t index, const Type* type) {
  save(index);
  metas_[index].kind = Kind::solved;
  metas_[index].solution = type;
}

/// The primitives in `allowed`, in words.
static std::string describe_primitives(PrimitiveSet allowed) {
  bool has_integers = false;
  bool has_floats = false;
  bool has_booleans = false;
  for (int i = 0; i < 12; ++i) {
    const auto p = static_cast<Primitive>(i);
    if ((allowed & primitive_bit(p)) == 0) continue;
    has_integers = has_integers || is_integer(p);
    has_floats = has_floats || is_float(p);
    has_booleans = has_booleans || p == Primitive::boolean;
  }
  if (has_integers && has_floats) return has_booleans ? "primitive" : "number";
  if (has_floats) return "float";
  return has_booleans ? "integer or bool" : "integer";
}

/// Variables are numbered in the order in which messages mention them.
std::string TypeSolver::variable_name(std::uint32_t index) const {
  auto found = std::find(mentioned_.begin(), mentioned_.end(), index);
  if (found == mentioned_.end()) found = mentioned_.insert(found, index);
  return "t" + std::to_string(found - mentioned_.begin());
}

std::string TypeSolver::describe(std::uint32_t index) const {
  const Meta& meta = metas_[index];
  std::string text;
  // A wrong program may have a record within itself.
  if (std::find(describing_.begin(), describing_.end(), index) != describing_.end()) {
    return variable_name(index);
  }
  describing_.push_back(index);
  const auto done = [&](std::string result) {
    describing_.pop_back();
    return result;
  };
  switch (meta.kind) {
    case Kind::free: return done("_");
    case Kind::solved: return done(variable_name(index));
    case Kind::primitive: return done(describe_primitives(meta.allowed));
    case Kind::record:
      for (const auto& [name, type] : meta.fields) {
        text += text.empty() ? "{" : ", ";
        text += std::string(context_.text(name)) + ": " + print(type);
      }
      return done(text + ", …}");
    case Kind::sum:
      for (const auto& [name, payload] : meta.constructors) {
        if (!text.empty()) text += " | ";
        text += "#" + std::string(context_.text(name));
        for (const Type* type : payload) text += " " + print(type);
      }
      return done(text + " | …");
  }
  return done(text);
}

// ---------------------------------------------------------------- unification

bool TypeSolver::equate(const Type* a, const Type* b) {
  if (depth_++ == 0) failure_.clear();
  const bool ok = equate_parts(a, b);
  if (--depth_ > 0) return ok;
  if (!ok) {
    // Messages show the types as they were.
    while (!trail_.empty()) {
      metas_[trail_.back().first] = std::move(trail_.back().second);
      trail_.pop_back();
    }
  }
  trail_.clear();
  return ok;
}

bool TypeSolver::equate_parts(const Type* a, const Type* b) {
  struct Pair { const Type* a; const Type* b; };
  std::vector<Pair> work{{a, b}};
  bool ok = true;
  while (!work.empty()) {
    const Type* x = head(work.back().a);
    const Type* y = head(work.back().b);
    work.pop_back();
    if (x == y) continue;
    const auto* m = as<MetaType>(x->node);
    const auto* n = as<MetaType>(y->node);
    if (m != nullptr && n != nullptr) {
      // The older variable stays: those of a long list's elements do not form a chain.
      const auto [older, newer] = std::minmax(m->index, n->index);
      if (older != newer) ok = equate_variables(older, newer) && ok;
    } else if (m != nullptr) {
      ok = bind(m->index, y) && ok;
    } else if (n != nullptr) {
      ok = bind(n->index, x) && ok;
    } else if (x->node.index() != y->node.index()) {
      ok = fail("");
    } else if (const auto* p = as<PrimitiveType>(x->node)) {
      ok = p->primitive == std::get<PrimitiveType>(y->node).primitive && ok;
    } else if (const auto* array = as<Array>(x->node)) {
      work.push_back({array->element, std::get<Array>(y->node).element});
    } else if (const auto* arrow = as<Arrow>(x->node)) {
      work.push_back({arrow->to, std::get<Arrow>(y->node).to});
      work.push_back({arrow->from, std::get<Arrow>(y->node).from});
    } else if (const auto* record = as<Record>(x->node)) {
      ok = equate_records(*record, std::get<Record>(y->node)) && ok;
    } else if (const auto* sum = as<Sum>(x->node)) {
      ok = equate_sums(*sum, std::get<Sum>(y->node)) && ok;
    } else if (const auto* named = as<Named>(x->node)) {
      const auto& other = std::get<Named>(y->node);
      if (named->name != other.name || named->arguments.size() != other.arguments.size()) {
        ok = false;
      } else {
        for (std::size_t i = 0; i < named->arguments.size(); ++i) {
          const Type* const* s = as<const Type*>(named->arguments[i]);
          const Type* const* t = as<const Type*>(other.arguments[i]);
          if (s != nullptr && t != nullptr) work.push_back({*s, *t});
        }
      }
    }
    if (!ok) return false;
  }
  return ok;
}

bool TypeSolver::equate_records(const Record& a, const Record& b) {
  const int m = context_.types.tuple_length(a);
  const int n = context_.types.tuple_length(b);
  if (m >= 0 && n >= 0 && m != n) {
    return fail("tuples have " + std::to_string(m) + " and " + std::to_string(n) +
                " elements respectively");
  }
  std::string unshared;
  const auto note = [&](const Record& from, const Record& in) {
    for (const auto& [name, type] : from.fields) {
      const bool shared = find_named(in.fields, name) != in.fields.end();
      if (!shared) unshared += " `" + std::string(context_.text(name)) + "`";
    }
  };
  note(a, b);
  note(b, a);
  if (!unshared.empty()) return fail("unshared fields:" + unshared);
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (!equate(a.fields[i].second, b.fields[i].second)) return false;
  }
  return true;
}

bool TypeSolver::equate_sums(const Sum& a, const Sum& b) {
  std::string unshared;
  const auto note = [&](const Sum& from, const Sum& in) {
    for (const auto& [name, payload] : from.constructors) {
      const bool shared =
          find_named(in.constructors, name) != in.constructors.end();
      if (!shared) unshared += " `#" + std::string(context_.text(name)) + "`";
    }
  };
  note(a, b);
  note(b, a);
  if (!unshared.empty()) return fail("unshared constructors:" + unshared);
  for (std::size_t i = 0; i < a.constructors.size(); ++i) {
    const auto& s = a.constructors[i].second;
    const auto& t = b.constructors[i].second;
    if (s.size() != t.size()) {
      return fail("constructor `#" + std::string(context_.text(a.constructors[i].first)) +
                  "` has " + std::to_string(s.size()) + " arguments in one and " +
                  std::to_string(t.size()) + " in the other");
    }
    for (std::size_t j = 0; j < s.size(); ++j) {
      if (!equate(s[j], t[j])) return false;
    }
  }
  return true;
}

bool TypeSolver::merge_fields(Fields& into, const Fields& from) {
  for (const auto& [name, type] : from) {
    const auto found = find_named(into, name);
    if (found == into.end()) {
      into.emplace_back(name, type);
    } else if (!equate(found->second, type)) {
      return false;
    }
  }
  return true;
}

bool TypeSolver::merge_constructors(Constructors& into, const Constructors& from) {
  for (const auto& [name, payload] : from) {
    const auto found = find_named(into, name);
    if (found == into.end()) {
      into.emplace_back(name, payload);
      continue;
    }
    if (found->second.size() != payload.size()) {
      return fail("constructor `#" + std::string(context_.text(name)) +
                  "` is used with different numbers of arguments");
    }
    for (std::size_t i = 0; i < payload.size(); ++i) {
      if (!equate(found->second[i], payload[i])) return false;
    }
  }
  return true;
}

bool TypeSolver::equate_variables(std::uint32_t a, std::uint32_t b) {
  // `b` becomes `a`; copies, because merging may add variables and move the table.
  Meta x = metas_[a];
  const Meta y = metas_[b];
  if (x.kind != Kind::free && y.kind != Kind::free && x.kind != y.kind) {
    return fail("the type would have to be of two kinds at once (" + describe(a) + " and " +
                describe(b) + ")");
  }
  const Type* self = context_.types.meta(a);
  solve(b, self);
  if (x.kind == Kind::free) {
    x.kind = y.kind;
    x.allowed = y.allowed;
    x.fields = y.fields;
    x.constructors = y.constructors;
    x.range = y.kind == Kind::free ? x.range : y.range;
  } else if (x.kind == Kind::primitive && y.kind == Kind::primitive) {
    x.allowed &= y.allowed;
    if (x.allowed == 0) return fail("no primitive type allows both uses");
  } else if (x.kind == Kind::record && y.kind == Kind::record) {
    if (!merge_fields(x.fields, y.fields)) return false;
  } else if (x.kind == Kind::sum && y.kind == Kind::sum) {
    if (!merge_constructors(x.constructors, y.constructors)) return false;
  }
  x.level = std::min(x.level, y.level);
  x.liftedness = std::min(x.liftedness, y.liftedness);
  if (metas_[a].kind == Kind::solved) return equate(self, context_.types.meta(b));
  save(a);
  metas_[a] = std::move(x);
  return true;
}

bool TypeSolver::admit(std::uint32_t index, const Type* original) {
  if (++admitted_ > most_type_parts) return true;
  const Type* type = head(original);
  return match(
      type->node, [](const PrimitiveType&) { return true; },
      [&](const Array& a) {
        return admit(index, a.element);
      },
      [&](const Record& r) {
        return std::all_of(r.fields.begin(), r.fields.end(),
                           [&](const auto& f) { return admit(index, f.second); });
      },
      [&](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) {
            if (!admit(index, payload)) return false;
          }
        }
        return true;
      },
      [&](const Arrow& a) { return admit(index, a.from) && admit(index, a.to); },
      [&](const Named& n) {
        const TypeNameInfo& info = context_.type_names[n.name];
        if (info.is_parameter && info.level > metas_[index].level) {
          return fail("type parameter `" + std::string(context_.text(info.name)) +
                      "` is not in scope there (scope violation)");
        }
        for (const auto& argument : n.arguments) {
          const Type* const* t = as<const Type*>(argument);
          if (t != nullptr && !admit(index, *t)) return false;
        }
        return true;
      },
      [&](const MetaType& m) {
        if (m.index == index) {
          return fail("occurs check: the type would have to contain itself");
        }
        Meta& inner = metas_[m.index];
        inner.level = std::min(inner.level, metas_[index].level);
        return true;
      });
}

bool TypeSolver::bind_record(std::uint32_t index, const Meta& meta, const Type* type) {
  const auto* r = as<Record>(type->node);
  if (r == nullptr) return fail("a record with fields `" + describe(index) + "` is expected");
  solve(index, type);
  for (const auto& [name, field] : meta.fields) {
    const auto found = find_named(r->fields, name);
    if (found == r->fields.end()) {
      return fail("the record has no field `" + std::string(context_.text(name)) + "`");
    }
    if (!equate(found->second, field)) return false;
  }
  return true;
}

bool TypeSolver::bind_sum(std::uint32_t index, const Meta& meta, const Type* type) {
  const auto* s = as<Sum>(type->node);
  if (s == nullptr) return fail("a sum type with `" + describe(index) + "` is expected");
  solve(index, type);
  for (const auto& [name, payload] : meta.constructors) {
    const auto found = find_named(s->constructors, name);
    if (found == s->constructors.end()) {
      return fail("unshared constructors: `#" + std::string(context_.text(name)) + "`");
    }
    if (found->second.size() != payload.size()) {
      return fail("constructor `#" + std::string(context_.text(name)) + "` takes " +
                  std::to_string(found->second.size()) + " arguments");
    }
    for (std::size_t i = 0; i < payload.size(); ++i) {
      if (!equate(found->second[i], payload[i])) return false;
    }
  }
  return true;
}

bool TypeSolver::bind(std::uint32_t index, const Type* type) {
  admitted_ = 0;
  if (!admit(index, type)) return false;
  if (admitted_ > most_type_parts) {
    // The variable stays open, so that nothing grows from here on.
    if (!gave_up_) report_too_large(context_, metas_[index].range);
    gave_up_ = true;
    return true;
  }
  const Meta meta = metas_[index];
  switch (meta.kind) {
    case Kind::free: {
      // Components must be as unlifted as the whole; arrays and functions speak for themselves.
      if (const auto* r = as<Record>(type->node)) {
        for (const auto& field : r->fields) {
          if (const auto* m = as<MetaType>(head(field.second)->node)) {
            Meta& inner = metas_[m->index];
            inner.liftedness = std::min(inner.liftedness, meta.liftedness);
          }
        }
      }
      solve(index, type);
      return true;
    }
    case Kind::primitive: {
      const auto* p = as<PrimitiveType>(type->node);
      if (p == nullptr || (meta.allowed & primitive_bit(p->primitive)) == 0) {
        return fail("");
      }
      solve(index, type);
      return true;
    }
    case Kind::record: return bind_record(index, meta, type);
    case Kind::sum: return bind_sum(index, meta, type);
    case Kind::solved: break;
  }
  return equate(metas_[index].solution, type);
}

}  // namespace dagaz::check
