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

enum class Loops { refused, allowed };

bool is_read_in_places_alone(const Body& body, NameId array, const Names& names, Loops loops);

bool is_read_in_places_alone(const Statement& statement, NameId array, const Names& names,
                             Loops loops) {
  const std::vector<NameId> used = free_names(statement, names);
  if (std::find(used.begin(), used.end(), array) == used.end()) return true;
  if (const auto* index = as<Index>(statement.operation)) return index->array == array;
  if (const auto* slice = as<Slice>(statement.operation)) return slice->array == array;
  const auto* map = as<MapScanReduce>(statement.operation);
  if (map != nullptr && is_pure_map(*map)) {
    for (std::size_t i = 0; i < map->arrays.size(); ++i) {
      if (map->arrays[i] == array &&
          !is_read_in_places_alone(map->map.body, map->map.parameters[i].name, names, loops)) {
        return false;
      }
    }
    return is_read_in_places_alone(map->map.body, array, names, loops);
  }
  if (map != nullptr || std::holds_alternative<CustomDerivative>(statement.operation)) return false;
  if (const auto* loop = as<Loop>(statement.operation)) {
    return loops == Loops::allowed &&
           std::none_of(loop->values.begin(), loop->values.end(),
                        [&](const LoopValue& each) { return each.initial == Operand(array); }) &&
           is_read_in_places_alone(loop->body, array, names, loops);
  }
  if (const auto* branch = as<Branch>(statement.operation)) {
    return is_read_in_places_alone(branch->then_body, array, names, loops) &&
           is_read_in_places_alone(branch->else_body, array, names, loops);
  }
  return false;
}

bool is_read_in_places_alone(const Body& body, NameId array, const Names& names, Loops loops) {
  const auto& results = body.results;
  return std::find(results.begin(), results.end(), Operand(array)) == results.end() &&
         std::all_of(body.statements.begin(), body.statements.end(), [&](const Statement& each) {
           return is_read_in_places_alone(each, array, names, loops);
         });
}

class RowReads {
 public:
  explicit RowReads(Names& names) : names_(&names) {}

  void body(Body& body);

 private:
  struct Part {
    NameId array;
    std::vector<Operand> indices;
  };

  void scope(Body& body, const std::vector<Binder>& parameters);
  void lambda(Lambda& lambda);
  void parallel(MapScanReduce& map, Builder& out);
  bool reads_through(const MapScanReduce& map, std::size_t place) const;
  bool is_from_around(NameId array) const;
  NameSet rows_read_in_places(const Body& body) const;

  Names* names_;
  int depth_ = 0;                           // how many maps are around
  std::unordered_map<NameId, int> depths_;  // of names bound inside a map
  std::unordered_map<NameId, Part> parts_;  // rows that are not mapped over any more
};

// Whether the array has rows, of reals, and comes from outside the innermost map around.
bool RowReads::is_from_around(NameId array) const {
  const Type& type = names_->type(array);
  if (type.kind != TypeKind::value || type.rank() < 2 || !is_float(type.element)) return false;
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
    const bool around = rows.count(index->array) != 0 || is_from_around(index->array);
    if (around && is_read_in_places_alone(body, row, *names_, Loops::allowed)) rows.insert(row);
  }
  return rows;
}

// Whether rows of an array from outside the maps around `map` are read in places alone.
bool RowReads::reads_through(const MapScanReduce& map, std::size_t place) const {
  const NameId array = map.arrays[place];
  if (parts_.count(array) != 0) return true;
  return is_from_around(array) &&
         is_read_in_places_alone(map.map.body, map.map.parameters[place].name, *names_,
                                 Loops::refused);
}

void RowReads::parallel(MapScanReduce& map, Builder& out) {
  std::vector<NameId> arrays;
  std::vector<Binder> parameters;
  std::optional<NameId> position;
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    if (!is_pure_map(map) || !reads_through(map, i)) {
      arrays.push_back(map.arrays[i]);
      parameters.push_back(map.map.parameters[i]);
      continue;
    }
    if (!position) position = names_->fresh("i", scalar_of(ScalarType::i64));
    const auto around = parts_.find(map.arrays[i]);
    Part part = around != parts_.end() ? around->second : Part{map.arrays[i], {}};
    part.indices.push_back(*position);
    parts_.insert_or_assign(map.map.parameters[i].name, std::move(part));
  }
  if (position) {
    arrays.push_back(
        out.add(Iota{ScalarType::i64, map.width, i64_operand(0), i64_operand(1)}, "positions"));
    parameters.push_back(Binder{*position});
  }
  map.arrays = std::move(arrays);
  map.map.parameters = std::move(parameters);
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

void RowReads::body(Body& body) {
  Builder out(*names_);
  const NameSet rows = rows_read_in_places(body);
  for (Statement& each : body.statements) {
    out.set_location(each.location);
    for (const Binder& result : each.results) depths_.insert_or_assign(result.name, depth_);
    if (auto* index = as<Index>(each.operation)) {
      if (const auto part = parts_.find(index->array); part != parts_.end()) {
        index->array = part->second.array;
        index->indices.insert(index->indices.begin(), part->second.indices.begin(),
                              part->second.indices.end());
      }
      if (rows.count(each.results[0].name) != 0) {
        parts_.insert_or_assign(each.results[0].name, Part{index->array, index->indices});
        continue;
      }
    } else if (auto* slice = as<Slice>(each.operation)) {
      if (const auto part = parts_.find(slice->array); part != parts_.end()) {
        slice->array = part->second.array;
        for (std::size_t i = 0; i < part->second.indices.size(); ++i) {
          slice->dimensions.insert(
              slice->dimensions.begin() + static_cast<std::ptrdiff_t>(i),
              SliceDimension{true, part->second.indices[i], i64_operand(1), i64_operand(1)});
        }
      }
    } else if (auto* map = as<MapScanReduce>(each.operation)) {
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

void read_through_rows(Body& body, Names& names) { RowReads(names).body(body); }

}  // namespace dagaz::passes::ad
