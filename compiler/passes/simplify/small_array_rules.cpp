// Equations of literals with a few elements: what is made of one at known positions is another,
// or one of its elements.  Such arrays are cheaper made again than read and written.
#include <cstdint>
#include <optional>

#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

constexpr std::int64_t most_elements = 16;

/// The number of elements of an array of known shape, if they are few.
std::optional<std::int64_t> few_elements(const Type& type) {
  std::int64_t count = 1;
  for (const Operand& size : type.shape) {
    if (!size.is_constant()) return std::nullopt;
    const std::int64_t extent = integer_value(size.constant());
    if (extent < 1 || extent > most_elements) return std::nullopt;
    count *= extent;
  }
  return count <= most_elements ? std::optional(count) : std::nullopt;
}

/// The elements of `array` in row-major order, if it is a small literal of scalars; then the
/// statement depends on what guards it.
std::optional<std::vector<Operand>> literal_elements(NameId array, Rules& rules) {
  const auto count = few_elements(rules.type(array));
  if (!count) return std::nullopt;
  if (const auto* literal = rules.defined_as<ArrayLiteral>(array)) {
    if (!literal->element.is_scalar()) return std::nullopt;
    const std::vector<Operand> elements = literal->elements;
    rules.look_through(array);
    return elements;
  }
  if (const auto* replicate = rules.defined_as<Replicate>(array)) {
    if (!rules.type(replicate->value).is_scalar()) return std::nullopt;
    const std::vector<Operand> elements(static_cast<std::size_t>(*count), replicate->value);
    rules.look_through(array);
    return elements;
  }
  if (const auto* reshape = rules.defined_as<Reshape>(array)) {
    const NameId flat = reshape->array;
    auto elements = literal_elements(flat, rules);
    if (elements) rules.look_through(array);
    return elements;
  }
  return std::nullopt;
}

/// The statement makes an array of these elements and of this shape.
Outcome becomes_literal(std::vector<Operand> elements, const std::vector<Operand>& shape,
                        Rules& rules) {
  const NameId result = rules.statement->results.front().name;
  ArrayLiteral literal{scalar_of(rules.type(result).element), std::move(elements)};
  if (shape.size() == 1) {
    rules.statement->operation = std::move(literal);
  } else {
    const Operand flat = rules.emit_in_place_of(result, std::move(literal));
    rules.statement->operation = Reshape{flat.name(), shape};
  }
  return Outcome::rewritten;
}

}  // namespace

// [x, y, z] with [1] = v  =  [x, v, z]
Outcome update_of_literal(const Update& node, Rules& rules) {
  const Type& type = rules.type(node.array);
  std::int64_t number = 0;
  for (std::size_t k = 0; k < node.dimensions.size(); ++k) {
    const SliceDimension& dimension = node.dimensions[k];
    const Operand& size = type.shape[k];
    if (!dimension.fixed || !dimension.start.is_constant() || !size.is_constant()) {
      return Outcome::none;
    }
    const std::int64_t at = integer_value(dimension.start.constant());
    const std::int64_t extent = integer_value(size.constant());
    if (at < 0 || at >= extent) return Outcome::none;
    number = number * extent + at;
  }
  const Operand value = node.value;
  const std::vector<Operand> shape = type.shape;
  auto elements = literal_elements(node.array, rules);
  if (!elements) return Outcome::none;
  (*elements)[static_cast<std::size_t>(number)] = value;
  return becomes_literal(std::move(*elements), shape, rules);
}

// [x, y, z][1:]  =  [y, z]
Outcome slice_of_literal(const Slice& node, Rules& rules) {
  if (node.dimensions.size() != 1) return Outcome::none;
  const SliceDimension dimension = node.dimensions.front();
  const bool known = dimension.start.is_constant() && dimension.count.is_constant() &&
                     dimension.stride.is_constant();
  if (!known || rules.may_be_consumed(node.array) ||
      rules.may_be_consumed(rules.statement->results.front().name)) {
    return Outcome::none;
  }
  const auto elements = literal_elements(node.array, rules);
  if (!elements) return Outcome::none;
  std::vector<Operand> part;
  for (std::int64_t k = 0; k < integer_value(dimension.count.constant()); ++k) {
    const std::int64_t at = integer_value(dimension.start.constant()) +
                            k * integer_value(dimension.stride.constant());
    if (at < 0 || at >= static_cast<std::int64_t>(elements->size())) return Outcome::none;
    part.push_back((*elements)[static_cast<std::size_t>(at)]);
  }
  return part.empty() ? Outcome::none : becomes_literal(std::move(part), {dimension.count}, rules);
}

// A copy of a literal is that literal.
Outcome copy_of_literal(const Copy& node, Rules& rules) {
  // The result's type may still name sizes that have become constants.
  const std::vector<Operand> shape = rules.type(node.array).shape;
  auto elements = literal_elements(node.array, rules);
  return elements ? becomes_literal(std::move(*elements), shape, rules) : Outcome::none;
}

}  // namespace dagaz::passes
