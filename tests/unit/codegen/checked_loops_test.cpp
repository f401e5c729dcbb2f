// Gathers that check their indices: several in one iteration, which fail as one by one.
#include <doctest/doctest.h>

#include "codegen/program_builder.h"

using namespace codegen_test;
using namespace dagaz::tree;

namespace {

/// result[i] := x[places[i]] for the m places, each of which must be below n.
dagaz::tree::Program gather() {
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  const NameId m = b.scalar("m");
  const NameId x = b.block("x");
  const NameId places = b.block("places");
  const NameId result = b.block("result");
  b.size_parameter(n);
  b.size_parameter(m);
  b.array_input(x, ScalarType::f32, "f32", n);
  b.array_input(places, ScalarType::i64, "i64", m);
  b.emit(Allocate{result, b.op(ScalarOp::mul, ScalarType::i64, {m, number(4)})});
  const NameId i = b.scalar("i");
  const int failure = b.failure("There is no {}.");
  Code body = b.collect([&] {
    const NameId place = b.scalar("place");
    const NameId value = b.scalar("value", ScalarType::f32);
    b.emit(Load{place, places, i, ScalarType::i64, Space::global, true});
    const Operand is_inside = b.op(ScalarOp::ult, ScalarType::i64, {place, n});
    b.emit(If{is_inside, {}, b.collect([&] { b.emit(Fail{failure, {place}}); })});
    b.emit(Load{value, x, place, ScalarType::f32, Space::global, true});
    b.emit(Store{result, i, value, ScalarType::f32, Space::global});
  });
  b.emit(For{i, m, std::move(body), LoopHints{.independent = true}});
  b.array_output(result, ScalarType::f32, "f32", m);
  return b.finish();
}

int gathered_at_once(std::int64_t together) {
  auto options = test_options();
  options.tunables.checked_together = together;
  const std::string llvm = generate(gather(), options, dagaz::codegen::want_llvm).llvm;
  int reads = 0;
  for (std::size_t at = llvm.find("load float"); at != std::string::npos;
       at = llvm.find("load float", at + 1)) {
    ++reads;
  }
  return reads;
}

}  // namespace

TEST_CASE("a loop with checks of what it reads has several iterations in one") {
  CHECK(gathered_at_once(1) == 1);
  CHECK(gathered_at_once(4) == 4 + 1);  // and what is left
}

TEST_CASE("the first wrong index is told, wherever it stands in an iteration") {
  auto options = test_options();
  options.tunables.checked_iterations = 1;
  const auto errors = [&](const std::string& places) {
    return run(gather(), "[1f32,2f32,3f32] " + places, options).errors;
  };
  CHECK(run(gather(), "[1f32,2f32,3f32] [2i64,0,1,1,2,0]", options).output ==
        "[3.0f32, 1.0f32, 2.0f32, 2.0f32, 3.0f32, 1.0f32]\n");
  CHECK(errors("[7i64,8,1,1,9,0]").find("There is no 7.") != std::string::npos);
  CHECK(errors("[0i64,2,1,-8,9,0]").find("There is no -8.") != std::string::npos);
  CHECK(errors("[0i64,2,1,1,2,9]").find("There is no 9.") != std::string::npos);
}
