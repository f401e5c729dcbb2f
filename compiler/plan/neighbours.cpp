#include "plan/neighbours.h"

#include <algorithm>
#include <cstdlib>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

namespace {

/// The least and the greatest of some offsets.
struct Offsets {
  std::int64_t least;
  std::int64_t most;
};

/// Where the additions of a map's points lie, against the outermost index of the points.
class Additions {
 public:
  Additions(const ir::SegmentedMap& map, const ir::Names& names,
            const std::unordered_map<NameId, ir::Scalar>& host,
            const std::unordered_set<NameId>& iotas)
      : outermost_(map.space.front()), names_(names), host_(host), iotas_(iotas) {
    for (const ir::Type& type : map.result_types) {
      if (type.kind == ir::TypeKind::accumulator) accumulators_.push_back({type, {}});
    }
    add(map.body);
  }

  /// How far apart points must be to add to different elements, in steps of the outermost index.
  std::optional<std::int64_t> distance() const {
    std::optional<std::int64_t> result;
    for (const Added& one : accumulators_) {
      if (!one.offsets) continue;
      std::optional<std::int64_t> nearest;
      for (const auto& offsets : *one.offsets) {
        if (!offsets) continue;
        const std::int64_t distance = offsets->most - offsets->least + 1;
        nearest = std::min(distance, nearest.value_or(distance));
      }
      if (!nearest) return std::nullopt;
      result = std::max(*nearest, result.value_or(0));
    }
    return handed_on_ ? std::nullopt : result;
  }

 private:
  /// An accumulator that all points share, or several of one type, and for each of its dimensions
  /// the offsets of the indices there.
  struct Added {
    ir::Type type;
    std::optional<std::vector<std::optional<Offsets>>> offsets;
  };

  // Beyond this, pieces of so many points are no better than one piece.
  static constexpr std::int64_t largest_offset = 1 << 16;
  static constexpr int deepest = 16;

  void add(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      for (const ir::Binder& result : one.results) definitions_[result.name] = &one;
      if (const auto* addition = as<ir::Accumulate>(one.operation)) add(*addition);
      if (const auto* call = as<ir::Call>(one.operation)) add(*call);
      if (const auto* with = as<ir::WithAccumulator>(one.operation)) open(*with);
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { add(inner); });
    }
  }

  // What points open themselves is theirs alone.
  void open(const ir::WithAccumulator& with) {
    for (const ir::Binder& parameter : with.body.parameters) {
      own_.push_back(names_.type(parameter.name));
    }
  }

  void add(const ir::Accumulate& addition) {
    const ir::Type& type = names_.type(addition.accumulator);
    const auto found = std::find_if(accumulators_.begin(), accumulators_.end(),
                                    [&](const Added& one) { return one.type == type; });
    if (found == accumulators_.end()) {
      handed_on_ = handed_on_ || std::find(own_.begin(), own_.end(), type) == own_.end();
      return;
    }
    const bool first = !found->offsets;
    if (first) found->offsets.emplace(addition.indices.size());
    for (std::size_t k = 0; k < addition.indices.size(); ++k) {
      std::optional<Offsets>& offsets = (*found->offsets)[k];
      const auto one = offset_of(addition.indices[k], 0);
      if (!one || std::abs(*one) > largest_offset || (!first && !offsets)) {
        offsets = std::nullopt;
      } else {
        offsets = first ? Offsets{*one, *one}
                        : Offsets{std::min(offsets->least, *one), std::max(offsets->most, *one)};
      }
    }
  }
  void add(const ir::Call& call) {
    for (const Operand& argument : call.arguments) {
      if (!argument.is_name()) continue;
      const ir::TypeKind kind = names_.type(argument.name()).kind;
      handed_on_ = handed_on_ || kind == ir::TypeKind::accumulator;
    }
  }

  static std::optional<std::int64_t> constant(const Operand& operand) {
    if (!operand.is_constant()) return std::nullopt;
    return ir::integer_value(operand.constant());
  }

  /// c, where `index` is the outermost index plus c, perhaps modulo the extent.
  std::optional<std::int64_t> offset_of(const Operand& index, int depth) const {
    if (!index.is_name() || depth > deepest) return std::nullopt;
    if (index.name() == outermost_.index.name) return 0;
    const auto found = definitions_.find(index.name());
    if (found == definitions_.end()) return std::nullopt;
    if (const auto* element = as<ir::Index>(found->second->operation)) {
      if (!iotas_.contains(element->array) || element->indices.size() != 1) return std::nullopt;
      return offset_of(element->indices[0], depth + 1);
    }
    const auto* scalar = as<ir::Scalar>(found->second->operation);
    return scalar == nullptr ? std::nullopt : offset_of(*scalar, depth + 1);
  }
  std::optional<std::int64_t> offset_of(const ir::Scalar& scalar, int depth) const {
    const auto& x = scalar.arguments;
    if (scalar.op == ScalarOp::add) {
      const auto moved = sum(offset_of(x[0], depth), shift_of(x[1]));
      return moved ? moved : sum(offset_of(x[1], depth), shift_of(x[0]));
    }
    if (scalar.op == ScalarOp::sub) {
      if (x[1] == outermost_.extent) return offset_of(x[0], depth);  // the same, modulo the extent
      const auto by = constant(x[1]);
      return by ? sum(offset_of(x[0], depth), -*by) : std::nullopt;
    }
    if (scalar.op == ScalarOp::select) {
      const auto a = offset_of(x[1], depth);
      return a && a == offset_of(x[2], depth) ? a : std::nullopt;
    }
    return std::nullopt;
  }

  static std::optional<std::int64_t> sum(std::optional<std::int64_t> a,
                                         std::optional<std::int64_t> b) {
    if (!a || !b || std::abs(*b) > largest_offset) return std::nullopt;
    return *a + *b;
  }

  /// A constant, perhaps modulo the extent: mod c (max n 1).
  std::optional<std::int64_t> shift_of(const Operand& operand) const {
    if (const auto value = constant(operand)) return value;
    const ir::Scalar* remainder = on_host(operand);
    if (remainder == nullptr || remainder->op != ScalarOp::smod_floor) return std::nullopt;
    const ir::Scalar* divisor = on_host(remainder->arguments[1]);
    const bool is_extent =
        remainder->arguments[1] == outermost_.extent ||
        (divisor != nullptr && divisor->op == ScalarOp::smax &&
         divisor->arguments[0] == outermost_.extent && constant(divisor->arguments[1]) == 1);
    return is_extent ? constant(remainder->arguments[0]) : std::nullopt;
  }
  const ir::Scalar* on_host(const Operand& operand) const {
    const auto found = operand.is_name() ? host_.find(operand.name()) : host_.end();
    return found == host_.end() ? nullptr : &found->second;
  }

  const ir::SpaceDimension& outermost_;
  const ir::Names& names_;
  const std::unordered_map<NameId, ir::Scalar>& host_;
  const std::unordered_set<NameId>& iotas_;
  std::unordered_map<NameId, const ir::Statement*> definitions_;  // in the body
  std::vector<Added> accumulators_;
  std::vector<ir::Type> own_;  // of accumulators that are opened in the body
  bool handed_on_ = false;  // to where it cannot be followed
};

}  // namespace

int distance_of_additions(const ir::SegmentedMap& map, const ir::Names& names,
                          const std::unordered_map<NameId, ir::Scalar>& host,
                          const std::unordered_set<NameId>& iotas) {
  if (map.space.empty()) return 0;
  return static_cast<int>(Additions(map, names, host, iotas).distance().value_or(0));
}

}  // namespace dagaz::plan
