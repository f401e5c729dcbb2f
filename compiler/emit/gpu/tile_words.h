// What tiles of a scan tell each other: words of 64 bits, each with 32 bits of a value and a state.
// A word is read and written whole, so whoever sees the state sees the value, without a fence
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016, §4.4).
#pragma once

#include <cstdint>
#include <vector>

#include "emit/context/context.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

class TileWords {
 public:
  /// `block` has words for each tile, of values of `types`; states of 0 when the kernel begins.
  TileWords(NameId block, std::vector<ir::Type> types);
  static std::int64_t words_of(const std::vector<ir::Type>& types);

  void publish(Context& c, const Operand& tile, std::int64_t state,
               const std::vector<Value>& values) const;
  /// Loads the words of a tile into `words`, and into `state` what all of them say, else 0.
  void look(Context& c, const Operand& tile, NameId state, const std::vector<NameId>& words) const;
  /// The values that words hold.
  std::vector<Value> values(Context& c, const std::vector<NameId>& words) const;

 private:
  Operand index(Context& c, const Operand& tile, std::size_t word) const;

  NameId block_;
  std::vector<ir::Type> types_;
};

}  // namespace dagaz::emit
