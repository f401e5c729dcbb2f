// Interned spellings: a Symbol is compared and hashed as a number.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "support/id.h"

namespace dagaz {

struct SymbolTag {};
/// An interned spelling; meaningful together with the NameTable that made it.
using Symbol = Id<SymbolTag>;

/// Spelling ↔ symbol, one table per compilation.
class NameTable {
 public:
  /// The symbol of `spelling`, made on first use.
  Symbol intern(std::string_view spelling);
  /// The spelling of `symbol`; stays valid as long as the table.
  std::string_view text(Symbol symbol) const { return spellings_[symbol.index]; }
  std::size_t size() const { return spellings_.size(); }

 private:
  std::deque<std::string> spellings_;
  std::unordered_map<std::string_view, Symbol> index_;
};

}  // namespace dagaz
