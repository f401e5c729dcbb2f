// The points of a row but for a few at its ends, where what tells how near these are is known.
//
//   if i == 0 then x[0] else x[i-1]  =  x[i-1]              for 1 ≤ i
//   x[min(i + 2, n - 1)]             =  x[i+2]              for i < n - 2
//   x[if i + 1 < n then i + 1 else i + 1 - n]  =  x[i+1]    for i < n - 1
//
// There neighbours read neighbours, in whole vectors and without masks.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/program.h"

namespace dagaz::plan {

/// What is known of names outside the maps: scalars, and arrays 0, 1, 2, …
struct KnownOutside {
  const ir::Names& names;
  const std::unordered_map<ir::NameId, ir::Scalar>& scalars;
  const std::unordered_set<ir::NameId>& iotas;
};

/// What is known at the inner points of a dimension, and which these are: the others are those
/// before `low`, and the last `high`.
class InnerPoints {
 public:
  InnerPoints(const ir::Operand& extent, const KnownOutside& outside)
      : extent_(extent), scalars_(&outside.scalars), iotas_(&outside.iotas) {}

  /// The index along the dimension, in what is noted from here on.
  void set_index(ir::NameId index) { index_ = index; }
  /// Statements of the body, in order.
  void note(const ir::Statement& statement);

  /// Whether no inner point takes another side of a branch than its neighbours do.
  bool are_alike() const { return are_alike_; }
  void set_are_alike(bool alike) { are_alike_ = alike; }

  std::int64_t low() const { return low_; }
  std::int64_t high() const { return high_; }
  /// By results of statements: what they are.
  const std::unordered_map<ir::NameId, ir::Operand>& known() const { return known_; }
  bool is_known(const ir::Operand& operand) const {
    return operand.is_name() && known_.contains(operand.name());
  }
  /// c, where `operand` is the index plus c at all points.
  std::optional<std::int64_t> offset_of(const ir::Operand& operand) const {
    return offset_of(operand, Points::all, 0);
  }

 private:
  enum class Points { all, inner };
  std::optional<std::int64_t> offset_of(const ir::Operand& operand, Points where, int depth) const;
  std::optional<std::int64_t> inner_offset_of(const ir::Operand& operand) const {
    return offset_of(operand, Points::inner, 0);
  }
  std::optional<std::int64_t> beyond_extent(const ir::Operand& operand, int depth) const;
  std::optional<std::int64_t> from_start(const ir::Operand& operand) const;
  std::optional<bool> truth(const ir::Operand& operand) const;
  void learn(ir::NameId result, const ir::Scalar& scalar);
  void learn_less(ir::NameId result, const ir::Scalar& scalar, std::int64_t equal);
  void learn_equal(ir::NameId result, const ir::Scalar& scalar);
  void learn_both(ir::NameId result, const ir::Scalar& scalar);
  void learn_bounded(ir::NameId result, const ir::Scalar& scalar);
  void learn_from(ir::NameId result, std::int64_t low, const ir::Operand& value);
  void learn_up_to(ir::NameId result, std::int64_t high, const ir::Operand& value);

  ir::Operand extent_;
  const std::unordered_map<ir::NameId, ir::Scalar>* scalars_;
  const std::unordered_set<ir::NameId>* iotas_;
  ir::NameId index_;
  bool are_alike_ = true;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  std::unordered_map<ir::NameId, ir::Operand> known_;
  std::unordered_map<ir::NameId, const ir::Statement*> definitions_;
};

/// Has statements of the body, and inside of them, be what they are known to be.
void take_known(ir::Body& body, const InnerPoints& inner);
/// Those along the last dimension of a map that only computes numbers, where they read more simply
/// than others; nothing where they do not.
std::optional<InnerPoints> inner_points(const ir::SegmentedMap& map, const KnownOutside& outside);

}  // namespace dagaz::plan
