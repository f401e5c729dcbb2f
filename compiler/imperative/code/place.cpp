// Views as arithmetic on offsets and strides.
#include "imperative/code/place.h"

namespace dagaz::imperative {

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

Place part_at(Emitter& emitter, const Place& place, const std::vector<Operand>& indices) {
  Place part = place;
  part.offset = element_at(emitter, place, indices);
  part.strides.erase(part.strides.begin(),
                     part.strides.begin() + static_cast<std::ptrdiff_t>(indices.size()));
  return part;
}

Place slice_of(Emitter& emitter, const Place& place, const std::vector<Operand>& shape,
               const std::vector<ir::SliceDimension>& dimensions) {
  Place slice{place.block, place.offset, {}, place.unit, place.space};
  // Row-major order survives where only the outermost dimension is cut: fixed dimensions, then at
  // most one range in unit steps, then whole dimensions.
  bool cut = false;
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const ir::SliceDimension& dimension = dimensions[k];
    slice.offset =
        emitter.add(slice.offset, emitter.mul(dimension.start, place.strides[k]));
    if (dimension.fixed) {
      if (cut) slice.unit.reset();
      continue;
    }
    const bool steps = is_constant(dimension.stride, 1);
    const bool whole = steps && is_constant(dimension.start, 0) && dimension.count == shape[k];
    if ((cut && !whole) || !steps) slice.unit.reset();
    cut = true;
    slice.strides.push_back(emitter.mul(place.strides[k], dimension.stride));
  }
  return slice;
}

Place permuted(const Place& place, const std::vector<int>& permutation) {
  Place result = place;
  bool moved = false;
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    const auto from = static_cast<std::size_t>(permutation[k]);
    result.strides[k] = place.strides[from];
    moved = moved || from != k;
  }
  if (moved) result.unit.reset();
  return result;
}

Place permuted_back(const Place& place, const std::vector<int>& permutation) {
  std::vector<int> inverse(permutation.size());
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    inverse[static_cast<std::size_t>(permutation[k])] = static_cast<int>(k);
  }
  return permuted(place, inverse);
}

// Whether the shapes agree after leaving out dimensions of constant size 1; then the strides that
// remain, in order, serve both.
static std::optional<std::vector<Operand>> strides_without_ones(const Place& place,
                                                                const std::vector<Operand>& from,
                                                                const std::vector<Operand>& to) {
  std::vector<Operand> kept;
  std::vector<Operand> sizes;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (is_constant(from[k], 1)) continue;
    kept.push_back(place.strides[k]);
    sizes.push_back(from[k]);
  }
  std::vector<Operand> strides;
  std::size_t next = 0;
  for (const Operand& size : to) {
    if (is_constant(size, 1)) {
      strides.push_back(ir::i64_operand(1));
    } else if (next < sizes.size() && sizes[next] == size) {
      strides.push_back(kept[next++]);
    } else {
      return std::nullopt;
    }
  }
  if (next != sizes.size()) return std::nullopt;
  return strides;
}

// Whether the shapes agree but for one dimension of `from`, which is several of `to`.
static std::optional<std::vector<Operand>> strides_of_split(Emitter& emitter, const Place& place,
                                                            const std::vector<Operand>& from,
                                                            const std::vector<Operand>& to) {
  if (from.empty() || to.size() < from.size()) return std::nullopt;
  const std::size_t added = to.size() - from.size();
  std::size_t before = 0;
  while (before + 1 < from.size() && from[before] == to[before]) ++before;
  for (std::size_t k = before + 1; k < from.size(); ++k) {
    if (from[k] != to[k + added]) return std::nullopt;
  }
  std::vector<Operand> strides(to.size());
  for (std::size_t k = 0; k < before; ++k) strides[k] = place.strides[k];
  for (std::size_t k = before + 1; k < from.size(); ++k) strides[k + added] = place.strides[k];
  Operand stride = place.strides[before];
  for (std::size_t k = before + added;; --k) {
    strides[k] = stride;
    if (k == before) break;
    stride = emitter.mul(stride, to[k]);
  }
  return strides;
}

std::optional<Place> reshaped(Emitter& emitter, const Place& place,
                              const std::vector<Operand>& from, const std::vector<Operand>& to) {
  if (place.unit || from.size() == 1) {
    const Operand unit = place.unit ? *place.unit : place.strides[0];
    Place result = row_major(emitter, place.block, place.offset, to, unit);
    result.space = place.space;
    return result;
  }
  auto strides = strides_without_ones(place, from, to);
  if (!strides) strides = strides_of_split(emitter, place, from, to);
  if (!strides) return std::nullopt;
  Place result = place;
  result.strides = std::move(*strides);
  return result;
}

}  // namespace dagaz::imperative
