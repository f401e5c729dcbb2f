// Scatters, dest[iₖ] = vₖ; indices outside are ignored:  v̄ₖ = d̄[iₖ] for the write that takes
// effect; the destination's adjoint is d̄ with zeros where something was written.
#include <utility>

#include "passes/ad/emitted_arrays.h"
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

static Type row_after(Type type, std::size_t dimensions) {
  type.shape.erase(type.shape.begin(),
                   type.shape.begin() + static_cast<std::ptrdiff_t>(dimensions));
  return type;
}

// Of several writes to one place only one has an effect, and only its value has an adjoint.  Which
// one it is, is unspecified, so any will do; scattering the writes' numbers picks one.
static NameId scattered_adjoints(Reverse& r, const Operand& width,
                                 const std::vector<NameId>& indices, NameId adjoint,
                                 const std::vector<Operand>& shape) {
  const NameId numbers =
      r.out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "numbers");
  Scatter pick;
  pick.width = width;
  pick.arrays = indices;
  pick.arrays.push_back(numbers);
  std::vector<Type> rows;
  for (const NameId array : pick.arrays) rows.push_back(row_of(r.names().type(array)));
  pick.map = identity_lambda(rows, r.names());
  pick.targets = {{shape, r.out().add(Replicate{shape, i64_operand(-1)}, "winners")}};
  std::vector<NameId> winning = indices;
  winning.push_back(numbers);
  const NameId winners = r.out().add(std::move(pick), "winners");
  return map_here(r.environment, width, winning, [&](const std::vector<NameId>& p) {
    const std::vector<Operand> place(p.begin(), p.end() - 1);
    const Operand winner = guarded_index(r.environment, winners, place);
    const Operand wins = r.out().scalar(ScalarOp::eq, ScalarType::i64, {winner, Operand(p.back())});
    const Type row = row_after(r.names().type(adjoint), place.size());
    if (row.is_scalar()) {
      return r.out().select(row.element, wins, guarded_index(r.environment, adjoint, place),
                            Operand(zero_of(row.element)));
    }
    const Operand zero = r.environment.zero(row);
    return choose(r.environment, wins, guarded_index(r.environment, adjoint, place), zero);
  });
}

void adjoint_rule(Reverse& r, const Statement& statement, const Scatter& scatter) {
  std::size_t next_array = 0;
  for (std::size_t t = 0; t < scatter.targets.size(); ++t) {
    const ScatterTarget& target = scatter.targets[t];
    std::vector<NameId> indices;
    for (std::size_t d = 0; d < target.shape.size(); ++d) {
      indices.push_back(r.environment.name(scatter.arrays[next_array++]));
    }
    const NameId values = scatter.arrays[next_array++];
    if (!r.adjoints.has(Operand(statement.results[t].name))) continue;
    const bool rewrites = r.adjoints.is_active(Operand(target.destination));
    const Operand adjoint = rewrites ? r.adjoints.take_owned(statement.results[t].name)
                                     : r.adjoints.take_or_zero(statement.results[t].name);
    const Operand width = r.environment.operand(scatter.width);
    if (r.adjoints.is_active(Operand(values))) {
      r.adjoints.add(Operand(values),
                     scattered_adjoints(r, width, indices, adjoint.name(),
                                        r.environment.operands(target.shape)),
                     Ownership::owned);
    }
    if (!rewrites) continue;
    const Type row = row_of(r.environment.type_of(Operand(values)));
    Scatter erase;
    erase.width = width;
    erase.arrays = indices;
    std::vector<Type> rows;
    for (const NameId array : indices) rows.push_back(row_of(r.names().type(array)));
    erase.map = identity_lambda(rows, r.names());
    erase.map.body.results.push_back(r.environment.zero(row));
    erase.map.result_types.push_back(row);
    erase.targets = {{r.environment.operands(target.shape), adjoint.name()}};
    r.adjoints.add(Operand(target.destination), r.out().add(std::move(erase), "adjoint"),
                   Ownership::owned);
  }
  r.note(statement, "scatter", "reverse", "each value reads the adjoint of the place it was put");
}

}  // namespace dagaz::passes::ad
