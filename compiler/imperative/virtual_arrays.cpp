// Iotas and replicated scalars that are only read element by element never lie in memory.
#include "imperative/lowering.h"
#include "ir/fields.h"

namespace dagaz::imperative {

namespace {

/// Strikes off the names that an operation uses as whole arrays; collects its nested bodies.
struct WholeUses {
  std::unordered_set<NameId>& candidates;
  std::vector<const ir::Body*> inner = {};
  void use(const NameId& name) { candidates.erase(name); }
  void use(const Operand& operand) {
    if (operand.is_name()) candidates.erase(operand.name());
  }
  void bind(const ir::Binder&) {}
  void type(const ir::Type&) {}
  void body(const ir::Body& body) { inner.push_back(&body); }
  void lambda(const ir::Lambda& lambda) { inner.push_back(&lambda.body); }
};

}  // namespace

// Inputs of parallel operations are read one element at a time, as are indexed arrays.
void Lowering::find_memory_uses(const ir::Body& body) {
  for (const ir::Statement& statement : body.statements) {
    WholeUses uses{element_only_};
    if (as<ir::Iota>(statement.operation) || as<ir::Replicate>(statement.operation)) {
      element_only_.insert(statement.results[0].name);
    }
    if (const auto* map = as<ir::MapScanReduce>(statement.operation)) {
      for (const NameId array : map->arrays) {
        if (names().type(array).rank() != 1) element_only_.erase(array);
      }
      ir::walk_field(uses, map->map);
      ir::walk_field(uses, map->scans);
      ir::walk_field(uses, map->reductions);
      ir::walk_field(uses, map->post);
    } else if (const auto* index = as<ir::Index>(statement.operation)) {
      if (names().type(index->array).rank() != index->indices.size()) {
        element_only_.erase(index->array);
      }
    } else {
      ir::walk_fields(uses, statement.operation);
    }
    for (const ir::Body* inner : uses.inner) find_memory_uses(*inner);
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) element_only_.erase(result.name());
  }
}

bool Lowering::make_virtual(NameId result, ScalarType element, const Operand& start,
                            const std::optional<Operand>& stride) {
  if (!element_only_.contains(result)) return false;
  virtual_arrays_.insert_or_assign(result, VirtualArray{element, start, stride});
  if (stride && element == ScalarType::i64 && is_constant(start, 0) && is_constant(*stride, 1)) {
    virtual_iotas_.insert(result);
  }
  return true;
}

Operand Lowering::virtual_element(const VirtualArray& array, const Operand& index) {
  if (!array.stride) return array.start;
  Operand position = index;
  if (array.element != ScalarType::i64) {
    const NameId narrow = variable("i", array.element);
    emit(Assign{narrow, ScalarOp::sign_extend, ScalarType::i64, array.element, {index}});
    position = narrow;
  }
  const Operand scaled = is_constant(*array.stride, 1)
                             ? position
                             : scalar(ScalarOp::mul, array.element, {position, *array.stride});
  return is_constant(array.start, 0)
             ? scaled
             : scalar(ScalarOp::add, array.element, {array.start, scaled});
}

}  // namespace dagaz::imperative
