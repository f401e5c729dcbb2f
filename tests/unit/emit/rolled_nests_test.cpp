// Loops are left as they are where others that run as often as is not known are inside.
#include "emit/rolled_nests.h"

#include <doctest/doctest.h>

#include "support/match.h"

namespace dagaz::emit {
namespace {

struct Tree {
  Program program{Target::cpu, {}, {}, {}, {}, {}, {}, {}, {}};

  Instruction loop(const Operand& bound, Code body) {
    return For{
        program.names.fresh("i", ir::scalar_of(ScalarType::i64)), bound, std::move(body), {}};
  }
  Operand unknown() { return program.names.fresh("n", ir::scalar_of(ScalarType::i64)); }
  /// Whether the loop around `body` stays rolled.
  bool around(Code body) {
    program.functions = {{"main", false, {}, {}, {loop(unknown(), std::move(body))}}};
    keep_nests_rolled(program);
    return as<For>(program.functions[0].body[0].node)->hints.rolled;
  }
};

}  // namespace

TEST_CASE("a loop around one that runs as often as is not known stays rolled") {
  Tree tree;
  CHECK(tree.around({tree.loop(tree.unknown(), {})}));
  const NameId more = tree.program.names.fresh("more", ir::scalar_of(ScalarType::boolean));
  CHECK(tree.around({While{{}, more, {}}}));
  CHECK(tree.around({If{more, {tree.loop(tree.unknown(), {})}, {}}}));
}

TEST_CASE("a loop around none, or around ones of known lengths, does not") {
  Tree tree;
  CHECK(!tree.around({}));
  CHECK(!tree.around({tree.loop(ir::i64_operand(4), {})}));
  CHECK(tree.around({tree.loop(ir::i64_operand(4), {tree.loop(tree.unknown(), {})})}));
}

}  // namespace dagaz::emit
