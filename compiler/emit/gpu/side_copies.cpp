// What is outside is asked for, too, as so many elements fewer that are present.
#include "emit/gpu/side_copies.h"

#include <algorithm>

#include "emit/memory/elements.h"
#include "emit/statements.h"
#include "support/check.h"

namespace dagaz::emit {

// What may be outside is asked for in a loop, whose iterations share registers: nobody waits for
// it.
void SideCopies::ask_for(const Operand& chunk, const Operand& stage, Reach reach) {
  const std::int64_t count = shares_.each();
  if (reach == Reach::clamped) {
    rolled_loop("copy", ir::i64_operand(count), [&](const Operand& number) {
      const StagedShare at = shares_.share(number, shares_.thread());
      shares_.if_there(at, !shares_.has_rest(), [&] { copy_share(at, chunk, stage, reach); });
    });
    return;
  }
  for (std::int64_t number = 0; number < count; ++number) {
    const StagedShare at = shares_.share(ir::i64_operand(number));
    const bool is_rest = number + 1 == count && shares_.has_rest();
    shares_.if_there(at, !is_rest, [&] { copy_share(at, chunk, stage, reach); });
  }
}

void SideCopies::copy_share(const StagedShare& at, const Operand& chunk, const Operand& stage,
                            Reach reach) {
  if (reach == Reach::inside && steady_.exist()) return copy_steady(at, stage);
  const Operand together = ir::i64_operand(side_.together);
  const SideShares::Source from = shares_.source_of(at, chunk);
  const Operand count = reach == Reach::inside ? together : present(from);
  sides_.bind_element(from.element);
  sides_.bind(side_, from.own);
  emit_body(c_, side_.elements->places, {}, [&](const std::vector<Value>&) {
    for (std::size_t v = 0; v < side_.values.size(); ++v) {
      copy_value(v, target_of(v, at, stage), count);
    }
  });
}

void SideCopies::copy_steady(const StagedShare& at, const Operand& stage) {
  for (std::size_t v = 0; v < side_.values.size(); ++v) {
    emit_copy(v, steady_.array_of(v), target_of(v, at, stage), steady_.index(v, at),
              ir::i64_operand(side_.copies));
  }
}

Operand SideCopies::target_of(std::size_t value, const StagedShare& at, const Operand& stage) {
  const Place& place = side_.written[value];
  return mul(element_at(*this, place, shares_.indices_in(place, at, stage)),
             ir::i64_operand(side_.together));
}

// How many neighbours along the line there are, from this element and this row or point on.
Operand SideCopies::present(const SideShares::Source& from) {
  const Operand zero = ir::i64_operand(0);
  const bool along_sum = side_.is_along_sum();
  const Operand left = along_sum ? sub(sides_.end(), from.element) : sub(side_.extent, from.own);
  const Operand exists =
      along_sum ? less(from.own, side_.extent) : less(from.element, sides_.end());
  const Operand count = minimum(maximum(left, zero), ir::i64_operand(side_.together));
  return scalar(ScalarOp::select, ScalarType::i64, {exists, count, zero});
}

void SideCopies::copy_value(std::size_t value, const Operand& to, Operand count) {
  const plan::MemoryElement& read = side_.elements->reads[value];
  if (read.condition) {
    count = scalar(ScalarOp::select, ScalarType::i64, {*read.condition, count, ir::i64_operand(0)});
  }
  const Place& from = c_.arrays.place_of(read.array);
  emit_copy(value, from, to, element_at(*this, from, read.indices), count);
}

// A copy of so many elements that are present, from this index of a block on.
void SideCopies::emit_copy(std::size_t value, const Place& from, const Operand& to,
                           const Operand& index, const Operand& count) {
  DZ_CHECK(from.space == Space::global, "a copy from memory of a block");
  const CopyAsync all{side_.staged[value].block,
                      to,
                      from.block,
                      index,
                      names().type(side_.values[value]).element,
                      static_cast<int>(side_.copies),
                      count};
  if (side_.copies == 1) {
    emit(all);
    return;
  }
  const NameId line = side_.is_along_sum() ? sides_.parts().levels.back().element
                                           : side_.dimensions.back().index.name;
  const std::vector<Operand>& indices = side_.elements->reads[value].indices;
  const auto number = std::ranges::find(indices, Operand(line)) - indices.begin();
  const Operand& stride = from.strides[static_cast<std::size_t>(number)];
  is_constant(stride, 1) ? emit(all) : copy_each(all, stride);
}

// Neighbours of the line that lie `stride` apart.
void SideCopies::copy_each(const CopyAsync& all, const Operand& stride) {
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
