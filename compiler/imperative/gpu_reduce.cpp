// Reductions of scalars on a GPU, in one kernel.
//
// A team of threads reduces a segment, striding where the operator commutes so that accesses
// coalesce: a warp where segments are short, else a block.  Where blocks outnumber segments they
// share them, and the last block of a segment to finish combines the parts (Harris, "Optimizing
// parallel reduction in CUDA", and the CUDA sample threadFenceReduction).
#include "imperative/gpu.h"

#include <algorithm>

namespace dagaz::imperative {

static std::vector<Operand> neutral_of(const std::vector<ir::ReduceOperator>& operators) {
  std::vector<Operand> neutral;
  for (const ir::ReduceOperator& one : operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  return neutral;
}

// How many blocks share a segment, and how much of it each takes.
Pieces Gpu::blocks_of_segments(const std::vector<ir::SpaceDimension>& space) {
  Pieces pieces;
  pieces.outer = extents_of(space);
  pieces.width = pieces.outer.back();
  pieces.outer.pop_back();
  const Operand one = ir::i64_operand(1);
  const Operand segments = maximum(product(pieces.outer), one);
  const Operand fill =
      divide_up(divide(low_.resident_threads(), ir::i64_operand(block_threads)), segments);
  const Operand useful =
      divide_up(pieces.width, ir::i64_operand(block_threads * low_.settings.thread_elements));
  const Operand most = ir::i64_operand(low_.settings.segment_blocks);
  pieces.count = maximum(one, minimum(most, minimum(fill, useful)));
  pieces.chunk = divide_up(pieces.width, pieces.count);
  return pieces;
}

// A warp for segments that give each of its threads little to do, else a block.
Team Gpu::team_for(const Pieces& pieces, const ir::Teams& teams) {
  Team team{ir::i64_operand(block_threads), ir::i64_operand(8)};
  if (pieces.outer.empty()) return team;
  const NameId threads = mutable_variable("team", ScalarType::i64, team.threads);
  const NameId shift = mutable_variable("shift", ScalarType::i64, team.shift);
  branch(less(pieces.width, ir::i64_operand(teams.warp + 1)), [&] {
    move(threads, ir::i64_operand(warp_threads));
    move(shift, ir::i64_operand(5));
  });
  return {threads, shift};
}

TeamPart Gpu::team_part(const Pieces& pieces, const Team& team, const Operand& block) {
  const Operand thread = low_.read_special(Special::thread_index);
  const Operand all = add(mul(block, ir::i64_operand(block_threads)), thread);
  const Operand number = scalar(ScalarOp::lshr, ScalarType::i64, {all, team.shift});
  TeamPart part;
  part.rank = scalar(ScalarOp::bit_and, ScalarType::i64,
                     {thread, sub(team.threads, ir::i64_operand(1))});
  part.segment = divide(number, pieces.count);
  part.piece = remainder(number, pieces.count);
  part.start = mul(part.piece, pieces.chunk);
  // The last block may hold more warps than there are segments left.
  const Operand inside = less(part.segment, product(pieces.outer));
  const Operand left = maximum(sub(pieces.width, part.start), ir::i64_operand(0));
  const NameId length = mutable_variable("length", ScalarType::i64, ir::i64_operand(0));
  branch(inside, [&] { move(length, minimum(left, pieces.chunk)); });
  part.length = length;
  part.leads = both(inside, equal(part.rank, ir::i64_operand(0)));
  return part;
}

void Gpu::reduce_by_teams(const ir::Statement& s, const ir::SegmentedReduce& e,
                          const ir::Teams& teams, const std::vector<ir::Type>& types,
                          const std::vector<Place>& totals,
                          const std::vector<Destination>& mapped) {
  const Pieces pieces = blocks_of_segments(e.space);
  const Team team = team_for(pieces, teams);
  const Operand segments = product(pieces.outer);
  // Parts and their count are needed only where teams share a segment.
  const NameId sharing = mutable_variable("sharing", ScalarType::i64, ir::i64_operand(0));
  branch(less(ir::i64_operand(1), pieces.count), [&] { move(sharing, segments); });
  TeamReduction reduction{
      e.operators,
      types,
      pieces,
      team,
      neutral_of(e.operators),
      {},
      {},
      totals,
      std::all_of(e.operators.begin(), e.operators.end(), plan::is_commutative)};
  for (const ir::Type& type : types) {
    reduction.partial.push_back(
        low_.new_array(ir::array_of(type.element, {sharing, pieces.count}), "partial"));
  }
  const Operand bytes = mul(sharing, ir::i64_operand(ir::byte_size(ScalarType::i32)));
  reduction.arrived = low_.new_block(bytes, "arrived");
  branch(less(ir::i64_operand(0), sharing),
         [&] { emit(Clear{reduction.arrived, ir::i64_operand(0), bytes}); });
  const Operand threads = mul(mul(segments, pieces.count), team.threads);
  const Operand blocks = divide_up(threads, ir::i64_operand(block_threads));
  BlockKernel kernel = low_.kernel_of_blocks(blocks, [&](const Operand& block) {
    const TeamPart part = team_part(pieces, team, block);
    const std::vector<Operand> outer = unflatten(part.segment, pieces.outer);
    const std::vector<Running> running = low_.start_reductions(e.operators);
    const auto reduce_element = [&](const Operand& i) {
      low_.reduce_point(s, e, running, mapped, with(outer, add(part.start, i)));
    };
    for_thread_share(part.rank, team.threads, part.length, reduction.strides, reduce_element);
    reduce_warp(running, warp_threads);
    branch(less(ir::i64_operand(warp_threads), team.threads),
           [&] { reduce_warps(running, reduction.neutral); });
    finish_team(reduction, part, running);
  });
  const Operand shared = add(shared_bytes_for(types), ir::i64_operand(warp_slot_bytes));
  low_.launch("segred", kernel.grid, shared, std::move(kernel.code));
}

// The leader holds its team's result.
void Gpu::finish_team(const TeamReduction& reduction, const TeamPart& part,
                      const std::vector<Running>& running) {
  const auto write_total = [&] {
    low_.write_all(reduction.totals, unflatten(part.segment, reduction.pieces.outer),
                   running_values(running));
  };
  branch(equal(reduction.pieces.count, ir::i64_operand(1)),
         [&] { branch(part.leads, write_total); },
         [&] { combine_parts(reduction, part, running); });
}

// The team that is the last of its segment to arrive reduces the parts.  A part is written before
// the count that announces it, and read after the count that says all are there: fences order
// both for the device, the barrier passes that on to the rest of the block.
void Gpu::combine_parts(const TeamReduction& reduction, const TeamPart& part,
                        const std::vector<Running>& running) {
  const NameId told = block_variable("told");
  emit(SharedMemory{told, shared_bytes_for(reduction.types)});
  branch(part.leads, [&] {
    low_.write_all(reduction.partial, {part.segment, part.piece}, running_values(running));
    emit(Fence{});
    const NameId before = variable("before", ScalarType::i32);
    emit(Atomic{before, AtomicOp::add, reduction.arrived, part.segment,
                ir::make_integer(ScalarType::i32, 1), ScalarType::i32});
    emit(Store{told, ir::i64_operand(0), before, ScalarType::i32, Space::shared});
  });
  emit(Barrier{});
  const NameId before = variable("before", ScalarType::i32);
  emit(Load{before, told, ir::i64_operand(0), ScalarType::i32, Space::shared});
  const Operand arrived = add(to_i64(before, ScalarType::i32), ir::i64_operand(1));
  branch(equal(arrived, reduction.pieces.count), [&] {
    emit(Fence{});
    set_neutral(running, reduction.neutral);
    const auto combine_part = [&](const Operand& piece) {
      const std::vector<Operand> point = {part.segment, piece};
      low_.combine_all(running, low_.values_at(reduction.partial, reduction.types, point), 0);
    };
    for_thread_share(part.rank, ir::i64_operand(block_threads), reduction.pieces.count,
                     reduction.strides, combine_part);
    reduce_block(running, reduction.neutral);
    branch(part.leads, [&] {
      low_.write_all(reduction.totals, unflatten(part.segment, reduction.pieces.outer),
                     running_values(running));
    });
  });
}

void Gpu::reduce_by_segments(const ir::Statement& s, const ir::SegmentedReduce& e,
                             const std::vector<Place>& totals,
                             const std::vector<Destination>& mapped) {
  std::vector<Operand> outer = extents_of(e.space);
  const Operand width = outer.back();
  outer.pop_back();
  const auto reduce_segment = [&](const std::vector<Operand>& segment) {
    const std::vector<Running> running = low_.start_reductions(e.operators);
    low_.thread_loop(width, true, [&](const Operand& i) {
      low_.reduce_point(s, e, running, mapped, with(segment, i));
    });
    low_.write_all(totals, segment, running_values(running));
  };
  low_.for_each_point(outer, low_.cost_of(e.schedule), "segred", reduce_segment);
}

// This thread's part of 0 … count-1: one of as many as there are threads where the order does not
// matter, so that neighbours read neighbours, else a stretch.
void Gpu::for_thread_share(const Operand& rank, const Operand& threads, const Operand& count,
                           bool strides, const std::function<void(Operand)>& body) {
  const Operand zero = ir::i64_operand(0);
  if (strides) {
    const NameId i = mutable_variable("i", ScalarType::i64, rank);
    const NameId more = variable("more", ScalarType::boolean);
    Code test = collect([&] {
      emit(Assign{more, ScalarOp::slt, ScalarType::i64, ScalarType::boolean, {i, count}});
    });
    Code step = collect([&] {
      low_.element_scope([&] { body(i); });
      move(i, add(i, threads));
    });
    emit(While{std::move(test), more, std::move(step)});
    return;
  }
  const Operand share = divide_up(count, threads);
  const Operand start = mul(rank, share);
  const Operand left = maximum(sub(count, start), zero);
  low_.thread_loop(minimum(share, left), true, [&](const Operand& i) {
    low_.element_scope([&] { body(add(start, i)); });
  });
}

}  // namespace dagaz::imperative
