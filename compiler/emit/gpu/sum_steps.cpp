// Where what a thread stages of steady chunks lies.
//
// Elements of memory that rows or points, and elements of the sum, number directly lie in equal
// steps: what a thread stages of a chunk after the first one, and the same of the next chunk.  One
// place then goes through the chunks, and steps are the same for all threads.  Computed anew for
// each chunk, all places but for the number of the chunk would wait in registers of every thread.
#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/gpu/sum_tile.h"
#include "emit/statements.h"
#include "ir/names.h"

namespace dagaz::emit {

// Takes the steps from this chunk on, if there are such.
void SumTile::begin_steady(Side& side, const Operand& chunk) {
  side.steady.clear();
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const std::int64_t line = (along_sum ? plan_.depth : side.width) / side.together;
  if (!side.elements || block_threads % line != 0 || side.dimensions.size() != 1 ||
      parts_.levels.size() != 1) {
    return;
  }
  const NameId own = side.dimensions[0].index.name;
  const NameId element = parts_.levels[0].element;
  const auto is_computed = [&](const ir::Statement& one) {
    const std::vector<NameId> used = ir::free_names(one, names());
    return std::ranges::count(used, own) + std::ranges::count(used, element) > 0;
  };
  const auto has_place = [&](const plan::MemoryElement& read) {
    return !read.condition && c_.arrays.has_place(read.array) &&
           c_.arrays.virtual_array(read.array) == nullptr;
  };
  if (std::ranges::any_of(side.elements->places.statements, is_computed) ||
      !std::ranges::all_of(side.elements->reads, has_place)) {
    return;
  }
  const auto step_of = [&](const plan::MemoryElement& read, NameId index) {
    const Place& place = c_.arrays.place_of(read.array);
    Operand step = ir::i64_operand(0);
    for (std::size_t k = 0; k < read.indices.size(); ++k) {
      if (read.indices[k] == Operand(index)) step = add(step, place.strides[k]);
    }
    return step;
  };
  const Staged at = staged_at(side, ir::i64_operand(0), read_thread_anew(c_));
  const Source first = source_of(side, at, chunk);
  bind_element(first.element);
  bind(side, first.own);
  emit_body(c_, side.elements->places, {}, [&](const std::vector<Value>&) {
    for (const plan::MemoryElement& read : side.elements->reads) {
      const Place& place = c_.arrays.place_of(read.array);
      const Operand index = element_at(*this, place, read.indices);
      side.steady.push_back({place, mutable_variable("from", ScalarType::i64, index),
                             step_of(read, element), step_of(read, own)});
    }
  });
}

void SumTile::advance(Side& side) {
  for (const Steps& one : side.steady) {
    move(one.first, add(one.first, mul(ir::i64_operand(plan_.depth), one.element)));
  }
}

Operand SumTile::steady_index(const Steps& steps, const Staged& at) {
  const Operand further = add(mul(ir::i64_operand(at.further_elements), steps.element),
                              mul(ir::i64_operand(at.further_own), steps.own));
  return add(steps.first, further);
}

}  // namespace dagaz::emit
