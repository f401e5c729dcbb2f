// Equations of the operations that make or rearrange whole arrays.
#include <algorithm>

#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

NameId result_of(const Rules& rules) { return rules.statement->results.front().name; }

/// Replaces the statement by an operation that makes a fresh array, unless it is a view of memory
/// that someone writes.
Outcome becomes_fresh(Operation operation, NameId view_of, Rules& rules) {
  if (rules.may_be_consumed(view_of) || rules.may_be_consumed(result_of(rules))) {
    return Outcome::none;
  }
  rules.statement->operation = std::move(operation);
  return Outcome::rewritten;
}

bool same_elements(const std::vector<Operand>& elements) {
  return std::all_of(elements.begin(), elements.end(),
                     [&](const Operand& element) { return element == elements.front(); });
}

}  // namespace

// [x, x, x] = replicate [3] x
Outcome apply(ArrayLiteral& node, Rules& rules) {
  if (node.elements.empty() || !same_elements(node.elements)) return Outcome::none;
  rules.statement->operation =
      Replicate{{i64_operand(static_cast<std::int64_t>(node.elements.size()))},
                Operand(node.elements.front())};
  return Outcome::rewritten;
}

// iota n start 0 = replicate [n] start
Outcome apply(Iota& node, Rules& rules) {
  if (!(node.stride == Operand(zero_of(node.type)))) return Outcome::none;
  rules.statement->operation = Replicate{{node.count}, Operand(node.start)};
  return Outcome::rewritten;
}

// replicate [] x = x,  replicate s (replicate t x) = replicate (s ++ t) x
Outcome apply(Replicate& node, Rules& rules) {
  if (node.shape.empty()) {
    const Operand value = node.value;
    if (rules.may_stand_for(value, result_of(rules))) return rules.replace(value);
    rules.statement->operation = Copy{value.name()};
    return Outcome::rewritten;
  }
  const auto* inner = rules.defined_as<Replicate>(node.value);
  if (inner == nullptr) return Outcome::none;
  if (inner->value.is_name() && rules.may_be_consumed(inner->value.name())) return Outcome::none;
  node.shape.insert(node.shape.end(), inner->shape.begin(), inner->shape.end());
  node.value = Operand(inner->value);
  return Outcome::rewritten;
}

// concat [xs] = copy xs;  concat [… concat ys …] = concat [… ys …];  concat of literals is one
Outcome apply(Concat& node, Rules& rules) {
  if (node.arrays.size() == 1) {
    const NameId array = node.arrays.front();
    rules.statement->operation = Copy{array};
    return Outcome::rewritten;
  }
  // Empty parts add nothing.
  const auto is_empty = [&](NameId array) { return is_i64(rules.type(array).shape[0], 0); };
  if (std::any_of(node.arrays.begin() + 1, node.arrays.end(), is_empty)) {
    node.arrays.erase(std::find_if(node.arrays.begin() + 1, node.arrays.end(), is_empty));
    return Outcome::rewritten;
  }
  if (is_empty(node.arrays.front())) {
    node.arrays.erase(node.arrays.begin());
    return Outcome::rewritten;
  }
  for (std::size_t i = 0; i < node.arrays.size(); ++i) {
    const auto* inner = rules.defined_as<Concat>(node.arrays[i]);
    if (inner == nullptr || rules.uses(node.arrays[i]) != 1) continue;
    if (std::any_of(inner->arrays.begin(), inner->arrays.end(),
                    [&](NameId array) { return rules.may_be_consumed(array); })) {
      continue;
    }
    const std::vector<NameId> parts = inner->arrays;
    rules.look_through(node.arrays[i]);
    node.arrays.erase(node.arrays.begin() + static_cast<std::ptrdiff_t>(i));
    node.arrays.insert(node.arrays.begin() + static_cast<std::ptrdiff_t>(i), parts.begin(),
                       parts.end());
    return Outcome::rewritten;
  }
  std::vector<Operand> elements;
  for (const NameId array : node.arrays) {
    const auto* literal = rules.defined_as<ArrayLiteral>(array);
    if (literal == nullptr || !literal->element.is_scalar()) return Outcome::none;
    elements.insert(elements.end(), literal->elements.begin(), literal->elements.end());
  }
  const Type element = row_of(rules.type(node.arrays.front()));
  rules.statement->operation = ArrayLiteral{element, std::move(elements)};
  return Outcome::rewritten;
}

// reshape to the same shape is nothing;  reshape (reshape xs) = reshape xs;
// reshape (replicate s x) = replicate t x for a scalar x;  reshape (iota …) to rank 1 likewise
Outcome apply(Reshape& node, Rules& rules) {
  if (rules.type(node.array).shape == node.shape) return rules.replace(Operand(node.array));
  if (const auto* inner = rules.defined_as<Reshape>(node.array)) {
    const NameId array = inner->array;
    rules.look_through(node.array);
    node.array = array;
    return Outcome::rewritten;
  }
  if (const auto* replicate = rules.defined_as<Replicate>(node.array)) {
    if (!rules.type(replicate->value).is_scalar() || node.shape.empty()) return Outcome::none;
    return becomes_fresh(Replicate{node.shape, Operand(replicate->value)}, node.array, rules);
  }
  return reshaped_map(node, rules);
}

// permute 0 1 2 … is nothing;  permute p (permute q xs) = permute (q ∘ p) xs
Outcome apply(Permute& node, Rules& rules) {
  if (std::is_sorted(node.permutation.begin(), node.permutation.end())) {
    return rules.replace(Operand(node.array));
  }
  if (const auto* inner = rules.defined_as<Permute>(node.array)) {
    std::vector<int> permutation;
    for (const int k : node.permutation) {
      permutation.push_back(inner->permutation[static_cast<std::size_t>(k)]);
    }
    const NameId array = inner->array;
    rules.look_through(node.array);
    node = Permute{array, std::move(permutation)};
    return Outcome::rewritten;
  }
  if (const auto* replicate = rules.defined_as<Replicate>(node.array)) {
    if (!rules.type(replicate->value).is_scalar()) return Outcome::none;
    std::vector<Operand> shape;
    for (const int k : node.permutation) {
      shape.push_back(replicate->shape[static_cast<std::size_t>(k)]);
    }
    return becomes_fresh(Replicate{std::move(shape), Operand(replicate->value)}, node.array,
                         rules);
  }
  return Outcome::none;
}

// copy xs = xs, if nobody writes either, or if nobody else uses fresh memory xs
Outcome apply(Copy& node, Rules& rules) {
  const NameId array = node.array;
  const NameId result = result_of(rules);
  if (rules.may_stand_for(Operand(array), result)) return rules.replace(Operand(array));
  if (rules.uses(array) == 1 && rules.in_current_scope(array)) {
    const bool fresh = match(
        rules.definition(Operand(array))->operation, [](const Iota&) { return true; },
        [](const Replicate&) { return true; }, [](const ArrayLiteral&) { return true; },
        [](const Concat&) { return true; }, [](const Copy&) { return true; },
        [](const MapScanReduce&) { return true; }, [](const Scratch&) { return true; },
        [](const FlatMap&) { return true; },
        // The result of every other operation may share memory with something.
        [](const auto&) { return false; });
    if (fresh) return rules.replace(Operand(array));
  }
  // A copy of an array that is cheaper made again.
  if (const auto* iota = rules.defined_as<Iota>(Operand(array))) {
    const Iota again = *iota;
    rules.look_through(array);
    rules.statement->operation = again;
    return Outcome::rewritten;
  }
  if (const auto* replicate = rules.defined_as<Replicate>(Operand(array))) {
    if (!rules.type(replicate->value).is_scalar()) return Outcome::none;
    const Replicate again = *replicate;
    rules.look_through(array);
    rules.statement->operation = again;
    return Outcome::rewritten;
  }
  return copy_of_literal(node, rules);
}

}  // namespace dagaz::passes
