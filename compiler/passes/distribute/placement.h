// Which operations ranks share, and which arrays are split among them, as a consequence of a
// choice.
//
// The choice names extents.  Every operation whose outermost dimension has such an extent is
// shared: each rank does its rows.  So is a reduction along such an extent; what the ranks have
// then meets. An array of which each rank has made its rows stays split; if somebody reads it
// elsewhere than at the row that he makes himself, it is gathered as soon as it is made. Everything
// else every rank does for itself: that is always right.
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"
#include "passes/distribute/reads.h"

namespace dagaz::passes::distributing {

struct Choice {
  std::vector<ir::Operand> extents;
  ir::NameSet unshared;  // operations, by first result, that are not shared although they could be
};

/// How ranks share an operation.
struct Share {
  std::size_t dimension;  // of its space; behind them all: the elements of a sum (inner_sums.h)
  bool reduces = false;   // along that dimension: results meet
};
/// The extent that is shared.
const ir::Operand& extent_of(const ir::Operation& operation, const Share& share);
SharedIndex index_of(const ir::Operation& operation, std::size_t dimension);

/// An array of which each rank has a part.
struct Split {
  ir::Operand extent;
  std::size_t dimension = 0;  // another one for views
};

struct Placement {
  std::unordered_map<ir::NameId, Share> shares;  // by first result
  std::unordered_map<ir::NameId, Split> split;   // arrays
  ir::NameSet gathered;                          // those of them that are needed whole
  ir::NameSet accumulations;                     // whose additions are shared, by first result

  /// The dimension along which the array is split by the extent.
  std::optional<std::size_t> split_at(ir::NameId array, const ir::Operand& extent) const {
    const auto found = split.find(array);
    if (found == split.end() || found->second.extent != extent) return std::nullopt;
    return found->second.dimension;
  }
  bool has_rows(ir::NameId array, const ir::Operand& extent) const {
    return split_at(array, extent) == std::size_t{0};
  }
};

/// The space of a segmented operation; null for others.
const std::vector<ir::SpaceDimension>* space_of(const ir::Operation& operation);

/// Whether a point may fail, on the rank that has it.
bool may_fail(const ir::Operation& operation);
/// How many of the results, the first ones, ranks combine.
std::size_t combined_results(const ir::Statement& statement, const Share& share);

/// What holds for a function whatever is chosen.
class Placer {
 public:
  Placer(const ir::Function& function, const ir::Names& names)
      : function_(function), names_(names) {}

  Placement place(const Choice& choice);
  /// The ways in which an operation can be shared, the best first.
  std::vector<Share> ways(const ir::Statement& statement) const;

 private:
  using Reads = std::unordered_map<ir::NameId, Positions>;

  void place(const ir::Body& body);
  void place(const ir::Statement& statement);
  void place(const ir::Loop& loop, const std::vector<ir::Binder>& results);
  bool place(const ir::Permute& permute, ir::NameId result);
  std::optional<ir::Operand> extent_of_state(const ir::Loop& loop, std::size_t k,
                                             ir::NameId result) const;
  std::optional<Share> way(const ir::Statement& statement);
  bool reads_rows(const std::pair<const ir::NameId, Positions>& read,
                  const ir::Operand& extent) const;
  bool shares_additions(const ir::WithAccumulator& with);
  void share(const ir::Statement& statement, const Share& share);
  void need(const ir::Operand& operand);
  void need_all(const ir::Statement& statement);
  const Reads& reads_of(const ir::Statement& statement, std::size_t dimension);

  const ir::Function& function_;
  const ir::Names& names_;
  const Choice* choice_ = nullptr;
  Placement placement_;
  std::unordered_map<ir::NameId, ir::NameId> views_;  // of arrays that are split
  std::unordered_map<ir::NameId, std::unordered_map<std::size_t, Reads>> reads_;
};

}  // namespace dagaz::passes::distributing
