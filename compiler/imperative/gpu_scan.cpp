// Scans of scalars on a GPU: in one kernel where that is possible (gpu_look_back.cpp), short
// segments by a thread each, else in stages.
//
// In stages blocks share a segment: a first kernel reduces each block's part, a second finds the
// running value before each part, a third scans the parts tile by tile, one element per thread.
#include "imperative/gpu.h"

namespace dagaz::imperative {

// False, having emitted nothing, where threads need memory of their own that only a kernel over
// points can give them.
bool Gpu::scan(const ir::Statement& s, const ir::SegmentedScan& e,
               const std::vector<ir::Type>& types, const std::vector<Wish>& targets) {
  for (const auto by_blocks : {&Gpu::scan_in_one_pass, &Gpu::scan_in_stages}) {
    const ir::Statement few = low_.copy_of(e);
    const ir::Statement many = low_.copy_of(e);
    bool possible = false;
    const auto scan_few = [&] {
      possible = (this->*by_blocks)(s, *as<ir::SegmentedScan>(few.operation), types, targets);
    };
    const auto scan_many = [&] {
      scan_by_threads(s, *as<ir::SegmentedScan>(many.operation), targets);
    };
    const bool done = attempt([&] {
      if (e.space.size() == 1) {
        scan_few();
      } else {
        low_.host_branch(are_short(e.space), scan_many, scan_few);
      }
      return possible;
    });
    if (done) return true;
  }
  return false;
}

// Whether segments are better scanned by a thread each.
Operand Gpu::are_short(const std::vector<ir::SpaceDimension>& space) {
  const Operand width = space.back().extent;
  const Operand segments =
      divide(product(extents_of(space)), maximum(width, ir::i64_operand(1)));
  const Operand many = less(low_.resident_threads(), mul(segments, ir::i64_operand(4)));
  const Operand few_steps = less(width, ir::i64_operand(kernel_threads));
  return scalar(ScalarOp::bit_or, ScalarType::boolean,
                {less(width, ir::i64_operand(32)), both(many, few_steps)});
}

void Gpu::scan_by_threads(const ir::Statement& s, const ir::SegmentedScan& e,
                          const std::vector<Wish>& targets) {
  std::vector<Operand> outer = extents_of(e.space);
  const Operand width = outer.back();
  outer.pop_back();
  const auto scan_segment = [&](const std::vector<Operand>& segment) {
    const std::vector<Running> running = low_.start_scans(e.operators);
    low_.thread_loop(width, true, [&](const Operand& i) {
      low_.scan_point(s, e, running, targets, with(segment, i));
    });
  };
  low_.for_each_point(outer, low_.cost_of(e.body), "segscan", scan_segment);
}

bool Gpu::scan_in_stages(const ir::Statement& s, const ir::SegmentedScan& e,
                         const std::vector<ir::Type>& types, const std::vector<Wish>& targets) {
  const Pieces pieces = blocks_of_segments(e.space);
  const std::vector<Place> before = low_.partial_arrays(types, pieces);
  std::vector<Operand> neutral;
  for (const ir::ScanOperator& one : e.operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  const Operand blocks = mul(product(pieces.outer), pieces.count);
  bool possible = true;
  low_.host_branch(less(ir::i64_operand(1), pieces.count),
                   [&] { possible = reduce_parts(e, pieces, before, neutral, blocks, types); });
  low_.exclusive_over_pieces(e, pieces, before, types);
  Code code = low_.kernel_body([&] {
    const BlockPart part = block_part(pieces);
    const std::vector<Running> carry = low_.start_scans(e.operators);
    low_.load_running(carry, before, with(part.outer, part.piece));
    const Operand thread = low_.read_special(Special::thread_index);
    const Operand tiles = divide_up(part.length, ir::i64_operand(kernel_threads));
    loop("tile", tiles, {}, [&](const Operand& tile) {
      const Operand i = add(mul(tile, ir::i64_operand(kernel_threads)), thread);
      scan_tile(s, e, part, i, carry, targets);
    });
  });
  if (!possible || low_.has_private_memory()) return false;
  low_.launch("segscan", blocks, shared_bytes_for(types), std::move(code));
  return true;
}

BlockPart Gpu::block_part(const Pieces& pieces) {
  const Operand block = low_.read_special(Special::block_index);
  BlockPart part;
  part.piece = remainder(block, pieces.count);
  part.outer = unflatten(divide(block, pieces.count), pieces.outer);
  part.start = mul(part.piece, pieces.chunk);
  const Operand left = maximum(sub(pieces.width, part.start), ir::i64_operand(0));
  part.length = minimum(left, pieces.chunk);
  return part;
}

bool Gpu::reduce_parts(const ir::SegmentedScan& e, const Pieces& pieces,
                       const std::vector<Place>& partial, const std::vector<Operand>& neutral,
                       const Operand& blocks, const std::vector<ir::Type>& types) {
  const ir::Statement copied = low_.copy_of(e);
  const auto& fresh = *as<ir::SegmentedScan>(copied.operation);
  Code code = low_.kernel_body([&] {
    const BlockPart part = block_part(pieces);
    const std::vector<Running> running = low_.start_scans(fresh.operators);
    const auto reduce_element = [&](const Operand& i) {
      low_.set_indices(fresh.space, with(part.outer, add(part.start, i)));
      low_.lower_body(fresh.body, {}, [&](const std::vector<Value>& values) {
        low_.combine_all(running, values, 0);
      });
    };
    for_thread_share(low_.read_special(Special::thread_index), ir::i64_operand(kernel_threads),
                     part.length, false, reduce_element);
    reduce_block(running, neutral);
    branch(equal(low_.read_special(Special::thread_index), ir::i64_operand(0)),
           [&] { low_.write_all(partial, with(part.outer, part.piece), running_values(running)); });
  });
  if (low_.has_private_memory()) return false;
  low_.launch("segscan_reduce", blocks, shared_bytes_for(types), std::move(code));
  return true;
}

// One element per thread: the body, a scan over the block, post and results.
void Gpu::scan_tile(const ir::Statement& s, const ir::SegmentedScan& e, const BlockPart& part,
                    const Operand& i, const std::vector<Running>& carry,
                    const std::vector<Wish>& targets) {
  const std::vector<Running> values = low_.start_scans(e.operators);
  const std::size_t scanned = running_values(values).size();
  const std::vector<Operand> point = with(part.outer, add(part.start, i));
  const Operand inside = less(i, part.length);
  std::vector<Value> mapped;
  branch(inside, [&] {
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
  branch(inside, [&] {
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
