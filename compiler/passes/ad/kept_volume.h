// How much memory values take, as a sum of products of sizes: 8·n·m + 16·n bytes.  Which of two
// such sums is larger is decided without knowing the sizes, on the safe side.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ir/type.h"

namespace dagaz::passes::ad {

class KeptVolume {
 public:
  void add(const ir::Type& type);
  void add(const KeptVolume& other);
  void multiply(const ir::Operand& size);
  /// Whether this is at most `times` as much as `other`, whatever the sizes: each product divides
  /// one there.  Of products that are really smaller there may be more, a few of them.
  bool fits(const KeptVolume& other, std::int64_t times) const;

 private:
  using Product = std::vector<ir::NameId>;  // sorted
  std::map<Product, std::int64_t> terms_;   // with their factors
};

}  // namespace dagaz::passes::ad
