// Reductions, r = x₀ ⊙ x₁ ⊙ … .
//
//   +         x̄ᵢ = r̄
//   min, max  x̄ᵢ = r̄ at the first place where the extremum is, else 0: one element where there is
//             an adjoint to add it to
//   ×         with the product p of the non-zeros and their complement, the number z of zeros:
//             x̄ᵢ = r̄·p/xᵢ if z = 0;  r̄·p if z = 1 and xᵢ = 0;  else 0
//   general   with lᵢ = x₀ ⊙ … ⊙ xᵢ₋₁ and rᵢ = xᵢ₊₁ ⊙ … (two exclusive scans),
//             x̄ᵢ = r̄·∂(lᵢ ⊙ x ⊙ rᵢ)/∂x at xᵢ, which is the return sweep of a map
// The rule for × is only right to first order; where the result is differentiated again the
// general rule is used.
#include <algorithm>
#include <limits>

#include "passes/ad/emitted_arrays.h"
#include "passes/ad/extremum.h"
#include "passes/ad/report.h"
#include "passes/ad/rules/map_site.h"
#include "passes/ad/rules/operators.h"
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

// Adds to the element at `winner`, if there is such an element; false where no adjoint is there
// yet.
static bool add_to_winner(Reverse& r, NameId original, NameId winner, const Operand& adjoint) {
  if (Adjoint& known = r.adjoints.of(original); known.accumulator) {
    r.adjoints.add_at(original, {winner}, adjoint);
    return true;
  } else if (known.deferred || !known.value) {
    return false;
  }
  const NameId whole = r.adjoints.take_owned(original).name();
  const Type type = r.names().type(whole);
  Branch branch;
  branch.condition =
      r.out().scalar(ScalarOp::ult, ScalarType::i64, {Operand(winner), type.shape[0]}, "found");
  {
    NestedScope scope(r.environment);
    const Operand old = r.out().index(whole, {winner});
    const Operand sum = r.environment.add(row_of(type), old, adjoint);
    const SliceDimension place{true, winner, i64_operand(1), i64_operand(1)};
    const NameId updated = r.out().add(Update{whole, {place}, sum}, "adjoint");
    branch.then_body = scope.take({updated});
  }
  branch.else_body.results = {whole};
  branch.result_types = {type};
  r.adjoints.set_owned(original, r.out().add(std::move(branch), "adjoint"));
  return true;
}

// The adjoint goes to the first element that is the extremum.
static void reduce_extremum(Reverse& r, const Statement& statement, const MapScanReduce& map,
                            Operand adjoint) {
  const NameId array = r.environment.name(map.arrays[0]);
  const Operand width = r.environment.operand(map.width);
  const Operand extremum = r.environment.operand(Operand(statement.results[0].name));
  const ScalarType type = r.names().type(array).element;
  const NameId positions =
      r.out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions");
  // Where no element is, as in an empty array, none gets the adjoint.
  const Operand nowhere(make_i64(std::numeric_limits<std::int64_t>::max()));
  MapScanReduce search;
  search.width = width;
  search.arrays = {array, positions};
  search.map = r.out().lambda(
      {scalar_of(type), scalar_of(ScalarType::i64)}, {"x", "i"},
      [&](Builder& inner, const std::vector<NameId>& p) {
        const Operand is_it = inner.scalar(ScalarOp::eq, type, {Operand(p[0]), extremum});
        return std::vector<Operand>{inner.select(ScalarType::i64, is_it, p[1], nowhere)};
      });
  ReduceOperator least;
  least.commutative = true;
  least.neutral = {nowhere};
  const Type index_type = scalar_of(ScalarType::i64);
  least.op = r.out().lambda(
      {index_type, index_type}, {"i", "j"}, [](Builder& inner, const std::vector<NameId>& p) {
        return std::vector<Operand>{
            inner.scalar(ScalarOp::smin, ScalarType::i64, {Operand(p[0]), Operand(p[1])})};
      });
  search.reductions = {std::move(least)};
  const NameId winner = r.out().add_results(std::move(search), "winner")[0];
  if (add_to_winner(r, map.arrays[0], winner, adjoint)) return;
  const NameId adjoints = r.out().map(
      width, {positions},
      [&](Builder& inner, const std::vector<NameId>& p) {
        const Operand wins =
            inner.scalar(ScalarOp::eq, ScalarType::i64, {Operand(p[0]), Operand(winner)});
        return std::vector<Operand>{inner.select(type, wins, adjoint, Operand(zero_of(type)))};
      },
      "adjoint")[0];
  r.adjoints.add(Operand(map.arrays[0]), adjoints, Ownership::owned);
}

static void reduce_product(Reverse& r, const MapScanReduce& map, Operand adjoint) {
  const NameId array = r.environment.name(map.arrays[0]);
  const Operand width = r.environment.operand(map.width);
  const ScalarType type = r.names().type(array).element;
  const Operand zero(zero_of(type));
  const Operand one(one_of(type));
  const ScalarOp divide = is_float(type) ? ScalarOp::fdiv : ScalarOp::sdiv;
  MapScanReduce counting;
  counting.width = width;
  counting.arrays = {array};
  counting.map =
      r.out().lambda({scalar_of(type)}, {"x"}, [&](Builder& inner, const std::vector<NameId>& p) {
        const Operand is_zero = inner.scalar(ScalarOp::eq, type, {Operand(p[0]), zero});
        const Operand factor = inner.select(type, is_zero, one, p[0]);
        const Operand count =
            inner.select(ScalarType::i64, is_zero, i64_operand(1), i64_operand(0));
        return std::vector<Operand>{factor, count};
      });
  ReduceOperator product;
  product.op = r.environment.copy_lambda(map.reductions[0].op);
  product.neutral = {one};
  product.commutative = true;
  counting.reductions = {product, r.environment.addition(scalar_of(ScalarType::i64))};
  const std::vector<NameId> totals = r.out().add_results(std::move(counting), "product");
  const Operand none =
      r.out().scalar(ScalarOp::eq, ScalarType::i64, {Operand(totals[1]), i64_operand(0)});
  const Operand single =
      r.out().scalar(ScalarOp::eq, ScalarType::i64, {Operand(totals[1]), i64_operand(1)});
  const Operand scaled = r.environment.multiply(type, adjoint, totals[0]);
  const NameId adjoints = r.out().map(
      width, {array},
      [&](Builder& inner, const std::vector<NameId>& p) {
        const Operand is_zero = inner.scalar(ScalarOp::eq, type, {Operand(p[0]), zero});
        const Operand divisor = inner.select(type, is_zero, one, p[0]);
        const Operand rest = inner.scalar(divide, type, {scaled, divisor});
        const Operand alone =
            inner.scalar(ScalarOp::bit_and, ScalarType::boolean, {single, is_zero});
        const Operand at_zero = inner.select(type, alone, scaled, zero);
        return std::vector<Operand>{inner.select(type, none, rest, at_zero)};
      },
      "adjoint")[0];
  r.adjoints.add(Operand(map.arrays[0]), adjoints, Ownership::owned);
}

static void reduce_general(Reverse& r, const Statement& statement, const MapScanReduce& map) {
  const ReduceOperator& reduce = map.reductions[0];
  const std::size_t arity = reduce.neutral.size();
  const Operand width = r.environment.operand(map.width);
  const std::vector<NameId> arrays = r.environment.names_of(map.arrays);
  const std::vector<Operand> neutral = r.environment.operands(reduce.neutral);

  ScanOperator from_left{r.environment.copy_lambda(reduce.op), neutral};
  ScanOperator from_right{r.environment.copy_lambda(reduce.op), neutral};
  std::rotate(from_right.op.parameters.begin(),
              from_right.op.parameters.begin() + static_cast<std::ptrdiff_t>(arity),
              from_right.op.parameters.end());
  std::vector<NameId> backwards;
  for (const NameId array : arrays) backwards.push_back(reversed(r.environment, array, width));
  const std::vector<NameId> prefixes = r.out().scan(width, arrays, std::move(from_left), "prefix");
  const std::vector<NameId> suffixes =
      r.out().scan(width, backwards, std::move(from_right), "suffix");

  const Lambda middle = middle_operator(r, statement, reduce.op);
  MapSite site;
  site.width = width;
  site.lambda = &middle;
  site.sequential = map.sequential;
  for (std::size_t i = 0; i < arity; ++i) {
    site.arrays.push_back(shifted(r.environment, prefixes[i], neutral[i], width));
    site.originals.push_back(std::nullopt);
  }
  for (std::size_t i = 0; i < arity; ++i) {
    const bool active = r.adjoints.is_active(Operand(map.arrays[i]));
    site.arrays.push_back(arrays[i]);
    site.originals.push_back(active ? std::optional(map.arrays[i]) : std::nullopt);
    if (active) r.adjoints.activate(site.lambda->parameters[arity + i].name);
  }
  for (std::size_t i = 0; i < arity; ++i) {
    site.arrays.push_back(
        reversed(r.environment, shifted(r.environment, suffixes[i], neutral[i], width), width));
    site.originals.push_back(std::nullopt);
  }
  for (const Binder& result : statement.results) {
    const auto adjoint = r.adjoints.take(result.name);
    site.adjoints.push_back(
        adjoint ? std::optional<Operand>(r.environment.replicate(width, *adjoint->value, "adjoint"))
                : std::nullopt);
  }
  r.adjoints.analyse(site.lambda->body.statements);
  return_map(r, site);
}

void return_reduce(Reverse& r, const Statement& statement, const MapScanReduce& map) {
  const ReduceOperator& reduce = map.reductions[0];
  const auto op = binary_scalar_operator(reduce.op);
  const bool single = statement.results.size() == 1;
  if (single && is_addition(reduce.op)) {
    const auto adjoint = r.adjoints.take(statement.results[0].name);
    r.adjoints.add(
        Operand(map.arrays[0]),
        r.environment.replicate(r.environment.operand(map.width), *adjoint->value, "adjoint"),
        Ownership::owned);
    r.note(statement, "reduce +", "reverse", "every element gets the adjoint of the sum");
    return;
  }
  if (single && op) {
    if (is_extremum(*op)) {
      reduce_extremum(r, statement, map, *r.adjoints.take(statement.results[0].name)->value);
      r.note(statement, "reduce min/max", "reverse", "the first extremum gets the adjoint");
      return;
    }
    if (*op == ScalarOp::mul && !r.options.differentiated_again) {
      reduce_product(r, map, *r.adjoints.take(statement.results[0].name)->value);
      r.note(statement, "reduce *", "reverse", "by the number of zeros");
      return;
    }
  }
  reduce_general(r, statement, map);
  r.note(statement, "reduce", "reverse", "two exclusive scans and a map",
         size_formulas(r.environment, "prefixes", map.arrays) + ", " +
             size_formulas(r.environment, "suffixes", map.arrays));
}

}  // namespace dagaz::passes::ad
