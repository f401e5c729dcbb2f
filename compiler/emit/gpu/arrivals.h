// Blocks of a kernel that have parts of something each: the last to arrive puts these together, and
// no further kernel has to start (the CUDA sample threadFenceReduction).
#pragma once

#include <functional>

#include "emit/context/context.h"

namespace dagaz::emit {

class Arrivals : public Emitter {
 public:
  explicit Arrivals(Context& c) : Emitter(c), c_(c) {}

  /// Host: makes counts for so many groups of blocks.
  void expect(const Operand& groups);
  /// All threads of one of the `count` blocks of a group, after those that wrote its part have each
  /// made that visible by a fence.  In the block that is the last, `finish` may read all parts.
  /// Who is last is told in shared memory, in the four bytes at `told_at`.
  void arrive(const Operand& group, const Operand& count, const Operand& told_at,
              const std::function<void()>& finish);

 private:
  Context& c_;
  NameId arrived_;  // i32 [group]: blocks that have written their parts
};

}  // namespace dagaz::emit
