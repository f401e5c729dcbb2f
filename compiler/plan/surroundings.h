// What is known of the arrays and accumulators around a parallel operation while it is planned.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plan/layouts.h"
#include "plan/target.h"

namespace dagaz::plan {

/// An array opened for accumulation.
struct Opened {
  ir::Type row;
  const ir::Lambda* op = nullptr;  // null: writes overwrite
};

/// An array without memory: `start` everywhere, or counting from there.
struct Sequence {
  ir::ScalarType element;
  ir::Operand start;
  std::optional<ir::Operand> stride;
};

/// What is known around a parallel operation.
class Surroundings {
 public:
  /// Of a function: `element_only` as in array_uses.h.
  Surroundings(const ir::Program& program, const TargetDescription& the_target,
               const std::unordered_set<ir::NameId>& element_only)
      : names(program.names), functions(program.functions), layouts(program.names),
        target(the_target), element_only_(element_only) {}
  /// More than what is known in `outer`.
  explicit Surroundings(const Surroundings* outer)
      : names(outer->names), functions(outer->functions), layouts(outer->names, &outer->layouts),
        target(outer->target), element_only_(outer->element_only_), outer_(outer) {}

  /// Notes what a statement of thread or host code binds, if it is no parallel operation.
  void enter(const ir::Statement& statement);
  bool is_element_only(ir::NameId array) const { return element_only_.contains(array); }
  /// Null where the array lies in memory.
  const Sequence* sequence(ir::NameId array) const;
  /// The operation that gives a scalar, which is one on i64; null where it is not known.
  const ir::Scalar* computed(ir::NameId scalar) const;
  /// Null where it is not known which array is open.
  const Opened* opened(ir::NameId accumulator) const;
  void open(ir::NameId accumulator, Opened opened) {
    opened_.insert_or_assign(accumulator, std::move(opened));
  }
  /// Makes `to` mean the open accumulator `from`.
  void continue_accumulator(ir::NameId to, const ir::Operand& from);
  /// The array that a result inside a map's body may be written over, if there is one.
  std::optional<ir::NameId> overwritten_by(ir::NameId result) const;
  void overwrite(const std::unordered_map<ir::NameId, ir::NameId>& overwritten) {
    overwritten_.insert(overwritten.begin(), overwritten.end());
  }

  const ir::Names& names;
  const std::vector<ir::Function>& functions;
  Layouts layouts;
  const TargetDescription& target;

  const Tunables& tunables() const { return target.tunables; }

 private:
  const std::unordered_set<ir::NameId>& element_only_;
  const Surroundings* outer_ = nullptr;
  std::unordered_map<ir::NameId, Sequence> sequences_;
  std::unordered_map<ir::NameId, ir::Scalar> computed_;
  std::unordered_map<ir::NameId, Opened> opened_;
  std::unordered_map<ir::NameId, ir::NameId> overwritten_;
};

}  // namespace dagaz::plan
