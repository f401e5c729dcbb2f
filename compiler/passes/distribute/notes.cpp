#include "passes/distribute/notes.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

bool NotedAddition::has_place_of(const NotedAddition& other) const {
  return indices.front() == other.indices.front() && around == other.around &&
         std::equal(
             dimensions.begin(), dimensions.end(), other.dimensions.begin(), other.dimensions.end(),
             [](const NoteDimension& a, const NoteDimension& b) { return a.index == b.index; });
}

std::vector<Operand> NotedAddition::further() const {
  return {indices.begin() + 1, indices.end() - static_cast<std::ptrdiff_t>(row.size())};
}

namespace {

constexpr std::size_t most_dimensions = 64;

bool adds(const ir::Operation& operation) {
  bool found = as<ir::Accumulate>(operation) != nullptr;
  ir::for_each_scope(operation, [&](const ir::Body& inner) {
    found = found || std::any_of(inner.statements.begin(), inner.statements.end(),
                                 [&](const ir::Statement& one) { return adds(one.operation); });
  });
  return found;
}

/// The parameter that is the index of a map's elements.
NameId range_in(const ir::MapScanReduce& map, const Definitions& definitions) {
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    const auto found = definitions.ranges.find(map.arrays[k]);
    if (found == definitions.ranges.end()) continue;
    const ir::Iota& range = found->second;
    if (range.type == ir::ScalarType::i64 && range.start == ir::i64_operand(0) &&
        range.stride == ir::i64_operand(1) && range.count == map.width) {
      return map.map.parameters[k].name;
    }
  }
  return {};
}

/// Walks the points of one scope.  Of each name it knows on which of the dimensions around it
/// depends, a bit for each.
class NotesWalk {
 public:
  NotesWalk(const ir::WithAccumulator& with, const Accumulators& accumulators,
            const Definitions& definitions, const ir::Names& names, Notes& notes)
      : with_(with),
        accumulators_(accumulators),
        definitions_(definitions),
        names_(names),
        notes_(notes) {
    for (const NameId name : ir::bound_names(with.body.body)) inside_.insert(name);
  }

  void points(const ir::Statement& statement, std::size_t shared) {
    const auto& map = std::get<ir::SegmentedMap>(statement.operation);
    around_ = {statement.results[0].name};
    for (std::size_t k = 0; k < map.space.size(); ++k) {
      if (k == 0) enter(map.space[shared].extent, map.space[shared].index.name);
      if (k != shared) enter(map.space[k].extent, map.space[k].index.name);
    }
    body(map.body);
    dimensions_.clear();
  }

 private:
  using Bits = std::uint64_t;

  void enter(const Operand& extent, NameId index, NameId around = {}) {
    if (index.valid()) depends_[index] = Bits{1} << dimensions_.size();
    dimensions_.push_back({extent, index, around});
  }
  Bits newest() const { return Bits{1} << (dimensions_.size() - 1); }
  Bits of(const Operand& operand) const {
    const auto found = operand.is_name() ? depends_.find(operand.name()) : depends_.end();
    return found == depends_.end() ? 0 : found->second;
  }

  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) statement(one);
  }

  void statement(const ir::Statement& one) {
    Bits bits = 0;
    for (const NameId name : ir::free_names(one, names_)) bits |= of(name);
    for (const ir::Binder& result : one.results) depends_[result.name] = bits;
    if (const auto* add = as<ir::Accumulate>(one.operation)) return note(*add, one.results[0].name);
    if (!adds(one.operation)) return;
    around_.push_back(one.results[0].name);
    if (const auto* branch = as<ir::Branch>(one.operation)) {
      const Bits before = conditions_;
      conditions_ |= of(branch->condition);
      body(branch->then_body);
      around_.push_back(one.results[0].name);
      body(branch->else_body);
      around_.pop_back();
      conditions_ = before;
    } else if (const auto* with = as<ir::WithAccumulator>(one.operation)) {
      body(with->body.body);
    } else {
      repeated(one.operation, bits);
    }
    around_.pop_back();
  }

  void repeated(const ir::Operation& operation, Bits bits) {
    const bool before = is_regular_;
    const std::size_t outer = dimensions_.size();
    const auto* loop = as<ir::Loop>(operation);
    const auto* map = as<ir::MapScanReduce>(operation);
    const auto* form = loop == nullptr ? nullptr : std::get_if<ir::ForForm>(&loop->form);
    if (form != nullptr && names_.type(form->index.name).element == ir::ScalarType::i64) {
      enter(form->bound, form->index.name, around_.back());
      dimensions_.back().may_be_negative = true;
      for (const ir::LoopValue& value : loop->values) {
        depends_[value.parameter.name] = bits | newest();
      }
    } else if (map != nullptr) {
      enter(map->width, range_in(*map, definitions_), around_.back());
      for (std::size_t k = 0; k < map->arrays.size(); ++k) {
        const NameId parameter = map->map.parameters[k].name;
        if (parameter == dimensions_.back().index) continue;
        depends_[parameter] = of(map->arrays[k]) | newest();
      }
    } else {
      is_regular_ = false;
    }
    ir::for_each_scope(operation, [&](const ir::Body& inner) { body(inner); });
    dimensions_.resize(outer);
    is_regular_ = before;
  }

  bool is_outside(const Operand& size) const {
    return !size.is_name() || !inside_.contains(size.name());
  }

  void note(const ir::Accumulate& add, NameId sum) {
    const auto found = accumulators_.find(add.accumulator);
    if (found == accumulators_.end()) return;
    const bool is_known =
        is_regular_ && !add.indices.empty() && dimensions_.size() <= most_dimensions &&
        std::all_of(dimensions_.begin(), dimensions_.end(),
                    [&](const NoteDimension& one) { return is_outside(one.extent); });
    if (!is_known) {
      notes_.possible[found->second] = false;
      return;
    }
    NotedAddition noted{sum, found->second, add.value, add.indices, dimensions_, {}, around_};
    find_row(noted);
    notes_.all.push_back(std::move(noted));
  }

  /// The last indices, as far as they go through all elements that they may.
  void find_row(NotedAddition& noted) const {
    const std::vector<Operand>& shape = with_.inputs[noted.input].shape;
    std::vector<NoteDimension> left = noted.dimensions;
    std::vector<NoteDimension> row;
    Bits bits = 0;
    for (std::size_t k = shape.size(); k-- > 1;) {
      const auto dimension =
          std::find_if(left.begin() + 1, left.end(), [&](const NoteDimension& one) {
            return noted.indices[k] == Operand(one.index) && shape[k] == one.extent;
          });
      if (dimension == left.end()) break;
      bits |= of(noted.indices[k]);
      row.insert(row.begin(), *dimension);
      left.erase(dimension);
    }
    const auto rest = noted.indices.end() - static_cast<std::ptrdiff_t>(row.size());
    const bool has_one_place = (conditions_ & bits) == 0 &&
                               std::none_of(noted.indices.begin(), rest, [&](const Operand& index) {
                                 return (of(index) & bits) != 0;
                               });
    if (!has_one_place) return;
    noted.dimensions = std::move(left);
    noted.row = std::move(row);
    std::erase_if(noted.around, [&](NameId name) {
      return std::any_of(noted.row.begin(), noted.row.end(),
                         [&](const NoteDimension& one) { return one.around == name; });
    });
  }

  const ir::WithAccumulator& with_;
  const Accumulators& accumulators_;
  const Definitions& definitions_;
  const ir::Names& names_;
  Notes& notes_;
  ir::NameSet inside_;
  std::unordered_map<NameId, Bits> depends_;
  std::vector<NoteDimension> dimensions_;
  std::vector<NameId> around_;
  Bits conditions_ = 0;  // what decides whether there is an addition
  bool is_regular_ = true;
};

/// Adds ranges to maps that add and have none.
class IndexGiver {
 public:
  IndexGiver(const ir::WithAccumulator& with, Definitions& definitions, ir::Builder& out)
      : definitions_(definitions), out_(out) {
    for (const NameId name : ir::bound_names(with.body.body)) inside_.insert(name);
  }

  void body(ir::Body& body) {
    for (ir::Statement& one : body.statements) {
      if (!adds(one.operation)) continue;
      if (auto* map = as<ir::MapScanReduce>(one.operation)) give(*map);
      ir::for_each_scope(one.operation, [&](ir::Body& inner) { this->body(inner); });
    }
  }

 private:
  void give(ir::MapScanReduce& map) {
    const bool is_inside = map.width.is_name() && inside_.contains(map.width.name());
    if (is_inside || range_in(map, definitions_).valid()) return;
    const ir::Iota range{ir::ScalarType::i64, map.width, ir::i64_operand(0), ir::i64_operand(1)};
    map.arrays.push_back(out_.add(range, "positions"));
    definitions_.ranges.emplace(map.arrays.back(), range);
    map.map.parameters.push_back({out_.names().fresh("i", ir::scalar_of(ir::ScalarType::i64))});
  }

  Definitions& definitions_;
  ir::Builder& out_;
  ir::NameSet inside_;
};

}  // namespace

void give_indices(ir::WithAccumulator& with, Definitions& definitions, ir::Builder& out) {
  IndexGiver(with, definitions, out).body(with.body.body);
}

Notes notes_of(const ir::WithAccumulator& with, const Accumulators& accumulators,
               const Definitions& definitions, const SharedDimension& shared,
               const ir::Names& names) {
  Notes notes{{}, std::vector<bool>(with.inputs.size(), true)};
  NotesWalk walk(with, accumulators, definitions, names, notes);
  for (const ir::Statement& one : with.body.body.statements) {
    const auto adds = [&](const ir::Binder& result) { return accumulators.contains(result.name); };
    if (!std::any_of(one.results.begin(), one.results.end(), adds)) continue;
    walk.points(one, shared(one));
  }
  std::vector<bool> any(with.inputs.size());
  for (const NotedAddition& one : notes.all) any[one.input] = true;
  for (std::size_t k = 0; k < any.size(); ++k) notes.possible[k] = notes.possible[k] && any[k];
  std::erase_if(notes.all, [&](const NotedAddition& one) { return !notes.possible[one.input]; });
  return notes;
}

}  // namespace dagaz::passes::distributing
