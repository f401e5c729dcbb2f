// Arrays that each iteration of a loop would make for itself lie in memory that it finds.
#include "emit/shared_scratch.h"

#include <doctest/doctest.h>

#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::emit {
namespace {

struct Tree {
  Program program{Target::cpu, {}, {}, {}, {}, {}, {}, {}, {}};

  NameId block(const char* name) {
    return program.names.fresh(name, ir::Type{ScalarType::i8, {}, ir::TypeKind::block});
  }
  NameId scalar(const char* name) {
    return program.names.fresh(name, ir::scalar_of(ScalarType::i64));
  }
  static Instruction four_times(NameId target, const Operand& size) {
    return {Assign{target, ScalarOp::mul, ScalarType::i64, ScalarType::i64,
                   {size, ir::i64_operand(4)}}};
  }
  static Instruction store(NameId block, NameId index) {
    return {Store{block, index, index, ScalarType::i64}};
  }
  Code shared(Code body) {
    program.functions = {Function{"main", false, {}, {}, std::move(body)}};
    share_scratch(program);
    return std::move(program.functions[0].body);
  }
};

Instruction loop(NameId index, const Operand& bound, Code body, bool independent = false) {
  return {For{index, bound, std::move(body), {independent, false, false}}};
}
Instruction scope(Code body) { return {ScratchScope{std::move(body)}}; }

/// A letter for each instruction, in order: Scope and what is in it, For, Allocate, = for Assign,
/// Write.
std::string order(const Code& code) {
  std::string letters;
  for (const Instruction& one : code) {
    if (as<ScratchScope>(one.node)) letters += 'S';
    if (as<For>(one.node)) letters += 'F';
    if (as<If>(one.node)) letters += 'I';
    if (as<AllocateScratch>(one.node)) letters += 'A';
    if (as<Assign>(one.node)) letters += '=';
    if (as<Store>(one.node)) letters += 'W';
    bool any = false;
    std::string inside;
    tree::for_each_code(one, [&](const Code& inner) {
      any = true;
      inside += order(inner);
    });
    if (any) letters += '(' + inside + ')';
  }
  return letters;
}

}  // namespace

TEST_CASE("memory of a size known before the loop is taken there, and its scope is gone inside") {
  Tree tree;
  const NameId n = tree.scalar("n");
  const NameId i = tree.scalar("i");
  const NameId bytes = tree.scalar("bytes");
  const NameId x = tree.block("x");
  const Code code = tree.shared({loop(i, n,
                                      {scope({Tree::four_times(bytes, n),
                                              {AllocateScratch{x, bytes}}, Tree::store(x, i)})},
                                      true)});
  // The size, whether there are iterations, and the size or nothing.
  CHECK(order(code) == "S(===AF(=W))");
  const auto& inside = as<ScratchScope>(code[0].node)->body;
  CHECK_FALSE(as<For>(inside.back().node)->hints.independent);
}

TEST_CASE("memory of a size that goes on from iteration to iteration stays where it is") {
  Tree tree;
  const NameId n = tree.scalar("n");
  const NameId i = tree.scalar("i");
  const NameId bytes = tree.scalar("bytes");
  const NameId x = tree.block("x");
  const Code code = tree.shared({loop(i, n,
                                      {scope({Tree::four_times(bytes, bytes),
                                              {AllocateScratch{x, bytes}}, Tree::store(x, i)})})});
  CHECK(order(code) == "F(S(=AW))");
}

TEST_CASE("memory stays after a refusal that does not depend on the iteration") {
  Tree tree;
  const NameId n = tree.scalar("n");
  const NameId i = tree.scalar("i");
  const NameId bytes = tree.scalar("bytes");
  const NameId x = tree.block("x");
  const auto checked = [&](NameId length) {
    const NameId fits = tree.program.names.fresh("fits", ir::scalar_of(ScalarType::boolean));
    const Instruction check{Assign{fits, ScalarOp::sle, ScalarType::i64, ScalarType::boolean,
                                   {ir::i64_operand(0), length}}};
    return tree.shared({loop(i, n,
                             {scope({check, {If{fits, {}, {{Fail{0, {length}}}}}},
                                     Tree::four_times(bytes, n), {AllocateScratch{x, bytes}},
                                     Tree::store(x, i)})})});
  };
  CHECK(order(checked(n)) == "F(S(=I()=AW))");
  CHECK(order(checked(i)) == "S(===AF(=I()=W))");
}

TEST_CASE("memory leaves all loops around it that know its size") {
  Tree tree;
  const NameId n = tree.scalar("n");
  const NameId i = tree.scalar("i");
  const NameId j = tree.scalar("j");
  const NameId x = tree.block("x");
  const Operand eight = ir::i64_operand(8);
  const Code code = tree.shared(
      {loop(i, n, {loop(j, eight, {scope({{AllocateScratch{x, eight}}, Tree::store(x, j)})})})});
  CHECK(order(code) == "S(==AF(F(W)))");
}

TEST_CASE("memory stays where its size changes or a branch takes it") {
  Tree tree;
  const NameId n = tree.scalar("n");
  const NameId i = tree.scalar("i");
  const NameId some = tree.program.names.fresh("some", ir::scalar_of(ScalarType::boolean));
  const NameId bytes = tree.scalar("bytes");
  const NameId x = tree.block("x");
  const NameId y = tree.block("y");
  const Code code = tree.shared(
      {loop(i, n,
            {scope({Tree::four_times(bytes, i), {AllocateScratch{x, bytes}}, Tree::store(x, i),
                    {If{some, {{AllocateScratch{y, n}}, Tree::store(y, i)}, {}}}})})});
  CHECK(order(code) == "F(S(=AWI(AW)))");
}

TEST_CASE("a division of a size does not move to where nobody asked for it") {
  Tree tree;
  const NameId n = tree.scalar("n");
  const NameId i = tree.scalar("i");
  const NameId bytes = tree.scalar("bytes");
  const NameId x = tree.block("x");
  const Instruction divide{Assign{bytes, ScalarOp::udiv, ScalarType::i64, ScalarType::i64,
                                  {ir::i64_operand(64), n}}};
  const Code code =
      tree.shared({loop(i, n, {scope({divide, {AllocateScratch{x, bytes}}, Tree::store(x, i)})})});
  CHECK(order(code) == "F(S(=AW))");
}

}  // namespace dagaz::emit
