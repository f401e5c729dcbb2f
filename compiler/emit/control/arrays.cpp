// First-order array operations: views become places, the rest loops over the result.
#include "emit/context/context.h"
#include "emit/memory/allocation.h"
#include "emit/memory/concatenations.h"
#include "emit/memory/elements.h"
#include "emit/memory/homes.h"
#include "emit/memory/host_scope.h"
#include "emit/memory/virtual_arrays.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "plan/copies.h"

namespace dagaz::emit {

void emit_operation(Context& c, const ir::Statement& s, const ir::ArrayLiteral& e) {
  const Place target = result_array(c, s.results[0].name);
  if (c.mode != Mode::kernel && target.is_dense()) {
    const std::vector<ir::Constant> constants = plan::table_of(c.settings, e);
    if (!constants.empty()) {
      c.emit(WriteTable{target.block, target.offset, constants, constants[0].type});
      return;
    }
  }
  for (std::size_t k = 0; k < e.elements.size(); ++k) {
    write(c, target, {ir::i64_operand(static_cast<std::int64_t>(k))}, value_of(c, e.elements[k]));
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Index& e) {
  const NameId result = s.results[0].name;
  const ir::Type type = c.names().type(result);
  if (const VirtualArray* values = c.arrays.virtual_array(e.array)) {
    c.move(result, virtual_element(c, *values, e.indices[0]));
  } else if (type.is_scalar()) {
    load_into(c, result, c.arrays.place_of(e.array), e.indices, type.element);
  } else {
    c.arrays.bind(result, part_at(c, c.arrays.place_of(e.array), e.indices));
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Slice& e) {
  const NameId result = s.results[0].name;
  const Place slice = slice_of(c, c.arrays.place_of(e.array), c.shape_of(e.array), e.dimensions);
  if (c.names().type(result).is_scalar()) {
    load_into(c, result, slice, {}, c.names().type(result).element);
  } else {
    c.arrays.bind(result, slice);
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Update& e) {
  const Place whole = c.arrays.place_of(e.array);
  c.arrays.bind(s.results[0].name, whole);
  const auto put = [&] {
    write(c, slice_of(c, whole, c.shape_of(e.array), e.dimensions), {}, value_of(c, e.value),
          ahead_of(c, s.results[0].name));
  };
  if (c.memory.kept_before.contains(s.results[0].name)) {
    host_branch(c, c.equal(e.dimensions[0].start, ir::i64_operand(0)), put);
  } else if (c.mode != Mode::host || !c.memory.is_in_place(e)) {
    put();
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Iota& e) {
  const NameId result = s.results[0].name;
  if (make_virtual(c, result, e.type, e.start, e.stride)) return;
  const Place target = result_array(c, result);
  for_each_point(
      c, c.shape_of(result), little_work(c, 1), "iota", [&](const std::vector<Operand>& point) {
        Operand index = point[0];
        if (e.type != ScalarType::i64 && !index.is_constant()) {
          const NameId narrow = c.variable("i", e.type);
          c.emit(Assign{narrow, ScalarOp::sign_extend, ScalarType::i64, e.type, {index}});
          index = narrow;
        }
        const Operand scaled = c.scalar(ScalarOp::mul, e.type, {index, e.stride});
        store(c, target, point, c.scalar(ScalarOp::add, e.type, {e.start, scaled}), e.type);
      });
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Replicate& e) {
  const NameId result = s.results[0].name;
  if (c.names().type(e.value).is_scalar() && e.shape.size() == 1 &&
      make_virtual(c, result, c.names().type(e.value).element, e.value, std::nullopt)) {
    return;
  }
  const Place target = result_array(c, result);
  if (fill(c, target, c.names().type(result), e.value)) return;
  const Value value = value_of(c, e.value);
  const std::vector<Operand> shape = c.shape_of(result);
  for_each_point(
      c, shape, little_work(c, shape.size()), "replicate", [&](const std::vector<Operand>& point) {
        const std::vector<Operand> inner(
            point.begin() + static_cast<std::ptrdiff_t>(e.shape.size()), point.end());
        const Operand element =
            value.place ? load(c, *value.place, inner, value.type.element, "x") : value.operand;
        store(c, target, point, element, value.type.element);
      });
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Reshape& e) {
  const NameId result = s.results[0].name;
  if (bind_placed_view(c, result)) return;
  const ir::Type from = c.names().type(e.array);
  const std::vector<Operand> to = c.shape_of(result);
  const Place source = c.arrays.place_of(e.array);
  auto place = reshaped(c, source, from.shape, to);
  DZ_CHECK(c.mode != Mode::host || place.has_value() != c.memory.copying.contains(result),
           "a reshape is a view against what was decided");
  if (place) {
    c.arrays.bind(result, std::move(*place));
    return;
  }
  const Place copied = c.mode == Mode::host
                           ? row_major(c, own_block(c, byte_count(c, from), "dense", result),
                                       ir::i64_operand(0), from.shape)
                           : private_array(c, from, "dense");
  copy(c, copied, source, from);
  c.arrays.bind(result, *reshaped(c, copied, from.shape, to));
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Permute& e) {
  const NameId result = s.results[0].name;
  if (bind_placed_view(c, result)) return;
  Place place = permuted(c.arrays.place_of(e.array), e.permutation);
  // What was made where its permutation is wanted lies as the destination says.
  const Destination wanted = c.arrays.destination_of(result);
  const bool as_wanted = wanted && wanted->block == place.block && wanted->offset == place.offset &&
                         wanted->strides == place.strides;
  c.arrays.bind(result, as_wanted ? *wanted : std::move(place));
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Copy& e) {
  const NameId result = s.results[0].name;
  const Place source = c.arrays.place_of(e.array);
  copy(c, result_array(c, result), source, c.names().type(e.array));
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Scratch&) {
  result_array(c, s.results[0].name);
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Concat& e) {
  const NameId result = s.results[0].name;
  const ir::Type& type = c.names().type(result);
  if (!bind_placed_view(c, result)) {
    c.arrays.bind(result, c.mode == Mode::host
                              ? place_concatenation(c, result, type.shape, byte_count(c, type))
                              : result_array(c, result));
  }
  const Place target = c.arrays.place_of(result);
  std::vector<Operand> widths;
  for (const NameId array : e.arrays) widths.push_back(c.shape_of(array)[0]);
  const std::vector<Place> places = places_of_pieces(c, target, widths);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place source = c.arrays.place_of(e.arrays[k]);
    // Arrays of a kernel's thread may lie apart in one block.
    const bool is_there = source.block == target.block &&
                          (c.mode == Mode::host || source.offset == places[k].offset);
    if (!is_there) copy(c, places[k], source, c.names().type(e.arrays[k]));
  }
}

}  // namespace dagaz::emit
