// Chunks that are copied to shared memory while others are multiplied (plan/async_copies.h); of the
// stages there, those behind the chunk that is multiplied are on their way:
//
//   ask for the first chunks, one less than there are stages
//   for each chunk:
//     await its copies; meet
//     ask for a later one, where the one before this has been multiplied
//     add this one's products
//
// Every chunk is a group of copies, also where there is none any more, so that the number of groups
// after a chunk's is always the same.  One meeting is enough: whoever passes it knows that all have
// awaited this chunk, and multiplied the one before.  A side that goes through registers is loaded
// before the products and stored after them, a chunk ahead, as in sum_tile.cpp.
//
// What is outside is asked for, too, as so many elements fewer that are present.
#include <algorithm>
#include <array>

#include "emit/gpu/kernels.h"
#include "emit/gpu/sum_tile.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"
#include "support/check.h"

namespace dagaz::emit {

void SumTile::add_chunks_ahead() {
  const std::int64_t ahead = plan_.stages - 1;
  // Of the first number below 0.
  const NameId stage = mutable_variable("stage", ScalarType::i64, ir::i64_operand(1));
  run_rounds(
      ahead, [&](NameId chunk, Reach reach) { add_chunk_ahead(chunk, stage, reach); },
      [&](const Side& side) { return side.copies > 0 ? ahead : 1; });
  emit(Barrier{});
}

void SumTile::add_chunk_ahead(const Operand& chunk, NameId stage, Reach reach) {
  const int ahead = plan_.stages - 1;
  const Operand zero = ir::i64_operand(0);
  const Operand one = ir::i64_operand(1);
  const Operand last = ir::i64_operand(ahead);
  const auto either = [&](const Operand& condition, const Operand& yes, const Operand& no) {
    return scalar(ScalarOp::select, ScalarType::i64, {condition, yes, no});
  };
  const Operand later = start_of(add(chunk, last));
  const Operand before = either(equal(stage, zero), last, sub(stage, one));
  const Operand after = either(equal(stage, last), zero, add(stage, one));
  emit(AwaitCopies{ahead - 1});
  emit(Barrier{});
  const std::array<const Side*, 2> sides = {&rows_, &points_};
  branch(less(later, end_), [&] {
    for (const Side* side : sides) {
      if (side->copies > 0) copy(*side, later, before, reach);
    }
  });
  emit(CommitCopies{});
  stage_others(chunk, start_of(add(chunk, one)), after, reach,
               [&] { add_products_of(chunk, stage, reach); });
  move(stage, after);
}

// Loads what goes through registers before the products are added, and stores it after them; what
// may be outside is put there at once.
void SumTile::stage_others(const Operand& chunk, const Operand& following, const Operand& stage,
                           Reach reach, const std::function<void()>& add_products) {
  const Side* const other = rows_.copies == 0 ? &rows_ : &points_;
  if (other->copies > 0 || other->values.empty()) return add_products();
  const Operand more = both(less(ir::i64_operand(-2), chunk), less(following, end_));
  Loaded loaded;
  branch(more, [&] {
    if (reach == Reach::clamped) {
      fill(*other, following, stage);
    } else {
      loaded = load(*other, following, reach);
    }
  });
  add_products();
  if (reach == Reach::inside) branch(more, [&] { this->stage(*other, loaded, stage); });
}

// What may be outside is asked for in a loop, whose iterations share registers: nobody waits for
// it.
void SumTile::copy(const Side& side, const Operand& chunk, const Operand& stage, Reach reach) {
  const std::int64_t count = staged_each(side);
  if (reach == Reach::clamped) {
    rolled_loop("copy", ir::i64_operand(count), [&](const Operand& number) {
      const Staged at = staged_at(side, number, thread_for(side));
      if_staged(side, !has_rest(side), at, [&] { copy_at(side, at, chunk, stage, reach); });
    });
    return;
  }
  for (std::int64_t number = 0; number < count; ++number) {
    const Staged at = staged_at(side, ir::i64_operand(number));
    const bool is_rest = number + 1 == count && has_rest(side);
    if_staged(side, !is_rest, at, [&] { copy_at(side, at, chunk, stage, reach); });
  }
}

void SumTile::copy_at(const Side& side, const Staged& at, const Operand& chunk,
                      const Operand& stage, Reach reach) {
  if (reach == Reach::inside && !side.steady.empty()) return copy_steady(side, at, stage);
  const Operand together = ir::i64_operand(side.together);
  const auto [element, own] = source_of(side, at, chunk);
  const Operand count = reach == Reach::inside ? together : present(side, element, own);
  bind_element(element);
  bind(side, own);
  emit_body(c_, side.elements->places, {}, [&](const std::vector<Value>&) {
    for (std::size_t v = 0; v < side.values.size(); ++v) {
      copy_value(side, v, target_of(side, v, at, stage), count);
    }
  });
}

void SumTile::copy_steady(const Side& side, const Staged& at, const Operand& stage) {
  for (std::size_t v = 0; v < side.values.size(); ++v) {
    const Steps& steps = side.steady[v];
    emit_copy(side, v, steps.from, target_of(side, v, at, stage), steady_index(steps, at),
              ir::i64_operand(side.copies));
  }
}

Operand SumTile::target_of(const Side& side, std::size_t value, const Staged& at,
                           const Operand& stage) {
  const Place& place = side.written[value];
  return mul(element_at(*this, place, indices_of_staged(place, at, stage)),
             ir::i64_operand(side.together));
}

// How many neighbours along the line there are, from this element and this row or point on.
Operand SumTile::present(const Side& side, const Operand& element, const Operand& own) {
  const Operand zero = ir::i64_operand(0);
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const Operand left = along_sum ? sub(end_, element) : sub(side.extent, own);
  const Operand exists = along_sum ? less(own, side.extent) : less(element, end_);
  const Operand count = minimum(maximum(left, zero), ir::i64_operand(side.together));
  return scalar(ScalarOp::select, ScalarType::i64, {exists, count, zero});
}

void SumTile::copy_value(const Side& side, std::size_t value, const Operand& to, Operand count) {
  const plan::MemoryElement& read = side.elements->reads[value];
  if (read.condition) {
    count = scalar(ScalarOp::select, ScalarType::i64, {*read.condition, count, ir::i64_operand(0)});
  }
  const Place& from = c_.arrays.place_of(read.array);
  emit_copy(side, value, from, to, element_at(*this, from, read.indices), count);
}

// A copy of so many elements that are present, from this index of a block on.
void SumTile::emit_copy(const Side& side, std::size_t value, const Place& from, const Operand& to,
                        const Operand& index, const Operand& count) {
  DZ_CHECK(from.space == Space::global, "a copy from memory of a block");
  const CopyAsync all{side.staged[value].block,
                      to,
                      from.block,
                      index,
                      names().type(side.values[value]).element,
                      static_cast<int>(side.copies),
                      count};
  if (side.copies == 1) {
    emit(all);
    return;
  }
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const NameId line = along_sum ? parts_.levels.back().element : side.dimensions.back().index.name;
  const std::vector<Operand>& indices = side.elements->reads[value].indices;
  const auto number = std::ranges::find(indices, Operand(line)) - indices.begin();
  const Operand& stride = from.strides[static_cast<std::size_t>(number)];
  is_constant(stride, 1) ? emit(all) : copy_each(all, stride);
}

// Neighbours of the line that lie `stride` apart.
void SumTile::copy_each(const CopyAsync& all, const Operand& stride) {
  constexpr std::int64_t least_bytes = 4;
  const bool are_wide = ir::byte_size(all.type) >= least_bytes;
  for (int k = 0; k < all.elements; ++k) {
    const Operand number = ir::i64_operand(k);
    const Operand to = add(all.target_index, number);
    const Operand from = add(all.source_index, mul(number, stride));
    const Operand exists = less(number, all.present);
    if (are_wide) {
      const Operand one = scalar(ScalarOp::select, ScalarType::i64,
                                 {exists, ir::i64_operand(1), ir::i64_operand(0)});
      emit(CopyAsync{all.target, to, all.source, from, all.type, 1, one});
      continue;
    }
    const auto put = [&](const Operand& element) {
      emit(Store{all.target, to, element, all.type, Space::shared});
    };
    branch(
        exists,
        [&] {
          const NameId element = variable("x", all.type);
          emit(Load{element, all.source, from, all.type});
          put(element);
        },
        [&] { put(ir::zero_of(all.type)); });
  }
}

}  // namespace dagaz::emit
