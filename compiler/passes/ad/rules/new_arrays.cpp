// Arrays that are made of scalars or of other arrays with a part replaced.
//
//   [x₁, …]                    x̄ᵢ += ȳs[i]
//   replicate n x              x̄ += Σᵢ ȳs[i]
//   iota: a + i·s              ā += Σᵢ ȳs[i],  s̄ += Σᵢ i·ȳs[i]
//   ys = xs with part = v      v̄ += ȳs[part];  x̄s += ȳs with part = 0
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void adjoint_rule(Reverse& r, const Statement& statement, const ArrayLiteral& literal) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  for (std::size_t i = 0; i < literal.elements.size(); ++i) {
    if (!r.adjoints.is_active(literal.elements[i])) continue;
    const Operand place = i64_operand(static_cast<std::int64_t>(i));
    r.adjoints.add(literal.elements[i], r.environment.at(adjoint->value->name(), place),
                   Ownership::shared);
  }
}

void adjoint_rule(Reverse& r, const Statement& statement, const Iota& iota) {
  const NameId adjoint = r.adjoints.take_or_zero(statement.results[0].name).name();
  const Operand count = r.environment.operand(iota.count);
  // An integer that is differentiated counts as the start of the numbers that it counts.
  r.adjoints.add(iota.count, r.environment.sum_of_rows(adjoint), Ownership::owned);
  r.adjoints.add(iota.start, r.environment.sum_of_rows(adjoint), Ownership::owned);
  if (!r.adjoints.is_active(iota.stride)) return;
  const NameId positions = r.out().add(
      Iota{iota.type, count, Operand(zero_of(iota.type)), Operand(one_of(iota.type))}, "i");
  const NameId products = r.out().map(
      count, {adjoint, positions}, [&](Builder& inner, const std::vector<NameId>& elements) {
        return std::vector<Operand>{
            inner.scalar(ScalarOp::mul, iota.type, {elements[0], elements[1]})};
      })[0];
  r.adjoints.add(iota.stride, r.environment.sum_of_rows(products), Ownership::owned);
}

void adjoint_rule(Reverse& r, const Statement& statement, const Replicate& replicate) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  NameId array = adjoint->value->name();
  const Type value = r.environment.type_of(replicate.value);
  if (replicate.shape.size() > 1) {
    std::vector<Operand> shape = {r.out().product(r.environment.operands(replicate.shape))};
    shape.insert(shape.end(), value.shape.begin(), value.shape.end());
    array = r.out().add(Reshape{array, shape}, "adjoint");
  }
  r.adjoints.add(replicate.value, r.environment.sum_of_rows(array), Ownership::owned);
}

void adjoint_rule(Reverse& r, const Statement& statement, const Update& update) {
  if (!r.adjoints.has(Operand(statement.results[0].name))) return;
  const NameId adjoint = r.adjoints.take_owned(statement.results[0].name).name();
  const auto dimensions = r.environment.dimensions(update.dimensions);
  const Type part = r.environment.type_of(update.value);
  if (r.adjoints.is_active(update.value)) {
    if (part.is_scalar()) {
      std::vector<Operand> indices;
      for (const SliceDimension& each : dimensions) indices.push_back(each.start);
      r.adjoints.add(update.value, r.out().index(adjoint, indices), Ownership::owned);
    } else {
      // A copy, for the part is overwritten next.
      const NameId view = r.out().add(Slice{adjoint, dimensions}, "part");
      r.adjoints.add(update.value, r.out().add(Copy{view}, "part"), Ownership::owned);
    }
  }
  if (r.adjoints.is_active(Operand(update.array))) {
    const Operand zeros = r.environment.zero(part);
    r.adjoints.add(Operand(update.array),
                   r.out().add(Update{adjoint, dimensions, zeros}, "adjoint"), Ownership::owned);
  }
}

// An array without values yet.
void adjoint_rule(Reverse& r, const Statement& statement, const Scratch&) {
  r.adjoints.take(statement.results[0].name);
}

}  // namespace dagaz::passes::ad
