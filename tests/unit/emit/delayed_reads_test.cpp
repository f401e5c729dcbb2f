// Host code reads scalars from the device where they are needed, and not before.
#include "emit/delayed_reads.h"

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
  static Instruction allocate(NameId block) { return {Allocate{block, ir::i64_operand(8)}}; }
  static Instruction read(NameId target, NameId block) {
    return {ReadElement{target, block, ir::i64_operand(0), ScalarType::i64}};
  }
  static Instruction release(NameId block) { return {Release{block}}; }
  static Instruction launch(const char* kernel, NameId writes,
                            const Operand& value = ir::i64_operand(0)) {
    const Operand zero = ir::i64_operand(0);
    return {Launch{kernel,
                   ir::i64_operand(1),
                   256,
                   zero,
                   {{Store{writes, zero, value, ScalarType::i64}}},
                   {}}};
  }
  static Instruction write(NameId block, const Operand& value) {
    return {WriteElement{block, ir::i64_operand(0), value, ScalarType::i64}};
  }
  static Instruction add(NameId target, const Operand& a, const Operand& b) {
    return {Assign{target, ScalarOp::add, ScalarType::i64, ScalarType::i64, {a, b}}};
  }
};

/// The order of what is left, a letter each: Launch, reAd, Release, = for Assign, Fail, Share, If.
std::string order(const Tree& tree) {
  std::string letters;
  for (const Instruction& one : tree.program.functions[0].body) {
    if (as<Launch>(one.node)) letters += 'L';
    if (as<ReadElement>(one.node)) letters += 'A';
    if (as<Release>(one.node)) letters += 'R';
    if (as<Assign>(one.node)) letters += '=';
    if (as<Fail>(one.node)) letters += 'F';
    if (as<Share>(one.node)) letters += 'S';
    if (as<If>(one.node)) letters += 'I';
  }
  return letters;
}

std::string delayed(Tree& tree, Code body, std::vector<Operand> results = {}) {
  tree.main.body = std::move(body);
  tree.main.results = std::move(results);
  tree.program.functions = {tree.main};
  Kernels kernels(tree.program.names);
  delay_reads(tree.program, kernels);
  return order(tree);
}

}  // namespace

TEST_CASE("results of independent kernels are read together, and their memory freed after it") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId b = tree.block("b");
  const NameId x = tree.scalar("x");
  const NameId y = tree.scalar("y");
  CHECK(delayed(tree,
                {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a), Tree::release(a),
                 Tree::allocate(b), Tree::launch("two", b), Tree::read(y, b), Tree::release(b)},
                {x, y}) == "LLAARR");
}

TEST_CASE("a value is read before it is used") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId b = tree.block("b");
  const NameId x = tree.scalar("x");
  const NameId y = tree.scalar("y");
  CHECK(delayed(tree,
                {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a), Tree::add(y, x, x),
                 Tree::launch("two", b), Tree::release(a)},
                {y}) == "LLA=R");
}

TEST_CASE("memory is read before it is written again") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId x = tree.scalar("x");
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::launch("two", a)}, {x}) == "LAL");
}

TEST_CASE("memory with a second name is read at once") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId b = tree.block("b");
  const NameId x = tree.scalar("x");
  CHECK(delayed(tree,
                {Tree::allocate(a),
                 Tree::launch("one", a),
                 {Share{b, a}},
                 Tree::read(x, a),
                 Tree::launch("two", b)},
                {x}) == "LSAL");
}

TEST_CASE("a failure of the host comes after those that kernels may have had") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId x = tree.scalar("x");
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::launch("two", tree.block("b")), {Fail{0, {}}}}, {x}) == "LLAF");
}

TEST_CASE("what only kernels need they load, and compute what follows from it") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId b = tree.block("b");
  const NameId x = tree.scalar("x");
  const NameId y = tree.scalar("y");
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::release(a), Tree::add(y, x, x), Tree::launch("two", b, y)}) == "LLR");
  const auto* two = as<Launch>(tree.program.functions[0].body[2].node);
  CHECK(two->kernel == "two_fed_0");
  CHECK(as<Load>(two->body[0].node) != nullptr);
  CHECK(as<Assign>(two->body[1].node) != nullptr);
}

TEST_CASE("what kernels load and the host needs, too, is read when the host does") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId x = tree.scalar("x");
  CHECK(delayed(tree,
                {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a), Tree::release(a),
                 Tree::launch("two", tree.block("b"), x)},
                {x}) == "LLAR");
}

TEST_CASE("elements that values of the device are written to are written there") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId b = tree.block("b");
  const NameId x = tree.scalar("x");
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::release(a), Tree::write(b, x)}) == "LLR");
}

TEST_CASE("a value of the device says on the device which elements are written") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId b = tree.block("b");
  const NameId c = tree.block("c");
  const NameId x = tree.scalar("x");
  const NameId small = tree.program.names.fresh("small", ir::scalar_of(ScalarType::boolean));
  const Instruction compare =
      Assign{small, ScalarOp::slt, ScalarType::i64, ScalarType::boolean, {x, ir::i64_operand(9)}};
  const Instruction share = Share{c, b};
  const Instruction branch = If{small, {Tree::write(b, x), share}, {share}};
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::release(a), compare, branch}) == "LLSR");
}

TEST_CASE("host code that does more than to write elements waits for what it depends on") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId b = tree.block("b");
  const NameId x = tree.scalar("x");
  const NameId small = tree.program.names.fresh("small", ir::scalar_of(ScalarType::boolean));
  const Instruction compare =
      Assign{small, ScalarOp::slt, ScalarType::i64, ScalarType::boolean, {x, ir::i64_operand(9)}};
  const Instruction branch = If{small, {Tree::launch("two", b)}, {}};
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::release(a), compare, branch}) == "LA=RI");
}

}  // namespace dagaz::emit
