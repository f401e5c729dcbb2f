// A scan that looks back (look_back.cpp), and that hands what a point keeps on to where it goes in
// place of its place: points are read once, and nothing but what stays is written (as in the
// `DeviceSelect` of CUB; Merrill and Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016).
#include "emit/gpu/compaction.h"

#include <algorithm>
#include <utility>

#include "emit/gpu/look_back.h"
#include "emit/memory/elements.h"

namespace dagaz::emit {

// The statements with one name for the point; what the scan has read the scatters do not read
// again.
static ir::Statements at_one_point(const plan::Compaction& compaction) {
  const std::vector<NameId>& indices = compaction.indices;
  std::vector<std::pair<ir::Index, NameId>> known;
  ir::Statements statements;
  for (ir::Statement one : compaction.body.statements) {
    if (auto* read = as<ir::Index>(one.operation)) {
      for (Operand& index : read->indices) {
        const bool is_point =
            index.is_name() &&
            std::find(indices.begin(), indices.end(), index.name()) != indices.end();
        if (is_point) index = indices[0];
      }
      const auto before = std::find_if(known.begin(), known.end(), [&](const auto& each) {
        return each.first.array == read->array && each.first.indices == read->indices;
      });
      if (before == known.end()) {
        known.emplace_back(*read, one.results[0].name);
      } else {
        one.operation = ir::Identity{before->second};
      }
    }
    statements.push_back(std::move(one));
  }
  for (std::size_t k = 1; k < indices.size(); ++k) {
    statements.insert(statements.begin(), {{{indices[k]}}, ir::Identity{indices[0]}});
  }
  return statements;
}

// The scan with what its points keep as further results of the body.
static ir::SegmentedScan scan_of(const plan::Compaction& compaction) {
  ir::SegmentedScan scan = *compaction.scan;
  scan.body.statements = at_one_point(compaction);
  scan.body.results.resize(scan.operators.size());
  scan.body.results.insert(scan.body.results.end(), compaction.body.results.begin(),
                           compaction.body.results.end());
  return scan;
}

void compact_in_one_pass(Context& c, const plan::Compaction& compaction, int stretch,
                         const PutTotals& put_totals) {
  const ir::SegmentedScan scan = scan_of(compaction);
  const std::size_t scanned = scan.operators.size();
  const auto put = [&](const std::vector<Operand>&, const std::vector<Value>& outputs) {
    for (const plan::Compaction::List& list : compaction.lists) {
      const Operand flag = outputs[scanned + list.flag].operand;
      const Operand stays =
          list.negated
              ? c.scalar(ScalarOp::bit_xor, ScalarType::boolean, {flag, ir::make_bool(true)})
              : flag;
      const Operand at = c.sub(outputs[list.scanned].operand, ir::i64_operand(1));
      c.branch(c.both(stays, c.less(at, list.size)), [&] {
        for (const plan::Compaction::Target& target : list.targets) {
          write(c, c.arrays.place_of(target.destination), {at},
                outputs[scanned + target.value]);
        }
      });
    }
  };
  count_looking_back(c, scan, stretch, put, put_totals);
}

}  // namespace dagaz::emit
