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
  static Instruction launch(const char* kernel, NameId writes) {
    const Operand zero = ir::i64_operand(0);
    return {Launch{kernel, ir::i64_operand(1), 256, zero,
                   {{Store{writes, zero, zero, ScalarType::i64}}}, {}}};
  }
  static Instruction add(NameId target, const Operand& a, const Operand& b) {
    return {Assign{target, ScalarOp::add, ScalarType::i64, ScalarType::i64, {a, b}}};
  }
};

/// The order of what is left, a letter each: Launch, reAd, Release, = for Assign, Fail.
std::string order(const Tree& tree) {
  std::string letters;
  for (const Instruction& one : tree.program.functions[0].body) {
    if (as<Launch>(one.node)) letters += 'L';
    if (as<ReadElement>(one.node)) letters += 'A';
    if (as<Release>(one.node)) letters += 'R';
    if (as<Assign>(one.node)) letters += '=';
    if (as<Fail>(one.node)) letters += 'F';
  }
  return letters;
}

std::string delayed(Tree& tree, Code body, std::vector<Operand> results = {}) {
  tree.main.body = std::move(body);
  tree.main.results = std::move(results);
  tree.program.functions = {tree.main};
  delay_reads(tree.program);
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
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::add(y, x, x), Tree::launch("two", b), Tree::release(a)}) == "LA=LR");
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
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), {Share{b, a}},
                       Tree::read(x, a), Tree::launch("two", b)}, {x}) == "LAL");
}

TEST_CASE("a failure of the host comes after those that kernels may have had") {
  Tree tree;
  const NameId a = tree.block("a");
  const NameId x = tree.scalar("x");
  CHECK(delayed(tree, {Tree::allocate(a), Tree::launch("one", a), Tree::read(x, a),
                       Tree::launch("two", tree.block("b")), {Fail{0, {}}}}, {x}) == "LLAF");
}

}  // namespace dagaz::emit
