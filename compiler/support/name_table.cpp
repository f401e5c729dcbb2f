#include "support/name_table.h"

namespace dagaz {

Symbol NameTable::intern(std::string_view spelling) {
  if (const auto found = index_.find(spelling); found != index_.end()) return found->second;
  const std::string& kept = spellings_.emplace_back(spelling);
  const Symbol symbol(spellings_.size() - 1);
  index_.emplace(kept, symbol);
  return symbol;
}

}  // namespace dagaz
