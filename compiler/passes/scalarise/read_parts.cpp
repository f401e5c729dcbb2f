// map f (xs ++ ys)                   =  map (\i -> f (if i < n then xs[i] else ys[i - n])) (iota …)
// map f (replicate n v with [s:e] = xs)  =  map (\i -> f (if s ≤ i < e then xs[i - s] else v)) …
//
// A shifted array, as stencils and their adjoints make it at every step, need not be written to be
// read once.  Where every use of it is an input of a map (with its scans and reductions) whose body
// is straight-line code over scalars, so that a test costs less than the copy and the loop around
// it still becomes vectors.  Runs after fusion, which does not look into such tests.
#include "passes/scalarise/read_parts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/alias.h"
#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::scalarising {

namespace {

using namespace ir;

/// Parts of an array are tested for one after another, in every use.
constexpr std::size_t most_parts = 3;
constexpr int most_uses = 3;

/// What an array of rank 1 consists of.
struct Pieced {
  std::vector<NameId> parts;      // one after another, or …
  std::optional<Operand> around;  // … one part among elements of this value
  Operand start;                  // of that part
  std::vector<NameId> tokens;
};

bool is_straight(const Body& body) {
  return std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    return as<Scalar>(one.operation) != nullptr || as<Identity>(one.operation) != nullptr;
  });
}

class PartReader {
 public:
  PartReader(const Function& function, Program& program)
      : names_(program.names), aliases_(analyse_aliases(function, program)) {}

  bool run(Function& function) {
    find(function.body);
    std::erase_if(pieced_, [this](const auto& entry) {
      const int uses = uses_[entry.first];
      return uses != inputs_[entry.first] || uses > most_uses;
    });
    if (pieced_.empty()) return false;
    rewrite(function.body);
    return true;
  }

 private:
  // ---- which

  void find(const Body& body) {
    for (const Statement& statement : body.statements) {
      note(statement);
      for_each_operand(statement.operation, [this](const Operand& one) { use(one); });
      if (const auto* map = as<MapScanReduce>(statement.operation);
          map && is_straight(map->map.body)) {
        for (const NameId array : map->arrays) ++inputs_[array];
      }
      for_each_scope(statement.operation, [this](const Body& inner) { find(inner); });
    }
    for (const Operand& result : body.results) use(result);
  }
  void use(const Operand& operand) {
    if (operand.is_name()) ++uses_[operand.name()];
  }

  void note(const Statement& statement) {
    if (statement.results.size() != 1) return;
    const NameId result = statement.results.front().name;
    if (!names_.type(result).is_array() || names_.type(result).rank() != 1) return;
    if (const auto* concat = as<Concat>(statement.operation)) {
      const bool readable = std::all_of(concat->arrays.begin(), concat->arrays.end(),
                                        [this](NameId part) { return may_read(part); });
      if (concat->arrays.size() > most_parts || !readable) return;
      pieced_[result] = {concat->arrays, std::nullopt, {}, statement.tokens};
    } else if (const auto* replicate = as<Replicate>(statement.operation)) {
      if (names_.type(replicate->value).is_scalar()) even_.emplace(result, replicate->value);
    } else if (const auto* update = as<Update>(statement.operation)) {
      const auto around = even_.find(update->array);
      const SliceDimension& range = update->dimensions.front();
      if (around == even_.end() || range.fixed || range.stride != i64_operand(1)) return;
      if (!may_read(update->value.name())) return;
      pieced_[result] = {{update->value.name()}, around->second, range.start, statement.tokens};
    }
  }
  /// Whether nobody writes the array, so that it can be read later.
  bool may_read(NameId array) const { return !aliases_.is_consumed(array); }

  // ---- how

  void rewrite(Body& body) {
    rewrite_statements(body, names_, Scopes::all, [&](Statement& statement, Builder& out) {
      auto* map = as<MapScanReduce>(statement.operation);
      if (map != nullptr && is_straight(map->map.body)) read_inputs(statement, *map, out);
      return false;
    });
  }

  void read_inputs(Statement& statement, MapScanReduce& e, Builder& out) {
    Builder first = out.nested();
    std::optional<NameId> index;
    for (std::size_t k = 0; k < e.arrays.size(); ++k) {
      const auto found = pieced_.find(e.arrays[k]);
      if (found == pieced_.end()) continue;
      const Pieced& pieced = found->second;
      out.set_location(statement.location);
      first.set_location(statement.location);
      if (!index) {
        const NameId positions = out.add(
            Iota{ScalarType::i64, e.width, i64_operand(0), i64_operand(1)}, "positions");
        index = names_.fresh("i", scalar_of(ScalarType::i64));
        e.arrays.push_back(positions);
        e.map.parameters.push_back({*index});
      }
      statement.tokens.insert(statement.tokens.end(), pieced.tokens.begin(), pieced.tokens.end());
      const Operand value = pieced.around ? element_within(pieced, *index, first)
                                          : element_of(pieced.parts, 0, *index, first);
      first.add(Statement{{e.map.parameters[k]}, Identity{value}, {}, statement.location});
      e.arrays.erase(e.arrays.begin() + static_cast<std::ptrdiff_t>(k));
      e.map.parameters.erase(e.map.parameters.begin() + static_cast<std::ptrdiff_t>(k));
      --k;
    }
    first.add_all(std::move(e.map.body.statements));
    e.map.body.statements = first.take();
  }

  /// Element `at` of the parts from number `part` on, one after another.
  Operand element_of(const std::vector<NameId>& parts, std::size_t part, const Operand& at,
                     Builder& out) {
    const NameId array = parts[part];
    const Operand size = names_.type(array).shape[0];
    const bool is_one = size == i64_operand(1);
    if (part + 1 == parts.size()) {
      return out.index(array, {is_one ? i64_operand(0) : at});
    }
    const Operand inside = out.scalar(ScalarOp::slt, ScalarType::i64, {at, size}, "inside");
    return out
        .branch(
            inside,
            [&](Builder& yes) -> std::vector<Operand> {
              return {yes.index(array, {is_one ? i64_operand(0) : at})};
            },
            [&](Builder& no) -> std::vector<Operand> {
              return {element_of(parts, part + 1, no.sub_i64(at, size), no)};
            },
            "x")
        .front();
  }

  /// Element `at` of an array of one value but for one part.
  Operand element_within(const Pieced& pieced, const Operand& at, Builder& out) {
    const NameId part = pieced.parts.front();
    const Operand place = out.sub_i64(at, pieced.start);
    const Operand inside = out.scalar(ScalarOp::ult, ScalarType::i64,
                                      {place, names_.type(part).shape[0]}, "inside");
    return out
        .branch(
            inside,
            [&](Builder& yes) -> std::vector<Operand> { return {yes.index(part, {place})}; },
            [&](Builder&) -> std::vector<Operand> { return {*pieced.around}; }, "x")
        .front();
  }

  Names& names_;
  const AliasInfo aliases_;
  std::unordered_map<NameId, int> uses_;
  std::unordered_map<NameId, int> inputs_;
  std::unordered_map<NameId, Operand> even_;
  std::unordered_map<NameId, Pieced> pieced_;
};

}  // namespace

bool read_parts(Function& function, Program& program) {
  return PartReader(function, program).run(function);
}

}  // namespace dagaz::passes::scalarising
