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

#include "passes/ad/extremum.h"
#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

NameId Reverse::reversed(NameId array, const Operand& width) {
  if (environment_->uniform_row(array)) return array;
  const Type type = names().type(array);
  std::vector<SliceDimension> dimensions = {
      {false, out().sub_i64(width, i64_operand(1)), width, i64_operand(-1)}};
  for (std::size_t i = 1; i < type.rank(); ++i) {
    dimensions.push_back({false, i64_operand(0), type.shape[i], i64_operand(1)});
  }
  return out().add(Slice{array, dimensions}, "reversed");
}

NameId Reverse::shifted(NameId array, const Operand& first, const Operand& width) {
  const Type row = row_of(names().type(array));
  MapScanReduce map;
  map.width = width;
  const NameId index = names().fresh("i", scalar_of(ScalarType::i64));
  map.arrays = {
      out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions")};
  map.map.parameters = {Binder{index}};
  {
    NestedScope scope(*environment_);
    const Operand start = out().scalar(ScalarOp::eq, ScalarType::i64, {index, i64_operand(0)});
    Operand value;
    if (row.is_scalar()) {
      // Place 0 is read, and dropped, for the first element.
      const Operand before = out().scalar(
          ScalarOp::smax, ScalarType::i64, {out().sub_i64(index, i64_operand(1)), i64_operand(0)});
      value = out().select(row.element, start, first, out().index(array, {before}));
    } else {
      value = out().branch(
          start, [&](Builder&) { return std::vector<Operand>{first}; },
          [&](Builder& inner) {
            const Operand before = inner.sub_i64(index, i64_operand(1));
            return std::vector<Operand>{inner.index(array, {before})};
          })[0];
    }
    map.map.body = scope.take({value});
  }
  map.map.result_types = {row};
  return out().add(std::move(map), "shifted");
}

// Adds to the element at `winner`, if there is such an element; false where no adjoint is there yet.
bool Reverse::add_to_winner(NameId original, NameId winner, const Operand& adjoint) {
  if (Adjoint& known = adjoints_[original]; known.accumulator) {
    add_at(original, {winner}, adjoint);
    return true;
  } else if (known.deferred || !known.value) {
    return false;
  }
  const NameId whole = take_owned(original).name();
  const Type type = names().type(whole);
  Branch branch;
  branch.condition =
      out().scalar(ScalarOp::ult, ScalarType::i64, {Operand(winner), type.shape[0]}, "found");
  {
    NestedScope scope(*environment_);
    const Operand old = out().index(whole, {winner});
    const Operand sum = environment_->add(row_of(type), old, adjoint);
    const SliceDimension place{true, winner, i64_operand(1), i64_operand(1)};
    const NameId updated = out().add(Update{whole, {place}, sum}, "adjoint");
    branch.then_body = scope.take({updated});
  }
  branch.else_body.results = {whole};
  branch.result_types = {type};
  Adjoint updated;
  updated.value = out().add(std::move(branch), "adjoint");
  updated.ownership = Ownership::owned;
  adjoints_[original] = std::move(updated);
  return true;
}

// The adjoint goes to the first element that is the extremum.
void Reverse::reduce_extremum(const Statement& statement, const MapScanReduce& map,
                              Operand adjoint) {
  const NameId array = environment_->name(map.arrays[0]);
  const Operand width = environment_->operand(map.width);
  const Operand extremum = environment_->operand(Operand(statement.results[0].name));
  const ScalarType type = names().type(array).element;
  const NameId positions =
      out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions");
  // Where no element is, as in an empty array, none gets the adjoint.
  const Operand nowhere(make_i64(std::numeric_limits<std::int64_t>::max()));
  MapScanReduce search;
  search.width = width;
  search.arrays = {array, positions};
  search.map = out().lambda({scalar_of(type), scalar_of(ScalarType::i64)}, {"x", "i"},
                            [&](Builder& inner, const std::vector<NameId>& p) {
                              const Operand is_it =
                                  inner.scalar(ScalarOp::eq, type, {Operand(p[0]), extremum});
                              return std::vector<Operand>{
                                  inner.select(ScalarType::i64, is_it, p[1], nowhere)};
                            });
  ReduceOperator least;
  least.commutative = true;
  least.neutral = {nowhere};
  const Type index_type = scalar_of(ScalarType::i64);
  least.op = out().lambda({index_type, index_type}, {"i", "j"},
                          [](Builder& inner, const std::vector<NameId>& p) {
                            return std::vector<Operand>{inner.scalar(
                                ScalarOp::smin, ScalarType::i64, {Operand(p[0]), Operand(p[1])})};
                          });
  search.reductions = {std::move(least)};
  const NameId winner = out().add_results(std::move(search), "winner")[0];
  if (add_to_winner(map.arrays[0], winner, adjoint)) return;
  const NameId adjoints = out().map(
      width, {positions},
      [&](Builder& inner, const std::vector<NameId>& p) {
        const Operand wins =
            inner.scalar(ScalarOp::eq, ScalarType::i64, {Operand(p[0]), Operand(winner)});
        return std::vector<Operand>{
            inner.select(type, wins, adjoint, Operand(zero_of(type)))};
      },
      "adjoint")[0];
  add_adjoint(Operand(map.arrays[0]), adjoints, Ownership::owned);
}

void Reverse::reduce_product(const MapScanReduce& map, Operand adjoint) {
  const NameId array = environment_->name(map.arrays[0]);
  const Operand width = environment_->operand(map.width);
  const ScalarType type = names().type(array).element;
  const Operand zero(zero_of(type));
  const Operand one(one_of(type));
  const ScalarOp divide = is_float(type) ? ScalarOp::fdiv : ScalarOp::sdiv;
  MapScanReduce counting;
  counting.width = width;
  counting.arrays = {array};
  counting.map = out().lambda(
      {scalar_of(type)}, {"x"}, [&](Builder& inner, const std::vector<NameId>& p) {
        const Operand is_zero = inner.scalar(ScalarOp::eq, type, {Operand(p[0]), zero});
        const Operand factor = inner.select(type, is_zero, one, p[0]);
        const Operand count =
            inner.select(ScalarType::i64, is_zero, i64_operand(1), i64_operand(0));
        return std::vector<Operand>{factor, count};
      });
  ReduceOperator product;
  product.op = environment_->copy_lambda(map.reductions[0].op);
  product.neutral = {one};
  product.commutative = true;
  counting.reductions = {product, environment_->addition(scalar_of(ScalarType::i64))};
  const std::vector<NameId> totals = out().add_results(std::move(counting), "product");
  const Operand none =
      out().scalar(ScalarOp::eq, ScalarType::i64, {Operand(totals[1]), i64_operand(0)});
  const Operand single =
      out().scalar(ScalarOp::eq, ScalarType::i64, {Operand(totals[1]), i64_operand(1)});
  const Operand scaled = environment_->multiply(type, adjoint, totals[0]);
  const NameId adjoints = out().map(
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
  add_adjoint(Operand(map.arrays[0]), adjoints, Ownership::owned);
}

// The operator as original code in which what it uses from outside is constant.
Lambda Reverse::constant_operator(const Lambda& op) {
  Lambda result = renamed(op, names());
  Substitution inactive;
  for (const NameId name : outer_active_names(free_names(result, names()))) {
    const NameId constant = names().fresh_like(name);
    environment_->bind(constant, environment_->operand(Operand(name)));
    inactive.emplace(name, constant);
  }
  substitute(result, inactive, names());
  return result;
}

// \l x r -> (l ⊙ x) ⊙ r as original code, for l, x and r of as many components as ⊙ has.  What the
// operator uses from outside is active in the application l ⊙ x only: r takes part in it where it
// is the element in turn.
const Lambda* Reverse::middle_operator(const Statement& statement, const Lambda& op) {
  const std::size_t arity = op.parameters.size() / 2;
  const Lambda first = renamed(op, names());
  Lambda second = constant_operator(op);
  Lambda combined;
  std::vector<Binder> rest;
  for (std::size_t i = 0; i < arity; ++i) {
    rest.push_back(Binder{names().fresh_like(first.parameters[i].name)});
  }
  combined.parameters = first.parameters;
  combined.parameters.insert(combined.parameters.end(), rest.begin(), rest.end());
  combined.body.statements = first.body.statements;
  for (std::size_t i = 0; i < arity; ++i) {
    const Operand& left = first.body.results[i];
    combined.body.statements.push_back(
        Statement{{second.parameters[i]}, Identity{left}, {}, statement.location});
    combined.body.statements.push_back(Statement{
        {second.parameters[arity + i]}, Identity{rest[i].name}, {}, statement.location});
  }
  for (Statement& each : second.body.statements) {
    combined.body.statements.push_back(std::move(each));
  }
  combined.body.results = second.body.results;
  combined.result_types = op.result_types;
  return keep(std::move(combined));
}

void Reverse::reduce_general(const Statement& statement, const MapScanReduce& map) {
  const ReduceOperator& reduce = map.reductions[0];
  const std::size_t arity = reduce.neutral.size();
  const Operand width = environment_->operand(map.width);
  const std::vector<NameId> arrays = environment_->names_of(map.arrays);
  const std::vector<Operand> neutral = environment_->operands(reduce.neutral);

  ScanOperator from_left{environment_->copy_lambda(reduce.op), neutral};
  ScanOperator from_right{environment_->copy_lambda(reduce.op), neutral};
  std::rotate(from_right.op.parameters.begin(),
              from_right.op.parameters.begin() + static_cast<std::ptrdiff_t>(arity),
              from_right.op.parameters.end());
  std::vector<NameId> backwards;
  for (const NameId array : arrays) backwards.push_back(reversed(array, width));
  const std::vector<NameId> prefixes = out().scan(width, arrays, std::move(from_left), "prefix");
  const std::vector<NameId> suffixes =
      out().scan(width, backwards, std::move(from_right), "suffix");

  MapSite site;
  site.width = width;
  site.lambda = middle_operator(statement, reduce.op);
  site.sequential = map.sequential;
  for (std::size_t i = 0; i < arity; ++i) {
    site.arrays.push_back(shifted(prefixes[i], neutral[i], width));
    site.originals.push_back(std::nullopt);
  }
  for (std::size_t i = 0; i < arity; ++i) {
    const bool active = is_active(Operand(map.arrays[i]));
    site.arrays.push_back(arrays[i]);
    site.originals.push_back(active ? std::optional(map.arrays[i]) : std::nullopt);
    if (active) activate(site.lambda->parameters[arity + i].name);
  }
  for (std::size_t i = 0; i < arity; ++i) {
    site.arrays.push_back(reversed(shifted(suffixes[i], neutral[i], width), width));
    site.originals.push_back(std::nullopt);
  }
  for (const Binder& result : statement.results) {
    const auto adjoint = take(result.name);
    site.adjoints.push_back(
        adjoint ? std::optional<Operand>(environment_->replicate(width, *adjoint->value, "adjoint"))
                : std::nullopt);
  }
  analyse(site.lambda->body.statements);
  return_map(site);
}

void Reverse::return_reduce(const Statement& statement, const MapScanReduce& map) {
  const ReduceOperator& reduce = map.reductions[0];
  const auto op = binary_scalar_operator(reduce.op);
  const bool single = statement.results.size() == 1;
  if (single && is_addition(reduce.op)) {
    const auto adjoint = take(statement.results[0].name);
    add_adjoint(Operand(map.arrays[0]),
                environment_->replicate(environment_->operand(map.width), *adjoint->value,
                                        "adjoint"),
                Ownership::owned);
    note(statement, "reduce +", "reverse", "every element gets the adjoint of the sum");
    return;
  }
  if (single && op) {
    if (is_extremum(*op)) {
      reduce_extremum(statement, map, *take(statement.results[0].name)->value);
      note(statement, "reduce min/max", "reverse", "the first extremum gets the adjoint");
      return;
    }
    if (*op == ScalarOp::mul && !options_.differentiated_again) {
      reduce_product(map, *take(statement.results[0].name)->value);
      note(statement, "reduce *", "reverse", "by the number of zeros");
      return;
    }
  }
  reduce_general(statement, map);
  note(statement, "reduce", "reverse", "two exclusive scans and a map",
       size_formulas("prefixes", map.arrays) + ", " + size_formulas("suffixes", map.arrays));
}

}  // namespace dagaz::passes::ad
