#include "emit/lanes/arrays.h"

#include "emit/lanes/masks.h"
#include "emit/lanes/packing.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/thread/loops.h"
#include "plan/lane_values.h"

namespace dagaz::emit {

LaneArray array_of(const Lanes& l, NameId name) {
  const auto found = l.known.arrays.find(name);
  if (found != l.known.arrays.end()) return found->second;
  if (!l.c.arrays.has_place(name)) refuse("an array without memory");
  const Place& place = l.c.arrays.place_of(name);
  return LaneArray{place, uniform(l, place.offset)};
}

LaneArray part_of(Lanes& l, const LaneArray& array, const std::vector<LaneScalar>& indices) {
  LaneArray part{without_outermost(array.place, indices.size()), array.offset};
  for (std::size_t k = 0; k < indices.size(); ++k) {
    part.offset = add(l, part.offset, times(l, indices[k], array.place.strides[k]));
  }
  return part;
}

LaneArray part_at(Lanes& l, const Place& target, const std::vector<NameId>& indices) {
  std::vector<LaneScalar> at;
  for (const NameId index : indices) at.push_back(scalar_of(l, index));
  return part_of(l, LaneArray{target, uniform(l, target.offset)}, at);
}

LaneArray slice_of(Lanes& l, const LaneArray& array,
                   const std::vector<ir::SliceDimension>& dimensions) {
  LaneArray slice{array.place, array.offset};
  slice.place.strides.clear();
  slice.place.unit.reset();
  slice.place.turned.reset();
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const ir::SliceDimension& dimension = dimensions[k];
    slice.offset =
        add(l, slice.offset, times(l, scalar_of(l, dimension.start), array.place.strides[k]));
    if (dimension.fixed) continue;
    uniform_operand(l, dimension.count);
    slice.place.strides.push_back(
        l.c.mul(array.place.strides[k], uniform_operand(l, dimension.stride)));
  }
  return slice;
}

LaneScalar own_points(const Lanes& l) {
  LaneScalar offset;
  offset.by_row = l.block.rows > 1;
  offset.by_point = true;
  offset.affine = Affine{ir::i64_operand(0), ir::i64_operand(offset.by_row ? l.block.span() : 0),
                         ir::i64_operand(1)};
  return offset;
}

LaneArray new_array(Lanes& l, const ir::Type& type, std::string_view base) {
  ir::Type all = type;
  all.shape = uniform_shape(l, type.shape);
  all.shape.push_back(ir::i64_operand(l.block.points()));
  const NameId block = private_array(l.c, all, base).block;
  LaneArray array;
  array.place =
      row_major(l.c, block, ir::i64_operand(0), type.shape, ir::i64_operand(l.block.points()));
  array.offset = own_points(l);
  return array;
}

LaneArray own_array(Lanes& l, NameId name) {
  const LaneArray array = array_of(l, name);
  if (l.known.arrays.contains(name)) return array;
  const LaneArray own = new_array(l, l.c.names().type(name), l.c.names().base(name));
  copy(l, own, array, l.c.names().type(name));
  return own;
}

bool start_together(const LaneArray& a, const LaneArray& b) {
  return a.place.block == b.place.block && a.offset.affine && b.offset.affine &&
         a.offset.affine->base == b.offset.affine->base;
}

LaneArray result_array(Lanes& l, NameId name) {
  const auto destination = l.known.destinations.find(name);
  const LaneArray array = destination == l.known.destinations.end()
                              ? new_array(l, l.c.names().type(name), l.c.names().base(name))
                              : destination->second;
  bind(l, name, array);
  return array;
}

static bool are_close(const Lanes& l, const Operand& step) {
  return step.is_constant() &&
         plan::are_close(ir::integer_value(step.constant()), l.c.settings.close_lanes);
}

LaneScalar load(Lanes& l, const LaneArray& element, ScalarType type) {
  const LaneScalar& offset = element.offset;
  const NameId block = element.place.block;
  return make_pieces(
      l, type, offset.by_row, offset.by_point,
      [&](std::int64_t row, std::int64_t column) -> Operand {
        if (!offset.by_point) {
          const NameId target = l.c.variable("x", type);
          l.c.emit(Load{target, block, piece_of(l, offset, row, column), type});
          return target;
        }
        const NameId target = lane_variable(l, "x", type);
        const std::optional<Operand> mask = mask_of(l, row, column);
        if (!offset.affine) {
          l.c.emit(LoadLanes{target, block, piece_of(l, offset, row, column), ir::i64_operand(1),
                             type, mask});
          return target;
        }
        LaneScalar first = offset;
        first.by_point = false;
        const Operand& step = offset.affine->point_step;
        const Operand ahead = l.c.mul(step, ir::i64_operand(column * l.block.width));
        LoadLanes read{target, block, l.c.add(piece_of(l, first, row, column), ahead),
                       step,   type,  mask};
        read.close = !mask && are_close(l, step);
        l.c.emit(read);
        return target;
      });
}

void fetch_ahead(Lanes& l, const LaneArray& element, ScalarType type) {
  if (!element.offset.affine) return;
  const Affine& affine = *element.offset.affine;
  const Operand first = l.c.remainder(affine.base, ir::i64_operand(l.block.width));
  const Operand behind = ir::i64_operand(l.plan.ahead / ir::byte_size(type));
  for (std::int64_t column = 0; column < l.block.columns; ++column) {
    const Operand point = l.c.add(first, ir::i64_operand(column * l.block.width));
    const Operand at = l.c.add(affine.base, l.c.mul(affine.point_step, point));
    l.c.emit(Fetch{element.place.block, l.c.add(at, behind), type});
  }
}

void store(Lanes& l, const LaneArray& element, const LaneScalar& value) {
  const LaneScalar& offset = element.offset;
  const NameId block = element.place.block;
  if (!offset.by_point) refuse("a store to one place for all points");
  const std::int64_t rows = offset.by_row ? l.block.rows : 1;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < l.block.columns; ++column) {
      const Operand stored = with_lanes(l, piece_of(l, value, row, column), value.type);
      const std::optional<Operand> mask = mask_of(l, row, column);
      if (!offset.affine) {
        l.c.emit(StoreLanes{block, piece_of(l, offset, row, column), ir::i64_operand(1), stored,
                            value.type, mask});
        continue;
      }
      LaneScalar first = offset;
      first.by_point = false;
      const Operand ahead =
          l.c.mul(offset.affine->point_step, ir::i64_operand(column * l.block.width));
      l.c.emit(StoreLanes{block, l.c.add(piece_of(l, first, row, column), ahead),
                          offset.affine->point_step, stored, value.type, mask});
    }
  }
}

void uniform_loop(Lanes& l, const Operand& width, const std::function<void(Operand)>& body) {
  thread_loop(l.c, uniform_operand(l, width), false, body);
}

void copy(Lanes& l, const LaneArray& target, const LaneArray& source, const ir::Type& type) {
  if (type.shape.empty()) {
    store(l, target, load(l, source, type.element));
    return;
  }
  if (!l.mask && turn_over(l, target, source, type)) return;
  thread_loop(l.c, uniform_operand(l, type.shape[0]), false, [&](const Operand& i) {
    copy(l, part_of(l, target, {uniform(l, i)}), part_of(l, source, {uniform(l, i)}),
         ir::row_of(type));
  });
}

void put(Lanes& l, const LaneArray& target, const LaneResult& result, const ir::Type& type) {
  if (result.scalar) {
    store(l, target, *result.scalar);
  } else if (result.array->place.block != target.place.block) {
    copy(l, target, *result.array, type);
  }
}

Place spill(Lanes& l, const LaneScalar& scalar) {
  const ir::Type type = ir::array_of(scalar.type, {ir::i64_operand(l.block.points())});
  const Place place = private_array(l.c, type, "spill");
  for (std::int64_t row = 0; row < l.block.rows; ++row) {
    for (std::int64_t column = 0; column < l.block.columns; ++column) {
      const std::int64_t at = row * l.block.span() + column * l.block.width;
      l.c.emit(StoreLanes{place.block, ir::i64_operand(at), ir::i64_operand(1),
                          with_lanes(l, piece_of(l, scalar, row, column), scalar.type),
                          scalar.type});
    }
  }
  return place;
}

}  // namespace dagaz::emit
