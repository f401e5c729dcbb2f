#include "passes/ad/loop_depth.h"

#include <algorithm>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

int loops_in(const Operation& operation) {
  int inside = 0;
  for_each_scope(operation, [&](const Body& body) {
    for (const Statement& each : body.statements) {
      inside = std::max(inside, loops_in(each.operation));
    }
  });
  const bool is_loop = as<MapScanReduce>(operation) != nullptr || as<Loop>(operation) != nullptr;
  return inside + (is_loop ? 1 : 0);
}

}  // namespace dagaz::passes::ad
