#include "emit/gpu/steady_places.h"

#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/statements.h"
#include "ir/names.h"

namespace dagaz::emit {

bool SteadyPlaces::are_possible() const {
  const std::vector<plan::SumLevel>& levels = sides_.parts().levels;
  const std::int64_t line =
      (side_.is_along_sum() ? sides_.plan().depth : side_.width) / side_.together;
  if (!side_.elements || block_threads % line != 0 || side_.dimensions.size() != 1 ||
      levels.size() != 1) {
    return false;
  }
  const NameId own = side_.dimensions[0].index.name;
  const NameId element = levels[0].element;
  const auto is_computed = [&](const ir::Statement& one) {
    const std::vector<NameId> used = ir::free_names(one, names());
    return std::ranges::count(used, own) + std::ranges::count(used, element) > 0;
  };
  const auto has_place = [&](const plan::MemoryElement& read) {
    return !read.condition && c_.arrays.has_place(read.array) &&
           c_.arrays.virtual_array(read.array) == nullptr;
  };
  return std::ranges::none_of(side_.elements->places.statements, is_computed) &&
         std::ranges::all_of(side_.elements->reads, has_place);
}

void SteadyPlaces::begin(const Operand& chunk) {
  steps_.clear();
  if (!are_possible()) return;
  const NameId own = side_.dimensions[0].index.name;
  const NameId element = sides_.parts().levels[0].element;
  const auto step_of = [&](const plan::MemoryElement& read, NameId index) {
    const Place& place = c_.arrays.place_of(read.array);
    Operand step = ir::i64_operand(0);
    for (std::size_t k = 0; k < read.indices.size(); ++k) {
      if (read.indices[k] == Operand(index)) step = add(step, place.strides[k]);
    }
    return step;
  };
  const StagedShare at = shares_.share(ir::i64_operand(0), read_thread_anew(c_));
  const SideShares::Source first = shares_.source_of(at, chunk);
  sides_.bind_element(first.element);
  sides_.bind(side_, first.own);
  emit_body(c_, side_.elements->places, {}, [&](const std::vector<Value>&) {
    for (const plan::MemoryElement& read : side_.elements->reads) {
      const Place& place = c_.arrays.place_of(read.array);
      const Operand index = element_at(*this, place, read.indices);
      steps_.push_back({place, mutable_variable("from", ScalarType::i64, index),
                        step_of(read, element), step_of(read, own)});
    }
  });
}

void SteadyPlaces::advance() {
  for (const Steps& one : steps_) {
    move(one.first, add(one.first, mul(ir::i64_operand(sides_.plan().depth), one.element)));
  }
}

Operand SteadyPlaces::index(std::size_t value, const StagedShare& at) {
  const Steps& steps = steps_[value];
  const Operand further = add(mul(ir::i64_operand(at.further_elements), steps.element),
                              mul(ir::i64_operand(at.further_own), steps.own));
  return add(steps.first, further);
}

Operand SteadyPlaces::next(std::size_t value, const Operand& index) {
  return add(index, side_.is_along_sum() ? steps_[value].element : steps_[value].own);
}

}  // namespace dagaz::emit
