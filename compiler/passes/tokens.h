// What guards statements that become one, or move.
#pragma once

#include <algorithm>
#include <vector>

#include "ir/fields.h"
#include "ir/ops.h"

namespace dagaz::passes {

/// Adds the tokens that are not among `tokens` yet.
inline void add_tokens(std::vector<ir::NameId>& tokens, const std::vector<ir::NameId>& more) {
  for (const ir::NameId token : more) {
    if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
}

/// Drops the tokens of which `drops` is true from statements and those inside of them.
template <typename Drops>
void drop_tokens(std::vector<ir::Statement>& statements, const Drops& drops) {
  for (ir::Statement& one : statements) {
    std::erase_if(one.tokens, drops);
    ir::for_each_scope(one.operation,
                       [&](ir::Body& inner) { drop_tokens(inner.statements, drops); });
  }
}

}  // namespace dagaz::passes
