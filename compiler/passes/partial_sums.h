// Additions to all elements but a few of what a map makes, as reverse mode leaves them of reading
// xs[c:] or xs[:n-c].
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/program.h"

namespace dagaz::passes {

/// old = array[part]; sums = map (+) old added; array with [part] = sums
struct PartialSum {
  ir::NameId array;
  ir::NameId added;
  std::vector<ir::NameId> tokens;
};

/// The statements of a body so far that such additions consist of.
class PartialSums {
 public:
  /// At most `most_missing` elements, at one end, are not added to.
  PartialSums(const ir::Names& names, std::int64_t most_missing)
      : names_(names), most_missing_(most_missing) {}

  void learn(const ir::Statement& statement);
  /// What the statement adds, if it writes such sums.
  std::optional<PartialSum> find(const ir::Statement& statement) const;

 private:
  bool takes_nearly_all(ir::NameId array,
                        const std::vector<ir::SliceDimension>& dimensions) const;
  std::optional<std::int64_t> missing(const ir::Operand& count, const ir::Operand& n) const;

  const ir::Names& names_;
  std::int64_t most_missing_;
  std::unordered_map<ir::NameId, ir::Scalar> scalars_;
  std::unordered_map<ir::NameId, ir::Statement> slices_;
  std::unordered_set<ir::NameId> made_;   // by maps
  std::optional<ir::Statement> last_;     // the last map, while nothing else ran
};

}  // namespace dagaz::passes
