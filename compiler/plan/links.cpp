#include "plan/links.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

static std::int64_t bytes_read(const ir::Body& body, const ir::Names& names) {
  std::unordered_set<ir::NameId> arrays;
  std::int64_t bytes = 0;
  for (const ir::Statement& one : body.statements) {
    const auto* read = as<ir::Index>(one.operation);
    if (read == nullptr || !arrays.insert(read->array).second) continue;
    bytes += ir::byte_size(names.type(read->array).element);
  }
  return bytes;
}

int link_of(const ir::SegmentedScan& scan, const ir::Names& names, const Tunables& tunables) {
  for (const ir::ScanOperator& one : scan.operators) {
    if (!are_scalars(one.op.result_types)) return 0;
  }
  if (tunables.link == 0) return 0;
  const std::int64_t bytes = std::max<std::int64_t>(bytes_read(scan.body, names), 1);
  return static_cast<int>(std::max<std::int64_t>(tunables.link / bytes, 1));
}

}  // namespace dagaz::plan
