// Small arrays and their elements.
#include "passes/scalarise/small_arrays.h"

#include <utility>

#include "support/match.h"

namespace dagaz::passes::scalarising {

Where inside(const Operation& operation, Where where) {
  const bool is_control = as<Branch>(operation) != nullptr || as<Loop>(operation) != nullptr ||
                          as<WithAccumulator>(operation) != nullptr;
  return is_control ? where : Where::point;
}

bool is_small(const Type& type) {
  if (!type.is_array()) return false;
  std::int64_t count = 1;
  for (const Operand& size : type.shape) {
    if (!size.is_constant()) return false;
    const std::int64_t extent = integer_value(size.constant());
    if (extent < 1 || extent > most_elements) return false;
    count *= extent;
    if (count > most_elements) return false;
  }
  return true;
}

bool is_small(const Operand& operand, const Names& names) {
  return operand.is_name() && is_small(names.type(operand.name()));
}

std::int64_t element_count(const Type& type) {
  std::int64_t count = 1;
  for (const Operand& size : type.shape) count *= integer_value(size.constant());
  return count;
}

// The position of element number `number` in row-major order.
static std::vector<Operand> indices_of(const Type& type, std::int64_t number) {
  std::vector<Operand> indices(type.rank());
  for (std::size_t k = type.rank(); k-- > 0;) {
    const std::int64_t extent = integer_value(type.shape[k].constant());
    indices[k] = i64_operand(number % extent);
    number /= extent;
  }
  return indices;
}

std::vector<Operand> elements_of(const Operand& value, const Type& type, Builder& out) {
  if (type.is_scalar()) return {value};
  std::vector<Operand> elements;
  for (std::int64_t number = 0; number < element_count(type); ++number) {
    elements.push_back(
        out.index(value.name(), indices_of(type, number), out.names().base(value.name())));
  }
  return elements;
}

std::vector<NameId> scalars_for(NameId array, Builder& out) {
  Names& names = out.names();
  const Type type = names.type(array);
  std::vector<NameId> scalars;
  std::vector<Operand> elements;
  for (std::int64_t k = 0; k < element_count(type); ++k) {
    scalars.push_back(names.fresh(names.base(array), scalar_of(type.element)));
    elements.push_back(scalars.back());
  }
  make_array(array, std::move(elements), out);
  return scalars;
}

void make_array(NameId result, std::vector<Operand> elements, Builder& out) {
  const Type type = out.names().type(result);
  Operation operation = ArrayLiteral{scalar_of(type.element), std::move(elements)};
  if (type.rank() > 1) {
    const NameId flat = out.add(std::move(operation), out.names().base(result));
    operation = Reshape{flat, type.shape};
  }
  out.add(Statement{{Binder{result}}, std::move(operation), {}, out.location()});
}

}  // namespace dagaz::passes::scalarising
