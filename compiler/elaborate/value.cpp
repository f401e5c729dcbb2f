// Flattening: types to lists of IR types, values to lists of operands, and back.
#include "elaborate/value.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::elaborate {

ir::ScalarType scalar_type(check::Primitive primitive) {
  using enum check::Primitive;
  switch (primitive) {
    case boolean: return ir::ScalarType::boolean;
    case i8: case u8: return ir::ScalarType::i8;
    case i16: case u16: return ir::ScalarType::i16;
    case i32: case u32: return ir::ScalarType::i32;
    case i64: case u64: return ir::ScalarType::i64;
    case f16: return ir::ScalarType::f16;
    case f32: return ir::ScalarType::f32;
    case f64: return ir::ScalarType::f64;
  }
  DZ_UNREACHABLE("a primitive type");
}

TypeRef ValueArena::scalar(check::Primitive primitive) {
  TypeRef& cached = scalars_[static_cast<std::size_t>(primitive)];
  if (cached == nullptr) cached = &types_.emplace_back(TypeValue{ScalarShape{primitive}, 1});
  return cached;
}

TypeRef ValueArena::array(ir::Operand size, TypeRef element) {
  const std::size_t leaves = element->leaf_count;
  return &types_.emplace_back(TypeValue{ArrayShape{std::move(size), element}, leaves});
}

TypeRef ValueArena::record(std::vector<std::pair<Symbol, TypeRef>> fields) {
  std::size_t leaves = 0;
  for (const auto& [name, type] : fields) leaves += type->leaf_count;
  return &types_.emplace_back(TypeValue{RecordShape{std::move(fields)}, leaves});
}

TypeRef ValueArena::sum(std::vector<ConstructorShape> constructors) {
  std::vector<ir::Type> slots;
  for (ConstructorShape& constructor : constructors) {
    std::vector<ir::Type> types;
    for (const TypeRef payload : constructor.payload) append_leaf_types(payload, types);
    std::vector<bool> taken(slots.size(), false);
    constructor.slots.clear();
    for (ir::Type& type : types) {
      std::size_t slot = 0;
      while (slot < slots.size() && (taken[slot] || !type.is_scalar() || !(slots[slot] == type))) {
        ++slot;
      }
      if (slot == slots.size()) {
        slots.push_back(std::move(type));
        taken.push_back(false);
      }
      taken[slot] = true;
      constructor.slots.push_back(slot);
    }
  }
  const std::size_t leaves = 1 + slots.size();
  return &types_.emplace_back(
      TypeValue{SumShape{std::move(constructors), std::move(slots)}, leaves});
}

TypeRef ValueArena::accumulator(TypeRef array) {
  return &types_.emplace_back(TypeValue{AccumulatorShape{array}, array->leaf_count});
}

TypeRef ValueArena::function() {
  if (function_ == nullptr) function_ = &types_.emplace_back(TypeValue{FunctionShape{}, 0});
  return function_;
}

ValueRef ValueArena::from_leaves(TypeRef type, const ir::Operand* leaves) {
  if (const auto* record = as<RecordShape>(type->node)) {
    RecordValue result;
    for (const auto& [name, field] : record->fields) {
      result.fields.emplace_back(name, from_leaves(field, leaves));
      leaves += field->leaf_count;
    }
    return value(std::move(result));
  }
  return value(LeafValue{type, {leaves, leaves + type->leaf_count}});
}

ValueRef ValueArena::from_leaves(TypeRef type, const std::vector<ir::NameId>& leaves) {
  const std::vector<ir::Operand> operands(leaves.begin(), leaves.end());
  DZ_CHECK(operands.size() == type->leaf_count, "as many leaves as the type has");
  return from_leaves(type, operands.data());
}

TypeRef ValueArena::type_of(ValueRef value) {
  if (const auto* leaf = as<LeafValue>(value->node)) return leaf->type;
  if (const auto* record = as<RecordValue>(value->node)) {
    std::vector<std::pair<Symbol, TypeRef>> fields;
    for (const auto& [name, field] : record->fields) fields.emplace_back(name, type_of(field));
    return this->record(std::move(fields));
  }
  return function();
}

void append_leaves(ValueRef value, std::vector<ir::Operand>& out) {
  if (const auto* leaf = as<LeafValue>(value->node)) {
    out.insert(out.end(), leaf->leaves.begin(), leaf->leaves.end());
  } else if (const auto* record = as<RecordValue>(value->node)) {
    for (const auto& [name, field] : record->fields) append_leaves(field, out);
  }
}

std::vector<ir::Operand> leaves_of(ValueRef value) {
  std::vector<ir::Operand> result;
  append_leaves(value, result);
  return result;
}

void append_leaf_types(TypeRef type, std::vector<ir::Type>& out) {
  match(
      type->node,
      [&](const ScalarShape& t) { out.push_back(ir::scalar_of(scalar_type(t.primitive))); },
      [&](const ArrayShape& t) {
        const std::size_t first = out.size();
        append_leaf_types(t.element, out);
        for (std::size_t i = first; i < out.size(); ++i) out[i] = ir::array_over(t.size, out[i]);
      },
      [&](const RecordShape& t) {
        for (const auto& [name, field] : t.fields) append_leaf_types(field, out);
      },
      [&](const SumShape& t) {
        out.push_back(ir::scalar_of(ir::ScalarType::i8));
        out.insert(out.end(), t.slot_types.begin(), t.slot_types.end());
      },
      [&](const AccumulatorShape& t) {
        const std::size_t first = out.size();
        append_leaf_types(t.array, out);
        for (std::size_t i = first; i < out.size(); ++i) out[i].kind = ir::TypeKind::accumulator;
      },
      [](const FunctionShape&) {});
}

std::vector<ir::Type> leaf_types(TypeRef type) {
  std::vector<ir::Type> result;
  append_leaf_types(type, result);
  return result;
}

static bool has_arrays(TypeRef type) {
  return match(
      type->node, [](const ScalarShape&) { return false; },
      [](const ArrayShape&) { return true; },
      [](const RecordShape& record) {
        return std::any_of(record.fields.begin(), record.fields.end(),
                           [](const auto& field) { return has_arrays(field.second); });
      },
      [](const SumShape& sum) {
        return std::any_of(
            sum.constructors.begin(), sum.constructors.end(), [](const ConstructorShape& one) {
              return std::any_of(one.payload.begin(), one.payload.end(),
                                 [](TypeRef payload) { return has_arrays(payload); });
            });
      },
      [](const AccumulatorShape&) { return true; }, [](const FunctionShape&) { return false; });
}

bool has_arrays(ValueRef value) {
  if (const auto* leaf = as<LeafValue>(value->node)) return has_arrays(leaf->type);
  if (const auto* record = as<RecordValue>(value->node)) {
    return std::any_of(record->fields.begin(), record->fields.end(),
                       [](const auto& field) { return has_arrays(field.second); });
  }
  return false;
}

bool is_data(TypeRef type) {
  return match(
      type->node,
      [](const RecordShape& record) {
        return std::all_of(record.fields.begin(), record.fields.end(),
                           [](const auto& field) { return is_data(field.second); });
      },
      [](const SumShape& sum) {
        return std::all_of(sum.constructors.begin(), sum.constructors.end(), [](const auto& one) {
          return std::all_of(one.payload.begin(), one.payload.end(), is_data);
        });
      },
      [](const ArrayShape& array) { return is_data(array.element); },
      [](const ScalarShape&) { return true; }, [](const auto&) { return false; });
}

}  // namespace dagaz::elaborate
