// Perfect nests for sums: an array that each iteration of a map computes by a nest of maps, as
// levels of maps and one scalar core.
//
// What stands between the levels of the nest moves into the core if repeating it there costs next
// to nothing, and is kept for all iterations otherwise: so no evaluation is multiplied by the size
// of a dimension that it does not depend on.  Rows that are read of an array outside are read there
// again, element by element.  What stands in the innermost level moves with it; it
// is evaluated a second time only if it is scalar work that the map needs as well.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/ad/summed_body.h"

namespace dagaz::passes::ad {

struct SumNest {
  struct Level {
    ir::Operand width;
    bool sequential = false;
    std::vector<ir::NameId> arrays;
    std::vector<ir::Binder> parameters;
    std::vector<ir::Statement> views;  // of arrays, for the levels below
  };
  /// The first level is that of the summed map, with views alone.
  std::vector<Level> levels;
  ir::Body core;
  ir::Type type;  // of the core's result
};

class SumNestBuilder {
 public:
  SumNestBuilder(ir::Names& names, SummedBody& site) : names_(&names), site_(&site) {}

  /// The nest that computes `value`, an array of the site's body; nothing if there is none.
  std::optional<SumNest> build(ir::NameId value);

 private:
  using Definition = SummedBody::Definition;

  bool enter_map(const Definition& definition);
  bool enter_rows(ir::NameId array);
  bool is_in_core(const Definition& definition) const;
  bool is_repeatable(ir::NameId name, int& budget) const;
  bool is_available(ir::NameId array, int& budget) const;
  const ir::MapScanReduce* producer_of_rows(std::size_t level, ir::NameId array);

  std::optional<ir::Operand> value(const ir::Operand& operand);
  std::optional<ir::Operand> defined_value(ir::NameId name, const Definition& definition);
  std::optional<ir::Operand> array_at(ir::NameId name, const Definition& definition);
  std::optional<ir::Operand> row(std::size_t level, ir::NameId array);
  std::optional<ir::Operand> produced_row(std::size_t level, const ir::MapScanReduce& producer,
                                          std::size_t result);
  std::optional<ir::Index> read_of(ir::NameId array);
  bool is_read_again(const ir::Operand& row) const;
  ir::Operand read_again(std::size_t level, ir::NameId array, ir::Index read);
  ir::Operand position(std::size_t level);
  std::optional<ir::Operand> kept(ir::NameId name);
  std::optional<ir::Operand> moved(ir::NameId name, const Definition& definition);
  std::optional<ir::Statement> copied(const ir::Statement& statement);

  ir::Names* names_;
  SummedBody* site_;
  SumNest nest_;
  std::vector<ir::Statement*> maps_;  // of levels 1, 2, …; null where rows of an array are
  std::unordered_set<const ir::Statement*> joined_;  // maps whose bodies join the core
  ir::Substitution made_;             // names of the original code and what they are in the nest
  ir::NameSet varying_;               // names of the nest whose value depends on the iteration
  std::vector<std::unordered_map<ir::NameId, ir::Operand>> rows_;  // per level, by array
  std::unordered_map<ir::NameId, ir::Index> reads_;         // names of rows that are not kept
  std::unordered_map<std::size_t, ir::Operand> positions_;  // of levels
  std::vector<ir::Statement> repeated_;                            // scalars from further out
  struct Moved {
    const ir::Statement* around;
    const ir::Statement* original;
    ir::Statement copy;
  };
  std::vector<Moved> moved_;
};

}  // namespace dagaz::passes::ad
