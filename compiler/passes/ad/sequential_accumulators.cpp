// The rules of loops and updates give the derivative of what is written in turn (sequencer.h).  It
// stores the array at every iteration: the general operator has no inverse, so there is no way
// without the values between.
#include "passes/ad/sequential_accumulators.h"

#include <algorithm>

#include "ir/fields.h"
#include "passes/ad/environment.h"
#include "passes/ad/sequencer.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

bool has_while(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& each) {
    const auto* loop = as<Loop>(each.operation);
    bool found = loop != nullptr && std::holds_alternative<WhileForm>(loop->form);
    for_each_scope(each.operation, [&](const Body& inner) { found = found || has_while(inner); });
    return found;
  });
}

bool needs_order(const WithAccumulator& with, DerivativeMode mode) {
  return (mode == DerivativeMode::reverse && has_while(with.body.body)) ||
         std::any_of(with.inputs.begin(), with.inputs.end(), [](const AccumulatorInput& input) {
           return input.op && !is_addition(*input.op);
         });
}

}  // namespace

Body with_ordered_accumulation(Body body, DerivativeMode mode, Names& names) {
  return sequenced(std::move(body), names, nullptr,
                   [mode](const WithAccumulator& with) { return needs_order(with, mode); });
}

}  // namespace dagaz::passes::ad
