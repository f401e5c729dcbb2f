#include "plan/interchange.h"

#include <algorithm>

#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

/// How the elements that a point reads move with j and with k.
class AccessPattern {
 public:
  AccessPattern(const Surroundings& around, NameId inner) : around_(around), inner_(inner) {}

  void add_reduction_index(NameId name) { along_.insert(name); }

  /// Follows the views and element reads of `statements`.
  void read(const std::vector<ir::Statement>& statements) {
    for (const ir::Statement& one : statements) {
      if (const auto* index = as<ir::Index>(one.operation)) {
        read_element(one.results[0].name, index->array, index->indices);
      }
    }
  }
  void read_element(NameId result, NameId array, const std::vector<Operand>& indices) {
    View view{array, {}};
    if (const auto found = views_.find(array); found != views_.end()) view = found->second;
    view.indices.insert(view.indices.end(), indices.begin(), indices.end());
    if (around_.sequence(view.array) != nullptr) return;
    const Layout layout = around_.layouts.of(view.array);
    if (view.indices.size() == layout.strides.size()) judge(view, layout);
    views_.insert_or_assign(result, std::move(view));
  }
  bool prefers_interchange() const { return good_ && !bad_; }

 private:
  struct View {
    NameId array;
    std::vector<Operand> indices;
  };

  void judge(const View& view, const Layout& layout) {
    bool has_inner = false;
    bool unit_inner = false;
    bool has_along = false;
    bool unit_along = false;
    for (std::size_t d = 0; d < view.indices.size(); ++d) {
      if (!view.indices[d].is_name()) continue;
      const NameId name = view.indices[d].name();
      const bool unit = layout.strides[d] == 1;
      if (name == inner_) {
        has_inner = true;
        unit_inner = unit;
      } else if (along_.contains(name)) {
        has_along = true;
        unit_along = unit;
      }
    }
    good_ = good_ || (has_inner && unit_inner && has_along && !unit_along);
    bad_ = bad_ || (has_inner && !unit_inner);
  }

  const Surroundings& around_;
  NameId inner_;
  std::unordered_set<NameId> along_;
  std::unordered_map<NameId, View> views_;
  bool good_ = false;
  bool bad_ = false;
};

bool counts_from_zero(const Sequence* sequence) {
  return sequence != nullptr && sequence->element == ir::ScalarType::i64 && sequence->stride &&
         is_constant(sequence->start, 0) && is_constant(*sequence->stride, 1);
}

bool are_scalar_operators(const std::vector<ir::ReduceOperator>& operators) {
  return std::all_of(operators.begin(), operators.end(), [](const ir::ReduceOperator& one) {
    return are_scalars(one.op.result_types) && is_straight(one.op.body.statements);
  });
}

}  // namespace

bool can_interchange(const ir::SegmentedMap& e, const ir::Names& names) {
  const ir::Statement* reduction = sole_reduction(e.body);
  if (!reduction || e.space.empty()) return false;
  const auto& map = *as<ir::MapScanReduce>(reduction->operation);
  const std::vector<ir::Statement> before(e.body.statements.data(), reduction);
  const std::vector<ir::Statement> after(
      reduction + 1, e.body.statements.data() + e.body.statements.size());
  for (const ir::Statement& one : before) {
    for (const ir::Binder& result : one.results) {
      if (map.width == Operand(result.name)) return false;
    }
  }
  if (!is_straight(before) || !is_straight(after) || !is_straight(map.map.body.statements) ||
      !are_scalar_operators(map.reductions)) {
    return false;
  }
  return std::all_of(map.map.parameters.begin(), map.map.parameters.end(),
                     [&](const ir::Binder& one) { return names.type(one.name).is_scalar(); });
}

bool gains_by_interchange(const Surroundings& around, const ir::SegmentedMap& e) {
  if (around.tunables().interchange == 0) return false;
  if (!can_interchange(e, around.names)) return false;
  const ir::Statement* reduction = sole_reduction(e.body);
  const auto& map = *as<ir::MapScanReduce>(reduction->operation);
  const std::vector<ir::Statement> before(e.body.statements.data(), reduction);
  AccessPattern pattern(around, e.space.back().index.name);
  pattern.read(before);
  const NameId along;  // an index that no name has
  pattern.add_reduction_index(along);
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    if (counts_from_zero(around.sequence(map.arrays[k]))) {
      pattern.add_reduction_index(map.map.parameters[k].name);
    } else {
      pattern.read_element(map.map.parameters[k].name, map.arrays[k], {along});
    }
  }
  pattern.read(map.map.body.statements);
  return pattern.prefers_interchange();
}

bool can_interchange(const ir::SegmentedReduce& e) {
  return e.space.size() >= 2 && is_straight(e.body.statements) &&
         are_scalar_operators(e.operators);
}

bool gains_by_interchange(const Surroundings& around, const ir::SegmentedReduce& e) {
  if (around.tunables().interchange == 0) return false;
  return can_interchange(e) && has_interleaved_segments(around, e);
}

bool has_interleaved_segments(const Surroundings& around, const ir::SegmentedReduce& e) {
  if (e.space.size() < 2) return false;
  AccessPattern pattern(around, e.space[e.space.size() - 2].index.name);
  pattern.add_reduction_index(e.space.back().index.name);
  pattern.read(e.body.statements);
  return pattern.prefers_interchange();
}

}  // namespace dagaz::plan
