// Views as arithmetic on offsets and strides.
#include "emit/code/place.h"

#include <algorithm>

#include "plan/views.h"

namespace dagaz::emit {

Place row_major(Emitter& emitter, NameId block, const Operand& offset,
                const std::vector<Operand>& shape, const Operand& unit) {
  Place place{block, offset, std::vector<Operand>(shape.size()), unit};
  Operand stride = unit;
  for (std::size_t k = shape.size(); k-- > 0;) {
    place.strides[k] = stride;
    if (k > 0) stride = emitter.mul(stride, shape[k]);
  }
  return place;
}

Operand element_at(Emitter& emitter, const Place& place, const std::vector<Operand>& indices) {
  Operand index = place.offset;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    index = emitter.add(index, emitter.mul(indices[k], place.strides[k]));
  }
  return index;
}

Place without_outermost(const Place& place, std::size_t fixed) {
  Place part = place;
  if (fixed == 0) return part;
  part.strides.erase(part.strides.begin(),
                     part.strides.begin() + static_cast<std::ptrdiff_t>(fixed));
  part.turned.reset();
  if (place.turned && plan::leaves_order(place.turned->order, fixed)) {
    part.unit = part.strides.back();
  }
  return part;
}

Place part_at(Emitter& emitter, const Place& place, const std::vector<Operand>& indices) {
  Place part = without_outermost(place, indices.size());
  part.offset = element_at(emitter, place, indices);
  return part;
}

Place slice_of(Emitter& emitter, const Place& place, const std::vector<Operand>& shape,
               const std::vector<ir::SliceDimension>& dimensions) {
  Place slice{place.block, place.offset, {}, place.unit, place.space, {}};
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const ir::SliceDimension& dimension = dimensions[k];
    slice.offset = emitter.add(slice.offset, emitter.mul(dimension.start, place.strides[k]));
    if (!dimension.fixed) slice.strides.push_back(emitter.mul(place.strides[k], dimension.stride));
  }
  if (!plan::keeps_order(dimensions, shape)) slice.unit.reset();
  return slice;
}

Place permuted(const Place& place, const std::vector<int>& permutation) {
  Place result = place;
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    result.strides[k] = place.strides[static_cast<std::size_t>(permutation[k])];
  }
  if (std::is_sorted(permutation.begin(), permutation.end())) return result;
  result.unit.reset();
  result.turned.reset();
  if (place.unit) result.turned = Place::Turned{plan::inverse(permutation), *place.unit};
  if (place.turned && place.turned->order == permutation) result.unit = place.turned->unit;
  return result;
}

Place permuted_back(const Place& place, const std::vector<int>& permutation) {
  return permuted(place, plan::inverse(permutation));
}

std::optional<Place> reshaped(Emitter& emitter, const Place& place,
                              const std::vector<Operand>& from, const std::vector<Operand>& to) {
  if (place.unit || from.size() == 1) {
    const Operand unit = place.unit ? *place.unit : place.strides[0];
    Place result = row_major(emitter, place.block, place.offset, to, unit);
    result.space = place.space;
    return result;
  }
  const auto times = [&](const Operand& stride, const Operand& size) {
    return emitter.mul(stride, size);
  };
  auto strides = plan::reshaped_strides(place.strides, from, to, ir::i64_operand(1), times);
  if (!strides) return std::nullopt;
  Place result = place;
  result.strides = std::move(*strides);
  result.turned.reset();
  return result;
}

}  // namespace dagaz::emit
