// Operations whose result has a size that the data decides: filter, partition and flatmap.
//
// Filter and partition are one traversal that computes where each element goes (a scan of the
// flags) and one scatter that puts it there.
#include "elaborate/array_intrinsics.h"
#include "elaborate/elaborator.h"
#include "elaborate/scatters.h"

namespace dagaz::elaborate {

namespace {

ir::Lambda add_i64(Elaborator& e) { return ir::addition(ir::ScalarType::i64, {}, e.names()); }

/// What one traversal of an array with a predicate finds out.
struct Places {
  ir::NameId count;   // of the elements that satisfy it
  ir::NameId chosen;  // per element: its place among those that do, else -1
  ir::NameId others;  // per element: its place among those that do not, else -1
};

Places find_places(Elaborator& e, ValueRef predicate, ValueRef array, const Range& where) {
  using enum ir::ScalarOp;
  const ir::ScalarType i64 = ir::ScalarType::i64;
  const ir::Type index = ir::scalar_of(i64);
  const ArrayShape& shape = e.array_shape(array);
  ir::MapScanReduce pass;
  pass.width = shape.size;
  for (const ir::Operand& leaf : e.leaf_of(array).leaves) {
    pass.arrays.push_back(e.array_name(leaf));
  }
  pass.map = e.lambda(
      leaf_types(shape.element), std::vector<ir::Type>(5, index),
      [&](const std::vector<ir::NameId>& parameters) -> std::vector<ir::Operand> {
        const ValueRef element = e.arena.from_leaves(shape.element, parameters);
        const ir::Operand flag = e.scalar_of(e.apply(predicate, {element}, where));
        const ir::Operand yes =
            e.out->convert(zero_extend, ir::ScalarType::boolean, i64, flag);
        const ir::Operand no = e.out->sub_i64(ir::i64_operand(1), yes);
        return {yes, no, yes, yes, no};
      });
  // Two scans give the places in both parts, the reduction the size of the first.
  for (int i = 0; i < 2; ++i) pass.scans.push_back({add_i64(e), {ir::i64_operand(0)}});
  pass.reductions.push_back({add_i64(e), {ir::i64_operand(0)}, true});
  pass.post = e.lambda(
      std::vector<ir::Type>(4, index), {index, index},
      [&](const std::vector<ir::NameId>& p) -> std::vector<ir::Operand> {
        std::vector<ir::Operand> places;
        for (std::size_t i = 0; i < 2; ++i) {
          const ir::Operand here = e.scalar(ne, i64, {p[2 + i], ir::i64_operand(0)});
          const ir::Operand place = e.out->sub_i64(p[i], ir::i64_operand(1));
          places.push_back(e.out->select(i64, here, place, ir::i64_operand(-1)));
        }
        return places;
      });
  const std::vector<ir::NameId> results = e.emit(std::move(pass));
  e.known_sizes.insert(results[0]);
  return {results[0], results[1], results[2]};
}

/// The elements of `array` at the places that `places` gives, in a new array of `count`.
ValueRef gather_to(Elaborator& e, ValueRef array, ir::Operand count, ir::NameId places) {
  const ArrayShape& shape = e.array_shape(array);
  const TypeRef type = e.arena.array(count, shape.element);
  if (type->leaf_count == 0) return e.arena.from_leaves(type, std::vector<ir::NameId>());
  ir::Scatter scatter;
  scatter.width = shape.size;
  scatter.arrays.push_back(places);
  for (const ir::Type& leaf : leaf_types(type)) {
    scatter.targets.push_back({{count}, e.emit_one(ir::Scratch{leaf.element, leaf.shape})});
  }
  for (const ir::Operand& leaf : e.leaf_of(array).leaves) {
    scatter.arrays.push_back(e.array_name(leaf));
  }
  scatter.map = write_of_element(e, shape.element);
  return e.arena.from_leaves(type, e.emit(std::move(scatter)));
}

ValueRef build_filter(Elaborator& e, const IntrinsicCall& call) {
  const Places places = find_places(e, call.arguments[0], call.arguments[1], call.range);
  return gather_to(e, call.arguments[1], places.count, places.chosen);
}

ValueRef build_partition(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef array = call.arguments[1];
  const Places places = find_places(e, call.arguments[0], array, call.range);
  const ir::Operand rest = e.out->sub_i64(e.array_shape(array).size, places.count);
  const ValueRef chosen = gather_to(e, array, places.count, places.chosen);
  return e.tuple({chosen, gather_to(e, array, rest, places.others)});
}

/// For each of `total` elements whether a segment begins there.
ValueRef segment_flags(Elaborator& e, ir::Operand width, ir::Operand total, ir::NameId sizes,
                       ir::NameId starts) {
  using enum ir::ScalarOp;
  const ir::Type index = ir::scalar_of(ir::ScalarType::i64);
  const ir::Type flag = ir::scalar_of(ir::ScalarType::boolean);
  ir::Scatter scatter;
  scatter.width = width;
  scatter.arrays = {sizes, starts};
  const ir::NameId blank = e.emit_one(ir::Replicate{{total}, ir::make_bool(false)});
  scatter.targets.push_back({{total}, blank});
  scatter.map = e.lambda(
      {index, index}, {index, flag},
      [&](const std::vector<ir::NameId>& p) -> std::vector<ir::Operand> {
        const ir::Operand empty =
            e.scalar(eq, ir::ScalarType::i64, {p[0], ir::i64_operand(0)});
        return {e.out->select(ir::ScalarType::i64, empty, ir::i64_operand(-1), p[1]),
                ir::make_bool(true)};
      });
  const TypeRef type = e.arena.array(total, e.arena.scalar(check::Primitive::boolean));
  return e.arena.leaf(type, e.emit_one(std::move(scatter)));
}

// f: a -> ?[k].([k]b, c); the result is (sizes, flags, starts, data, uniform results).
ValueRef build_flatmap(Elaborator& e, const IntrinsicCall& call) {
  const ArrayShape& shape = e.array_shape(call.arguments[1]);
  ir::FlatMap flat;
  flat.width = shape.size;
  for (const ir::Operand& leaf : e.leaf_of(call.arguments[1]).leaves) {
    flat.arrays.push_back(e.array_name(leaf));
  }
  const auto type_argument = [&](std::size_t index) -> TypeRef {
    if (call.here.instance == nullptr || call.here.instance->types.size() <= index) return nullptr;
    return e.try_evaluate_type(call.here.instance->types[index], call.here.frame);
  };
  const TypeRef element = type_argument(1);
  const TypeRef uniform = type_argument(2);
  if (element == nullptr || uniform == nullptr) {
    e.unsupported(call.range, "the size of the rows of this flatmap is known only inside it");
  }
  const ir::Type index = ir::scalar_of(ir::ScalarType::i64);
  std::vector<ir::Type> results;
  flat.map = e.lambda(
      leaf_types(shape.element), {}, [&](const std::vector<ir::NameId>& parameters) {
        const ValueRef argument = e.arena.from_leaves(shape.element, parameters);
        const ValueRef pair = e.apply(call.arguments[0], {argument}, call.range);
        const ValueRef segment = e.project(pair, e.tuple_field(0), call.range);
        const ir::Operand size = e.array_shape(segment).size;
        std::vector<ir::Operand> values{size};
        append_leaves(segment, values);
        append_leaves(e.project(pair, e.tuple_field(1), call.range), values);
        // The size of a segment is known only inside, so its type outside says nothing of it.
        const ir::Operand outside = size.is_constant() ? size : ir::i64_operand(0);
        results = {index};
        append_leaf_types(e.arena.array(outside, element), results);
        append_leaf_types(uniform, results);
        return values;
      });
  flat.map.result_types = results;
  flat.varying = static_cast<int>(element->leaf_count);

  const ir::NameId total = e.names().fresh("total", index);
  e.known_sizes.insert(total);
  std::vector<ir::NameId> bound{total};
  const ir::Type per_segment = ir::array_over(shape.size, index);
  for (const ir::NameId name : e.fresh({per_segment, per_segment})) bound.push_back(name);
  const TypeRef data = e.arena.array(total, element);
  const TypeRef uniforms = e.arena.array(shape.size, uniform);
  const std::vector<ir::NameId> data_leaves = e.fresh(leaf_types(data));
  const std::vector<ir::NameId> uniform_leaves = e.fresh(leaf_types(uniforms));
  bound.insert(bound.end(), data_leaves.begin(), data_leaves.end());
  bound.insert(bound.end(), uniform_leaves.begin(), uniform_leaves.end());
  const ir::Operand width = shape.size;
  e.emit_named(bound, std::move(flat));
  const TypeRef sizes = e.arena.array(width, e.arena.scalar(check::Primitive::i64));
  const ValueRef flags = segment_flags(e, width, total, bound[1], bound[2]);
  return e.tuple({e.arena.leaf(sizes, bound[1]), flags, e.arena.leaf(sizes, bound[2]),
                  e.arena.from_leaves(data, data_leaves),
                  e.arena.from_leaves(uniforms, uniform_leaves)});
}

constexpr Intrinsic compactions_built[] = {
    {"filter", 2, build_filter},
    {"partition", 2, build_partition},
    {"flatmap", 2, build_flatmap},
};

}  // namespace

std::span<const Intrinsic> compaction_intrinsics() { return compactions_built; }

}  // namespace dagaz::elaborate
