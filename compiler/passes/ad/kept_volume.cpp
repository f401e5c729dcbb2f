#include "passes/ad/kept_volume.h"

#include <algorithm>

#include "ir/scalar.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

/// So many products of fewer sizes count as one of all.
constexpr std::int64_t smaller_for_one = 16;

}  // namespace

void KeptVolume::add(const Type& type) {
  std::int64_t factor = byte_size(type.element);
  Product product;
  for (const Operand& size : type.shape) {
    if (size.is_name()) {
      product.push_back(size.name());
    } else {
      factor *= integer_value(size.constant());
    }
  }
  std::sort(product.begin(), product.end());
  terms_[product] += factor;
}

void KeptVolume::add(const KeptVolume& other) {
  for (const auto& [product, factor] : other.terms_) terms_[product] += factor;
}

void KeptVolume::multiply(const Operand& size) {
  std::map<Product, std::int64_t> multiplied;
  for (const auto& [product, factor] : terms_) {
    if (size.is_constant()) {
      multiplied[product] += factor * std::max<std::int64_t>(integer_value(size.constant()), 0);
      continue;
    }
    Product with = product;
    with.insert(std::upper_bound(with.begin(), with.end(), size.name()), size.name());
    multiplied[with] += factor;
  }
  terms_ = std::move(multiplied);
}

bool KeptVolume::fits(const KeptVolume& other, std::int64_t times) const {
  std::map<Product, std::int64_t> left;
  for (const auto& [product, factor] : other.terms_) {
    left[product] = factor * times * smaller_for_one;
  }
  return std::all_of(terms_.begin(), terms_.end(), [&](const auto& term) {
    const auto& [product, factor] = term;
    return std::any_of(left.begin(), left.end(), [&](auto& room) {
      const bool divides = std::includes(room.first.begin(), room.first.end(), product.begin(),
                                         product.end());
      const std::int64_t needed = room.first == product ? factor * smaller_for_one : factor;
      if (!divides || room.second < needed) return false;
      room.second -= needed;
      return true;
    });
  });
}

}  // namespace dagaz::passes::ad
