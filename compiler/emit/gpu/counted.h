// Values of elements that follow from where these are.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Those of the first `count` results of an operation's body that arithmetic on the indices of its
/// space gives, without a read of memory: cheaper to compute twice than to keep.
class CountedValues {
 public:
  CountedValues(Context& c, const ir::SegmentedReduce& e, std::size_t count);
  bool has(std::size_t result) const { return counted_[result]; }
  /// Computes them at `point` for `use`, in their order.
  void compute(Context& c, const std::vector<Operand>& point,
               const std::function<void(const std::vector<Value>&)>& use) const;

 private:
  std::vector<bool> counted_;
  ir::SegmentedReduce part_;  // what of the body they need
};

}  // namespace dagaz::emit
