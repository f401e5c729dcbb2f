#include "passes/ad/chunk_threads.h"

#include "ir/device_threads.h"

namespace dagaz::passes::ad {

using namespace ir;

Operand times_for_threads(Builder& out, bool in_order) {
  if (!in_order) return i64_operand(1);
  const Operand threads = out.add(ask_device_threads(), "threads");
  const Operand twice =
      out.scalar(ScalarOp::smin, ScalarType::i64, {threads, i64_operand(2)}, "times");
  return out.mul_i64(threads, twice);
}

}  // namespace dagaz::passes::ad
