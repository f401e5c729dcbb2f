// Reads through rows; see the header.
#include "passes/ad/row_reads.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ir/builder.h"
#include "ir/fields.h"
#include "passes/ad/environment.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

/// What counts as reading in places, beside indices.
struct Places {
  bool loops = false;     // those of loops
  bool elements = false;  // those that a map over an array reads beside others
};

bool has(const std::vector<NameId>& names, NameId array) {
  return std::find(names.begin(), names.end(), array) != names.end();
}

bool is_read_in_places_alone(const Body& body, NameId array, const Names& names, Places places);

bool is_read_in_places_alone(const Statement& statement, NameId array, const Names& names,
                             Places places) {
  if (!has(free_names(statement, names), array)) return true;
  if (const auto* index = as<Index>(statement.operation)) return index->array == array;
  if (const auto* slice = as<Slice>(statement.operation)) return slice->array == array;
  const auto* map = as<MapScanReduce>(statement.operation);
  if (map != nullptr && is_pure_map(*map)) {
    for (std::size_t i = 0; i < map->arrays.size(); ++i) {
      const NameId element = map->map.parameters[i].name;
      if (map->arrays[i] != array) continue;
      const bool is_place = places.elements && names.type(element).is_scalar() &&
                            has(free_names(map->map.body, names), array);
      if (!is_place && !is_read_in_places_alone(map->map.body, element, names, places)) {
        return false;
      }
    }
    return is_read_in_places_alone(map->map.body, array, names, places);
  }
  if (map != nullptr || std::holds_alternative<CustomDerivative>(statement.operation)) return false;
  if (const auto* loop = as<Loop>(statement.operation)) {
    return places.loops &&
           std::none_of(loop->values.begin(), loop->values.end(),
                        [&](const LoopValue& each) { return each.initial == Operand(array); }) &&
           is_read_in_places_alone(loop->body, array, names, places);
  }
  if (const auto* branch = as<Branch>(statement.operation)) {
    return is_read_in_places_alone(branch->then_body, array, names, places) &&
           is_read_in_places_alone(branch->else_body, array, names, places);
  }
  return false;
}

bool is_read_in_places_alone(const Body& body, NameId array, const Names& names, Places places) {
  const auto& results = body.results;
  return std::find(results.begin(), results.end(), Operand(array)) == results.end() &&
         std::all_of(body.statements.begin(), body.statements.end(), [&](const Statement& each) {
           const auto* permute = as<Permute>(each.operation);
           if (permute != nullptr && permute->array == array) {
             return is_read_in_places_alone(body, each.results[0].name, names, places);
           }
           return is_read_in_places_alone(each, array, names, places);
         });
}

/// Part of an array: some of its dimensions at an index, the others in an order.
class Part {
 public:
  Part(NameId array, const Type& type) : array_(array), fixed_(type.rank()) {
    for (std::size_t d = 0; d < type.rank(); ++d) dimensions_.push_back(d);
  }

  Part at(const std::vector<Operand>& indices) const {
    Part part = *this;
    for (const Operand& index : indices) {
      part.fixed_[part.dimensions_.front()] = index;
      part.dimensions_.erase(part.dimensions_.begin());
    }
    return part;
  }
  Part permuted(const std::vector<int>& permutation) const {
    Part part = *this;
    for (std::size_t d = 0; d < permutation.size(); ++d) {
      part.dimensions_[d] = dimensions_[static_cast<std::size_t>(permutation[d])];
    }
    return part;
  }

  /// The part, or an element of it.
  Operation read(const Names& names, Builder& out) const {
    std::vector<Operand> indices;
    for (const auto& index : fixed_) {
      if (!index) break;
      indices.push_back(*index);
    }
    const bool is_row = indices.size() + dimensions_.size() == fixed_.size() &&
                        std::is_sorted(dimensions_.begin(), dimensions_.end());
    if (is_row) return Index{array_, std::move(indices)};
    std::vector<SliceDimension> all;
    for (const std::size_t d : dimensions_) {
      all.push_back({false, i64_operand(0), names.type(array_).shape[d], i64_operand(1)});
    }
    return sliced(all, out);
  }

  /// A slice of the part.
  Operation sliced(const std::vector<SliceDimension>& of_part, Builder& out) const {
    std::vector<SliceDimension> dimensions(fixed_.size());
    std::vector<std::size_t> kept;  // dimensions of the array, in the order of the result
    for (std::size_t d = 0; d < fixed_.size(); ++d) {
      if (fixed_[d]) dimensions[d] = {true, *fixed_[d], i64_operand(1), i64_operand(1)};
    }
    for (std::size_t d = 0; d < of_part.size(); ++d) {
      dimensions[dimensions_[d]] = of_part[d];
      if (!of_part[d].fixed) kept.push_back(dimensions_[d]);
    }
    Slice slice{array_, std::move(dimensions)};
    if (std::is_sorted(kept.begin(), kept.end())) return slice;
    std::vector<std::size_t> sorted = kept;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> permutation;
    for (const std::size_t d : kept) {
      const auto place = std::find(sorted.begin(), sorted.end(), d);
      permutation.push_back(static_cast<int>(place - sorted.begin()));
    }
    return Permute{out.add(std::move(slice), "part"), std::move(permutation)};
  }

 private:
  NameId array_;
  std::vector<std::optional<Operand>> fixed_;  // per dimension of the array
  std::vector<std::size_t> dimensions_;        // of the array, that the part has, in its order
};

class RowReads {
 public:
  RowReads(Names& names, OwnRows own) : names_(&names), own_(own) {}

  void body(Body& body);

 private:
  void scope(Body& body, const std::vector<Binder>& parameters);
  void lambda(Lambda& lambda);
  void parallel(MapScanReduce& map, Builder& out);
  bool reads_through(const MapScanReduce& map, std::size_t place) const;
  bool has_rows(NameId array) const;
  bool is_from_around(NameId array) const;
  NameSet rows_read_in_places(const Body& body) const;
  Part part_of(NameId array) const;
  bool read(Statement& statement, bool goes_through, Builder& out);

  Names* names_;
  int depth_ = 0;                           // how many maps are around
  std::unordered_map<NameId, int> depths_;  // of names bound inside a map
  OwnRows own_;
  std::unordered_map<NameId, Part> parts_;  // rows that are not mapped over any more
};

// Of reals.
bool RowReads::has_rows(NameId array) const {
  const Type& type = names_->type(array);
  return type.kind == TypeKind::value && type.rank() > 1 && is_float(type.element);
}

// Whether the array has rows and comes from outside the innermost map around.
bool RowReads::is_from_around(NameId array) const {
  if (!has_rows(array)) return false;
  const auto depth = depths_.find(array);
  return (depth == depths_.end() ? 0 : depth->second) < depth_;
}

// The rows that statements of `body` pick and that are read in places alone.
NameSet RowReads::rows_read_in_places(const Body& body) const {
  NameSet rows;
  for (const Statement& each : body.statements) {
    const auto* index = as<Index>(each.operation);
    if (index == nullptr || names_->type(each.results[0].name).is_scalar()) continue;
    const NameId row = each.results[0].name;
    const bool around = rows.count(index->array) != 0 || parts_.count(index->array) != 0 ||
                        is_from_around(index->array);
    if (around && is_read_in_places_alone(body, row, *names_, {.loops = true})) rows.insert(row);
  }
  return rows;
}

// Whether rows of an array from outside the maps around `map`, or of one whose other rows its
// points read as well, are read in places alone.  With the latter, elements of a point's own row
// are places like those.
bool RowReads::reads_through(const MapScanReduce& map, std::size_t place) const {
  const NameId array = map.arrays[place];
  if (parts_.count(array) != 0) return true;
  const bool has_other_rows = own_ == OwnRows::places && has_rows(array) &&
                              has(free_names(map.map.body, *names_), array);
  return (has_other_rows || is_from_around(array)) &&
         is_read_in_places_alone(map.map.body, map.map.parameters[place].name, *names_,
                                 {.elements = has_other_rows});
}

void RowReads::parallel(MapScanReduce& map, Builder& out) {
  std::vector<NameId> arrays;
  std::vector<Binder> parameters;
  std::optional<NameId> position;
  Builder elements(*names_);
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    if (!is_pure_map(map) || !reads_through(map, i)) {
      arrays.push_back(map.arrays[i]);
      parameters.push_back(map.map.parameters[i]);
      continue;
    }
    if (!position) position = names_->fresh("i", scalar_of(ScalarType::i64));
    const Part part = part_of(map.arrays[i]).at({*position});
    const Binder& parameter = map.map.parameters[i];
    if (names_->type(parameter.name).is_scalar()) {
      elements.add(Statement{{parameter}, part.read(*names_, elements), {}, out.location(), {}});
    } else {
      parts_.insert_or_assign(parameter.name, part);
    }
  }
  if (position) {
    arrays.push_back(
        out.add(Iota{ScalarType::i64, map.width, i64_operand(0), i64_operand(1)}, "positions"));
    parameters.push_back(Binder{*position});
  }
  map.arrays = std::move(arrays);
  map.map.parameters = std::move(parameters);
  auto& statements = map.map.body.statements;
  std::vector<Statement> first = elements.take();
  statements.insert(statements.begin(), std::make_move_iterator(first.begin()),
                    std::make_move_iterator(first.end()));
  lambda(map.map);
}

void RowReads::lambda(Lambda& lambda) {
  ++depth_;
  scope(lambda.body, lambda.parameters);
  --depth_;
}

void RowReads::scope(Body& body, const std::vector<Binder>& parameters) {
  for (const Binder& each : parameters) depths_.insert_or_assign(each.name, depth_);
  this->body(body);
}

Part RowReads::part_of(NameId array) const {
  const auto part = parts_.find(array);
  return part != parts_.end() ? part->second : Part(array, names_->type(array));
}

// Lets a statement read what its array is part of; false if that is left to who reads the result,
// as it always is behind a permuted part.
bool RowReads::read(Statement& statement, bool goes_through, Builder& out) {
  const NameId result = statement.results[0].name;
  if (const auto* index = as<Index>(statement.operation)) {
    if (!goes_through && parts_.count(index->array) == 0) return true;
    const Part part = part_of(index->array).at(index->indices);
    if (!goes_through) {
      statement.operation = part.read(*names_, out);
      return true;
    }
    parts_.insert_or_assign(result, part);
    return false;
  }
  if (const auto* slice = as<Slice>(statement.operation)) {
    if (parts_.count(slice->array) == 0) return true;
    statement.operation = part_of(slice->array).sliced(slice->dimensions, out);
    return true;
  }
  const auto* permute = as<Permute>(statement.operation);
  if (permute == nullptr || parts_.count(permute->array) == 0) return true;
  parts_.insert_or_assign(result, part_of(permute->array).permuted(permute->permutation));
  return false;
}

void RowReads::body(Body& body) {
  Builder out(*names_);
  const NameSet rows = rows_read_in_places(body);
  for (Statement& each : body.statements) {
    out.set_location(each.location);
    for (const Binder& result : each.results) depths_.insert_or_assign(result.name, depth_);
    if (!read(each, rows.count(each.results[0].name) != 0, out)) continue;
    if (auto* map = as<MapScanReduce>(each.operation)) {
      parallel(*map, out);
    } else if (auto* flat_map = as<FlatMap>(each.operation)) {
      lambda(flat_map->map);
    } else if (auto* loop = as<Loop>(each.operation)) {
      for (const LoopValue& value : loop->values) {
        depths_.insert_or_assign(value.parameter.name, depth_);
      }
      this->body(loop->body);
    } else if (auto* branch = as<Branch>(each.operation)) {
      this->body(branch->then_body);
      this->body(branch->else_body);
    } else if (auto* with = as<WithAccumulator>(each.operation)) {
      scope(with->body.body, with->body.parameters);
    }
    out.add(std::move(each));
  }
  body.statements = out.take();
}

}  // namespace

void read_through_rows(Body& body, Names& names, OwnRows own) {
  RowReads(names, own).body(body);
}

}  // namespace dagaz::passes::ad
