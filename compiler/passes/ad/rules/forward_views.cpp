// Views and copies are linear:  ys = v(xs)  has  ẏs = v(ẋs).
#include <utility>

#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

// An operation that does to its array's tangent what it does to the array.
template <typename Make>
static void linear(Forward& f, const Statement& statement, NameId array, const Make& make) {
  f.environment.copy_statement(statement);
  f.tangents.bind_each(statement, f.tangents.dependence().of(array), [&](int j) {
    return f.environment.out().add(make(f.tangents.or_zero(array, j).name()), "tangent");
  });
}

void tangent_rule(Forward& f, const Statement& statement, const Index& index) {
  linear(f, statement, index.array, [&](NameId x) {
    return Index{x, f.environment.operands(index.indices)};
  });
}

void tangent_rule(Forward& f, const Statement& statement, const Slice& slice) {
  linear(f, statement, slice.array, [&](NameId x) {
    return Slice{x, f.environment.dimensions(slice.dimensions)};
  });
}

void tangent_rule(Forward& f, const Statement& statement, const Reshape& reshape) {
  linear(f, statement, reshape.array, [&](NameId x) {
    return Reshape{x, f.environment.operands(reshape.shape)};
  });
}

void tangent_rule(Forward& f, const Statement& statement, const Permute& permute) {
  linear(f, statement, permute.array, [&](NameId x) { return Permute{x, permute.permutation}; });
}

void tangent_rule(Forward& f, const Statement& statement, const Copy& copy) {
  linear(f, statement, copy.array, [&](NameId x) { return Copy{x}; });
}

void tangent_rule(Forward& f, const Statement& statement, const Concat& concat) {
  f.environment.copy_statement(statement);
  f.tangents.bind_each(statement, f.tangents.dependence().of(concat.arrays), [&](int j) {
    Concat result{f.environment.operand(concat.width), {}};
    for (const NameId array : concat.arrays) {
      result.arrays.push_back(f.tangents.or_zero(array, j).name());
    }
    return f.environment.out().add(std::move(result), "tangent");
  });
}

}  // namespace dagaz::passes::ad
