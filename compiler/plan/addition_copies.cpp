// Pieces of a map that add to arrays either have copies of these or use atomic instructions; the
// runtime takes copies where a piece is more work than they are large, so there are two versions
// of the map.  Where each iteration is that much work whatever the sizes, one is enough: where each
// product of sizes in what the arrays hold is a part of products in what an iteration takes, say
// c * d of 162 * c * d * h, as all sizes are at least 1 where there is anything to do.
#include "plan/addition_copies.h"

#include <algorithm>

namespace dagaz::plan {

using ir::Operand;
using ir::Product;

namespace {

/// A product as in schedules, whose factor may be any number.
struct Term {
  double factor = 1;
  std::vector<Operand> sizes;
};

Term product_of(const std::vector<Operand>& sizes) {
  Term product;
  for (const Operand& size : sizes) {
    if (size.is_constant()) {
      product.factor *= static_cast<double>(ir::integer_value(size.constant()));
    } else {
      product.sizes.push_back(size);
    }
  }
  return product;
}

/// Whether `sizes` has all of `wanted`, as often.
bool contains(std::vector<Operand> sizes, const std::vector<Operand>& wanted) {
  for (const Operand& one : wanted) {
    const auto found = std::find(sizes.begin(), sizes.end(), one);
    if (found == sizes.end()) return false;
    sizes.erase(found);
  }
  return true;
}

/// What an iteration of the outermost dimension takes.
std::vector<Term> iteration_of(const ir::SegmentedMap& map,
                               const std::vector<Product>& operations) {
  std::vector<Operand> inner;
  for (std::size_t k = 1; k < map.space.size(); ++k) inner.push_back(map.space[k].extent);
  const Term points = product_of(inner);
  std::vector<Term> sum;
  for (const Product& one : operations) {
    Term& term = sum.emplace_back(Term{static_cast<double>(one.factor) * points.factor, one.sizes});
    term.sizes.insert(term.sizes.end(), points.sizes.begin(), points.sizes.end());
  }
  return sum;
}

}  // namespace

// `copied_operations` pay for filling an element of a copy and adding it to the array, with enough
// left that a copy is little beside a piece of one iteration.
bool always_copies(const ir::SegmentedMap& map, const std::vector<Product>& operations,
                   const Tunables& tunables) {
  std::vector<Term> arrays;
  for (const ir::Type& type : map.result_types) {
    if (type.kind == ir::TypeKind::accumulator) arrays.push_back(product_of(type.shape));
  }
  std::stable_sort(arrays.begin(), arrays.end(),
                   [](const Term& a, const Term& b) { return a.sizes.size() > b.sizes.size(); });
  std::vector<Term> left = iteration_of(map, operations);
  return std::all_of(arrays.begin(), arrays.end(), [&](const Term& array) {
    double wanted = static_cast<double>(tunables.copied_operations) * array.factor;
    for (Term& one : left) {
      if (!contains(one.sizes, array.sizes)) continue;
      const double taken = std::min(wanted, one.factor);
      one.factor -= taken;
      wanted -= taken;
    }
    return wanted <= 0;
  });
}

bool adds_single_numbers(const Surroundings& around, const ir::SegmentedMap& e) {
  Surroundings inside(&around);
  bool adds = false;
  for (const ir::Statement& one : e.body.statements) {
    const auto* addition = as<ir::Accumulate>(one.operation);
    if (addition == nullptr) continue;
    adds = true;
    // One that an operation inside has handed on: that operation accumulates, too.
    const Opened* const opened = inside.opened(addition->accumulator);
    if (opened == nullptr || !opened->row.is_scalar()) return false;
    inside.continue_accumulator(one.results[0].name, addition->accumulator);
  }
  return adds && !e.space.empty();
}

}  // namespace dagaz::plan
