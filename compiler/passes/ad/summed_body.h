// The body of a map, or of a loop, over whose iterations something is summed: where its names come
// from, which of them are needed anyway, and how a value from inside a nest of maps becomes one of
// the body.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// What evaluating a statement in another place costs.
enum class EvaluationCost {
  cheap,     // a few cycles
  moderate,  // scalar work: a transcendental function, a division, a branch over such
  heavy      // everything with a loop in it
};
EvaluationCost evaluation_cost(const ir::Statement& statement, const ir::Names& names);
/// Arithmetic, comparisons and logic, as indices and conditions on these are made of: evaluated
/// again rather than kept.
bool is_index_arithmetic(const ir::Statement& statement);
/// So many other cheap statements are evaluated in another place again, rather than their value
/// kept.
constexpr int most_repeated_statements = 3;

/// Whether result `result` of the statement is an array of what the map's lambda gives at the same
/// place of its results, with nothing that has to follow the order of the elements.
bool is_mapped_result(const ir::MapScanReduce& map, std::size_t result);

class SummedBody {
 public:
  /// A name bound by a statement of the body, or of the body of a map inside it.
  struct Definition {
    ir::Statement* statement;
    std::size_t result;
    ir::Statement* around;  // the map in whose body that is; null: the body itself
  };
  /// A parameter of the map, or of a map inside it.
  struct Element {
    ir::Statement* map;  // null: the map itself
    ir::NameId array;
  };

  SummedBody(ir::Names& names, FunctionDerivatives& functions)
      : names_(&names), functions_(&functions) {}

  /// The parameters with their arrays, invalid where a loop has none, the statements, and what
  /// leaves the body in any case.
  void set(const std::vector<ir::Binder>& parameters, const std::vector<ir::NameId>& arrays,
           std::vector<ir::Statement>& statements, const std::vector<ir::Operand>& kept);

  const Definition* definition(const ir::Operand& operand) const;
  const Element* element(ir::NameId name) const;
  bool is_outside(const ir::Operand& operand) const;
  bool is_outside(const ir::Type& type) const;
  /// How many maps are around the statement, inside the summed one.
  std::size_t level(const Definition& definition) const;

  /// Whether evaluating the name is necessary whatever becomes of the sums.
  bool is_live(ir::NameId name) const { return live_.count(name) != 0; }
  void mark_live(ir::NameId name);
  /// Whether its value is kept for all iterations and all places of the nest.
  bool is_kept(ir::NameId name) const;
  /// Keeps a value for all places of the nest: the name, in the body, of the array of them.
  std::optional<ir::NameId> keep(ir::NameId name);

 private:
  void enter(std::vector<ir::Statement>& statements, ir::Statement* around);
  bool may_be_kept(const Definition& definition, ir::NameId name) const;

  ir::Names* names_;
  FunctionDerivatives* functions_;
  std::unordered_map<ir::NameId, Definition> definitions_;
  std::unordered_map<ir::NameId, Element> elements_;
  ir::NameSet consumed_;
  ir::NameSet live_;
  ir::NameSet kept_;  // of the body
};

}  // namespace dagaz::passes::ad
