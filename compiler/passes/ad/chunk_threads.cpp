#include "passes/ad/chunk_threads.h"

#include "ir/device_threads.h"

namespace dagaz::passes::ad {

using namespace ir;

Operand threads_of_chunk(Builder& out, bool in_order) {
  return in_order ? Operand(out.add(ask_device_threads(), "threads")) : i64_operand(1);
}

}  // namespace dagaz::passes::ad
