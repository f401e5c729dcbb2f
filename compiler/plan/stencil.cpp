// Which maps may run as one loop: stages of a stencil.
//
//   a = map f over i < n of x[i], x[i-1];   b = map g over i < n of x[i], a[i], a[i-1]
//
// In one loop over i, a[i] and a[i-1] are in registers, and a needs no memory if nothing else reads
// it.  (Halide calls this a sliding window, Ragan-Kelley et al. 2013.)  All reads must be on one
// side, from which the loop then comes.  A piece of the points that is run by itself begins a few
// points early, the halo, and gives nothing there; so each map computes numbers alone, and neither
// chooses what to execute nor where to read by what it has read of the others, which at the first
// points of the halo is anything.
//
// At the edges stencils choose by comparing the index with a constant or with n.  Where these
// comparisons are known, at all points but a few, what they guard is read without a mask.
#include "plan/stencil.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

namespace {

// Registers hold so many values, each for so many points; more would lie in memory after all.
constexpr std::size_t most_values = 16;
constexpr std::int64_t farthest = 4;
constexpr std::size_t most_statements = 256;

/// Adds maps to a stencil.
class Stages {
 public:
  Stages(const Operand& extent, const KnownOutside& outside)
      : extent_(extent), outside_(outside), inner_(extent, outside) {}

  /// Whether `statement` may be the next map of the stencil.
  bool add(const ir::Statement& statement) {
    const auto* map = as<ir::SegmentedMap>(statement.operation);
    if (map == nullptr || map->space.size() != 1 || map->space[0].extent != extent_) return false;
    const Stencil before = stencil_;
    const InnerPoints inner = inner_;
    inner_.set_index(map->space[0].index.name);
    depth_ = 0;
    const bool fits = add(map->body, false) && give(statement, *map);
    const bool belongs = before.maps.empty() || stencil_.reads.size() > before.reads.size();
    if (!fits || !belongs) {
      stencil_ = before;
      inner_ = inner;
      return false;
    }
    stencil_.halo = std::max(stencil_.halo, depth_);
    stencil_.maps.push_back(&statement);
    return true;
  }
  Stencil stencil() const {
    Stencil found = stencil_;
    found.low = inner_.low();
    found.high = inner_.high();
    found.known = inner_.known();
    return found;
  }

 private:
  bool give(const ir::Statement& statement, const ir::SegmentedMap& map) {
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      if (!map.result_types[k].is_scalar()) return false;
      value_of_.emplace(statement.results[k].name, stencil_.values.size());
      stencil_.values.push_back(statement.results[k].name);
      stencil_.reach.push_back(std::nullopt);
      depths_.push_back(depth_);
    }
    return stencil_.values.size() <= most_values && statements_ <= most_statements;
  }

  bool add(const ir::Body& body, bool guarded) {
    for (const ir::Statement& one : body.statements) {
      ++statements_;
      for (const ir::Binder& result : one.results) {
        if (!outside_.names.type(result.name).is_scalar()) return false;
      }
      inner_.note(one);
      if (const auto* scalar = as<ir::Scalar>(one.operation)) {
        if (!add(one.results[0].name, *scalar)) return false;
      } else if (const auto* identity = as<ir::Identity>(one.operation)) {
        if (is_anything(identity->value)) anything_.insert(one.results[0].name);
      } else if (const auto* index = as<ir::Index>(one.operation)) {
        stencil_.reads_conditionally = stencil_.reads_conditionally || guarded;
        if (!add(one.results[0].name, *index)) return false;
      } else if (const auto* branch = as<ir::Branch>(one.operation)) {
        if (!add(one, *branch)) return false;
      } else {
        return false;
      }
    }
    return true;
  }

  bool add(NameId result, const ir::Scalar& scalar) {
    const bool anything = std::any_of(scalar.arguments.begin(), scalar.arguments.end(),
                                      [&](const Operand& each) { return is_anything(each); });
    if (anything && ir::may_trap(scalar.op)) return false;
    if (anything) anything_.insert(result);
    return true;
  }

  bool add(const ir::Statement& statement, const ir::Branch& branch) {
    if (is_anything(branch.condition)) return false;
    const bool known = inner_.is_known(branch.condition);
    ++branches_;
    const bool fits = add(branch.then_body, known) && add(branch.else_body, known);
    --branches_;
    if (!fits) return false;
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      if (is_anything(branch.then_body.results[k]) || is_anything(branch.else_body.results[k])) {
        anything_.insert(statement.results[k].name);
      }
    }
    return true;
  }

  bool add(NameId result, const ir::Index& index) {
    const auto value = value_of_.find(index.array);
    if (value == value_of_.end()) {
      share(result, index);
      return std::none_of(index.indices.begin(), index.indices.end(),
                          [&](const Operand& each) { return is_anything(each); });
    }
    const auto offset = inner_.offset_of(index.indices[0]);
    if (!offset || std::abs(*offset) > farthest) return false;
    if (*offset != 0) {
      if (side_ && *side_ != (*offset > 0)) return false;
      side_ = *offset > 0;
      stencil_.downwards = *side_;
    }
    const std::int64_t distance = std::abs(*offset);
    stencil_.reads[result] = {value->second, distance};
    auto& reach = stencil_.reach[value->second];
    reach = std::max(reach.value_or(0), distance);
    depth_ = std::max(depth_, depths_[value->second] + distance);
    anything_.insert(result);
    return true;
  }

  // Maps that read the same element load it once.
  void share(NameId result, const ir::Index& index) {
    const auto offset = index.indices.size() == 1 ? inner_.offset_of(index.indices[0]) : std::nullopt;
    if (!offset) return;
    const auto before = loaded_.find({index.array, *offset});
    if (before != loaded_.end()) {
      stencil_.same[result] = before->second;
    } else if (branches_ == 0) {
      loaded_.emplace(std::pair(index.array, *offset), result);
    }
  }

  // Whether it comes from what other maps give.
  bool is_anything(const Operand& operand) const {
    return operand.is_name() && anything_.contains(operand.name());
  }

  const Operand extent_;
  const KnownOutside& outside_;
  Stencil stencil_;
  InnerPoints inner_;
  std::optional<bool> side_;  // whether it is read on the side of greater indices
  std::unordered_map<NameId, std::size_t> value_of_;
  std::unordered_set<NameId> anything_;
  std::vector<std::int64_t> depths_;  // of values: points before them that they depend on
  std::map<std::pair<NameId, std::int64_t>, NameId> loaded_;  // at an offset, outside of branches
  std::size_t statements_ = 0;
  int branches_ = 0;  // around the statement in turn
  // Of the map in turn:
  std::int64_t depth_ = 0;
};

}  // namespace

std::optional<Stencil> stencil_of(std::span<const ir::Statement> statements,
                              const KnownOutside& outside) {
  const auto* map = as<ir::SegmentedMap>(statements.front().operation);
  if (map == nullptr || map->space.size() != 1) return std::nullopt;
  Stages stages(map->space[0].extent, outside);
  for (const ir::Statement& one : statements) {
    if (!stages.add(one)) break;
  }
  Stencil stencil = stages.stencil();
  if (stencil.maps.empty()) return std::nullopt;
  return stencil;
}

}  // namespace dagaz::plan
