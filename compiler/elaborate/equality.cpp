// `==` on every type without functions: by structure, arrays by shape and then element by element.
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

namespace {

ir::Lambda conjunction(Elaborator& e) {
  const ir::Type boolean = ir::scalar_of(ir::ScalarType::boolean);
  return e.lambda({boolean, boolean}, {boolean},
                  [&](const std::vector<ir::NameId>& p) -> std::vector<ir::Operand> {
                    return {e.logical_and(p[0], p[1])};
                  });
}

/// Whether all elements of two arrays of the same outer size are equal.
ir::Operand all_equal(Elaborator& e, const LeafValue& a, const LeafValue& b) {
  const auto& shape_a = std::get<ArrayShape>(a.type->node);
  const auto& shape_b = std::get<ArrayShape>(b.type->node);
  std::vector<ir::Type> types = leaf_types(shape_a.element);
  const auto count = static_cast<std::ptrdiff_t>(types.size());
  append_leaf_types(shape_b.element, types);
  ir::MapScanReduce pass;
  pass.width = shape_a.size;
  for (const ir::Operand& leaf : a.leaves) pass.arrays.push_back(e.array_name(leaf));
  for (const ir::Operand& leaf : b.leaves) pass.arrays.push_back(e.array_name(leaf));
  pass.map = e.lambda(types, {ir::scalar_of(ir::ScalarType::boolean)},
                      [&](const std::vector<ir::NameId>& p) -> std::vector<ir::Operand> {
                        const std::vector<ir::NameId> left(p.begin(), p.begin() + count);
                        const std::vector<ir::NameId> right(p.begin() + count, p.end());
                        return {e.equal(e.arena.from_leaves(shape_a.element, left),
                                        e.arena.from_leaves(shape_b.element, right))};
                      });
  pass.reductions.push_back({conjunction(e), {ir::make_bool(true)}, true});
  return e.emit_one(std::move(pass));
}

ir::Operand equal_sums(Elaborator& e, const LeafValue& a, const LeafValue& b) {
  const ir::ScalarType i8 = ir::ScalarType::i8;
  const auto& constructors = std::get<SumShape>(a.type->node).constructors;
  ir::Operand all = e.scalar(ir::ScalarOp::eq, i8, {a.leaves.front(), b.leaves.front()});
  for (std::size_t tag = 0; tag < constructors.size(); ++tag) {
    ir::Operand payload = ir::make_bool(true);
    for (std::size_t i = 0; i < constructors[tag].payload.size(); ++i) {
      payload = e.logical_and(payload, e.equal(e.constructor_payload(a, tag, i),
                                               e.constructor_payload(b, tag, i)));
    }
    const ir::Operand wanted = ir::make_integer(i8, static_cast<std::int64_t>(tag));
    const ir::Operand other = e.scalar(ir::ScalarOp::ne, i8, {a.leaves.front(), wanted});
    all = e.logical_and(all, e.logical_or(other, payload));
  }
  return all;
}

}  // namespace

ir::Operand Elaborator::equal_arrays(const LeafValue& a, const LeafValue& b) {
  TypeRef left = a.type;
  TypeRef right = b.type;
  ir::Operand same_shape = ir::make_bool(true);
  while (std::holds_alternative<ArrayShape>(left->node)) {
    const auto& x = std::get<ArrayShape>(left->node);
    const auto& y = std::get<ArrayShape>(right->node);
    same_shape = logical_and(same_shape, compare_i64(ir::ScalarOp::eq, x.size, y.size));
    left = x.element;
    right = y.element;
  }
  if (a.leaves.empty()) return same_shape;
  if (same_shape.is_constant()) {
    return same_shape.constant().bits == 0 ? same_shape : all_equal(*this, a, b);
  }
  ir::Branch branch{same_shape, {}, {}, {ir::scalar_of(ir::ScalarType::boolean)}};
  branch.then_body = nested_body([&] {
    return std::vector<ir::Operand>{all_equal(*this, a, b)};
  });
  branch.else_body.results = {ir::make_bool(false)};
  return emit_one(std::move(branch));
}

ir::Operand Elaborator::equal(ValueRef a, ValueRef b) {
  if (const auto* record = as<RecordValue>(a->node)) {
    const auto& other = std::get<RecordValue>(b->node);
    ir::Operand all = ir::make_bool(true);
    for (std::size_t i = 0; i < record->fields.size(); ++i) {
      all = logical_and(all, equal(record->fields[i].second, other.fields[i].second));
    }
    return all;
  }
  const LeafValue& left = leaf_of(a);
  const LeafValue& right = leaf_of(b);
  if (std::holds_alternative<ScalarShape>(left.type->node)) {
    const ir::ScalarType type = scalar_type(primitive_of(a));
    return scalar(ir::ScalarOp::eq, type, {scalar_of(a), scalar_of(b)});
  }
  if (std::holds_alternative<SumShape>(left.type->node)) return equal_sums(*this, left, right);
  return equal_arrays(left, right);
}

}  // namespace dagaz::elaborate
