// As many blocks as the device holds share the points:
//
//   set the block's copies to the neutral elements; meet
//   for each of the thread's points: add to the copies, by atomic instructions on shared memory
//   meet; add the copies to the arrays, by atomic instructions on global memory
#include "emit/gpu/block_additions.h"

#include <set>

#include "emit/gpu/kernels.h"
#include "emit/gpu/shares.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/thread/atomics.h"
#include "ir/names.h"

namespace dagaz::emit {

namespace {

/// Accumulators that the points of a map add to, and the block's copies of them.
struct BlockCopies {
  std::vector<std::size_t> numbers;
  std::vector<Accumulator> wholes;
  std::vector<Accumulator> copies;
  std::vector<Operand> counts;   // of their numbers
  std::vector<Operand> offsets;  // in shared memory
  Operand bytes = ir::i64_operand(0);
};

}  // namespace

static BlockCopies copies_for(Context& c, const ir::SegmentedMap& e) {
  BlockCopies all;
  std::set<std::size_t> numbers;
  for (const NameId name : ir::free_names(e.body, c.names())) {
    if (c.names().type(name).kind == ir::TypeKind::accumulator) {
      numbers.insert(c.accumulators.number_of(name));
    }
  }
  const Operand alignment = ir::i64_operand(16);
  for (const std::size_t number : numbers) {
    const Accumulator whole = c.accumulators.numbered(number);
    Accumulator copy = whole;
    copy.place = row_major(c, c.block_variable("sums"), ir::i64_operand(0), whole.shape);
    copy.place.space = Space::shared;
    all.numbers.push_back(number);
    all.wholes.push_back(whole);
    all.copies.push_back(copy);
    all.counts.push_back(c.product(whole.shape));
    all.offsets.push_back(all.bytes);
    const Operand bytes =
        c.mul(all.counts.back(), ir::i64_operand(ir::byte_size(whole.row.element)));
    all.bytes = c.add(all.bytes, c.mul(c.divide_up(bytes, alignment), alignment));
  }
  return all;
}

// `use` for each number of the k-th copy, by the thread that has it.
static void for_own_numbers(
    Context& c, const BlockCopies& all, const Operand& thread,
    const std::function<void(std::size_t, const std::vector<Operand>&)>& use) {
  for (std::size_t k = 0; k < all.copies.size(); ++k) {
    for_thread_share(c, thread, ir::i64_operand(block_threads), all.counts[k], true,
                     [&](const Operand& number) {
                       use(k, c.unflatten(number, all.copies[k].shape));
                     });
  }
}

void add_in_blocks(Context& c, const ir::SegmentedMap& e, const ir::BlockBins& plan,
                   const PointFunction& point) {
  const std::vector<Operand> extents = extents_of(e.space);
  const Operand points = c.product(extents);
  const BlockCopies all = copies_for(c, e);
  const Operand blocks = blocks_with_bins(c, all.counts, points, plan.elements);
  BlockKernel kernel = kernel_of_blocks(c, blocks, [&](const Operand& block) {
    for (std::size_t k = 0; k < all.copies.size(); ++k) {
      c.emit(SharedMemory{all.copies[k].place.block, all.offsets[k]});
    }
    const Operand thread = read_special(c, Special::thread_index);
    for_own_numbers(c, all, thread, [&](std::size_t k, const std::vector<Operand>& at) {
      const Accumulator& copy = all.copies[k];
      store(c, copy.place, at, copy.neutral->front(), copy.row.element);
    });
    c.emit(Barrier{});
    c.accumulators.instead(all.numbers, all.copies, [&] {
      const Operand threads = ir::i64_operand(block_threads);
      for_thread_share(c, c.add(c.mul(block, threads), thread), c.mul(blocks, threads), points,
                       true, [&](const Operand& number) { point(c.unflatten(number, extents)); });
    });
    c.emit(Barrier{});
    for_own_numbers(c, all, thread, [&](std::size_t k, const std::vector<Operand>& at) {
      const Accumulator& whole = all.wholes[k];
      const Operand sum = load(c, all.copies[k].place, at, whole.row.element, "sum");
      combine_scalar_atomically(c, *whole.op, whole.row.element, whole.place, at, sum);
    });
  });
  launch(c, "additions", kernel.grid, all.bytes, std::move(kernel.code));
}

}  // namespace dagaz::emit
