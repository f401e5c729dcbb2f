// What distribution took apart and need not be apart.
//
// Distribution makes an operation of each parallel statement of a nest and of what stands between
// two of them, and hands values on in arrays over the nest.  Some of these are read where they were
// made, or are no more than the rows of others:
//
//   a = map (\i -> f i);  b = map (\i -> g a[i])      =  b = map (\i -> g (f i))
//   b, c = map (\i -> (v, v))                         =  b = map (\i -> v);  c = b
//   b = map (\i -> a[i])                              =  b = a
//
// The same for the points of reductions and scans.  An array that stands for another must not be
// changed while the other is still read, so nothing but these operations may use the two, and the
// body may give one of them back once.
#include "passes/flatten/rejoin.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/names.h"
#include "ir/traces.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

/// An operation over a space whose body computes the values of one point.
struct Points {
  std::vector<SpaceDimension>* space;
  Body* body;
  std::vector<Type>* types;
  std::size_t first_mapped;  // of its results, those from here on are arrays over the space
};

/// An element, or a part, of an array: `array[indices]`.
struct View {
  NameId array;
  std::vector<Operand> indices;
};

using Views = std::unordered_map<NameId, View>;

}  // namespace

static std::optional<Points> points_of(Operation& operation) {
  if (auto* map = as<SegmentedMap>(operation)) {
    return Points{&map->space, &map->body, &map->result_types, 0};
  }
  if (auto* reduce = as<SegmentedReduce>(operation)) {
    std::size_t reduced = 0;
    for (const ReduceOperator& one : reduce->operators) reduced += one.neutral.size();
    return Points{&reduce->space, &reduce->body, &reduce->result_types, reduced};
  }
  // Its results are what `post` makes.
  if (auto* scan = as<SegmentedScan>(operation)) {
    return Points{&scan->space, &scan->body, &scan->result_types, scan->result_types.size()};
  }
  return std::nullopt;
}

static bool contains(const std::vector<NameId>& names, NameId name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the statements of a point read of arrays from outside.
static Views views_in(const Body& body) {
  Views views;
  for (const Statement& one : body.statements) {
    const auto* index = as<Index>(one.operation);
    if (index == nullptr || !one.tokens.empty()) continue;
    const auto outer = views.find(index->array);
    View view = outer != views.end() ? outer->second : View{index->array, {}};
    view.indices.insert(view.indices.end(), index->indices.begin(), index->indices.end());
    views.emplace(one.results[0].name, std::move(view));
  }
  return views;
}

static bool is_at_point(const View& view, const std::vector<SpaceDimension>& space) {
  return std::equal(view.indices.begin(), view.indices.end(), space.begin(), space.end(),
                    [](const Operand& index, const SpaceDimension& dimension) {
                      return index == Operand(dimension.index.name);
                    });
}

static bool is_part_of_point(const View& view, const std::vector<SpaceDimension>& space) {
  const std::vector<SpaceDimension> outer(
      space.begin(),
      space.begin() + static_cast<std::ptrdiff_t>(std::min(space.size(), view.indices.size())));
  return view.indices.size() < space.size() && is_at_point(view, outer);
}

static bool same_extents(const std::vector<SpaceDimension>& a,
                         const std::vector<SpaceDimension>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SpaceDimension& one, const SpaceDimension& other) {
                      return one.extent == other.extent;
                    });
}

// Whether each point only computes numbers, from elements of arrays.
static bool is_flat(const Body& body) {
  return std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    if (const auto* branch = as<Branch>(one.operation)) {
      return is_flat(branch->then_body) && is_flat(branch->else_body);
    }
    return as<Scalar>(one.operation) || as<Index>(one.operation) || as<Slice>(one.operation) ||
           as<Permute>(one.operation) || as<Reshape>(one.operation) ||
           as<Identity>(one.operation) || as<Assert>(one.operation);
  });
}

static bool makes_numbers(const SegmentedMap& map) {
  return std::all_of(map.result_types.begin(), map.result_types.end(),
                     [](const Type& type) { return type.is_scalar(); });
}

namespace {

class Rejoiner {
 public:
  Rejoiner(Body& body, Names& names) : body_(body), names_(names) {}

  void run() {
    while (merge_equal() || merge_maps() || stand_for_copies()) {
    }
  }

 private:
  bool merge_equal();
  bool merge_maps();
  bool merge_into_reader(std::size_t producer);
  std::optional<std::size_t> sole_reader(std::size_t producer) const;
  bool reads_at_points(const Points& reader, const std::vector<Binder>& arrays) const;
  void merge(const Statement& producer, Points& reader);
  bool stand_for_copies();
  bool may_share(NameId array, NameId copy) const;
  bool is_made_here(NameId array, std::size_t before) const;
  void replace(std::size_t statement, std::size_t result, NameId by);

  Body& body_;
  Names& names_;
};

}  // namespace

// ---------------------------------------------------------------- maps and their readers

// The only statement that uses what `producer` makes, if there is nothing between the two that
// might change what the producer reads.
std::optional<std::size_t> Rejoiner::sole_reader(std::size_t producer) const {
  std::optional<std::size_t> reader;
  for (std::size_t k = producer + 1; k < body_.statements.size(); ++k) {
    const std::vector<NameId> used = free_names(body_.statements[k], names_);
    const auto& results = body_.statements[producer].results;
    if (std::none_of(results.begin(), results.end(),
                     [&](const Binder& each) { return contains(used, each.name); })) {
      continue;
    }
    if (reader) return std::nullopt;
    reader = k;
  }
  if (!reader) return std::nullopt;
  for (std::size_t k = producer + 1; k <= *reader; ++k) {
    if (!points_of(body_.statements[k].operation)) return std::nullopt;
  }
  return reader;
}

bool Rejoiner::reads_at_points(const Points& reader, const std::vector<Binder>& arrays) const {
  const Views views = views_in(*reader.body);
  NameSet parts;  // of the arrays, and these
  for (const Binder& each : arrays) parts.insert(each.name);
  for (const Statement& one : reader.body->statements) {
    const std::vector<NameId> used = free_names(one, names_);
    if (std::none_of(used.begin(), used.end(), [&](NameId each) { return parts.contains(each); })) {
      continue;
    }
    const auto view = views.find(one.results[0].name);
    if (view == views.end()) return false;
    if (is_at_point(view->second, *reader.space)) continue;
    if (!is_part_of_point(view->second, *reader.space)) return false;
    parts.insert(one.results[0].name);
  }
  return std::none_of(
      reader.body->results.begin(), reader.body->results.end(),
      [&](const Operand& each) { return each.is_name() && parts.contains(each.name()); });
}

void Rejoiner::merge(const Statement& producer, Points& reader) {
  const auto& map = *as<SegmentedMap>(producer.operation);
  const Views views = views_in(*reader.body);
  Body made = map.body;
  Substitution indices;
  for (std::size_t k = 0; k < map.space.size(); ++k) {
    indices[map.space[k].index.name] = (*reader.space)[k].index.name;
  }
  substitute(made, indices, names_);
  Substitution values;
  std::vector<Statement> all = std::move(made.statements);
  for (Statement& one : reader.body->statements) {
    const auto view = views.find(one.results[0].name);
    std::size_t result = producer.results.size();
    if (!one.results.empty() && view != views.end()) {
      const auto found =
          std::find_if(producer.results.begin(), producer.results.end(),
                       [&](const Binder& each) { return each.name == view->second.array; });
      result = static_cast<std::size_t>(found - producer.results.begin());
    }
    if (result == producer.results.size()) {
      all.push_back(std::move(one));
    } else if (is_at_point(view->second, *reader.space)) {
      values[one.results[0].name] = made.results[result];
    }
  }
  reader.body->statements = std::move(all);
  substitute(*reader.body, values, names_);
}

bool Rejoiner::merge_into_reader(std::size_t producer) {
  Statement& statement = body_.statements[producer];
  const auto* map = as<SegmentedMap>(statement.operation);
  if (map == nullptr || statement.results.empty() || !makes_numbers(*map) || !is_flat(map->body)) {
    return false;
  }
  const auto given_back = [&](const Binder& each) {
    return std::find(body_.results.begin(), body_.results.end(), Operand(each.name)) !=
           body_.results.end();
  };
  if (std::any_of(statement.results.begin(), statement.results.end(), given_back)) return false;
  const auto place = sole_reader(producer);
  if (!place) return false;
  auto reader = points_of(body_.statements[*place].operation);
  if (!is_flat(*reader->body) || !same_extents(map->space, *reader->space) ||
      !reads_at_points(*reader, statement.results)) {
    return false;
  }
  merge(statement, *reader);
  body_.statements.erase(body_.statements.begin() + static_cast<std::ptrdiff_t>(producer));
  return true;
}

bool Rejoiner::merge_maps() {
  for (std::size_t k = 0; k < body_.statements.size(); ++k) {
    if (merge_into_reader(k)) return true;
  }
  return false;
}

// ---------------------------------------------------------------- arrays that stand for others

// Whether one array may stand for both.
bool Rejoiner::may_share(NameId array, NameId copy) const {
  const auto given_back = std::count(body_.results.begin(), body_.results.end(), Operand(array)) +
                          std::count(body_.results.begin(), body_.results.end(), Operand(copy));
  return given_back <= 1 &&
         std::all_of(body_.statements.begin(), body_.statements.end(), [&](Statement& one) {
           const std::vector<NameId> used = free_names(one, names_);
           return (!contains(used, array) && !contains(used, copy)) ||
                  points_of(one.operation).has_value();
         });
}

bool Rejoiner::is_made_here(NameId array, std::size_t before) const {
  return std::any_of(body_.statements.begin(),
                     body_.statements.begin() + static_cast<std::ptrdiff_t>(before),
                     [&](Statement& one) {
                       return points_of(one.operation) &&
                              std::any_of(one.results.begin(), one.results.end(),
                                          [&](const Binder& each) { return each.name == array; });
                     });
}

// Takes a result away; `by` stands for it.
void Rejoiner::replace(std::size_t statement, std::size_t result, NameId by) {
  Statement& one = body_.statements[statement];
  Points points = *points_of(one.operation);
  const NameId replaced = one.results[result].name;
  const auto at = static_cast<std::ptrdiff_t>(result);
  one.results.erase(one.results.begin() + at);
  points.body->results.erase(points.body->results.begin() + at);
  points.types->erase(points.types->begin() + at);
  const bool may_fail = std::any_of(
      points.body->statements.begin(), points.body->statements.end(), [](const Statement& each) {
        return as<Assert>(each.operation) != nullptr || !is_flat(Body{{each}, {}});
      });
  if (one.results.empty() && !may_fail) {
    body_.statements.erase(body_.statements.begin() + static_cast<std::ptrdiff_t>(statement));
  }
  substitute(body_, {{replaced, by}}, names_);
}

bool Rejoiner::merge_equal() {
  for (std::size_t k = 0; k < body_.statements.size(); ++k) {
    const Statement& one = body_.statements[k];
    const auto points = points_of(body_.statements[k].operation);
    if (!points) continue;
    for (std::size_t r = points->first_mapped; r < one.results.size(); ++r) {
      const auto& values = points->body->results;
      const auto first =
          std::find(values.begin() + static_cast<std::ptrdiff_t>(points->first_mapped),
                    values.end(), values[r]);
      const auto same = static_cast<std::size_t>(first - values.begin());
      if (same == r || names_.type(one.results[r].name).kind == TypeKind::accumulator) continue;
      const NameId kept = one.results[same].name;
      if (!may_share(kept, one.results[r].name)) continue;
      replace(k, r, kept);
      return true;
    }
  }
  return false;
}

bool Rejoiner::stand_for_copies() {
  for (std::size_t k = 0; k < body_.statements.size(); ++k) {
    const Statement& one = body_.statements[k];
    const auto points = points_of(body_.statements[k].operation);
    if (!points) continue;
    const Views views = views_in(*points->body);
    for (std::size_t r = points->first_mapped; r < one.results.size(); ++r) {
      const Operand& value = points->body->results[r];
      const auto view = value.is_name() ? views.find(value.name()) : views.end();
      if (view == views.end() || !is_at_point(view->second, *points->space)) continue;
      const NameId array = view->second.array;
      if (names_.type(array) != names_.type(one.results[r].name) || !is_made_here(array, k) ||
          !may_share(array, one.results[r].name)) {
        continue;
      }
      replace(k, r, array);
      return true;
    }
  }
  return false;
}

void rejoin(Body& body, Names& names) {
  for (Statement& one : body.statements) {
    if (auto* loop = as<Loop>(one.operation)) rejoin(loop->body, names);
  }
  Rejoiner(body, names).run();
}

}  // namespace dagaz::passes::flattening
