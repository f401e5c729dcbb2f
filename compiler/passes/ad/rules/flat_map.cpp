// Reverse mode of flatmap.
#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

void Reverse::rule(const Statement& statement, const FlatMap&) {
  throw Unsupported{statement.location, "reverse mode of `flatmap`"};
}

}  // namespace dagaz::passes::ad
