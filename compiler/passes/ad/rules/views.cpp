// Views and copies, which only move elements:  for ys = v(xs),  x̄s += v⁻¹(ȳs).
//
//   index, slice   x̄s[is] += ȳ
//   reshape        x̄s += ȳs in the shape of xs
//   permute        x̄s += ȳs under the inverse permutation
//   concat         each array gets its part of ȳs
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void adjoint_rule(Reverse& r, const Statement& statement, const Index& index) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  r.adjoints.add_at(index.array, r.environment.operands(index.indices), *adjoint->value);
}

void adjoint_rule(Reverse& r, const Statement& statement, const Slice& slice) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  r.adjoints.add_slice(slice.array, r.environment.dimensions(slice.dimensions), *adjoint->value);
}

void adjoint_rule(Reverse& r, const Statement& statement, const Reshape& reshape) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  const Type type = r.environment.type_of(Operand(reshape.array));
  r.adjoints.add(Operand(reshape.array),
                 r.out().add(Reshape{adjoint->value->name(), type.shape}, "adjoint"),
                 adjoint->ownership);
}

void adjoint_rule(Reverse& r, const Statement& statement, const Permute& permute) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  std::vector<int> inverse(permute.permutation.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    inverse[static_cast<std::size_t>(permute.permutation[i])] = static_cast<int>(i);
  }
  r.adjoints.add(Operand(permute.array),
                 r.out().add(Permute{adjoint->value->name(), inverse}, "adjoint"),
                 adjoint->ownership);
}

void adjoint_rule(Reverse& r, const Statement& statement, const Concat& concat) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  const NameId whole = adjoint->value->name();
  Operand start = i64_operand(0);
  for (const NameId array : concat.arrays) {
    const Type type = r.environment.type_of(Operand(array));
    std::vector<SliceDimension> part;
    for (std::size_t i = 0; i < type.rank(); ++i) {
      part.push_back(
          SliceDimension{false, i == 0 ? start : i64_operand(0), type.shape[i], i64_operand(1)});
    }
    if (r.adjoints.is_active(Operand(array))) {
      r.adjoints.add(Operand(array), r.out().add(Slice{whole, part}, "part"), Ownership::shared);
    }
    start = r.out().add_i64(start, type.shape[0]);
  }
}

void adjoint_rule(Reverse& r, const Statement& statement, const Copy& copy) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  r.adjoints.add(Operand(copy.array), *adjoint->value, adjoint->ownership);
}

}  // namespace dagaz::passes::ad
