// Equations of Index, Slice and Update: reading an element of a view or of a computed array reads
// where the element comes from.
#include <algorithm>
#include <cstdint>

#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

/// Whether every index is fixed or a whole dimension from its start.
bool is_full(const SliceDimension& dimension, const Operand& size) {
  return !dimension.fixed && is_i64(dimension.start, 0) && is_i64(dimension.stride, 1) &&
         dimension.count == size;
}

/// Whether the value may still be read later than where it was read: nobody writes it.
bool may_read(const Operand& operand, const Rules& rules) {
  return operand.is_constant() || rules.type(operand.name()).is_scalar() ||
         !rules.may_be_consumed(operand.name());
}

/// Where position `at` of a slice dimension lies.
Operand position_in(const SliceDimension& dimension, const Operand& at, Rules& rules) {
  const Operand scaled = rules.scalar(ScalarOp::mul, ScalarType::i64, {at, dimension.stride});
  return rules.scalar(ScalarOp::add, ScalarType::i64, {dimension.start, scaled});
}

// index xs [] = xs
Outcome index_nothing(const Index& node, Rules& rules) {
  return node.indices.empty() ? rules.replace(Operand(node.array)) : Outcome::none;
}

// index (index xs is) js = index xs (is ++ js)
Outcome index_of_index(Index& node, Rules& rules) {
  const auto* inner = rules.defined_as<Index>(node.array);
  if (inner == nullptr) return Outcome::none;
  std::vector<Operand> indices = inner->indices;
  indices.insert(indices.end(), node.indices.begin(), node.indices.end());
  rules.look_through(node.array);
  node = Index{inner->array, std::move(indices)};
  return Outcome::rewritten;
}

// index (iota n start stride) i = start + i · stride
Outcome index_of_iota(const Index& node, Rules& rules) {
  const auto* found = rules.defined_as<Iota>(node.array);
  if (found == nullptr) return Outcome::none;
  const Iota iota = *found;
  rules.look_through(node.array);  // its length may be invalid
  const Operand at =
      rules.convert(ScalarOp::sign_extend, ScalarType::i64, iota.type, node.indices[0]);
  const Operand scaled = rules.scalar(ScalarOp::mul, iota.type, {at, iota.stride});
  return rules.replace(rules.scalar(ScalarOp::add, iota.type, {scaled, iota.start}));
}

// index (replicate shape v) is = v, indexed by what is left of is
Outcome index_of_replicate(Index& node, Rules& rules) {
  const auto* replicate = rules.defined_as<Replicate>(node.array);
  const NameId result = rules.statement->results.front().name;
  if (replicate == nullptr || node.indices.size() < replicate->shape.size()) return Outcome::none;
  if (!may_read(replicate->value, rules)) return Outcome::none;
  if (!rules.may_stand_for(replicate->value, result)) return Outcome::none;
  const auto skip = static_cast<std::ptrdiff_t>(replicate->shape.size());
  rules.look_through(node.array);
  if (node.indices.size() == replicate->shape.size()) {
    return rules.replace(Operand(replicate->value));
  }
  node = Index{replicate->value.name(), {node.indices.begin() + skip, node.indices.end()}};
  return Outcome::rewritten;
}

// index [x, y, …] [1, …] = y, indexed further
Outcome index_of_literal(Index& node, Rules& rules) {
  const auto* literal = rules.defined_as<ArrayLiteral>(node.array);
  if (literal == nullptr || !node.indices[0].is_constant()) return Outcome::none;
  const std::int64_t at = integer_value(node.indices[0].constant());
  if (at < 0 || at >= static_cast<std::int64_t>(literal->elements.size())) return Outcome::none;
  const Operand element = literal->elements[static_cast<std::size_t>(at)];
  if (!may_read(element, rules)) return Outcome::none;
  if (!rules.may_stand_for(element, rules.statement->results.front().name)) return Outcome::none;
  if (node.indices.size() == 1) return rules.replace(element);
  node = Index{element.name(), {node.indices.begin() + 1, node.indices.end()}};
  return Outcome::rewritten;
}

// index (slice xs ds) is = index xs (positions), if is reaches the last fixed dimension
Outcome index_of_slice(Index& node, Rules& rules) {
  const auto* found = rules.defined_as<Slice>(node.array);
  if (found == nullptr) return Outcome::none;
  const Slice slice = *found;
  std::vector<Operand> indices;
  std::size_t next = 0;
  std::size_t dimension = 0;
  for (; dimension < slice.dimensions.size(); ++dimension) {
    const SliceDimension& one = slice.dimensions[dimension];
    if (!one.fixed && next == node.indices.size()) break;
    indices.push_back(one.fixed ? one.start : position_in(one, node.indices[next++], rules));
  }
  // What is left must be whole dimensions, or the rest of the slice would be lost.
  const Type& type = rules.type(slice.array);
  for (; dimension < slice.dimensions.size(); ++dimension) {
    if (!is_full(slice.dimensions[dimension], type.shape[dimension])) return Outcome::none;
  }
  rules.look_through(node.array);
  node = Index{slice.array, std::move(indices)};
  return Outcome::rewritten;
}

// index (permute p xs) is = index xs (is in the order of xs), if is covers all dimensions
Outcome index_of_permute(Index& node, Rules& rules) {
  const auto* permute = rules.defined_as<Permute>(node.array);
  if (permute == nullptr || node.indices.size() != permute->permutation.size()) {
    return Outcome::none;
  }
  std::vector<Operand> indices(node.indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    indices[static_cast<std::size_t>(permute->permutation[k])] = node.indices[k];
  }
  rules.look_through(node.array);
  node = Index{permute->array, std::move(indices)};
  return Outcome::rewritten;
}

bool are_constant(const std::vector<Operand>& operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](const Operand& one) { return one.is_constant(); });
}

bool has_elements(const std::vector<Operand>& constant_shape) {
  return std::none_of(constant_shape.begin(), constant_shape.end(),
                      [](const Operand& size) { return is_i64(size, 0); });
}

/// The position in row-major order of element number `number`; all sizes are positive constants.
std::vector<Operand> position_of(std::int64_t number, const std::vector<Operand>& shape) {
  std::vector<Operand> position(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    const std::int64_t extent = integer_value(shape[k].constant());
    position[k] = i64_operand(number % extent);
    number /= extent;
  }
  return position;
}

// index (reshape xs) [i, j] = xs[i · m + j] for flat xs; for others where all that is known
Outcome index_of_reshape(Index& node, Rules& rules) {
  const auto* found = rules.defined_as<Reshape>(node.array);
  if (found == nullptr || node.indices.size() != found->shape.size()) return Outcome::none;
  const std::vector<Operand> source = rules.type(found->array).shape;
  const bool known = are_constant(source) && has_elements(source) &&
                     are_constant(found->shape) && are_constant(node.indices);
  if (source.size() != 1 && !known) return Outcome::none;
  const Reshape reshape = *found;
  Operand flat = i64_operand(0);
  for (std::size_t k = 0; k < reshape.shape.size(); ++k) {
    flat = rules.scalar(ScalarOp::mul, ScalarType::i64, {flat, reshape.shape[k]});
    flat = rules.scalar(ScalarOp::add, ScalarType::i64, {flat, node.indices[k]});
  }
  rules.look_through(node.array);
  node = Index{reshape.array, source.size() == 1
                                  ? std::vector<Operand>{flat}
                                  : position_of(integer_value(flat.constant()), source)};
  return Outcome::rewritten;
}

// index (concat [xs, ys]) [i, …] = index ys [i - n, …] for known i, where xs has n elements
Outcome index_of_concat(Index& node, Rules& rules) {
  const auto* concat = rules.defined_as<Concat>(node.array);
  if (concat == nullptr || !node.indices[0].is_constant()) return Outcome::none;
  std::int64_t at = integer_value(node.indices[0].constant());
  for (const NameId part : concat->arrays) {
    const Operand& size = rules.type(part).shape[0];
    if (!size.is_constant() || at < 0) return Outcome::none;
    const std::int64_t count = integer_value(size.constant());
    if (at >= count) {
      at -= count;
      continue;
    }
    if (rules.may_be_consumed(part)) return Outcome::none;
    if (!rules.type(rules.statement->results.front().name).is_scalar()) return Outcome::none;
    rules.look_through(node.array);
    node.array = part;
    node.indices[0] = i64_operand(at);
    return Outcome::rewritten;
  }
  return Outcome::none;
}

// index (copy xs) is = index xs is, if nobody writes xs
Outcome index_of_copy(Index& node, Rules& rules) {
  const auto* copy = rules.defined_as<Copy>(node.array);
  if (copy == nullptr || rules.may_be_consumed(copy->array)) return Outcome::none;
  if (!rules.type(rules.statement->results.front().name).is_scalar()) return Outcome::none;
  rules.look_through(node.array);
  node.array = copy->array;
  return Outcome::rewritten;
}

// index (update xs [i] v) [i] = v
Outcome index_of_update(const Index& node, Rules& rules) {
  const auto* update = rules.defined_as<Update>(node.array);
  if (update == nullptr || !rules.type(update->value).is_scalar()) return Outcome::none;
  if (update->dimensions.size() != node.indices.size()) return Outcome::none;
  for (std::size_t k = 0; k < node.indices.size(); ++k) {
    const SliceDimension& dimension = update->dimensions[k];
    if (!dimension.fixed || !(dimension.start == node.indices[k])) return Outcome::none;
  }
  return rules.replace(Operand(update->value));
}

// A slice of fixed dimensions followed by whole ones is an index; without fixed ones, xs itself.
Outcome slice_as_index(const Slice& node, Rules& rules) {
  const Type& type = rules.type(node.array);
  std::vector<Operand> indices;
  for (std::size_t k = 0; k < node.dimensions.size(); ++k) {
    const SliceDimension& dimension = node.dimensions[k];
    if (dimension.fixed && indices.size() == k) {
      indices.push_back(dimension.start);
    } else if (!is_full(dimension, type.shape[k])) {
      return Outcome::none;
    }
  }
  if (indices.empty()) return rules.replace(Operand(node.array));
  rules.statement->operation = Index{node.array, std::move(indices)};
  return Outcome::rewritten;
}

// slice (slice xs ds) es = slice xs (es within ds)
Outcome slice_of_slice(Slice& node, Rules& rules) {
  const auto* found = rules.defined_as<Slice>(node.array);
  if (found == nullptr) return Outcome::none;
  const Slice inner = *found;
  std::vector<SliceDimension> dimensions;
  std::size_t next = 0;
  for (const SliceDimension& dimension : inner.dimensions) {
    if (dimension.fixed) {
      dimensions.push_back(dimension);
      continue;
    }
    SliceDimension outer = node.dimensions[next++];
    outer.start = position_in(dimension, outer.start, rules);
    if (!outer.fixed) {
      outer.stride =
          rules.scalar(ScalarOp::mul, ScalarType::i64, {dimension.stride, outer.stride});
    }
    dimensions.push_back(outer);
  }
  rules.look_through(node.array);
  node = Slice{inner.array, std::move(dimensions)};
  return Outcome::rewritten;
}

// slice (index xs is) ds = slice xs (is ++ ds)
Outcome slice_of_index(Slice& node, Rules& rules) {
  const auto* inner = rules.defined_as<Index>(node.array);
  if (inner == nullptr) return Outcome::none;
  std::vector<SliceDimension> dimensions;
  for (const Operand& index : inner->indices) {
    dimensions.push_back({true, index, i64_operand(1), i64_operand(1)});
  }
  dimensions.insert(dimensions.end(), node.dimensions.begin(), node.dimensions.end());
  rules.look_through(node.array);
  node = Slice{inner->array, std::move(dimensions)};
  return Outcome::rewritten;
}

// slice (iota …) = iota …,  slice (replicate [n] v) = replicate [m] v for a scalar v
Outcome slice_of_computed(const Slice& node, Rules& rules) {
  const NameId result = rules.statement->results.front().name;
  if (const auto* found = rules.defined_as<Iota>(node.array)) {
    if (rules.may_be_consumed(node.array) || rules.may_be_consumed(result)) return Outcome::none;
    const Iota iota = *found;
    rules.look_through(node.array);  // its length may be invalid
    const SliceDimension dimension = node.dimensions[0];
    const auto narrow = [&](const Operand& operand) {
      return rules.convert(ScalarOp::sign_extend, ScalarType::i64, iota.type, operand);
    };
    const Operand offset =
        rules.scalar(ScalarOp::mul, iota.type, {narrow(dimension.start), iota.stride});
    const Operand start = rules.scalar(ScalarOp::add, iota.type, {offset, iota.start});
    if (dimension.fixed) return rules.replace(start);
    const Operand stride =
        rules.scalar(ScalarOp::mul, iota.type, {narrow(dimension.stride), iota.stride});
    rules.statement->operation = Iota{iota.type, dimension.count, start, stride};
    return Outcome::rewritten;
  }
  const auto* replicate = rules.defined_as<Replicate>(node.array);
  if (replicate == nullptr || !rules.type(replicate->value).is_scalar()) return Outcome::none;
  if (rules.may_be_consumed(node.array) || rules.may_be_consumed(result)) return Outcome::none;
  rules.look_through(node.array);
  std::vector<Operand> shape;
  for (const SliceDimension& dimension : node.dimensions) {
    if (!dimension.fixed) shape.push_back(dimension.count);
  }
  const Operand value = replicate->value;
  if (shape.empty()) return rules.replace(value);
  rules.statement->operation = Replicate{std::move(shape), value};
  return Outcome::rewritten;
}

}  // namespace

Outcome apply(Index& node, Rules& rules) {
  if (const Outcome outcome = index_nothing(node, rules); outcome != Outcome::none) {
    return outcome;
  }
  for (const auto rule : {index_of_index, index_of_replicate, index_of_literal, index_of_slice,
                          index_of_permute, index_of_reshape, index_of_copy, index_of_concat}) {
    if (const Outcome outcome = rule(node, rules); outcome != Outcome::none) return outcome;
  }
  if (const Outcome outcome = index_of_iota(node, rules); outcome != Outcome::none) return outcome;
  return index_of_update(node, rules);
}

Outcome apply(Slice& node, Rules& rules) {
  if (const Outcome outcome = slice_as_index(node, rules); outcome != Outcome::none) {
    return outcome;
  }
  for (const auto rule : {slice_of_slice, slice_of_index}) {
    if (const Outcome outcome = rule(node, rules); outcome != Outcome::none) return outcome;
  }
  if (const Outcome outcome = slice_of_computed(node, rules); outcome != Outcome::none) {
    return outcome;
  }
  return slice_of_literal(node, rules);
}

// Overwriting the whole of an array gives a copy of the value.
Outcome apply(Update& node, Rules& rules) {
  const Type& type = rules.type(node.array);
  for (std::size_t k = 0; k < node.dimensions.size(); ++k) {
    if (!is_full(node.dimensions[k], type.shape[k])) return update_of_literal(node, rules);
  }
  rules.statement->operation = Copy{node.value.name()};
  return Outcome::rewritten;
}

}  // namespace dagaz::passes
