// Additions that the points of a nest make at places that their indices tell become reads.
//
//   with a = d (+): map (\i -> … a[i+c] += v …) [0 … n-1]
//     =  let w = map (\i -> … v …) [0 … n-1]          v, or 0 where i adds nothing
//        in map (\j -> d[j] + w[j-c]) [0 … n-1]       0 outside
//
// In several dimensions each level of the nest is that of one of them; in others the place is the
// same for all points.  It may also go round: what is added at (i + c) mod n is read at (j - c) mod
// n.
//
// Reverse mode makes such additions of reading xs[i+c], often under a condition at the edges.
// Points that add run one by one, or in turns, where vectors of points can read; a nest around them
// can be no deeper; and what reads at a fixed distance may run in one loop with what it reads
// (plan/stencil.h).  That takes an array for each distance, and so only a few are taken, of
// numbers. (Hückelheim et al. 2019 compute v again at each place instead, as window.cpp does where
// that is arithmetic.)
#include "passes/scatter_to_gather/stored.h"

#include <algorithm>
#include <cstdlib>

#include "passes/scatter_to_gather/tabulate.h"
#include "support/match.h"

namespace dagaz::passes::gathering {

// ---------------------------------------------------------------- where additions go

std::optional<StoredAdditions> StoredAdditions::of(const WithAccumulator& with, std::size_t input,
                                                   Names& names, const Outside& outside,
                                                   bool inside, const Tunables& tunables) {
  if (!adds_numbers(with.inputs[input], names)) return std::nullopt;
  NestValues values(names, outside);
  Additions additions(names, values);
  if (!additions.find(with.body.body, with.body.parameters[input].name,
                      with.body.body.results[input]) ||
      additions.all().empty()) {
    return std::nullopt;
  }
  StoredAdditions stored(with.inputs[input], names, std::move(values));
  std::vector<Stored> different;
  for (const Addition& addition : additions.all()) {
    auto places = stored.places_of(addition);
    if (!places || !stored.is_worthwhile(addition, inside)) return std::nullopt;
    for (const Target& place : *places) {
      const std::int64_t distance = place.kind == Target::Kind::fixed ? 0 : place.offset.constant;
      if (std::abs(distance) > tunables.gathered_distance) return std::nullopt;
    }
    Stored one{std::move(*places), addition.levels, addition.value};
    const bool is_new = std::none_of(different.begin(), different.end(), [&](const Stored& other) {
      return other.places == one.places && other.levels == one.levels;
    });
    if (is_new) different.push_back(one);
    stored.additions_.push_back(std::move(one));
  }
  if (std::ssize(different) > tunables.gathered_additions) return std::nullopt;
  return stored;
}

// Inside other maps points of a known number are few, or in registers.
bool StoredAdditions::is_worthwhile(const Addition& addition, bool inside) const {
  return !inside || values_.are_many(addition.levels);
}

// Each level is that of one dimension: then no two points add to one element.
std::optional<std::vector<Target>> StoredAdditions::places_of(const Addition& addition) {
  if (addition.has_levels_under_conditions) return std::nullopt;
  std::vector<Target> places;
  std::vector<int> solved;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    auto place = target_of(addition.indices[d], shape_[d]);
    if (!place) return std::nullopt;
    if (place->kind != Target::Kind::fixed) solved.push_back(place->level);
    places.push_back(std::move(*place));
  }
  std::vector<int> levels = addition.levels;
  std::sort(levels.begin(), levels.end());
  std::sort(solved.begin(), solved.end());
  if (levels != solved) return std::nullopt;
  return places;
}

std::optional<Target> StoredAdditions::target_of(const Operand& index, const Operand& extent) {
  const Statement* statement = values_.statement_of(index);
  const auto* remainder = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  const bool wraps = remainder != nullptr && remainder->op == ScalarOp::smod_floor &&
                     remainder->arguments[1] == extent;
  auto sum = values_.affine(wraps ? remainder->arguments[0] : index);
  if (!sum || !sum->scaled.empty()) return std::nullopt;
  if (sum->levels.empty()) {
    if (wraps) return std::nullopt;
    return Target{Target::Kind::fixed, -1, std::move(*sum)};
  }
  if (sum->levels.size() > 1 || sum->levels.begin()->second != 1) return std::nullopt;
  Target target{Target::Kind::moved, sum->levels.begin()->first, std::move(*sum)};
  target.offset.levels.clear();
  if (!wraps) return target;
  target.kind = Target::Kind::wrapped;
  if (values_.width(target.level) != extent) return std::nullopt;
  if (extent.is_name()) target.offset.others.erase(extent.name());  // whole rounds
  for (const NameId token : statement->tokens) {
    if (values_.binds(token)) return std::nullopt;
    tokens_.push_back(token);
  }
  return target;
}

// ---------------------------------------------------------------- the nest without additions

void StoredAdditions::store(Statement& statement, std::size_t input) {
  auto& with = std::get<WithAccumulator>(statement.operation);
  Body& body = with.body.body;
  arrays_ = take(body, with.body.parameters[input].name);
  body.results[input] = with.body.parameters[input].name;
  for (Stored& one : arrays_) {
    const Type type = names_.type(one.value);
    body.results.push_back(one.value);
    with.body.result_types.push_back(type);
    statement.results.push_back(Binder{names_.fresh("added", type)});
    one.value = statement.results.back().name;
  }
}

void StoredAdditions::add(std::vector<Stored>& all, const Stored& one, Builder& out) const {
  const auto same = std::find_if(all.begin(), all.end(), [&](const Stored& other) {
    return other.places == one.places && other.levels == one.levels &&
           !names_.type(other.value).is_array();
  });
  if (same == all.end()) {
    all.push_back(one);
  } else {
    same->value = out.scalar(ScalarOp::add, element_, {same->value, one.value});
  }
}

// What `body`, which an accumulator enters, adds to it.
std::vector<Stored> StoredAdditions::take(Body& body, NameId enters) {
  std::vector<Stored> all;
  Builder out(names_);
  NameId at = enters;
  for (Statement& each : body.statements) {
    if (!uses(each, at, names_)) {
      out.add(std::move(each));
      continue;
    }
    const std::size_t exit = *exit_of(each, at, names_);
    const NameId next = each.results[exit].name;
    if (as<Accumulate>(each.operation)) {
      add(all, additions_[taken_++], out);
    } else if (!as<Identity>(each.operation)) {
      const std::vector<Stored> inside = take_from(each, at, exit);
      out.add(std::move(each));
      for (const Stored& one : inside) add(all, one, out);
    }
    at = next;
  }
  body.statements = out.take();
  return all;
}

// A map gives arrays of what its points add; the scope of another accumulator hands on.
std::vector<Stored> StoredAdditions::take_from(Statement& statement, NameId enters,
                                               std::size_t exit) {
  if (auto* branch = as<Branch>(statement.operation)) {
    return take_from_branch(statement, *branch, enters, exit);
  }
  auto* map = as<MapScanReduce>(statement.operation);
  Lambda& inner = map ? map->map : std::get<WithAccumulator>(statement.operation).body;
  std::vector<Stored> all;
  if (map == nullptr) {
    all = take(inner.body, enters);
  } else {
    const std::size_t parameter = *parameter_of(*map, enters);
    all = take(inner.body, inner.parameters[parameter].name);
    erase_at(map->arrays, parameter);
    erase_at(inner.parameters, parameter);
  }
  erase_at(inner.body.results, exit);
  erase_at(inner.result_types, exit);
  erase_at(statement.results, exit);
  for (Stored& one : all) {
    const Type type = names_.type(one.value);
    inner.body.results.push_back(one.value);
    inner.result_types.push_back(type);
    statement.results.push_back(
        Binder{names_.fresh("added", map ? array_over(map->width, type) : type)});
    one.value = statement.results.back().name;
  }
  return all;
}

// What one side adds the other does not: zero.
std::vector<Stored> StoredAdditions::take_from_branch(Statement& statement, Branch& branch,
                                                      NameId enters, std::size_t exit) {
  std::vector<Stored> sides[] = {take(branch.then_body, enters), take(branch.else_body, enters)};
  erase_at(branch.result_types, exit);
  erase_at(branch.then_body.results, exit);
  erase_at(branch.else_body.results, exit);
  erase_at(statement.results, exit);
  std::vector<Stored> all;
  const auto on_side = [&](const std::vector<Stored>& side, const Stored& one) {
    const auto found = std::find_if(
        side.begin(), side.end(), [&](const Stored& other) { return other.places == one.places; });
    return found == side.end() ? Operand(zero_of(element_)) : found->value;
  };
  for (const std::vector<Stored>& side : sides) {
    for (const Stored& one : side) {
      const bool is_there = std::any_of(
          all.begin(), all.end(), [&](const Stored& other) { return other.places == one.places; });
      if (is_there) continue;
      branch.result_types.push_back(scalar_of(element_));
      branch.then_body.results.push_back(on_side(sides[0], one));
      branch.else_body.results.push_back(on_side(sides[1], one));
      statement.results.push_back(Binder{names_.fresh("added", scalar_of(element_))});
      all.push_back({one.places, one.levels, statement.results.back().name});
    }
  }
  return all;
}

// ---------------------------------------------------------------- what elements read

NameId StoredAdditions::sums(Builder& out) const {
  const auto element = [&](Builder& in, const std::vector<Operand>& at) {
    Operand sum = in.index(array_, at);
    for (const Stored& one : arrays_) {
      sum = in.scalar(ScalarOp::add, element_, {sum, read(one, at, in)}, "sum");
    }
    return sum;
  };
  return tabulate(shape_, {}, element, out).name();
}

// What the point adds that adds to `element`; 0 if there is none.
Operand StoredAdditions::read(const Stored& one, const std::vector<Operand>& element,
                              Builder& out) const {
  Operand inside = make_bool(true);
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    const auto& [kind, level, offset] = one.places[d];
    if (kind == Target::Kind::wrapped) continue;
    const Operand distance = value_of(offset, {}, out);
    if (kind == Target::Kind::fixed) {
      const Operand is_there =
          out.scalar(ScalarOp::eq, ScalarType::i64, {element[d], distance}, "inside");
      inside = both(inside, is_there, out);
      continue;
    }
    const Operand& width = values_.width(level);
    const bool is_known = offset.others.empty();
    if (!is_known || offset.constant > 0) {
      inside = both(inside, is_less(out.add_i64(distance, i64_operand(-1)), element[d], out), out);
    }
    if (!is_known || offset.constant < 0 || width != shape_[d]) {
      inside = both(inside, is_less(element[d], out.add_i64(width, distance), out), out);
    }
  }
  const auto there = [&](Builder& in) {
    std::map<int, Operand> at;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      const auto& [kind, level, offset] = one.places[d];
      if (kind == Target::Kind::fixed) continue;
      at[level] = offset.others.empty() ? in.add_i64(element[d], i64_operand(-offset.constant))
                                        : in.sub_i64(element[d], value_of(offset, {}, in));
      if (kind == Target::Kind::wrapped) {
        at[level] =
            in.scalar(ScalarOp::smod_floor, ScalarType::i64, {at[level], shape_[d]}, "from");
      }
    }
    std::vector<Operand> indices;
    for (const int level : one.levels) indices.push_back(at.at(level));
    if (indices.empty()) return std::vector<Operand>{one.value};
    return std::vector<Operand>{in.index(one.value.name(), indices)};
  };
  if (inside == Operand(make_bool(true))) return there(out)[0];
  const auto zero = [&](Builder&) { return std::vector<Operand>{zero_of(element_)}; };
  return out.branch(inside, there, zero, "x")[0];
}

}  // namespace dagaz::passes::gathering
