// Programs large enough to be compiled in parts: the parts work together, and what they become
// does not depend on how many threads compiled them.
#include <doctest/doctest.h>

#include <string>

#include "codegen/program_builder.h"

using namespace codegen_test;
using namespace dagaz::tree;

namespace {

constexpr int stages = 12;
constexpr int additions = 400;

/// What stage `number` does with the element `value`: adds to it, and takes it through a function
/// that needs tables on a GPU.
Operand stage_value(ProgramBuilder& b, Operand value, int number) {
  const auto f64 = [](double x) { return Operand(dagaz::ir::make_float(ScalarType::f64, x)); };
  for (int k = 0; k < additions; ++k) {
    value = b.op(ScalarOp::add, ScalarType::f64, {value, f64(number)});
  }
  value = b.op(ScalarOp::exp, ScalarType::f64, {b.op(ScalarOp::log, ScalarType::f64, {value})});
  return b.op(ScalarOp::round, ScalarType::f64, {value});
}

/// x[i] := the stage's value of x[i], for all i < n.
void emit_stage(ProgramBuilder& b, NameId x, NameId n, int number) {
  const NameId i = b.scalar("i");
  const auto element = [&] {
    const NameId old = b.scalar("old", ScalarType::f64);
    b.emit(Load{old, x, i, ScalarType::f64, Space::global, false});
    b.emit(Store{x, i, stage_value(b, old, number), ScalarType::f64, Space::global});
  };
  if (b.program.target == Target::cpu) {
    const NameId begin = b.scalar("begin");
    const NameId end = b.scalar("end");
    Code body = b.collect([&] {
      const Operand count = b.op(ScalarOp::sub, ScalarType::i64, {end, begin});
      const NameId k = b.scalar("k");
      b.emit(For{k, count, b.collect([&] {
                   b.emit(Assign{i, ScalarOp::add, ScalarType::i64, ScalarType::i64, {begin, k},
                                 false});
                   element();
                 }),
                 LoopHints{true, false}});
    });
    b.emit(ParallelFor{n, ::codegen_test::number(1024), begin, end, std::move(body)});
    return;
  }
  Code body = b.collect([&] {
    const NameId thread = b.scalar("thread", ScalarType::i32);
    b.emit(ReadSpecial{thread, Special::thread_index});
    b.emit(Assign{i, ScalarOp::sign_extend, ScalarType::i32, ScalarType::i64, {thread}, false});
    b.emit(If{b.op(ScalarOp::slt, ScalarType::i64, {i, n}), b.collect(element), {}});
  });
  b.emit(Launch{"stage_" + std::to_string(number), ::codegen_test::number(1), 32,
                ::codegen_test::number(0), std::move(body), {}});
}

/// All stages, and the first once more.
dagaz::tree::Program long_program(Target target) {
  ProgramBuilder b(target);
  const NameId n = b.scalar("n");
  const NameId x = b.block("x");
  b.size_parameter(n);
  b.array_input(x, ScalarType::f64, "f64", n);
  for (int k = 1; k <= stages; ++k) emit_stage(b, x, n, k);
  emit_stage(b, x, n, 1);
  b.array_output(x, ScalarType::f64, "f64", n);
  return b.finish();
}

dagaz::codegen::Artifacts compiled(Target target, unsigned threads) {
  auto options = test_options();
  options.threads = threads;
  return generate(long_program(target), options, dagaz::codegen::want_object);
}

}  // namespace

TEST_CASE("parts work together") {
  // Each stage adds `additions` times its number: 1 + … + 12, and 1 again.
  for (const Target target : {Target::cpu, Target::sim}) {
    const auto outcome = run(long_program(target), "[0f64, 1f64]");
    CHECK(outcome.errors == "");
    CHECK(outcome.output == "[31600.0f64, 31601.0f64]\n");
  }
}

TEST_CASE("the number of threads does not matter to what is made") {
  for (const Target target : {Target::cpu, Target::sim, Target::cuda}) {
    const auto alone = compiled(target, 1);
    const auto together = compiled(target, 4);
    CHECK(alone.problem == "");
    CHECK((target == Target::cuda || alone.objects.size() > 2));
    CHECK(alone.objects == together.objects);
    CHECK(alone.ptx == together.ptx);
  }
}

TEST_CASE("text is that of the whole program") {
  const auto artifacts = generate(long_program(Target::cpu), test_options(),
                                  dagaz::codegen::want_llvm | dagaz::codegen::want_assembly);
  for (const char* name : {"dz_program_test", "dz.test.task.main.0", "dz.test.task.main.11"}) {
    CHECK(artifacts.llvm.find(name) != std::string::npos);
    CHECK(artifacts.assembly.find(name) != std::string::npos);
  }
}

TEST_CASE("loops of the same form share their code") {
  const auto artifacts = generate(long_program(Target::cpu), test_options(),
                                  dagaz::codegen::want_assembly);
  CHECK(artifacts.assembly.find("dz.test.task.main.12") == std::string::npos);
}

TEST_CASE("PTX of several parts assembles") { check_assembles(long_program(Target::cuda)); }
