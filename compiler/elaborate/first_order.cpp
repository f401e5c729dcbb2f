// The first-order operations on arrays, most of which move nothing: they are views.
#include "elaborate/array_intrinsics.h"
#include "elaborate/elaborator.h"
#include "elaborate/traces.h"

namespace dagaz::elaborate {

namespace {

const ir::Operand i64_zero = ir::i64_operand(0);
const ir::Operand i64_one = ir::i64_operand(1);

/// One operation on each leaf of an array.
template <typename F>
ValueRef each_leaf(Elaborator& e, ValueRef array, TypeRef type, const F& operation) {
  LeafValue changed{type, {}};
  for (const ir::Operand& leaf : e.leaf_of(array).leaves) {
    changed.leaves.push_back(e.emit_one(operation(e.array_name(leaf))));
  }
  return e.arena.value(std::move(changed));
}

std::optional<ir::NameId> check_size(Elaborator& e, const ir::Operand& size) {
  if (size.is_name() && e.known_sizes.contains(size.name())) return std::nullopt;
  return e.check(e.compare_i64(ir::ScalarOp::sle, i64_zero, size), "Range 0..1..<{} is invalid.",
                 {size});
}

ValueRef build_iota(Elaborator& e, const IntrinsicCall& call) {
  const ir::Operand count = e.scalar_of(call.arguments[0]);
  const Guarded guarded(e, check_size(e, count));
  const TypeRef type = e.arena.array(count, e.arena.scalar(check::Primitive::i64));
  return e.arena.leaf(type, e.emit_one(ir::Iota{ir::ScalarType::i64, count, i64_zero, i64_one}));
}

ValueRef replicate(Elaborator& e, const ir::Operand& count, ValueRef value) {
  const TypeRef type = e.arena.array(count, e.arena.type_of(value));
  std::vector<ir::Operand> leaves;
  for (const ir::Operand& leaf : leaves_of(value)) {
    leaves.push_back(e.emit_one(ir::Replicate{{count}, leaf}));
  }
  return e.arena.from_leaves(type, leaves.data());
}

ValueRef build_replicate(Elaborator& e, const IntrinsicCall& call) {
  const ir::Operand count = e.scalar_of(call.arguments[0]);
  const Guarded guarded(e, check_size(e, count));
  return replicate(e, count, call.arguments[1]);
}

/// The size argument `index` of the instance.
ir::Operand size_argument(Elaborator& e, const IntrinsicCall& call, std::size_t index) {
  const check::Instance* instance = call.here.instance;
  if (instance == nullptr || instance->sizes.size() <= index) throw UnknownSize{e.range};
  return e.evaluate_size(instance->sizes[index], call.here.frame);
}

ValueRef build_rep(Elaborator& e, const IntrinsicCall& call) {
  return replicate(e, size_argument(e, call, 0), call.arguments[0]);
}

ValueRef build_length(Elaborator& e, const IntrinsicCall& call) {
  return e.i64_value(e.array_shape(call.arguments[0]).size);
}

// Units take no memory, so that memory does not keep their number below what an i64 holds.
std::optional<ir::NameId> check_number_of_units(Elaborator& e, const ir::Operand& first,
                                                const ir::Operand& second) {
  const ir::Operand sum = e.out->add_i64(first, second);
  return e.check(e.compare_i64(ir::ScalarOp::sle, first, sum),
                 "Arrays of {} and {} units are too long to be concatenated.", {first, second});
}

ValueRef build_concat(Elaborator& e, const IntrinsicCall& call) {
  const ArrayShape& first = e.array_shape(call.arguments[0]);
  const ArrayShape& second = e.array_shape(call.arguments[1]);
  const bool units = first.element->leaf_count == 0;
  const Guarded guarded(
      e, units ? check_number_of_units(e, first.size, second.size) : std::nullopt);
  const ir::Operand width = e.out->add_i64(first.size, second.size);
  if (width.is_name()) e.known_sizes.insert(width.name());
  LeafValue joined{e.arena.array(width, first.element), {}};
  const std::vector<ir::Operand>& a = e.leaf_of(call.arguments[0]).leaves;
  const std::vector<ir::Operand>& b = e.leaf_of(call.arguments[1]).leaves;
  for (std::size_t i = 0; i < a.size(); ++i) {
    joined.leaves.push_back(
        e.emit_one(ir::Concat{width, {e.array_name(a[i]), e.array_name(b[i])}}));
  }
  return e.arena.value(std::move(joined));
}

ValueRef build_reverse(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef array = call.arguments[0];
  const ir::Operand size = e.array_shape(array).size;
  const ir::Operand last = e.out->sub_i64(size, i64_one);
  return each_leaf(e, array, e.leaf_of(array).type, [&](ir::NameId name) {
    ir::Slice slice{name, {{false, last, size, ir::i64_operand(-1)}}};
    const std::vector<ir::Operand> shape = e.names().type(name).shape;
    for (std::size_t i = 1; i < shape.size(); ++i) {
      slice.dimensions.push_back({false, i64_zero, shape[i], i64_one});
    }
    return slice;
  });
}

// Whether i + r is exact for every index i.
bool is_small(const ir::Operand& r) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  return r.is_constant() && std::abs(ir::integer_value(r.constant())) <= most;
}

// rotate r xs: element i is xs[(i + r) mod n], as a gather that fuses like any map.  Where r is not
// known one remainder is taken for all: i + (r mod n) is less than 2n.
ValueRef build_rotate(Elaborator& e, const IntrinsicCall& call) {
  const ir::Operand by = e.scalar_of(call.arguments[0]);
  const ValueRef array = call.arguments[1];
  const ArrayShape shape = e.array_shape(array);
  const ir::ScalarType i64 = ir::ScalarType::i64;
  const bool is_known = is_small(by);
  const ir::Operand divisor = e.scalar(ir::ScalarOp::smax, i64, {shape.size, i64_one});
  const ir::Operand shift =
      is_known ? by : e.scalar(ir::ScalarOp::smod_floor, i64, {by, divisor});
  const ir::NameId indices = e.emit_one(ir::Iota{i64, shape.size, i64_zero, i64_one});
  const TypeRef index_type = e.arena.array(shape.size, e.arena.scalar(check::Primitive::i64));
  return e.map(shape.size, {e.arena.leaf(index_type, indices)}, shape.element,
               [&](const std::vector<ValueRef>& index) {
                 const ir::Operand moved = e.out->add_i64(e.scalar_of(index.front()), shift);
                 if (is_known) {
                   return e.element_at(
                       array, e.scalar(ir::ScalarOp::smod_floor, i64, {moved, shape.size}));
                 }
                 const ir::Operand inside =
                     e.scalar(ir::ScalarOp::slt, i64, {moved, shape.size});
                 const ir::Operand wrapped = e.out->sub_i64(moved, shape.size);
                 return e.element_at(array, e.out->select(i64, inside, moved, wrapped));
               });
}

/// Each leaf reshaped so that the outer `replaced` dimensions become `outer`.
ValueRef with_outer(Elaborator& e, ValueRef array, std::size_t replaced,
                    const std::vector<ir::Operand>& outer) {
  TypeRef type = e.leaf_of(array).type;
  for (std::size_t i = 0; i < replaced; ++i) type = std::get<ArrayShape>(type->node).element;
  for (std::size_t i = outer.size(); i-- > 0;) type = e.arena.array(outer[i], type);
  return each_leaf(e, array, type, [&](ir::NameId name) {
    const std::vector<ir::Operand> old = e.names().type(name).shape;
    ir::Reshape reshape{name, outer};
    reshape.shape.insert(reshape.shape.end(), old.begin() + static_cast<std::ptrdiff_t>(replaced),
                         old.end());
    return reshape;
  });
}

ValueRef build_flatten(Elaborator& e, const IntrinsicCall& call) {
  const ArrayShape& outer = e.array_shape(call.arguments[0]);
  const auto& inner = std::get<ArrayShape>(outer.element->node);
  const ir::Operand size = e.out->mul_i64(outer.size, inner.size);
  if (size.is_name()) e.known_sizes.insert(size.name());
  return with_outer(e, call.arguments[0], 2, {size});
}

ValueRef build_unflatten(Elaborator& e, const IntrinsicCall& call) {
  const ir::Operand rows = size_argument(e, call, 0);
  const ir::Operand columns = size_argument(e, call, 1);
  const ir::Operand size = e.array_shape(call.arguments[0]).size;
  const auto not_negative = [&](const ir::Operand& n) -> ir::Operand {
    if (n.is_name() && e.known_sizes.contains(n.name())) return ir::make_bool(true);
    return e.compare_i64(ir::ScalarOp::sle, i64_zero, n);
  };
  // That the sizes multiply to the old one follows from the types.
  const Guarded guarded(
      e, e.check(e.logical_and(not_negative(rows), not_negative(columns)),
                 "Cannot unflatten array of shape [{}] to array of shape [{}][{}].",
                 {size, rows, columns}));
  return with_outer(e, call.arguments[0], 1, {rows, columns});
}

ValueRef build_transpose(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef array = call.arguments[0];
  const ArrayShape& outer = e.array_shape(array);
  const auto& inner = std::get<ArrayShape>(outer.element->node);
  const TypeRef type = e.arena.array(inner.size, e.arena.array(outer.size, inner.element));
  return each_leaf(e, array, type, [&](ir::NameId name) {
    ir::Permute permute{name, {1, 0}};
    const int rank = static_cast<int>(e.names().type(name).rank());
    for (int i = 2; i < rank; ++i) permute.permutation.push_back(i);
    return permute;
  });
}

ValueRef copy(Elaborator& e, ValueRef value) {
  if (const auto* record = as<RecordValue>(value->node)) {
    RecordValue copied;
    for (const auto& [name, field] : record->fields) {
      copied.fields.emplace_back(name, copy(e, field));
    }
    return e.arena.value(std::move(copied));
  }
  const auto* leaf = as<LeafValue>(value->node);
  if (leaf == nullptr) return value;
  LeafValue copied = *leaf;
  for (ir::Operand& operand : copied.leaves) {
    if (!e.names().type(operand).is_array()) continue;
    operand = e.emit_one(ir::Copy{operand.name()});
  }
  return e.arena.value(std::move(copied));
}

ValueRef build_copy(Elaborator& e, const IntrinsicCall& call) {
  return copy(e, call.arguments[0]);
}

// An array of pairs is a pair of arrays; the leaves get new names so that consuming the zipped
// array can be told from consuming its parts.
ValueRef build_zip(Elaborator& e, const IntrinsicCall& call) {
  const ArrayShape& first = e.array_shape(call.arguments[0]);
  const ArrayShape& second = e.array_shape(call.arguments[1]);
  const TypeRef pair = e.arena.record(
      {{e.tuple_field(0), first.element}, {e.tuple_field(1), second.element}});
  LeafValue zipped{e.arena.array(first.size, pair), {}};
  for (const ValueRef array : {call.arguments[0], call.arguments[1]}) {
    for (const ir::Operand& leaf : e.leaf_of(array).leaves) {
      const ir::NameId name = e.emit_one(ir::Identity{leaf});
      e.shared.insert(name);
      zipped.leaves.push_back(name);
    }
  }
  return e.arena.value(std::move(zipped));
}

ValueRef build_unzip(Elaborator& e, const IntrinsicCall& call) {
  const LeafValue& array = e.leaf_of(call.arguments[0]);
  const ArrayShape& shape = e.array_shape(call.arguments[0]);
  std::vector<ValueRef> parts;
  std::size_t first = 0;
  for (const auto& [name, type] : std::get<RecordShape>(shape.element->node).fields) {
    const ir::Operand* leaves = array.leaves.data() + first;
    parts.push_back(e.arena.from_leaves(e.arena.array(shape.size, type), leaves));
    first += type->leaf_count;
  }
  return e.tuple(std::move(parts));
}

ValueRef build_trace(Elaborator& e, const IntrinsicCall& call) {
  trace(e, call.arguments[0], "trace");
  return call.arguments[0];
}

ValueRef build_same(Elaborator&, const IntrinsicCall& call) { return call.arguments[0]; }

constexpr Intrinsic first_order_built[] = {
    {"iota", 1, build_iota},           {"replicate", 2, build_replicate},
    {"rep", 1, build_rep},             {"length", 1, build_length},
    {"concat", 2, build_concat},       {"reverse", 1, build_reverse},
    {"rotate", 2, build_rotate},       {"flatten", 1, build_flatten},
    {"unflatten", 1, build_unflatten}, {"transpose", 1, build_transpose},
    {"copy", 1, build_copy},           {"manifest", 1, build_copy},
    {"zip", 2, build_zip},             {"unzip", 1, build_unzip},
    {"opaque", 1, build_same},         {"trace", 1, build_trace},
    {"break", 1, build_same},
};

}  // namespace

std::span<const Intrinsic> first_order_intrinsics() { return first_order_built; }

const Intrinsic* find_array_intrinsic(std::string_view name) {
  for (const auto table : {parallel_intrinsics(), compaction_intrinsics(),
                           first_order_intrinsics(), flat_view_intrinsics(),
                           stream_intrinsics(), derivative_intrinsics()}) {
    for (const Intrinsic& intrinsic : table) {
      if (intrinsic.name == name) return &intrinsic;
    }
  }
  return nullptr;
}

}  // namespace dagaz::elaborate
