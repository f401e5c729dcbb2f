// Reductions of scalars on a GPU.
//
// Many or short segments: a thread each, by the general rule of segmented_reduce.cpp.  Few and
// long ones: blocks share a segment; each block reduces its part, striding where the operator
// commutes so that accesses coalesce, and a second kernel reduces the blocks' results.  The host
// chooses by the sizes.
#include "imperative/lowering.h"

namespace dagaz::imperative {

static bool commutes(const ir::ReduceOperator& one) {
  if (one.commutative) return true;
  if (!is_simple(one.op)) return false;
  return std::all_of(one.op.body.statements.begin(), one.op.body.statements.end(),
                     [](const ir::Statement& statement) {
    switch (as<ir::Scalar>(statement.operation)->op) {
      case ScalarOp::add: case ScalarOp::mul: case ScalarOp::smin: case ScalarOp::smax:
      case ScalarOp::umin: case ScalarOp::umax: case ScalarOp::fmin: case ScalarOp::fmax:
      case ScalarOp::bit_and: case ScalarOp::bit_or: case ScalarOp::bit_xor:
        return true;
      default:
        return false;
    }
  });
}

static std::vector<Operand> neutral_of(const std::vector<ir::ReduceOperator>& operators) {
  std::vector<Operand> neutral;
  for (const ir::ReduceOperator& one : operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  return neutral;
}

// How many blocks share a segment, and how much of it each takes.
Lowering::Pieces Lowering::blocks_of_segments(const std::vector<ir::SpaceDimension>& space) {
  Pieces pieces;
  pieces.outer = extents_of(space);
  pieces.width = pieces.outer.back();
  pieces.outer.pop_back();
  const Operand one = ir::i64_operand(1);
  const Operand segments = maximum(product(pieces.outer), one);
  const Operand fill = divide_up(divide(resident_threads(), ir::i64_operand(kernel_threads)),
                                 segments);
  const Operand useful = divide_up(pieces.width, ir::i64_operand(kernel_threads * 8));
  pieces.count = maximum(one, minimum(ir::i64_operand(1024), minimum(fill, useful)));
  pieces.chunk = divide_up(pieces.width, pieces.count);
  return pieces;
}

void Lowering::gpu_reduce(const ir::Statement& s, const ir::SegmentedReduce& e,
                          const std::vector<ir::Type>& types, const std::vector<Place>& totals,
                          const std::vector<Wish>& mapped) {
  const Pieces pieces = blocks_of_segments(e.space);
  const std::vector<Place> partial = partial_arrays(types, pieces);
  const bool strides = std::all_of(e.operators.begin(), e.operators.end(), commutes);
  const Operand segments = product(pieces.outer);
  const std::vector<Operand> neutral = neutral_of(e.operators);
  Code code = kernel_body([&] {
    const Operand block = read_special(Special::block_index);
    const Operand piece = remainder(block, pieces.count);
    const std::vector<Operand> outer = unflatten(divide(block, pieces.count), pieces.outer);
    const Operand start = mul(piece, pieces.chunk);
    const Operand left = maximum(sub(pieces.width, start), ir::i64_operand(0));
    const std::vector<Running> running = start_reductions(e.operators);
    for_thread_share(minimum(left, pieces.chunk), strides, [&](const Operand& i) {
      reduce_point(s, e, running, mapped, with(outer, add(start, i)));
    });
    reduce_block(running, neutral);
    branch(equal(read_special(Special::thread_index), ir::i64_operand(0)),
           [&] { write_all(partial, with(outer, piece), running_values(running)); });
  });
  forbid_expansions();
  launch("segred", mul(segments, pieces.count), shared_bytes_for(types), std::move(code));
  Code last = kernel_body([&] {
    const std::vector<Operand> outer =
        unflatten(read_special(Special::block_index), pieces.outer);
    const std::vector<Running> running = start_reductions(e.operators);
    for_thread_share(pieces.count, strides, [&](const Operand& piece) {
      combine_all(running, values_at(partial, types, with(outer, piece)), 0);
    });
    reduce_block(running, neutral);
    branch(equal(read_special(Special::thread_index), ir::i64_operand(0)),
           [&] { write_all(totals, outer, running_values(running)); });
  });
  launch("segred_last", segments, shared_bytes_for(types), std::move(last));
}

// This thread's part of 0 … count-1: every 256th where the order does not matter, else a stretch.
void Lowering::for_thread_share(const Operand& count, bool strides,
                                const std::function<void(Operand)>& body) {
  const Operand thread = read_special(Special::thread_index);
  const Operand block = ir::i64_operand(kernel_threads);
  if (strides) {
    const Operand steps =
        divide_up(maximum(sub(count, thread), ir::i64_operand(0)), block);
    thread_loop(steps, true, [&](const Operand& i) { body(add(thread, mul(i, block))); });
    return;
  }
  const Operand share = divide_up(count, block);
  const Operand start = mul(thread, share);
  const Operand left = maximum(sub(count, start), ir::i64_operand(0));
  thread_loop(minimum(share, left), true, [&](const Operand& i) { body(add(start, i)); });
}

void Lowering::forbid_expansions() const {
  if (has_private_memory()) unsupported("a large array inside a reduction or scan on a GPU");
}

}  // namespace dagaz::imperative
