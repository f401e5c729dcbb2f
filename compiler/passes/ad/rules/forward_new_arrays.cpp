// Arrays that are made of scalars, or of other arrays with a part replaced, are linear in both; the
// tangents of sizes and places do not count.
#include <utility>

#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void tangent_rule(Forward& f, const Statement& statement, const ArrayLiteral& literal) {
  f.environment.copy_statement(statement);
  f.tangents.bind_each(statement, f.tangents.dependence().of(literal.elements), [&](int j) {
    ArrayLiteral result{f.environment.type(literal.element), {}};
    for (const Operand& element : literal.elements) {
      result.elements.push_back(f.tangents.or_zero(element, j));
    }
    return f.environment.out().add(std::move(result), "tangent");
  });
}

void tangent_rule(Forward& f, const Statement& statement, const Iota& iota) {
  f.environment.copy_statement(statement);
  const Dependence& dependence = f.tangents.dependence();
  f.tangents.bind_each(
      statement, dependence.of(iota.start) | dependence.of(iota.stride), [&](int j) {
        return f.environment.out().add(
            Iota{iota.type, f.environment.operand(iota.count), f.tangents.or_zero(iota.start, j),
                 f.tangents.or_zero(iota.stride, j)},
            "tangent");
      });
}

void tangent_rule(Forward& f, const Statement& statement, const Replicate& replicate) {
  f.environment.copy_statement(statement);
  f.tangents.bind_each(statement, f.tangents.dependence().of(replicate.value), [&](int j) {
    return f.environment.out().add(
        Replicate{f.environment.operands(replicate.shape), f.tangents.or_zero(replicate.value, j)},
        "tangent");
  });
}

void tangent_rule(Forward& f, const Statement& statement, const Update& update) {
  const Directions active =
      f.tangents.dependence().of(update.array) | f.tangents.dependence().of(update.value);
  const auto dimensions = f.environment.dimensions(update.dimensions);
  f.tangents.bind_each(statement, active, [&](int j) {
    const NameId array = f.tangents.or_zero(update.array, j).name();
    const Operand value = f.tangents.or_zero(update.value, j);
    return f.environment.out().add(Update{array, dimensions, value}, "tangent");
  });
  f.environment.copy_statement(statement);
}

void tangent_rule(Forward& f, const Statement& statement, const Scratch&) {
  f.environment.copy_statement(statement);
}

}  // namespace dagaz::passes::ad
