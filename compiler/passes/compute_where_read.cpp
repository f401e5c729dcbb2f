// Maps over spaces whose elements are read at the readers' own points are computed by the readers,
// on a GPU:
//
//   ys = segmented_map [i < n, j < m] f xs[i, j]       zs = segmented_reduce [i < n, j < m] ⊕
//   zs = segmented_reduce [i < n, j < m] ⊕ ys[i, j]  =        (f xs[i, j])
//
// Fusion works on nests; this is what their distribution leaves between its pieces.  Each such map
// costs a kernel, and its elements are written and read again.
//
// A map is moved where that saves more than it costs, counted for a point: what is no longer
// written and read, against what several readers read and compute each for themselves.  Arrays of
// fewer dimensions than the space are read again and again, and hence from caches.  Readers that
// read rows, or at other points, or a point several times, need the array.
#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "ir/alias.h"
#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/passes.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

/// The space and the body of an operation over a space, or nothing.
struct Points {
  std::vector<SpaceDimension>* space = nullptr;
  Body* body = nullptr;
};
Points points_of(Operation& operation) {
  if (auto* map = as<SegmentedMap>(operation)) return {&map->space, &map->body};
  if (auto* sum = as<SegmentedReduce>(operation)) return {&sum->space, &sum->body};
  if (auto* scan = as<SegmentedScan>(operation)) return {&scan->space, &scan->body};
  if (auto* bins = as<SegmentedHistogram>(operation)) return {&bins->space, &bins->body};
  if (auto* places = as<SegmentedScatter>(operation)) return {&places->space, &places->body};
  return {};
}

/// The elements that a body reads of arrays: which scalar is which element.
class ElementReads {
 public:
  /// Of `arrays`; nothing else may be done with them.
  static std::optional<ElementReads> find(const Body& body, const NameSet& arrays,
                                          const Names& names) {
    ElementReads reads;
    for (const Statement& one : body.statements) {
      const auto* index = as<Index>(one.operation);
      const bool reads_one =
          index != nullptr && (arrays.contains(index->array) || reads.rows_.contains(index->array));
      if (reads_one) {
        reads.note(one, *index, names);
      } else if (reads.mentioned(free_names(one, names), arrays)) {
        return std::nullopt;
      }
    }
    std::vector<NameId> given;
    for (const Operand& result : body.results) {
      if (result.is_name()) given.push_back(result.name());
    }
    if (reads.mentioned(given, arrays)) return std::nullopt;
    return reads;
  }

  struct Element {
    NameId result;
    NameId array;
    std::vector<Operand> indices;
  };
  std::vector<Element> elements;

  /// Whether the statement is one of these reads.
  bool has(const Statement& one) const {
    const NameId result = one.results[0].name;
    return rows_.contains(result) ||
           std::any_of(elements.begin(), elements.end(),
                       [&](const Element& element) { return element.result == result; });
  }

 private:
  void note(const Statement& one, const Index& index, const Names& names) {
    Element element{one.results[0].name, index.array, {}};
    if (const auto row = rows_.find(index.array); row != rows_.end()) {
      element.array = row->second.array;
      element.indices = row->second.indices;
    }
    element.indices.insert(element.indices.end(), index.indices.begin(), index.indices.end());
    if (names.type(element.result).is_scalar()) {
      elements.push_back(std::move(element));
    } else {
      rows_.emplace(element.result, std::move(element));
    }
  }
  bool mentioned(const std::vector<NameId>& mentions, const NameSet& arrays) const {
    return std::any_of(mentions.begin(), mentions.end(),
                       [&](NameId one) { return arrays.contains(one) || rows_.contains(one); });
  }

  std::unordered_map<NameId, Element> rows_;
};

bool names_all(const std::vector<Operand>& indices, const std::vector<SpaceDimension>& space) {
  return indices.size() == space.size() &&
         std::all_of(space.begin(), space.end(), [&](const SpaceDimension& dimension) {
           return std::find(indices.begin(), indices.end(), Operand(dimension.index.name)) !=
                  indices.end();
         });
}

/// What a point of a map costs: the numbers that it reads and nobody reads again, and operations.
struct PointCost {
  std::int64_t numbers = 0;
  std::int64_t operations = 0;
};

class Mover {
 public:
  Mover(Program& program, const Function& function, const Tunables& tunables)
      : names_(program.names), aliases_(analyse_aliases(function, program)), tunables_(tunables) {}

  void body(Body& body) {
    for (Statement& one : body.statements) {
      if (!as<Branch>(one.operation) && !as<Loop>(one.operation)) continue;
      for_each_scope(one.operation, [&](Body& inner) { this->body(inner); });
    }
    for (std::size_t i = body.statements.size(); i-- > 0;) {
      if (!move(body, i)) continue;
      body.statements.erase(body.statements.begin() + static_cast<std::ptrdiff_t>(i));
      changed_ = true;
    }
  }
  bool changed() const { return changed_; }

 private:
  /// A reader, and what it reads of the map.
  struct Reader {
    Statement* statement;
    Points points;
    ElementReads reads;
  };

  /// Whether nothing needs the map at `i` any more.
  bool move(Body& body, std::size_t i) {
    Statement& producer = body.statements[i];
    const auto* map = as<SegmentedMap>(producer.operation);
    if (map == nullptr) return false;
    const std::optional<PointCost> cost = cost_of(*map);
    if (!cost) return false;
    NameSet made;
    for (const Binder& each : producer.results) {
      if (aliases_.is_consumed(each.name)) return false;
      made.insert(each.name);
    }
    std::optional<std::vector<Reader>> readers = readers_of(body, i, made);
    if (!readers || readers->empty() || !pays(*cost, *readers, made.size())) return false;
    for (const Reader& reader : *readers) compute_in(reader, producer, *map);
    return true;
  }

  /// Nothing for a body that does more than to read elements and to compute with them.
  std::optional<PointCost> cost_of(const SegmentedMap& map) const {
    PointCost cost;
    std::unordered_map<NameId, std::size_t> indexed;  // rows, by how far they are indexed
    for (const Statement& one : map.body.statements) {
      if (const auto* scalar = as<Scalar>(one.operation)) {
        cost.operations += is_cheap(scalar->op) ? 1 : tunables_.slow_operation;
      } else if (const auto* index = as<Index>(one.operation)) {
        const auto row = indexed.find(index->array);
        const std::size_t by = index->indices.size() + (row == indexed.end() ? 0 : row->second);
        const NameId result = one.results[0].name;
        if (!names_.type(result).is_scalar()) {
          indexed.emplace(result, by);
        } else if (by < map.space.size()) {
          ++cost.operations;
        } else {
          ++cost.numbers;
        }
      } else {
        return std::nullopt;
      }
    }
    const bool scalars = std::all_of(map.result_types.begin(), map.result_types.end(),
                                     [](const Type& type) { return type.is_scalar(); });
    return scalars ? std::optional(cost) : std::nullopt;
  }

  /// Nothing if something else needs what the map at `i` makes, or if what it reads is another
  /// array by then.
  std::optional<std::vector<Reader>> readers_of(Body& body, std::size_t i, const NameSet& made) {
    const auto needed = [&](NameId name) { return made.contains(name); };
    std::vector<Reader> readers;
    const std::vector<NameId> read = free_names(body.statements[i], names_);
    bool unchanged = true;
    for (std::size_t k = i + 1; k < body.statements.size(); ++k) {
      Statement& one = body.statements[k];
      unchanged = unchanged && !aliases_.may_write(one, read);
      const std::vector<NameId> mentioned = free_names(one, names_);
      if (std::none_of(mentioned.begin(), mentioned.end(), needed)) continue;
      const Points points = points_of(one.operation);
      if (!unchanged || points.body == nullptr || is_needed_beside(one, made)) return std::nullopt;
      std::optional<ElementReads> reads = ElementReads::find(*points.body, made, names_);
      if (!reads) return std::nullopt;
      for (const auto& element : reads->elements) {
        if (!names_all(element.indices, *points.space)) return std::nullopt;
      }
      readers.push_back({&one, points, std::move(*reads)});
    }
    for (const Operand& result : body.results) {
      if (result.is_name() && needed(result.name())) return std::nullopt;
    }
    return readers;
  }
  /// Whether the operation needs one of `arrays` elsewhere than in its body.
  bool is_needed_beside(const Statement& one, const NameSet& arrays) const {
    Operation without = one.operation;
    points_of(without).body->statements.clear();
    points_of(without).body->results.clear();
    const std::vector<NameId> mentioned = free_names(without, names_);
    return std::any_of(mentioned.begin(), mentioned.end(),
                       [&](NameId name) { return arrays.contains(name); });
  }

  bool pays(const PointCost& cost, const std::vector<Reader>& readers, std::size_t made) const {
    std::int64_t times = -1;
    auto saved = static_cast<std::int64_t>(made);
    for (const Reader& reader : readers) {
      times += static_cast<std::int64_t>(points_read_by(reader).size());
      saved += static_cast<std::int64_t>(reader.reads.elements.size());
    }
    return times * (cost.operations + tunables_.device_number * cost.numbers) <
           tunables_.device_number * saved;
  }

  /// The points of the map whose elements a point of the reader needs.
  static std::vector<std::vector<Operand>> points_read_by(const Reader& reader) {
    std::vector<std::vector<Operand>> points;
    for (const auto& element : reader.reads.elements) {
      if (std::find(points.begin(), points.end(), element.indices) == points.end()) {
        points.push_back(element.indices);
      }
    }
    return points;
  }

  void compute_in(const Reader& reader, const Statement& producer, const SegmentedMap& map) {
    std::vector<Statement> statements;
    for (const std::vector<Operand>& point : points_read_by(reader)) {
      Substitution with;
      for (std::size_t d = 0; d < map.space.size(); ++d) {
        with.emplace(map.space[d].index.name, point[d]);
      }
      Body copy = renamed(map.body, names_);
      substitute(copy, with, names_);
      std::move(copy.statements.begin(), copy.statements.end(), std::back_inserter(statements));
      for (const auto& element : reader.reads.elements) {
        if (element.indices != point) continue;
        const std::size_t k = result_number(producer, element.array);
        statements.push_back({{{element.result}}, Identity{copy.results[k]}});
      }
    }
    for (Statement& one : reader.points.body->statements) {
      if (!reader.reads.has(one)) statements.push_back(std::move(one));
    }
    reader.points.body->statements = std::move(statements);
    add_tokens(reader.statement->tokens, producer.tokens);
  }
  static std::size_t result_number(const Statement& statement, NameId result) {
    const auto found = std::find_if(statement.results.begin(), statement.results.end(),
                                    [&](const Binder& each) { return each.name == result; });
    return static_cast<std::size_t>(found - statement.results.begin());
  }

  Names& names_;
  AliasInfo aliases_;
  const Tunables& tunables_;
  bool changed_ = false;
};

}  // namespace

bool compute_where_read(FlatProgram& program, const Tunables& tunables) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Mover mover(program.program, function, tunables);
    mover.body(function.body);
    changed = changed || mover.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
