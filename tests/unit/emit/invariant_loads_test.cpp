// Loads go through the read-only cache exactly where the kernel cannot write what they read,
// whatever the memory is called.
#include "emit/invariant_loads.h"

#include <doctest/doctest.h>

#include "support/match.h"

namespace dagaz::emit {
namespace {

struct Tree {
  Program program{Target::cuda, {}, {}, {}, {}, {}, {}, {}, {}};
  Function main{"main", false, {}, {}, {}};

  NameId block(const char* name) {
    return program.names.fresh(name, ir::Type{ScalarType::i8, {}, ir::TypeKind::block});
  }
  NameId scalar(const char* name) {
    return program.names.fresh(name, ir::scalar_of(ScalarType::i64));
  }
  /// A kernel that copies the first element of `source` to `target`.
  Instruction copying(const char* kernel, NameId target, NameId source) {
    const NameId x = scalar("x");
    const Operand zero = ir::i64_operand(0);
    return {Launch{kernel, ir::i64_operand(1), 256, zero,
                   {{Load{x, source, zero, ScalarType::i64}},
                    {Store{target, zero, x, ScalarType::i64}}},
                   {}}};
  }
  void finish() {
    program.functions = {main};
    mark_invariant_loads(program);
  }
};

const Code* inside(const Instruction& one) {
  const auto* loop = as<For>(one.node);
  return loop == nullptr ? nullptr : &loop->body;
}

/// By launch, in order: whether its load is invariant.
void collect(const Code& code, std::vector<bool>& invariant) {
  for (const Instruction& one : code) {
    if (const Code* body = inside(one)) collect(*body, invariant);
    if (const auto* launch = as<Launch>(one.node)) {
      invariant.push_back(as<Load>(launch->body[0].node)->invariant);
    }
  }
}

std::vector<bool> invariant(const Tree& tree) {
  std::vector<bool> found;
  collect(tree.program.functions[0].body, found);
  return found;
}

}  // namespace

TEST_CASE("memory under a second name is known to be written") {
  Tree tree;
  const NameId x = tree.block("x");
  const NameId y = tree.block("y");
  const NameId same = tree.block("same");
  tree.main.parameters = {x};
  tree.main.body = {{Allocate{y, ir::i64_operand(8)}},
                    {Share{same, x}},
                    tree.copying("a", y, x),
                    tree.copying("b", same, x),
                    tree.copying("c", x, same)};
  tree.finish();
  CHECK(invariant(tree) == std::vector<bool>{true, false, false});
}

TEST_CASE("what two branches bind may be either's memory") {
  Tree tree;
  const NameId x = tree.block("x");
  const NameId y = tree.block("y");
  const NameId z = tree.block("z");
  const NameId either = tree.block("either");
  tree.main.parameters = {x, y, z};
  tree.main.body = {{If{ir::make_bool(true), {{Share{either, x}}}, {{Share{either, y}}}}},
                    tree.copying("a", either, x),
                    tree.copying("b", either, y),
                    tree.copying("c", either, z)};
  tree.finish();
  CHECK(invariant(tree) == std::vector<bool>{false, false, true});
}

TEST_CASE("a loop's new buffer is not the one before it") {
  Tree tree;
  const NameId state = tree.block("state");
  const NameId next = tree.block("next");
  const NameId older = tree.block("older");
  const NameId i = tree.scalar("i");
  tree.main.parameters = {state};
  tree.main.body = {
      {Share{older, state}},
      {For{i, ir::i64_operand(10),
           {{Allocate{next, ir::i64_operand(8)}},
            tree.copying("fresh", next, state),
            tree.copying("old", older, state),
            {Share{older, state}},
            {Share{state, next}}},
           {}}}};
  tree.finish();
  // Both `older` and `state` are of iterations before, and may be the same one's.
  CHECK(invariant(tree) == std::vector<bool>{true, false});
}

TEST_CASE("launches of one kernel agree") {
  Tree tree;
  const NameId x = tree.block("x");
  const NameId y = tree.block("y");
  tree.main.parameters = {x, y};
  tree.main.body = {tree.copying("a", y, x), tree.copying("a", x, x)};
  tree.finish();
  CHECK(invariant(tree) == std::vector<bool>{false, false});
}

}  // namespace dagaz::emit
