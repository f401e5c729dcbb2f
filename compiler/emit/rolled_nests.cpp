#include "emit/rolled_nests.h"

#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::emit {

// Whether there is a loop that runs as often as is not known.
static bool keep_rolled(Code& code) {
  bool any = false;
  for (Instruction& one : code) {
    bool inside = false;
    tree::for_each_code(one, [&](Code& inner) { inside = keep_rolled(inner) || inside; });
    if (auto* loop = as<For>(one.node)) {
      loop->hints.rolled = loop->hints.rolled || inside;
      inside = inside || !loop->bound.is_constant();
    }
    any = any || inside || as<While>(one.node) != nullptr;
  }
  return any;
}

void keep_nests_rolled(Program& program) {
  for (Function& function : program.functions) keep_rolled(function.body);
}

}  // namespace dagaz::emit
