// Additions of a nest whose places do not depend on all of its levels: sums are added.
//
//   map (\i -> map (\j -> a[j] += v i j))  =  map (\j -> a[j] += Σ v i j over i)
//
// The left side reads and writes an element for each term, in turn; the right side is a sum like
// others, or a product, and adds once.  Reverse mode makes the left side of reading w[j] at each
// point i, where w is part of an array from further out than the map around, and its adjoint takes
// what other points of that add as well.
#include "passes/scatter_to_gather/sums_first.h"

#include "ir/classify.h"
#include "ir/fields.h"
#include "passes/scatter_to_gather/additions.h"
#include "passes/scatter_to_gather/tabulate.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes::gathering {

namespace {

/// All additions of one map, to all accumulators that it is handed.
class SumsFirst {
 public:
  /// Nothing where some place depends on all levels, or where it does not pay; `sums`: the
  /// accumulators that numbers are added to.
  static std::optional<SumsFirst> of(const Statement& map, const NameSet& sums, const Names& names,
                                     const Outside& outside, const Tunables& tunables);

  /// The nests that add sums instead of the map.
  void add(const Statement& map, Builder& out) const;

 private:
  /// An addition, by the levels that its place depends on and the others.
  struct Sum {
    Addition addition;
    std::vector<int> kept;
    std::vector<int> summed;
  };
  struct Accumulator {
    NameId enters;
    std::size_t exit;
    NestValues values;
    std::vector<Sum> sums;
    std::vector<NameId> tokens;
  };

  static std::optional<Accumulator> found(const Body& nest, NameId enters, std::size_t exit,
                                          const Names& names, const Outside& outside,
                                          const Tunables& tunables);
  static std::optional<Sum> sum_of(const Addition& addition, const NestValues& values,
                                   const Tunables& tunables, std::vector<NameId>& tokens);
  static NameId add_level(const Accumulator& to, const Sum& sum, std::size_t level, Point& point,
                          NameId accumulator, Builder& out);

  Body nest_;  // the map, of which values are known
  std::vector<Accumulator> accumulators_;
};

std::optional<SumsFirst> SumsFirst::of(const Statement& statement, const NameSet& sums,
                                       const Names& names, const Outside& outside,
                                       const Tunables& tunables) {
  const auto* map = as<MapScanReduce>(statement.operation);
  if (map == nullptr || !map->reductions.empty()) return std::nullopt;
  SumsFirst all;
  all.nest_.statements = {statement};
  for (const NameId array : map->arrays) {
    if (names.type(array).kind != TypeKind::accumulator) continue;
    const auto exit = exit_of(statement, array, names);
    if (!exit || !sums.contains(array)) return std::nullopt;
    auto one = found(all.nest_, array, *exit, names, outside, tunables);
    if (!one) return std::nullopt;
    all.accumulators_.push_back(std::move(*one));
  }
  const bool gives_only_these = all.accumulators_.size() == statement.results.size();
  return all.accumulators_.empty() || !gives_only_these ? std::nullopt
                                                        : std::optional(std::move(all));
}

std::optional<SumsFirst::Accumulator> SumsFirst::found(const Body& nest, NameId enters,
                                                       std::size_t exit, const Names& names,
                                                       const Outside& outside,
                                                       const Tunables& tunables) {
  Accumulator one{enters, exit, NestValues(names, outside), {}, {}};
  Additions additions(names, one.values);
  const Operand leaves = nest.statements[0].results[exit].name;
  if (!additions.find(nest, enters, leaves) || additions.all().empty()) {
    return std::nullopt;
  }
  one.tokens = additions.tokens();
  for (const Addition& addition : additions.all()) {
    auto sum = sum_of(addition, one.values, tunables, one.tokens);
    if (!sum) return std::nullopt;
    one.sums.push_back(std::move(*sum));
  }
  return one;
}

std::optional<SumsFirst::Sum> SumsFirst::sum_of(const Addition& addition, const NestValues& values,
                                                const Tunables& tunables,
                                                std::vector<NameId>& tokens) {
  const auto needs_of = [&](const Operand& operand) {
    auto needs = values.needs_of(operand);
    if (needs) add_tokens(tokens, needs->tokens);
    return needs;
  };
  std::set<int> of_place;
  for (const Operand& index : addition.indices) {
    const auto needs = needs_of(index);
    if (!needs) return std::nullopt;
    of_place.insert(needs->levels.begin(), needs->levels.end());
  }
  for (const Addition::Condition& condition : addition.conditions) {
    if (!needs_of(condition.holds)) return std::nullopt;
  }
  if (!needs_of(addition.value)) return std::nullopt;
  Sum sum{addition, {}, {}};
  for (const int level : addition.levels) {
    (of_place.contains(level) ? sum.kept : sum.summed).push_back(level);
  }
  const std::vector<Operand> terms = terms_of(addition.value, addition.conditions);
  if (!values.are_many(sum.summed) ||
      !values.are_light(terms, addition.levels, sum.summed, tunables)) {
    return std::nullopt;
  }
  return sum;
}

NameId SumsFirst::add_level(const Accumulator& to, const Sum& sum, std::size_t level, Point& point,
                            NameId accumulator, Builder& out) {
  const Type type = out.names().type(accumulator);
  if (level < sum.kept.size()) {
    MapScanReduce map;
    map.width = to.values.width(sum.kept[level]);
    const NameId indices =
        out.add(Iota{ScalarType::i64, map.width, i64_operand(0), i64_operand(1)}, "indices");
    map.arrays = {indices, accumulator};
    map.map =
        out.lambda({scalar_of(ScalarType::i64), type}, {"k", "sums"},
                   [&](Builder& in, const std::vector<NameId>& own) {
                     Point inside{point.at};
                     inside.at[sum.kept[level]] = own[0];
                     return std::vector<Operand>{add_level(to, sum, level + 1, inside, own[1], in)};
                   });
    map.map.result_types = {type};
    return out.add(std::move(map), "sums");
  }
  std::vector<Operand> shape;
  for (const int one : sum.summed) shape.push_back(to.values.width(one));
  const auto term = [&](Builder& in, const std::vector<Operand>& at) {
    Point each{point.at};
    for (std::size_t k = 0; k < at.size(); ++k) each.at[sum.summed[k]] = at[k];
    const auto value = [&](Builder& side) {
      Point same = each;
      return std::vector<Operand>{to.values.value(sum.addition.value, same, side)};
    };
    if (sum.addition.conditions.empty()) return value(in)[0];
    const auto zero = [&](Builder&) { return std::vector<Operand>{zero_of(type.element)}; };
    const Operand holds = all_hold(make_bool(true), sum.addition.conditions, to.values, each, in);
    return Operand(in.branch(holds, value, zero, "x")[0]);
  };
  std::vector<Operand> indices;
  for (const Operand& index : sum.addition.indices) {
    indices.push_back(to.values.value(index, point, out));
  }
  const Operand total = combine(shape, {}, ScalarOp::add, type.element, term, out);
  return out.add(Accumulate{accumulator, std::move(indices), total}, "sums");
}

void SumsFirst::add(const Statement& map, Builder& out) const {
  for (const Accumulator& one : accumulators_) {
    std::vector<NameId> tokens = map.tokens;
    add_tokens(tokens, one.tokens);
    out.set_location(map.location);
    out.set_tokens(tokens);
    NameId accumulator = one.enters;
    for (const Sum& sum : one.sums) {
      Point point;
      accumulator = add_level(one, sum, 0, point, accumulator, out);
    }
    out.set_tokens({});
    out.add(Statement{{map.results[one.exit]}, Identity{accumulator}, {}, map.location, {}});
  }
}

/// The walk over a function, innermost maps first.
class Walk {
 public:
  Walk(Names& names, const Tunables& tunables) : names_(names), tunables_(tunables) {}

  bool body(Body& body, bool inside) {
    bool changed = false;
    Builder out(names_);
    for (Statement& each : body.statements) {
      const auto* iota = as<Iota>(each.operation);
      if (iota && counts_from_zero(*iota)) outside_.counts.insert(each.results[0].name);
      enter_sums(each);
      const bool is_inner = inside || as<MapScanReduce>(each.operation);
      for_each_scope(each.operation,
                     [&](Body& scope) { changed = this->body(scope, is_inner) || changed; });
      leave_sums(each);
      const auto sums =
          inside ? SumsFirst::of(each, sums_, names_, outside_, tunables_) : std::nullopt;
      if (sums) {
        sums->add(each, out);
        changed = true;
      } else {
        out.add(std::move(each));
      }
    }
    body.statements = out.take();
    return changed;
  }

 private:
  // The names in a statement's scopes of accumulators that numbers are added to.
  void enter_sums(const Statement& statement) {
    if (const auto* with = as<WithAccumulator>(statement.operation)) {
      for (std::size_t k = 0; k < with->inputs.size(); ++k) {
        if (adds_numbers(with->inputs[k], names_)) {
          sums_.insert(with->body.parameters[k].name);
        }
      }
    } else if (const auto* map = as<MapScanReduce>(statement.operation)) {
      for (std::size_t k = 0; k < map->arrays.size(); ++k) {
        if (sums_.contains(map->arrays[k])) sums_.insert(map->map.parameters[k].name);
      }
    } else if (const auto* loop = as<Loop>(statement.operation)) {
      for (const LoopValue& value : loop->values) {
        const Operand& initial = value.initial;
        if (initial.is_name() && sums_.contains(initial.name())) {
          sums_.insert(value.parameter.name);
        }
      }
    }
  }

  // And behind it.
  void leave_sums(const Statement& statement) {
    if (const auto* loop = as<Loop>(statement.operation)) {
      for (std::size_t k = 0; k < loop->values.size(); ++k) {
        if (sums_.contains(loop->values[k].parameter.name)) sums_.insert(statement.results[k].name);
      }
      return;
    }
    for (const NameId name : free_names(statement, names_)) {
      if (!sums_.contains(name)) continue;
      if (const auto exit = exit_of(statement, name, names_)) {
        sums_.insert(statement.results[*exit].name);
      }
    }
  }

  Names& names_;
  const Tunables& tunables_;
  Outside outside_;
  NameSet sums_;  // accumulators that numbers are added to
};

}  // namespace

bool add_sums_first(Body& body, Names& names, const Tunables& tunables) {
  return Walk(names, tunables).body(body, false);
}

}  // namespace dagaz::passes::gathering
