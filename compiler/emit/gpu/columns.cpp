// A block's threads are a rectangle: `tile` of them side by side have a segment each, whose
// elements lie side by side with those of the next, and each column of threads shares the elements
// of one.  A column's values meet in shared memory, where its first thread combines them in order.
// Where several blocks share segments each writes its part, and the last to arrive combines those.
#include "emit/gpu/columns.h"

#include "emit/gpu/block.h"
#include "emit/gpu/kernels.h"
#include "emit/gpu/shares.h"
#include "emit/memory/allocation.h"
#include "emit/points.h"
#include "emit/segmented/reduce.h"

namespace dagaz::emit {

ColumnReduction::ColumnReduction(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                                 const ir::Interchanged& plan, const std::vector<Place>& totals,
                                 const std::vector<Destination>& mapped)
    : Emitter(c),
      c_(c),
      s_(s),
      e_(e),
      plan_(plan),
      totals_(totals),
      mapped_(mapped),
      height_(block_threads / plan.tile),
      arrivals_(c) {
  for (const ir::ReduceOperator& one : e.operators) {
    types_.insert(types_.end(), one.op.result_types.begin(), one.op.result_types.end());
    neutral_.insert(neutral_.end(), one.neutral.begin(), one.neutral.end());
  }
}

// ---------------------------------------------------------------- the host's side

void ColumnReduction::run() {
  pieces_ = blocks_of_segments(c_, e_.space, SharedSegments(plan_));
  const Operand segments = product(pieces_.outer);
  const Operand groups = divide_up(segments, ir::i64_operand(plan_.tile));
  // Parts and their counts are needed only where blocks share segments.
  const Operand zero = ir::i64_operand(0);
  const NameId sharing = mutable_variable("sharing", ScalarType::i64, zero);
  const NameId counted = mutable_variable("counted", ScalarType::i64, zero);
  branch(less(ir::i64_operand(1), pieces_.count), [&] {
    move(sharing, segments);
    move(counted, groups);
  });
  for (const ir::Type& type : types_) {
    partial_.push_back(
        new_array(c_, ir::array_of(type.element, {pieces_.count, sharing}), "partial"));
  }
  arrivals_.expect(counted);
  BlockKernel kernel = kernel_of_blocks(c_, mul(groups, pieces_.count),
                                        [&](const Operand& block) { reduce(block); });
  const std::int64_t slots = block_threads * warp_value_bytes * std::ssize(types_);
  launch(c_, "columns", kernel.grid, ir::i64_operand(slots + warp_value_bytes),
         std::move(kernel.code));
}

// ---------------------------------------------------------------- a block

void ColumnReduction::reduce(const Operand& block) {
  const Operand thread = read_special(c_, Special::thread_index);
  const Operand columns = ir::i64_operand(plan_.tile);
  column_ = remainder(thread, columns);
  rank_ = divide(thread, columns);
  const Operand group = divide(block, pieces_.count);
  const Operand piece = remainder(block, pieces_.count);
  segment_ = add(mul(group, columns), column_);
  const Operand inside = less(segment_, product(pieces_.outer));
  leads_ = both(inside, equal(rank_, ir::i64_operand(0)));
  const Operand start = mul(piece, pieces_.chunk);
  const Operand left = maximum(sub(pieces_.width, start), ir::i64_operand(0));
  const NameId length = mutable_variable("length", ScalarType::i64, ir::i64_operand(0));
  branch(inside, [&] { move(length, minimum(left, pieces_.chunk)); });

  const std::vector<Running> running = start_reductions(c_, e_.operators);
  const std::vector<Operand> outer = unflatten(segment_, pieces_.outer);
  for_thread_share(c_, rank_, ir::i64_operand(height_), length, false, [&](const Operand& i) {
    reduce_point(c_, s_, e_, running, mapped_, with(outer, add(start, i)));
  });
  slots_.clear();
  for (const ir::Type& type : types_) {
    const NameId slot = block_variable("slots");
    const auto number = static_cast<std::int64_t>(slots_.size());
    emit(SharedMemory{slot, ir::i64_operand(number * block_threads * warp_value_bytes)});
    const Place all = row_major(c_, slot, ir::i64_operand(0), {ir::i64_operand(height_), columns});
    slots_.push_back({slot, all.offset, all.strides, all.unit, Space::shared});
    DZ_CHECK(ir::byte_size(type.element) <= warp_value_bytes, "a value of more bytes than a slot");
  }
  combine_columns(running);
  branch(
      equal(pieces_.count, ir::i64_operand(1)), [&] { write_totals(running); },
      [&] { combine_parts(group, piece, running); });
}

// The first thread of each column gets what all of its threads have.
void ColumnReduction::combine_columns(const std::vector<Running>& running) {
  if (height_ == 1) return;
  write_all(c_, slots_, {rank_, column_}, running_values(running));
  emit(Barrier{});
  branch(equal(rank_, ir::i64_operand(0)), [&] {
    loop("row", ir::i64_operand(height_ - 1), {}, [&](const Operand& row) {
      const std::vector<Operand> at = {add(row, ir::i64_operand(1)), column_};
      combine_all(c_, running, values_at(c_, slots_, types_, at), 0);
    });
  });
}

void ColumnReduction::combine_parts(const Operand& group, const Operand& piece,
                                    const std::vector<Running>& running) {
  const std::int64_t slots = block_threads * warp_value_bytes * std::ssize(types_);
  branch(leads_, [&] {
    write_all(c_, partial_, {piece, segment_}, running_values(running));
    emit(Fence{});
  });
  arrivals_.arrive(group, pieces_.count, ir::i64_operand(slots), [&] {
    set_neutral(c_, running, neutral_);
    const NameId parts = mutable_variable("parts", ScalarType::i64, ir::i64_operand(0));
    branch(less(segment_, product(pieces_.outer)), [&] { move(parts, pieces_.count); });
    for_thread_share(c_, rank_, ir::i64_operand(height_), parts, false,
                     [&](const Operand& part) {
                       combine_all(c_, running,
                                   values_at(c_, partial_, types_, {part, segment_}), 0);
                     });
    combine_columns(running);
    write_totals(running);
  });
}

void ColumnReduction::write_totals(const std::vector<Running>& running) {
  branch(leads_, [&] {
    write_all(c_, totals_, unflatten(segment_, pieces_.outer), running_values(running));
  });
}

}  // namespace dagaz::emit
