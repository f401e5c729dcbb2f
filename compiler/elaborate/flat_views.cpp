// Strided views of flat arrays, and writing through them: element (i, j, …) of the view is
// element offset + i·s1 + j·s2 + … of the array.
#include "elaborate/array_intrinsics.h"
#include "elaborate/elaborator.h"
#include "elaborate/scatters.h"

namespace dagaz::elaborate {

namespace {

struct FlatView {
  ir::Operand offset;
  std::vector<ir::Operand> sizes;
  std::vector<ir::Operand> strides;
};

/// Asserts that the view lies inside an array of `size` elements, or is empty.
std::optional<ir::NameId> check_inside(Elaborator& e, const FlatView& view,
                                       const ir::Operand& size) {
  using enum ir::ScalarOp;
  const ir::ScalarType i64 = ir::ScalarType::i64;
  const ir::Operand zero = ir::i64_operand(0);
  ir::Operand first = view.offset;
  ir::Operand last = view.offset;
  ir::Operand empty = ir::make_bool(false);
  ir::Operand sized = ir::make_bool(true);
  for (std::size_t d = 0; d < view.sizes.size(); ++d) {
    const ir::Operand steps = e.out->sub_i64(view.sizes[d], ir::i64_operand(1));
    const ir::Operand reach = e.out->mul_i64(steps, view.strides[d]);
    first = e.out->add_i64(first, e.scalar(smin, i64, {reach, zero}));
    last = e.out->add_i64(last, e.scalar(smax, i64, {reach, zero}));
    empty = e.logical_or(empty, e.compare_i64(eq, view.sizes[d], zero));
    sized = e.logical_and(sized, e.compare_i64(sle, zero, view.sizes[d]));
  }
  const ir::Operand inside =
      e.logical_and(e.compare_i64(sle, zero, first), e.compare_i64(slt, last, size));
  return e.check(e.logical_and(sized, e.logical_or(empty, inside)),
                 "Flat slice from {} to {} out of bounds for array of shape [{}].",
                 {first, last, size});
}

/// A nest of maps over the view; `body` gets the position in the flat array.
ValueRef over_view(Elaborator& e, const FlatView& view, std::size_t dimension,
                   const ir::Operand& position, TypeRef element,
                   const std::function<ValueRef(const ir::Operand&)>& body) {
  if (dimension == view.sizes.size()) return body(position);
  TypeRef row = element;
  for (std::size_t d = view.sizes.size(); d-- > dimension + 1;) {
    row = e.arena.array(view.sizes[d], row);
  }
  const ir::Operand size = view.sizes[dimension];
  const ir::NameId indices = e.emit_one(
      ir::Iota{ir::ScalarType::i64, size, ir::i64_operand(0), ir::i64_operand(1)});
  const TypeRef type = e.arena.array(size, e.arena.scalar(check::Primitive::i64));
  return e.map(size, {e.arena.leaf(type, indices)}, row, [&](const std::vector<ValueRef>& index) {
    const ir::Operand step = e.out->mul_i64(e.scalar_of(index.front()), view.strides[dimension]);
    return over_view(e, view, dimension + 1, e.out->add_i64(position, step), element, body);
  });
}

// flat_index xs offset n1 s1 n2 s2 …
template <std::size_t rank>
ValueRef build_index(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef array = call.arguments[0];
  FlatView view{e.scalar_of(call.arguments[1]), {}, {}};
  for (std::size_t d = 0; d < rank; ++d) {
    view.sizes.push_back(e.scalar_of(call.arguments[2 + 2 * d]));
    view.strides.push_back(e.scalar_of(call.arguments[3 + 2 * d]));
  }
  const ArrayShape shape = e.array_shape(array);
  const Guarded guarded(e, check_inside(e, view, shape.size));
  return over_view(e, view, 0, view.offset, shape.element,
                   [&](const ir::Operand& position) { return e.element_at(array, position); });
}

/// `values` with its outer `rank` dimensions made one of size `count`.
ir::NameId flattened(Elaborator& e, const ir::Operand& values, std::size_t rank,
                     const ir::Operand& count) {
  const ir::NameId name = e.array_name(values);
  const std::vector<ir::Operand> shape = e.names().type(name).shape;
  ir::Reshape reshape{name, {count}};
  reshape.shape.insert(reshape.shape.end(), shape.begin() + static_cast<std::ptrdiff_t>(rank),
                       shape.end());
  return e.emit_one(std::move(reshape));
}

// flat_update xs offset s1 s2 … values
template <std::size_t rank>
ValueRef build_update(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef array = call.arguments[0];
  const ValueRef values = call.arguments[2 + rank];
  FlatView view{e.scalar_of(call.arguments[1]), {}, {}};
  TypeRef element = e.leaf_of(values).type;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto& shape = std::get<ArrayShape>(element->node);
    view.sizes.push_back(shape.size);
    view.strides.push_back(e.scalar_of(call.arguments[2 + d]));
    element = shape.element;
  }
  const ir::Operand size = e.array_shape(array).size;
  const Guarded guarded(e, check_inside(e, view, size));
  const ValueRef positions =
      over_view(e, view, 0, view.offset, e.arena.scalar(check::Primitive::i64),
                [&](const ir::Operand& position) { return e.i64_value(position); });
  const ir::Operand count = e.out->product(view.sizes);
  ir::Scatter scatter;
  scatter.width = count;
  scatter.arrays.push_back(flattened(e, e.leaf_of(positions).leaves.front(), rank, count));
  for (std::size_t i = 0; i < e.leaf_of(values).leaves.size(); ++i) {
    scatter.arrays.push_back(flattened(e, e.leaf_of(values).leaves[i], rank, count));
    scatter.targets.push_back({{size}, e.consumable(e.leaf_of(array).leaves[i])});
  }
  if (scatter.targets.empty()) return array;
  scatter.map = write_of_element(e, element);
  return e.arena.from_leaves(e.leaf_of(array).type, e.emit(std::move(scatter)));
}

constexpr Intrinsic flat_views_built[] = {
    {"flat_index_2d", 6, build_index<2>},   {"flat_index_3d", 8, build_index<3>},
    {"flat_index_4d", 10, build_index<4>},  {"flat_update_2d", 5, build_update<2>},
    {"flat_update_3d", 6, build_update<3>}, {"flat_update_4d", 7, build_update<4>},
};

}  // namespace

std::span<const Intrinsic> flat_view_intrinsics() { return flat_views_built; }

}  // namespace dagaz::elaborate
