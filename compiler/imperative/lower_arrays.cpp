// First-order array operations: views become places, the rest loops over the result.
#include "imperative/lowering.h"

#include <algorithm>

namespace dagaz::imperative {

/// The elements, if all are constants.
static std::vector<ir::Constant> constants_of(const ir::ArrayLiteral& literal) {
  std::vector<ir::Constant> constants;
  for (const Operand& element : literal.elements) {
    if (!element.is_constant()) return {};
    constants.push_back(element.constant());
  }
  return constants;
}

void Lowering::lower(const ir::Statement& s, const ir::ArrayLiteral& e) {
  const Place target = result_array(s.results[0].name);
  const bool is_short = std::ssize(e.elements) <= settings_.short_array;
  if (mode_ != Mode::kernel && target.is_dense() && !is_short) {
    const std::vector<ir::Constant> constants = constants_of(e);
    if (!constants.empty()) {
      emit(WriteTable{target.block, target.offset, constants, constants[0].type});
      return;
    }
  }
  for (std::size_t k = 0; k < e.elements.size(); ++k) {
    write(target, {ir::i64_operand(static_cast<std::int64_t>(k))}, value_of(e.elements[k]));
  }
}

void Lowering::lower(const ir::Statement& s, const ir::Index& e) {
  const NameId result = s.results[0].name;
  const ir::Type type = names().type(result);
  if (const auto found = virtual_arrays_.find(e.array); found != virtual_arrays_.end()) {
    move(result, virtual_element(found->second, e.indices[0]));
  } else if (type.is_scalar()) {
    load_into(result, place_of(e.array), e.indices, type.element);
  } else {
    bind(result, part_at(*this, place_of(e.array), e.indices));
  }
}

void Lowering::lower(const ir::Statement& s, const ir::Slice& e) {
  const NameId result = s.results[0].name;
  const Place slice = slice_of(*this, place_of(e.array), shape_of(e.array), e.dimensions);
  if (names().type(result).is_scalar()) {
    load_into(result, slice, {}, names().type(result).element);
  } else {
    bind(result, slice);
  }
}

void Lowering::lower(const ir::Statement& s, const ir::Update& e) {
  const Place whole = place_of(e.array);
  bind(s.results[0].name, whole);
  const auto put = [&] {
    write(slice_of(*this, whole, shape_of(e.array), e.dimensions), {}, value_of(e.value));
  };
  if (memory_.kept_before.contains(s.results[0].name)) {
    host_branch(equal(e.dimensions[0].start, ir::i64_operand(0)), put, nullptr);
  } else if (mode_ != Mode::host || !memory_.is_in_part(e.value)) {
    put();
  }
}

void Lowering::lower(const ir::Statement& s, const ir::Iota& e) {
  const NameId result = s.results[0].name;
  if (make_virtual(result, e.type, e.start, e.stride)) return;
  const Place target = result_array(result);
  for_each_point(shape_of(result), little_work(), "iota", [&](const std::vector<Operand>& point) {
    Operand index = point[0];
    if (e.type != ScalarType::i64 && !index.is_constant()) {
      const NameId narrow = variable("i", e.type);
      emit(Assign{narrow, ScalarOp::sign_extend, ScalarType::i64, e.type, {index}});
      index = narrow;
    }
    const Operand scaled = scalar(ScalarOp::mul, e.type, {index, e.stride});
    store(target, point, scalar(ScalarOp::add, e.type, {e.start, scaled}), e.type);
  });
}

void Lowering::lower(const ir::Statement& s, const ir::Replicate& e) {
  const NameId result = s.results[0].name;
  if (names().type(e.value).is_scalar() && e.shape.size() == 1 &&
      make_virtual(result, names().type(e.value).element, e.value, std::nullopt)) {
    return;
  }
  const Place target = result_array(result);
  if (clear(target, names().type(result), e.value)) return;
  const Value value = value_of(e.value);
  for_each_point(
      shape_of(result), little_work(), "replicate", [&](const std::vector<Operand>& point) {
        const std::vector<Operand> inner(
            point.begin() + static_cast<std::ptrdiff_t>(e.shape.size()), point.end());
        const Operand element =
            value.place ? load(*value.place, inner, value.type.element, "x") : value.operand;
        store(target, point, element, value.type.element);
      });
}

void Lowering::lower(const ir::Statement& s, const ir::Reshape& e) {
  const NameId result = s.results[0].name;
  if (bind_placed_view(result)) return;
  const ir::Type from = names().type(e.array);
  const std::vector<Operand> to = shape_of(result);
  const Place source = place_of(e.array);
  auto place = reshaped(*this, source, from.shape, to);
  DZ_CHECK(mode_ != Mode::host || place.has_value() != memory_.copying.contains(result),
           "a reshape is a view against what was decided");
  if (place) {
    bind(result, std::move(*place));
    return;
  }
  const Place copied = mode_ == Mode::host
                           ? row_major(*this, own_block(byte_count(from), "dense", result),
                                       ir::i64_operand(0), from.shape)
                           : private_array(from, "dense");
  copy(copied, source, from);
  bind(result, *reshaped(*this, copied, from.shape, to));
}

void Lowering::lower(const ir::Statement& s, const ir::Permute& e) {
  const NameId result = s.results[0].name;
  if (bind_placed_view(result)) return;
  Place place = permuted(place_of(e.array), e.permutation);
  // What was made where its permutation is wanted lies as the destination says.
  const Destination wanted = destination_of(result);
  const bool as_wanted = wanted && wanted->block == place.block &&
                         wanted->offset == place.offset && wanted->strides == place.strides;
  bind(result, as_wanted ? *wanted : std::move(place));
}

void Lowering::lower(const ir::Statement& s, const ir::Copy& e) {
  const NameId result = s.results[0].name;
  const Place source = place_of(e.array);
  copy(result_array(result), source, names().type(e.array));
}

void Lowering::lower(const ir::Statement& s, const ir::Scratch&) {
  result_array(s.results[0].name);
}

}  // namespace dagaz::imperative
