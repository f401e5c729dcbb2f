// Host code: arguments in, parallel loops, memory, failures, results out.
#include <doctest/doctest.h>

#include <cmath>

#include "codegen/program_builder.h"

using namespace codegen_test;
using namespace dagaz::tree;

namespace {

/// y[i] := a * x[i] + y[i] in a new array, in parallel.
dagaz::tree::Program saxpy() {
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  const NameId a = b.scalar("a", ScalarType::f32);
  const NameId x = b.block("x");
  const NameId y = b.block("y");
  const NameId result = b.block("result");
  b.size_parameter(n);
  b.scalar_input(a, "f32");
  b.array_input(x, ScalarType::f32, "f32", n);
  b.array_input(y, ScalarType::f32, "f32", n);
  b.emit(Allocate{result, b.op(ScalarOp::mul, ScalarType::i64, {n, number(4)})});
  const NameId begin = b.scalar("begin");
  const NameId end = b.scalar("end");
  const NameId i = b.scalar("i");
  Code body = b.collect([&] {
    const Operand count = b.op(ScalarOp::sub, ScalarType::i64, {end, begin});
    Code inner = b.collect([&] {
      const Operand at = b.op(ScalarOp::add, ScalarType::i64, {begin, i});
      const NameId xi = b.scalar("xi", ScalarType::f32);
      const NameId yi = b.scalar("yi", ScalarType::f32);
      b.emit(Load{xi, x, at, ScalarType::f32, Space::global, true});
      b.emit(Load{yi, y, at, ScalarType::f32, Space::global, true});
      const Operand product = b.op(ScalarOp::mul, ScalarType::f32, {a, xi});
      const Operand sum = b.op(ScalarOp::add, ScalarType::f32, {product, yi});
      b.emit(Store{result, at, sum, ScalarType::f32, Space::global});
    });
    b.emit(For{i, count, std::move(inner), LoopHints{true, false}});
  });
  b.emit(ParallelFor{n, number(1024), begin, end, std::move(body)});
  b.array_output(result, ScalarType::f32, "f32", n);
  return b.finish();
}

}  // namespace

TEST_CASE("a parallel loop over arrays") {
  const auto outcome = run(saxpy(), "2f32 [1f32,2f32,3f32] [10f32,20f32,30f32]");
  CHECK(outcome.errors == "");
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "[12.0f32, 24.0f32, 36.0f32]\n");
}

TEST_CASE("unoptimised code gives the same") {
  auto options = test_options();
  options.optimisation = 0;
  options.cpu = "generic";
  const auto outcome = run(saxpy(), "2f32 [1f32,2f32,3f32] [10f32,20f32,30f32]", options);
  CHECK(outcome.output == "[12.0f32, 24.0f32, 36.0f32]\n");
}

TEST_CASE("an independent loop is vectorised") {
  auto options = test_options();
  options.cpu = "x86-64-v3";
  const auto artifacts = generate(saxpy(), options, dagaz::codegen::want_llvm);
  CHECK(artifacts.llvm.find("<8 x float>") != std::string::npos);
}

TEST_CASE("a task keeps vectors where they do not cross cache lines") {
  const auto artifacts = generate(saxpy(), test_options(), dagaz::codegen::want_llvm);
  CHECK(artifacts.llvm.find("alignstack=64") != std::string::npos);
}

TEST_CASE("sizes that contradict each other are reported with their names") {
  const auto outcome = run(saxpy(), "2f32 [1f32,2f32,3f32] [10f32,20f32]");
  CHECK(outcome.status == 1);
  CHECK(outcome.errors.find("dimension 0 of argument `y` is 2, but dimension 0 of argument `x` "
                            "is 3") != std::string::npos);
}

TEST_CASE("a failure ends the program and releases what is alive") {
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  b.scalar_input(n, "i64");
  const NameId memory = b.block("memory");
  b.emit(Allocate{memory, number(64)});
  const Operand bad = b.op(ScalarOp::slt, ScalarType::i64, {n, number(0)});
  const int failure = b.failure("The argument is {}, below {}.");
  b.emit(If{bad, b.collect([&] { b.emit(Fail{failure, {n, number(0)}}); }), {}});
  b.emit(Release{memory});
  b.scalar_output(n, "i64");
  const auto program = b.finish();
  CHECK(run(program, "5i64").output == "5i64\n");
  const auto outcome = run(program, "-3i64");
  CHECK(outcome.status == 1);
  CHECK(outcome.errors.find("The argument is -3, below 0.") != std::string::npos);
}

TEST_CASE("a failure inside a task ends the loop") {
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  b.scalar_input(n, "i64");
  const NameId begin = b.scalar("begin");
  const NameId end = b.scalar("end");
  const int failure = b.failure("Iteration {} fails.");
  Code body = b.collect([&] {
    const Operand late = b.op(ScalarOp::slt, ScalarType::i64, {number(3), end});
    b.emit(If{late, b.collect([&] { b.emit(Fail{failure, {number(3)}}); }), {}});
  });
  b.emit(ParallelFor{n, number(1), begin, end, std::move(body)});
  b.scalar_output(n, "i64");
  const auto program = b.finish();
  CHECK(run(program, "2i64").output == "2i64\n");
  CHECK(run(program, "9i64").errors.find("Iteration 3 fails.") != std::string::npos);
}

TEST_CASE("a loop carries variables and blocks") {
  // sum of squares, written to memory and read back
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  b.scalar_input(n, "i64");
  const NameId sum = b.scalar("sum");
  const NameId i = b.scalar("i");
  const NameId memory = b.block("memory");
  b.emit(Allocate{memory, number(8)});
  b.emit(Move{sum, number(0)});
  b.emit(For{i, n, b.collect([&] {
               const Operand square = b.op(ScalarOp::mul, ScalarType::i64, {i, i});
               b.emit(Assign{sum, ScalarOp::add, ScalarType::i64, ScalarType::i64,
                             {sum, square}, true});
               b.emit(Store{memory, number(0), sum, ScalarType::i64, Space::global});
             }),
             {}});
  const NameId result = b.scalar("result");
  b.emit(Load{result, memory, number(0), ScalarType::i64, Space::global, false});
  b.emit(Release{memory});
  b.scalar_output(result, "i64");
  CHECK(run(b.finish(), "10i64").output == "285i64\n");
}

TEST_CASE("what counts in a loop may be set behind it") {
  // The sum of what it counts, and then of its double.
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  b.scalar_input(n, "i64");
  const NameId sum = b.scalar("sum");
  const NameId i = b.scalar("i");
  const auto add = [&] {
    b.emit(Assign{sum, ScalarOp::add, ScalarType::i64, ScalarType::i64, {sum, i}});
  };
  b.emit(Move{sum, number(0)});
  b.emit(For{i, n, b.collect(add), {}});
  b.emit(Assign{i, ScalarOp::add, ScalarType::i64, ScalarType::i64, {n, n}});
  add();
  b.scalar_output(sum, "i64");
  CHECK(run(b.finish(), "10i64").output == "65i64\n");
}

TEST_CASE("a maximum over floats is vectorised and ignores NaN") {
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  const NameId x = b.block("x");
  b.size_parameter(n);
  b.array_input(x, ScalarType::f32, "f32", n);
  const NameId largest = b.scalar("largest", ScalarType::f32);
  const NameId i = b.scalar("i");
  b.emit(Move{largest, Operand(dagaz::ir::make_float(ScalarType::f32, -HUGE_VAL))});
  b.emit(For{i, n, b.collect([&] {
               const NameId item = b.scalar("item", ScalarType::f32);
               b.emit(Load{item, x, i, ScalarType::f32, Space::global, true});
               b.emit(Assign{largest, ScalarOp::fmax, ScalarType::f32, ScalarType::f32,
                             {largest, item}, true});
             }),
             {}});
  b.scalar_output(largest, "f32");
  const auto program = b.finish();
  auto options = test_options();
  options.cpu = "x86-64-v3";
  const auto artifacts = generate(program, options, dagaz::codegen::want_llvm);
  CHECK(artifacts.llvm.find("@llvm.maxnum.v8f32") != std::string::npos);
  std::string input = "[f32.nan";
  for (int k = 0; k < 50; ++k) input += k % 7 == 3 ? ",f32.nan" : "," + std::to_string(k) + "f32";
  CHECK(run(program, input + ",f32.nan]").output == "49.0f32\n");
  CHECK(run(program, "[f32.nan]").output == "-f32.inf\n");
}
