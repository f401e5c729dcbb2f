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
// An edge of more points than this is no edge.
constexpr std::int64_t widest_edge = 16;
constexpr std::int64_t largest_offset = 1 << 16;
constexpr int deepest = 16;

std::optional<std::int64_t> constant(const Operand& operand) {
  if (!operand.is_constant() || operand.constant().type != ScalarType::i64) return std::nullopt;
  const std::int64_t value = ir::integer_value(operand.constant());
  if (std::abs(value) > largest_offset) return std::nullopt;
  return value;
}

/// Adds maps to a stencil.
class Stages {
 public:
  Stages(const Operand& extent, const StencilContext& context)
      : extent_(extent), context_(context) {}

  /// Whether `statement` may be the next map of the stencil.
  bool add(const ir::Statement& statement) {
    const auto* map = as<ir::SegmentedMap>(statement.operation);
    if (map == nullptr || map->space.size() != 1 || map->space[0].extent != extent_) return false;
    const Stencil before = stencil_;
    index_ = map->space[0].index.name;
    depth_ = 0;
    const bool fits = add(map->body, false) && give(statement, *map);
    const bool belongs = before.maps.empty() || stencil_.reads.size() > before.reads.size();
    if (!fits || !belongs) {
      stencil_ = before;
      return false;
    }
    stencil_.halo = std::max(stencil_.halo, depth_);
    stencil_.maps.push_back(&statement);
    return true;
  }
  const Stencil& stencil() const { return stencil_; }

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
        if (!context_.names.type(result.name).is_scalar()) return false;
        definitions_[result.name] = &one;
      }
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
    learn(result, scalar);
    return true;
  }

  bool add(const ir::Statement& statement, const ir::Branch& branch) {
    if (is_anything(branch.condition)) return false;
    const bool known = branch.condition.is_name() &&
                       stencil_.conditions.contains(branch.condition.name());
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
    const auto offset = offset_of(index.indices[0], 0);
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
    const auto offset = index.indices.size() == 1 ? offset_of(index.indices[0], 0) : std::nullopt;
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

  /// c, where `operand` is the index plus c.
  std::optional<std::int64_t> offset_of(const Operand& operand, int depth) const {
    if (!operand.is_name() || depth > deepest) return std::nullopt;
    if (operand.name() == index_) return 0;
    const auto found = definitions_.find(operand.name());
    if (found == definitions_.end()) return std::nullopt;
    const ir::Operation& operation = found->second->operation;
    if (const auto* identity = as<ir::Identity>(operation)) {
      return offset_of(identity->value, depth + 1);
    }
    if (const auto* element = as<ir::Index>(operation)) {
      if (!context_.iotas.contains(element->array)) return std::nullopt;
      return offset_of(element->indices[0], depth + 1);
    }
    const auto* scalar = as<ir::Scalar>(operation);
    if (scalar == nullptr) return std::nullopt;
    return moved(*scalar, [&](const Operand& one) { return offset_of(one, depth + 1); });
  }

  /// c, where `operand` is n + c, or 0 if that is negative: then no point is an inner one.
  std::optional<std::int64_t> beyond_extent(const Operand& operand, int depth) const {
    if (depth > deepest) return std::nullopt;
    if (operand == extent_) return 0;
    if (constant(operand) && constant(extent_)) return *constant(operand) - *constant(extent_);
    if (!operand.is_name()) return std::nullopt;
    const auto found = context_.scalars.find(operand.name());
    if (found == context_.scalars.end()) return std::nullopt;
    const auto& x = found->second.arguments;
    if (found->second.op == ScalarOp::smax && x[1] == ir::i64_operand(0)) {
      return beyond_extent(x[0], depth + 1);
    }
    return moved(found->second, [&](const Operand& one) { return beyond_extent(one, depth + 1); });
  }

  /// What `offset` says of a sum's or a difference's operand, and the other, a constant, added.
  template <typename Offset>
  static std::optional<std::int64_t> moved(const ir::Scalar& scalar, const Offset& offset) {
    const auto& x = scalar.arguments;
    if (scalar.type != ScalarType::i64) return std::nullopt;
    std::optional<std::int64_t> base;
    std::int64_t by = 0;
    if (scalar.op == ScalarOp::add && constant(x[1])) {
      base = offset(x[0]);
      by = *constant(x[1]);
    } else if (scalar.op == ScalarOp::add && constant(x[0])) {
      base = offset(x[1]);
      by = *constant(x[0]);
    } else if (scalar.op == ScalarOp::sub && constant(x[1])) {
      base = offset(x[0]);
      by = -*constant(x[1]);
    }
    if (!base || std::abs(*base + by) > largest_offset) return std::nullopt;
    return *base + by;
  }

  /// A constant that is not nearer to n, if that is one, too.
  std::optional<std::int64_t> from_start(const Operand& operand) const {
    const auto c = constant(operand);
    const auto n = constant(extent_);
    return c && n && *c > *n / 2 ? std::nullopt : c;
  }

  // ------------------------------------------------------------ conditions at inner points

  void learn(NameId result, const ir::Scalar& scalar) {
    const auto& x = scalar.arguments;
    switch (scalar.op) {
      case ScalarOp::bit_and:
      case ScalarOp::bit_or: learn_both(result, scalar); return;
      case ScalarOp::slt:
      case ScalarOp::ult: learn_less(result, scalar, 0); return;
      case ScalarOp::sle:
      case ScalarOp::ule: learn_less(result, scalar, 1); return;
      case ScalarOp::eq:
      case ScalarOp::ne: {
        if (scalar.type != ScalarType::i64) return;
        const bool first = offset_of(x[0], 0).has_value();
        learn_equal(result, first ? x[0] : x[1], first ? x[1] : x[0], scalar.op == ScalarOp::ne);
        return;
      }
      default: return;
    }
  }

  // x < y, or x < y + equal.  Where no offset of the index is negative, unsigned is the same.
  void learn_less(NameId result, const ir::Scalar& scalar, std::int64_t equal) {
    if (scalar.type != ScalarType::i64) return;
    const auto& x = scalar.arguments;
    const bool is_signed = scalar.op == ScalarOp::slt || scalar.op == ScalarOp::sle;
    if (const auto left = offset_of(x[0], 0)) {
      if (!is_signed && *left < 0) return;
      if (const auto c = from_start(x[1])) {
        if (is_signed || *c >= 0) learn_from(result, *c + equal - *left, false);
      } else if (const auto past = beyond_extent(x[1], 0)) {
        learn_up_to(result, *left - *past - equal, true);
      }
    } else if (const auto right = offset_of(x[1], 0)) {
      if (!is_signed && *right < 0) return;
      if (const auto c = from_start(x[0])) {
        if (is_signed || *c >= 0) learn_from(result, *c - equal - *right + 1, true);
      } else if (const auto past = beyond_extent(x[0], 0)) {
        learn_up_to(result, *right - *past + equal - 1, false);
      }
    }
  }

  // Whether an index equals `other`, or differs from it.
  void learn_equal(NameId result, const Operand& index, const Operand& other, bool differs) {
    const auto offset = offset_of(index, 0);
    if (!offset) return;
    if (const auto c = from_start(other)) {
      learn_from(result, *c - *offset + 1, differs);
    } else if (const auto past = beyond_extent(other, 0)) {
      learn_up_to(result, *offset - *past, differs);
    }
  }

  void learn_both(NameId result, const ir::Scalar& scalar) {
    const auto known = [&](const Operand& one) -> std::optional<bool> {
      if (!one.is_name() || !stencil_.conditions.contains(one.name())) return std::nullopt;
      return stencil_.conditions.at(one.name());
    };
    const auto a = known(scalar.arguments[0]);
    const auto b = known(scalar.arguments[1]);
    if (!a || !b) return;
    stencil_.conditions[result] = scalar.op == ScalarOp::bit_and ? *a && *b : *a || *b;
  }

  // The condition is `value` for i ≥ low.
  void learn_from(NameId result, std::int64_t low, bool value) {
    if (low > widest_edge) return;
    stencil_.low = std::max(stencil_.low, low);
    stencil_.conditions[result] = value;
  }
  // The condition is `value` for i < n - high.
  void learn_up_to(NameId result, std::int64_t high, bool value) {
    if (high > widest_edge) return;
    stencil_.high = std::max(stencil_.high, high);
    stencil_.conditions[result] = value;
  }

  const Operand extent_;
  const StencilContext& context_;
  Stencil stencil_;
  std::optional<bool> side_;  // whether it is read on the side of greater indices
  std::unordered_map<NameId, const ir::Statement*> definitions_;
  std::unordered_map<NameId, std::size_t> value_of_;
  std::unordered_set<NameId> anything_;
  std::vector<std::int64_t> depths_;  // of values: points before them that they depend on
  std::map<std::pair<NameId, std::int64_t>, NameId> loaded_;  // at an offset, outside of branches
  std::size_t statements_ = 0;
  int branches_ = 0;  // around the statement in turn
  // Of the map in turn:
  NameId index_;
  std::int64_t depth_ = 0;
};

}  // namespace

std::optional<Stencil> stencil_of(std::span<const ir::Statement> statements,
                              const StencilContext& context) {
  const auto* map = as<ir::SegmentedMap>(statements.front().operation);
  if (map == nullptr || map->space.size() != 1) return std::nullopt;
  Stages stages(map->space[0].extent, context);
  for (const ir::Statement& one : statements) {
    if (!stages.add(one)) break;
  }
  if (stages.stencil().maps.empty()) return std::nullopt;
  return stages.stencil();
}

}  // namespace dagaz::plan
