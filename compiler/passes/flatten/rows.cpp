// Where a nest is cut whose points compute several rows, on a CPU.
//
//   map (\i -> let r = f i; let s = map (\j -> sum (map2 (*) r b[j])) in (r, s))
// becomes
//   rs = map f;  ss = map (\i -> map (\j -> sum (map2 (*) rs[i] b[j])))
//
// beside a product of matrices, which runs in blocks only as a perfect nest; and behind a row whose
// elements are arrays and take long, as the elements of a mesh do: as a nest of their own they run
// in vector lanes along the innermost dimension, and on all threads along the others.
//
// What one part gives the next needs memory that the nest did not.  So it has to be a result
// anyway, a number, or no larger than a row that the points read or give: then memory at most
// doubles.  (The scores of attention are longer, and stay inside.)  What is cheap is computed in
// both parts, and what guards a read is asked in both.
#include "passes/flatten/rows.h"

#include <algorithm>

#include "ir/alias.h"
#include "ir/classify.h"
#include "ir/cost.h"
#include "ir/fields.h"
#include "passes/flatten/parallelism.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

// Of ranges nests compute the elements that they read (ranges.h).
static bool is_cheap(const Statement& statement, const Names& names) {
  return as<Iota>(statement.operation) || repeats_cheaply(statement, names);
}

bool is_made_once(const Statement& statement, const Names& names) {
  if (as<Assert>(statement.operation)) return false;
  return as<MapScanReduce>(statement.operation) || !is_cheap(statement, names);
}

// Whether an array is made, or one that a point made is written.
static bool makes_array(const Operation& operation) {
  return as<Replicate>(operation) || as<Scratch>(operation) || as<Copy>(operation) ||
         as<Update>(operation);
}

static bool adds(const Statement& one, const Names& names) {
  return std::any_of(one.results.begin(), one.results.end(), [&](const Binder& result) {
    return names.type(result.name).kind == TypeKind::accumulator;
  });
}

// Whether the statement makes values of one shape: then any order of such that has producers before
// users is right.
static bool is_of_rows(const Statement& one, const NameSet& inside, const Names& names) {
  const bool regular = std::all_of(
      one.results.begin(), one.results.end(),
      [&](const Binder& result) { return is_regular(names.type(result.name), inside); });
  const auto* map = as<MapScanReduce>(one.operation);
  const bool reads_values =
      !map || std::all_of(map->arrays.begin(), map->arrays.end(),
                          [&](NameId array) { return names.type(array).kind == TypeKind::value; });
  return regular && reads_values &&
         (map || as<Scalar>(one.operation) || as<Assert>(one.operation) ||
          makes_array(one.operation) || is_cheap(one, names));
}

bool writes_only_its_own(const Body& body, std::size_t from, const Names& names,
                         const std::vector<Function>& functions) {
  NameSet own;
  for (std::size_t k = from; k < body.statements.size(); ++k) {
    const Statement& one = body.statements[k];
    for (const NameId name : consumed_by(one, names, functions)) {
      const bool adds = names.type(name).kind == TypeKind::accumulator;
      if (!adds && !own.contains(name)) return false;
    }
    if (is_view(one.operation) || as<Branch>(one.operation) || as<Loop>(one.operation) ||
        as<Call>(one.operation)) {
      continue;  // perhaps what they get
    }
    for (const Binder& result : one.results) own.insert(result.name);
  }
  return true;
}

// Of the names in `made`, those that what remains of the body after a cut at `place` needs.
static std::vector<NameId> handed_on(const Body& body, std::size_t place, const NameSet& made,
                                     const Names& names) {
  NameSet needed;
  for (const Operand& result : body.results) {
    if (result.is_name() && !made.contains(result.name())) needed.insert(result.name());
  }
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    const Statement& one = body.statements[k];
    const bool once = is_made_once(one, names);
    if (once && k < place) continue;
    const bool used =
        once || std::any_of(one.results.begin(), one.results.end(),
                            [&](const Binder& r) { return needed.contains(r.name); });
    if (!used) continue;
    for (const NameId name : free_names(one, names)) needed.insert(name);
  }
  std::vector<NameId> handed;
  for (const Statement& one : body.statements) {
    for (const Binder& result : one.results) {
      if (made.contains(result.name) && needed.contains(result.name)) handed.push_back(result.name);
    }
  }
  return handed;
}

// Whether the sizes of `part` are among those of `whole`, in their order.
static bool is_part_of(const std::vector<Operand>& part, const std::vector<Operand>& whole) {
  std::size_t found = 0;
  for (const Operand& size : whole) found += found < part.size() && part[found] == size ? 1 : 0;
  return found == part.size();
}

// Whether an array for it over all points is no larger than one that they read or give.
static bool is_no_larger(const Type& type, const Nest& nest, const Body& body,
                         const Names& names) {
  if (type.is_scalar()) return true;
  const auto has_shape = [&](const Type& other) { return is_part_of(type.shape, other.shape); };
  const auto reads = [&](const Statement& one) {
    return as<Index>(one.operation) && has_shape(names.type(one.results[0].name));
  };
  return std::any_of(nest.prefix.begin(), nest.prefix.end(), reads) ||
         std::any_of(body.statements.begin(), body.statements.end(), reads) ||
         std::any_of(body.results.begin(), body.results.end(),
                     [&](const Operand& result) { return has_shape(names.type(result)); });
}

static std::int64_t operations_in(const Body& body) {
  std::int64_t sum = 0;
  for (const Statement& one : body.statements) {
    if (const auto* scalar = as<Scalar>(one.operation)) sum += cost_of(scalar->op);
    const auto* map = as<MapScanReduce>(one.operation);
    const bool is_known = map && map->width.is_constant();
    const std::int64_t times = is_known ? integer_value(map->width.constant()) : 1;
    for_each_scope(one.operation, [&](const Body& inner) { sum += times * operations_in(inner); });
  }
  return sum;
}

// Elements of an array of known size; nothing for others, and for what is no array.
static std::optional<std::int64_t> known_elements(const Type& type) {
  if (!type.is_array() || type.kind != TypeKind::value) return std::nullopt;
  std::int64_t product = 1;
  for (const Operand& size : type.shape) {
    if (!size.is_constant()) return std::nullopt;
    product *= integer_value(size.constant());
  }
  return product;
}

// Whether `one` is a map, or a map of maps, whose points give arrays of known size, and do so much
// for each of their elements that writing and reading it matters little.  Rows of smaller arrays
// stay in the caches.
static bool has_heavy_points(const Statement& one, std::int64_t operations) {
  const auto* map = as<MapScanReduce>(one.operation);
  if (!map || !is_map(*map) || map->width.is_constant()) return false;
  for (const Statement& inside : map->map.body.statements) {
    if (has_heavy_points(inside, operations)) return true;
  }
  std::int64_t elements = 0;
  for (const Type& type : map->map.result_types) {
    const auto known = known_elements(type);
    if (!known) return false;
    elements += *known;
  }
  constexpr std::int64_t least_elements = 128;
  return operations_in(map->map.body) >= operations * std::max(elements, least_elements);
}

std::optional<Cut> place_to_cut(const Nest& nest, const Body& body, const Names& names,
                                const std::vector<Function>& functions,
                                std::int64_t handed_on_operations) {
  NameSet inside = bound_by(nest);
  for (const NameId name : bound_in(body.statements)) inside.insert(name);
  NameSet results;
  for (const Operand& result : body.results) {
    if (!result.is_name()) continue;
    results.insert(result.name());
  }
  std::optional<Cut> found;
  NameSet made;
  bool product_before = false;
  bool heavy_before = false;
  bool any_product = false;
  std::size_t rows = 0;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const Statement& one = body.statements[k];
    // What is behind the place stays as it is; before it order must not matter.
    const bool ends = !is_of_rows(one, inside, names);
    if (!ends && !is_made_once(one, names)) continue;
    const bool product = is_product(one, inside);
    const bool adds_to_products = any_product && adds(one, names);
    if (rows > 0 && (product || product_before || heavy_before || adds_to_products)) {
      if (!writes_only_its_own(body, k, names, functions)) break;
      Cut cut{k, handed_on(body, k, made, names)};
      std::erase_if(cut.kept, [&](NameId name) { return results.contains(name); });
      if (cut.kept.empty()) return cut;
      const bool small = std::all_of(cut.kept.begin(), cut.kept.end(), [&](NameId name) {
        return is_no_larger(names.type(name), nest, body, names);
      });
      if (small && !found) found = std::move(cut);
    }
    if (ends) break;
    if (as<MapScanReduce>(one.operation)) {
      product_before = product;
      any_product = any_product || product;
      heavy_before = has_heavy_points(one, handed_on_operations);
      ++rows;
    }
    for (const Binder& result : one.results) made.insert(result.name);
  }
  return found;
}

}  // namespace dagaz::passes::flattening
