// Loops with sizes.  A loop is like a function that is called again and again with its own result.
// Every dimension of the loop parameter starts as a fresh size.  What the body makes of it tells
// whether it stays: then it is the initial size; if not, it is a size parameter of the loop.
// See sizes.h.
#include <algorithm>
#include <unordered_map>

#include "check/expression_walk.h"
#include "check/print_type.h"
#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

namespace {

using Names = std::vector<BindingId>;

/// One dimension of the loop parameter: its size in the body, and what it starts as.
struct Dimension {
  BindingId fresh;
  const Size* initial = nullptr;
  int level = 0;
};

/// How the body produces a size.
struct Change {
  BindingId name;
  enum class Kind { reproduces, reproduces_if, varies } kind;
  BindingId source;  // reproduces_if: the size whose current value it gets
};

/// Pairs up the dimensions of two types that differ in sizes only.
void pair_dimensions(const Type* a, const Type* b,
                     std::vector<std::pair<const Size*, const Size*>>& pairs) {
  std::vector<const Size*> left;
  std::vector<const Size*> right;
  for_each_dimension(a, [&](const Size* s, SizePosition, const Names&) { left.push_back(s); });
  for_each_dimension(b, [&](const Size* s, SizePosition, const Names&) { right.push_back(s); });
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    pairs.emplace_back(left[i], right[i]);
  }
}

/// Replaces the given names, or names equal to them, by new ones.
class Renew : public Rewriter {
 public:
  Renew(Context& context, SizeSolver& solver, const Names& old, SizeKind kind, const Usage& usage,
        bool distinct)
      : Rewriter(context),
        solver_(solver),
        old_(old),
        kind_(kind),
        usage_(usage),
        distinct_(distinct) {}

  Names created;

 protected:
  const Size* replace_size(BindingId name) override {
    const auto same = [&](BindingId other) { return solver_.same_variable(name, other); };
    if (std::none_of(old_.begin(), old_.end(), same)) return nullptr;
    if (!distinct_) {
      for (const auto& [from, to] : done_) {
        if (same(from)) return context_.types.named_size(to);
      }
    }
    const BindingId fresh = solver_.fresh(kind_, usage_, "loop");
    created.push_back(fresh);
    done_.emplace_back(name, fresh);
    return context_.types.named_size(fresh);
  }

 private:
  SizeSolver& solver_;
  const Names& old_;
  SizeKind kind_;
  Usage usage_;
  bool distinct_;
  std::vector<std::pair<BindingId, BindingId>> done_;
};

}  // namespace

class Sizes::LoopSizes {
 public:
  LoopSizes(Sizes& sizes, ast::Loop& loop) : sizes_(sizes), solver_(sizes.solver_), loop_(loop) {}

  /// The type of the loop parameter on entry to the body.
  const Type* start(const Type* initial) {
    known_before_ = static_cast<std::uint32_t>(sizes_.context_.values.size());
    Names created;
    type_ = solver_.with_fresh_sizes(sizes_.context_.types.erase(initial), SizeKind::free,
                                     {loop_.pattern->range, "loop parameter type inference"},
                                     Liftedness::unlifted, &created);
    std::vector<std::pair<const Size*, const Size*>> pairs;
    pair_dimensions(type_, initial, pairs);
    for (const auto& [fresh, size] : pairs) {
      const auto* named = as<NamedSize>(fresh->node);
      if (named == nullptr || !contains(created, named->name)) continue;
      dimensions_.push_back({named->name, size, solver_.level});
    }
    return type_;
  }

  /// Decides which sizes vary, given the body's type.
  void finish_body() {
    SizeSolver& solver = solver_;
    const Type* body = sizes_.normal(loop_.body->type);
    const Type* pattern = sizes_.normal(loop_.pattern->type);
    check_for_inner_sizes(pattern);
    Names fresh;
    for (const Dimension& d : dimensions_) fresh.push_back(d.fresh);
    const Type* loose = Renew(sizes_.context_, solver, fresh, SizeKind::free,
                              {loop_.body->range, "matching loop body to loop pattern"}, true)
                            .type(pattern);
    if (!sizes_.unify(loose, body, result_expression(*loop_.body).range, Site::loop_body)) return;
    classify(sizes_.normal(type_), sizes_.normal(body));
    Names varying;
    for (const Change& c : changes_) {
      if (c.kind == Change::Kind::varies) varying.push_back(c.name);
    }
    for (const Dimension& d : dimensions_) {
      const SizeConstraint* c = solver.find(d.fresh);
      if (!contains(varying, d.fresh) || c == nullptr || c->level >= d.level) continue;
      sizes_.error(DiagnosticKind::existential_size, loop_.body->range,
                   "a size that changes from iteration to iteration has escaped into a type that "
                   "occurs outside of the loop");
      return;
    }
    for (const Change& change : changes_) {
      if (change.kind == Change::Kind::varies) continue;
      const Size* initial = solver.normal(dimension_of(change.name)->initial);
      SizeConstraint* c = solver.find(change.name);
      if (c == nullptr || mentions(initial, change.name)) continue;
      c->kind = SizeKind::solved;
      c->solution = initial;
    }
    normalise_pattern(*loop_.pattern);
    for (const BindingId name : varying) solver.remove(name);
    loop_.size_ids = varying;
    check_argument(*loop_.body, Site::loop_body);
  }

  void check_argument(const ast::Exp& exp, Site site) {
    const Type* expected = Renew(sizes_.context_, solver_, loop_.size_ids, SizeKind::free,
                                 {exp.range, "matching loop values to pattern"}, false)
                               .type(sizes_.context_.types.not_unique(loop_.pattern->type));
    sizes_.unify(expected, sizes_.normal(exp.type), exp.range, site);
  }

  const Type* result(const Range& range, Names& created) {
    Renew renew(sizes_.context_, solver_, loop_.size_ids, SizeKind::unknown,
                {range, "it changes from iteration to iteration"}, false);
    const Type* type = renew.type(sizes_.context_.types.not_unique(loop_.pattern->type));
    created = renew.created;
    return type;
  }

 private:
  void normalise_pattern(ast::Pattern& pattern) {
    pattern.type = sizes_.normal(pattern.type);
    match(
        pattern.node, [](ast::NamePattern&) {}, [](ast::WildcardPattern&) {},
        [&](ast::TuplePattern& p) {
          for (ast::Pattern* element : p.elements) normalise_pattern(*element);
        },
        [&](ast::RecordPattern& p) {
          for (auto& f : p.fields) normalise_pattern(*f.second);
        },
        [&](ast::ConstructorPattern& p) {
          for (ast::Pattern* argument : p.arguments) normalise_pattern(*argument);
        },
        [](ast::LiteralPattern&) {},
        [&](ast::AscribedPattern& p) { normalise_pattern(*p.pattern); },
        [&](ast::AttributePattern& p) { normalise_pattern(*p.pattern); });
  }

  void check_for_inner_sizes(const Type* pattern) {
    BindingId culprit;
    for_each_free_size(pattern, [&](BindingId name) {
      const SizeConstraint* c = solver_.find(name);
      if (name.index >= known_before_ && c != nullptr && c->kind == SizeKind::unknown) {
        culprit = name;
      }
    });
    if (!culprit.valid()) return;
    Diagnostic& d = sizes_.error(
        DiagnosticKind::existential_size, loop_.pattern->range,
        "inferred type for loop parameter is `" + print_type(sizes_.context_, pattern) + "` but `" +
            std::string(sizes_.context_.text(culprit)) +
            "` is an existential size created inside the loop body");
    sizes_.explain_size(d, sizes_.context_.types.named_size(culprit));
  }

  const Dimension* dimension_of(BindingId name) {
    for (const Dimension& d : dimensions_) {
      if (solver_.same_variable(d.fresh, name)) return &d;
    }
    return nullptr;
  }

  void classify(const Type* parameter, const Type* body) {
    std::vector<std::pair<const Size*, const Size*>> pairs;
    pair_dimensions(parameter, body, pairs);
    TypeBuilder& types = sizes_.context_.types;
    for (const auto& [before, after] : pairs) {
      if (same_size(types, before, after)) continue;
      for_each_name(before, [&, produced = after](BindingId name) {
        const Dimension* d = dimension_of(name);
        if (d == nullptr) return;
        const Size* initial = solver_.normal(d->initial);
        if (same_size(types, initial, produced)) {
          set(name, Change::Kind::reproduces, {});
          return;
        }
        const auto* named = as<NamedSize>(produced->node);
        const Dimension* source = named == nullptr ? nullptr : dimension_of(named->name);
        const bool is_own = std::any_of(dimensions_.begin(), dimensions_.end(),
                                        [&](const Dimension& x) { return x.fresh == name; });
        if (is_own && source != nullptr &&
            same_size(types, solver_.normal(source->initial), initial)) {
          set(name, Change::Kind::reproduces_if, named->name);
        } else if (name.index >= known_before_) {
          set(name, Change::Kind::varies, {});
        }
      });
    }
    spread();
  }

  void set(BindingId name, Change::Kind kind, BindingId source) {
    for (Change& c : changes_) {
      if (c.name != name) continue;
      c.kind = kind;
      c.source = source;
      return;
    }
    changes_.push_back({name, kind, source});
  }

  /// A size that copies one that varies, varies.
  void spread() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (Change& c : changes_) {
        if (c.kind != Change::Kind::reproduces_if) continue;
        for (const Change& source : changes_) {
          if (source.name == c.source && source.kind == Change::Kind::varies) {
            c.kind = Change::Kind::varies;
            changed = true;
          }
        }
      }
    }
  }

  Sizes& sizes_;
  SizeSolver& solver_;
  ast::Loop& loop_;
  const Type* type_ = nullptr;
  std::vector<Dimension> dimensions_;
  std::vector<Change> changes_;
  std::uint32_t known_before_ = 0;
};

const Type* Sizes::check_loop(ast::Loop& loop, ast::Exp& exp) {
  const Type* initial = normal(check(*loop.initial));
  LoopSizes sizes(*this, loop);
  const Type* parameter = sizes.start(initial);
  if (auto* f = as<ast::ForLoop>(loop.form)) {
    check_pattern(*f->index, check(*f->bound));
    bind_pattern(*f->index);
  } else if (auto* in = as<ast::ForInLoop>(loop.form)) {
    const Type* array = normal(check(*in->array));
    const auto* a = as<Array>(array->node);
    check_pattern(*in->element, a == nullptr ? array : a->element);
    bind_pattern(*in->element);
  }
  for (const ast::TypeParameter& p : loop.sizes) {
    if (p.size_id.valid()) solver_.add_parameter(p.size_id);
  }
  check_sized_pattern(loop.sizes, *loop.pattern, parameter);
  bind_pattern(*loop.pattern);
  ++solver_.level;
  if (auto* w = as<ast::WhileLoop>(loop.form)) check(*w->condition);
  check(*loop.body);
  if (has_broken_part(*loop.body)) {
    --solver_.level;
    exp.existentials.clear();
    return fresh_sizes(exp.type, exp.range, Liftedness::lifted);
  }
  sizes.finish_body();
  --solver_.level;
  sizes.check_argument(*loop.initial, Site::loop_initial);
  return sizes.result(exp.range, exp.existentials);
}

}  // namespace dagaz::check
