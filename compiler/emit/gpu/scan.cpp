// Scans of scalars on a GPU in stages; in one kernel by look_back.cpp, and of segments by a thread
// each by segmented/scan.cpp.
//
// Blocks share a segment: a first kernel reduces each block's part, a second finds the
// running value before each part, a third scans the parts tile by tile, one element per thread.
#include "emit/gpu/scan.h"

#include "emit/gpu/block.h"
#include "emit/gpu/kernels.h"
#include "emit/gpu/shares.h"
#include "emit/memory/host_scope.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/segmented/scan.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"

namespace dagaz::emit {

static void reduce_parts(Context& c, const ir::SegmentedScan& e, const Pieces& pieces,
                         const std::vector<Place>& partial, const std::vector<Operand>& neutral,
                         const Operand& blocks, const std::vector<ir::Type>& types) {
  const ir::Statement copied = copy_of(c, e);
  const auto& fresh = *as<ir::SegmentedScan>(copied.operation);
  BlockKernel kernel = kernel_of_blocks(c, blocks, [&](const Operand& block) {
    const BlockPart part = block_part(c, pieces, block);
    const std::vector<Running> running = start_scans(c, fresh.operators);
    const auto reduce_element = [&](const Operand& i) {
      set_indices(c, fresh.space, with(part.outer, c.add(part.start, i)));
      emit_body(c, fresh.body, {},
                [&](const std::vector<Value>& values) { combine_all(c, running, values, 0); });
    };
    for_thread_share(c, read_special(c, Special::thread_index), ir::i64_operand(block_threads),
                     part.length, false, reduce_element);
    reduce_block(c, running, neutral);
    c.branch(c.equal(read_special(c, Special::thread_index), ir::i64_operand(0)),
             [&] { write_all(c, partial, with(part.outer, part.piece), running_values(running)); });
  });
  launch(c, "segscan_reduce", kernel.grid, shared_bytes_for(types), std::move(kernel.code));
}

// One element per thread: the body, a scan over the block, post and results.
static void scan_tile(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                      const BlockPart& part, const Operand& i, const std::vector<Running>& carry,
                      const std::vector<Destination>& targets) {
  const std::vector<Running> values = start_scans(c, e.operators);
  const std::size_t scanned = running_values(values).size();
  const std::vector<Operand> point = with(part.outer, c.add(part.start, i));
  const Operand inside = c.less(i, part.length);
  std::vector<Value> mapped;
  const auto in_element = [&](const std::function<void()>& build) {
    c.branch(inside, [&] { element_scope(c, build); });
  };
  in_element([&] {
    set_indices(c, e.space, point);
    emit_body(c, e.body, {}, [&](const std::vector<Value>& results) {
      std::size_t k = 0;
      for (const Value& value : running_values(values)) {
        c.move(value.operand.name(), results[k++].operand);
      }
      mapped.assign(results.begin() + static_cast<std::ptrdiff_t>(scanned), results.end());
    });
  });
  scan_block(c, values, carry);
  in_element([&] {
    std::vector<Value> outputs = running_values(values);
    outputs.insert(outputs.end(), mapped.begin(), mapped.end());
    const PointTargets at = at_point(c, targets, point);
    if (e.post) {
      emit_lambda(c, *e.post, outputs, at.rows,
                  [&](const std::vector<Value>& all) { put_point(c, s, 0, at, all); });
    } else {
      put_point(c, s, 0, at, outputs);
    }
  });
}

void scan_in_stages(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                    const ir::InStages& plan, const std::vector<ir::Type>& types,
                    const std::vector<Destination>& targets) {
  const Pieces pieces = blocks_of_segments(c, e.space, SharedSegments(plan));
  const std::vector<Place> before = partial_arrays(c, types, pieces);
  std::vector<Operand> neutral;
  for (const ir::ScanOperator& one : e.operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  const Operand blocks = c.mul(c.product(pieces.outer), pieces.count);
  host_branch(c, c.less(ir::i64_operand(1), pieces.count),
              [&] { reduce_parts(c, e, pieces, before, neutral, blocks, types); });
  exclusive_over_pieces(c, e, pieces, before, types);
  BlockKernel kernel = kernel_of_blocks(c, blocks, [&](const Operand& block) {
    const BlockPart part = block_part(c, pieces, block);
    const std::vector<Running> carry = start_scans(c, e.operators);
    load_running(c, carry, before, with(part.outer, part.piece));
    const Operand thread = read_special(c, Special::thread_index);
    const Operand tiles = c.divide_up(part.length, ir::i64_operand(block_threads));
    c.loop("tile", tiles, {}, [&](const Operand& tile) {
      const Operand i = c.add(c.mul(tile, ir::i64_operand(block_threads)), thread);
      scan_tile(c, s, e, part, i, carry, targets);
    });
  });
  launch(c, "segscan", kernel.grid, shared_bytes_for(types), std::move(kernel.code));
}

}  // namespace dagaz::emit
