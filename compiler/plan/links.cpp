#include "plan/links.h"

#include <algorithm>
#include <cstdint>

#include "ir/reads.h"
#include "plan/operators.h"

namespace dagaz::plan {

int link_of(const ir::SegmentedScan& scan, const std::unordered_set<ir::NameId>& iotas,
            const ir::Names& names, const Tunables& tunables) {
  for (const ir::ScanOperator& one : scan.operators) {
    if (!are_scalars(one.op.result_types)) return 0;
  }
  if (tunables.link == 0) return 0;
  const std::int64_t bytes = std::max<std::int64_t>(ir::bytes_read(scan.body, iotas, names), 1);
  return static_cast<int>(std::max<std::int64_t>(tunables.link / bytes, 1));
}

}  // namespace dagaz::plan
