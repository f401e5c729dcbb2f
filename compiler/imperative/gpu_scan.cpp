// Scans of scalars on a GPU: segments by a thread each, or in stages; in one kernel by
// gpu_look_back.cpp.
//
// In stages blocks share a segment: a first kernel reduces each block's part, a second finds the
// running value before each part, a third scans the parts tile by tile, one element per thread.
#include "imperative/gpu.h"

namespace dagaz::imperative {

void Gpu::scan_by_segments(const ir::Statement& s, const ir::SegmentedScan& e,
                          const std::vector<Destination>& targets) {
  std::vector<Operand> outer = extents_of(e.space);
  const Operand width = outer.back();
  outer.pop_back();
  const auto scan_segment = [&](const std::vector<Operand>& segment) {
    const std::vector<Running> running = low_.start_scans(e.operators);
    low_.thread_loop(width, true, [&](const Operand& i) {
      low_.scan_point(s, e, running, targets, with(segment, i));
    });
  };
  low_.for_each_point(outer, low_.cost_of(e.schedule), "segscan", scan_segment);
}

void Gpu::scan_in_stages(const ir::Statement& s, const ir::SegmentedScan& e,
                         const std::vector<ir::Type>& types,
                         const std::vector<Destination>& targets) {
  const Pieces pieces = blocks_of_segments(e.space);
  const std::vector<Place> before = low_.partial_arrays(types, pieces);
  std::vector<Operand> neutral;
  for (const ir::ScanOperator& one : e.operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  const Operand blocks = mul(product(pieces.outer), pieces.count);
  low_.host_branch(less(ir::i64_operand(1), pieces.count),
                   [&] { reduce_parts(e, pieces, before, neutral, blocks, types); });
  low_.exclusive_over_pieces(e, pieces, before, types);
  BlockKernel kernel = low_.kernel_of_blocks(blocks, [&](const Operand& block) {
    const BlockPart part = block_part(pieces, block);
    const std::vector<Running> carry = low_.start_scans(e.operators);
    low_.load_running(carry, before, with(part.outer, part.piece));
    const Operand thread = low_.read_special(Special::thread_index);
    const Operand tiles = divide_up(part.length, ir::i64_operand(block_threads));
    loop("tile", tiles, {}, [&](const Operand& tile) {
      const Operand i = add(mul(tile, ir::i64_operand(block_threads)), thread);
      scan_tile(s, e, part, i, carry, targets);
    });
  });
  low_.launch("segscan", kernel.grid, shared_bytes_for(types), std::move(kernel.code));
}

BlockPart Gpu::block_part(const Pieces& pieces, const Operand& block) {
  BlockPart part;
  part.piece = remainder(block, pieces.count);
  part.outer = unflatten(divide(block, pieces.count), pieces.outer);
  part.start = mul(part.piece, pieces.chunk);
  const Operand left = maximum(sub(pieces.width, part.start), ir::i64_operand(0));
  part.length = minimum(left, pieces.chunk);
  return part;
}

void Gpu::reduce_parts(const ir::SegmentedScan& e, const Pieces& pieces,
                       const std::vector<Place>& partial, const std::vector<Operand>& neutral,
                       const Operand& blocks, const std::vector<ir::Type>& types) {
  const ir::Statement copied = low_.copy_of(e);
  const auto& fresh = *as<ir::SegmentedScan>(copied.operation);
  BlockKernel kernel = low_.kernel_of_blocks(blocks, [&](const Operand& block) {
    const BlockPart part = block_part(pieces, block);
    const std::vector<Running> running = low_.start_scans(fresh.operators);
    const auto reduce_element = [&](const Operand& i) {
      low_.set_indices(fresh.space, with(part.outer, add(part.start, i)));
      low_.lower_body(fresh.body, {}, [&](const std::vector<Value>& values) {
        low_.combine_all(running, values, 0);
      });
    };
    for_thread_share(low_.read_special(Special::thread_index), ir::i64_operand(block_threads),
                     part.length, false, reduce_element);
    reduce_block(running, neutral);
    branch(equal(low_.read_special(Special::thread_index), ir::i64_operand(0)),
           [&] { low_.write_all(partial, with(part.outer, part.piece), running_values(running)); });
  });
  low_.launch("segscan_reduce", kernel.grid, shared_bytes_for(types), std::move(kernel.code));
}

// One element per thread: the body, a scan over the block, post and results.
void Gpu::scan_tile(const ir::Statement& s, const ir::SegmentedScan& e, const BlockPart& part,
                    const Operand& i, const std::vector<Running>& carry,
                    const std::vector<Destination>& targets) {
  const std::vector<Running> values = low_.start_scans(e.operators);
  const std::size_t scanned = running_values(values).size();
  const std::vector<Operand> point = with(part.outer, add(part.start, i));
  const Operand inside = less(i, part.length);
  std::vector<Value> mapped;
  const auto in_element = [&](const std::function<void()>& build) {
    branch(inside, [&] { low_.element_scope(build); });
  };
  in_element([&] {
    low_.set_indices(e.space, point);
    low_.lower_body(e.body, {}, [&](const std::vector<Value>& results) {
      std::size_t k = 0;
      for (const Value& value : running_values(values)) {
        move(value.operand.name(), results[k++].operand);
      }
      mapped.assign(results.begin() + static_cast<std::ptrdiff_t>(scanned), results.end());
    });
  });
  scan_block(values, carry);
  in_element([&] {
    std::vector<Value> outputs = running_values(values);
    outputs.insert(outputs.end(), mapped.begin(), mapped.end());
    const PointTargets at = low_.at_point(targets, point);
    if (e.post) {
      low_.lower_lambda(*e.post, outputs, at.rows,
                        [&](const std::vector<Value>& all) { low_.put_point(s, 0, at, all); });
    } else {
      low_.put_point(s, 0, at, outputs);
    }
  });
}

}  // namespace dagaz::imperative
