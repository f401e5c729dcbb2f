// What guards statements that become one, or move.
#pragma once

#include <algorithm>
#include <vector>

#include "ir/ops.h"

namespace dagaz::passes {

/// Adds the tokens that are not among `tokens` yet.
inline void add_tokens(std::vector<ir::NameId>& tokens, const std::vector<ir::NameId>& more) {
  for (const ir::NameId token : more) {
    if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
}

}  // namespace dagaz::passes
