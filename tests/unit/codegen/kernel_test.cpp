// Kernels: the same programs run on the simulated GPU, and their PTX is accepted by NVIDIA's
// assembler where there is one.
#include <algorithm>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "codegen/program_builder.h"

using namespace codegen_test;
using namespace dagaz::tree;

namespace {

/// y[i] := f(x[i]) with one thread an element; fails for negative elements.
dagaz::tree::Program map_kernel(Target target, ScalarType type, const std::string& type_name,
                                      const std::vector<ScalarOp>& operations) {
  ProgramBuilder b(target);
  const NameId n = b.scalar("n");
  const NameId x = b.block("x");
  const NameId y = b.block("y");
  b.size_parameter(n);
  b.array_input(x, type, type_name, n);
  const auto size = dagaz::ir::byte_size(type);
  b.emit(Allocate{y, b.op(ScalarOp::mul, ScalarType::i64, {n, number(size)})});
  const Operand grid = b.op(ScalarOp::sdiv, ScalarType::i64,
                            {b.op(ScalarOp::add, ScalarType::i64, {n, number(255)}), number(256)});
  const int failure = b.failure("Element {} is negative.");
  Code body = b.collect([&] {
    const NameId thread = b.scalar("thread");
    const NameId block = b.scalar("block");
    b.emit(ReadSpecial{thread, Special::thread_index});
    b.emit(ReadSpecial{block, Special::block_index});
    const Operand first = b.op(ScalarOp::mul, ScalarType::i64, {block, number(256)});
    const Operand i = b.op(ScalarOp::add, ScalarType::i64, {first, thread});
    const Operand inside = b.op(ScalarOp::slt, ScalarType::i64, {i, n});
    b.emit(If{inside, b.collect([&] {
                const NameId xi = b.scalar("xi", type);
                b.emit(Load{xi, x, i, type, Space::global, true});
                const Operand zero = Operand(dagaz::ir::zero_of(type));
                const ScalarOp less = dagaz::ir::is_float(type) ? ScalarOp::flt : ScalarOp::slt;
                b.emit(If{b.op(less, type, {xi, zero}),
                          b.collect([&] { b.emit(Fail{failure, {i}}); }),
                          {}});
                Operand value = xi;
                for (const ScalarOp op : operations) {
                  std::vector<Operand> arguments = {value};
                  while (static_cast<int>(arguments.size()) < dagaz::ir::arity_of(op)) {
                    arguments.push_back(xi);
                  }
                  value = b.op(op, type, arguments);
                }
                b.emit(Store{y, i, value, type, Space::global});
              }),
              {}});
  });
  b.emit(Launch{"map_kernel", grid, 256, number(0), std::move(body), {}});
  b.array_output(y, type, type_name, n);
  return b.finish();
}

/// The sum of an array of i32 by one block of 64 threads: each adds a strided part, warps by
/// shuffles, the rest through shared memory; the total also goes through an atomic.
dagaz::tree::Program block_sum(Target target) {
  ProgramBuilder b(target);
  const NameId n = b.scalar("n");
  const NameId x = b.block("x");
  const NameId result = b.block("result");
  b.size_parameter(n);
  b.array_input(x, ScalarType::i32, "i32", n);
  const auto i32 = [](std::int64_t value) {
    return Operand(dagaz::ir::make_integer(ScalarType::i32, value));
  };
  b.emit(Allocate{result, number(4)});
  b.emit(WriteElement{result, number(0), i32(0), ScalarType::i32});
  Code body = b.collect([&] {
    const NameId thread = b.scalar("thread", ScalarType::i32);
    const NameId shared = b.block("shared");
    b.emit(ReadSpecial{thread, Special::thread_index});
    b.emit(SharedMemory{shared, number(0)});
    const NameId sum = b.scalar("sum", ScalarType::i32);
    const NameId at = b.scalar("at");
    const NameId more = b.scalar("more", ScalarType::boolean);
    const NameId wide = b.scalar("wide");
    b.emit(Move{sum, i32(0)});
    b.emit(Assign{wide, ScalarOp::sign_extend, ScalarType::i32, ScalarType::i64, {thread}, false});
    b.emit(Move{at, wide});
    b.emit(While{b.collect([&] {
                   b.emit(Assign{more, ScalarOp::slt, ScalarType::i64, ScalarType::boolean,
                                 {at, n}, false});
                 }),
                 more, b.collect([&] {
                   const NameId item = b.scalar("item", ScalarType::i32);
                   b.emit(Load{item, x, at, ScalarType::i32, Space::global, true});
                   b.emit(Assign{sum, ScalarOp::add, ScalarType::i32, ScalarType::i32,
                                 {sum, item}, true});
                   b.emit(Assign{at, ScalarOp::add, ScalarType::i64, ScalarType::i64,
                                 {at, number(64)}, false});
                 })});
    for (const int offset : {16, 8, 4, 2, 1}) {
      const NameId other = b.scalar("other", ScalarType::i32);
      b.emit(Shuffle{other, sum, ScalarType::i32, ShuffleMode::down, i32(offset)});
      b.emit(Assign{sum, ScalarOp::add, ScalarType::i32, ScalarType::i32, {sum, other}, true});
    }
    const Operand lane = b.op(ScalarOp::urem, ScalarType::i32, {thread, i32(32)});
    const Operand warp = b.op(ScalarOp::udiv, ScalarType::i64, {wide, number(32)});
    b.emit(If{b.op(ScalarOp::eq, ScalarType::i32, {lane, i32(0)}), b.collect([&] {
                b.emit(Store{shared, warp, sum, ScalarType::i32, Space::shared});
              }),
              {}});
    b.emit(Barrier{});
    const Operand few = b.op(ScalarOp::ult, ScalarType::i32, {thread, i32(2)});
    b.emit(If{few, b.collect([&] {
                const NameId part = b.scalar("part", ScalarType::i32);
                const NameId old = b.scalar("old", ScalarType::i32);
                b.emit(Load{part, shared, wide, ScalarType::i32, Space::shared, false});
                b.emit(Atomic{old, AtomicOp::add, result, number(0), part, ScalarType::i32,
                              Space::global});
              }),
              {}});
  });
  b.emit(Launch{"block_sum", number(1), 64, number(8), std::move(body), {}});
  const NameId total = b.scalar("total", ScalarType::i32);
  b.emit(ReadElement{total, result, number(0), ScalarType::i32});
  b.emit(Release{result});
  b.scalar_output(total, "i32");
  return b.finish();
}

/// Each thread adds to one counter under a compare-and-swap, at every width.
dagaz::tree::Program compare_exchange(Target target, ScalarType type,
                                            const std::string& type_name) {
  ProgramBuilder b(target);
  const NameId n = b.scalar("n");
  b.scalar_input(n, "i64");
  const NameId counter = b.block("counter");
  b.emit(Allocate{counter, number(8)});
  const Operand zero = Operand(dagaz::ir::zero_of(type));
  b.emit(WriteElement{counter, number(0), zero, type});
  Code body = b.collect([&] {
    const NameId seen = b.scalar("seen", type);
    const NameId old = b.scalar("old", type);
    const NameId again = b.scalar("again", ScalarType::boolean);
    b.emit(Load{seen, counter, number(0), type, Space::global, false});
    b.emit(Move{again, Operand(dagaz::ir::make_bool(true))});
    b.emit(While{{}, again, b.collect([&] {
                   const Operand next =
                       b.op(ScalarOp::add, type, {seen, Operand(dagaz::ir::one_of(type))});
                   b.emit(CompareExchange{old, counter, number(0), seen, next, type,
                                          Space::global});
                   b.emit(Assign{again, ScalarOp::ne, type, ScalarType::boolean, {old, seen},
                                 false});
                   b.emit(Move{seen, old});
                 })});
  });
  b.emit(Launch{"count_up", n, 32, number(0), std::move(body), {}});
  const NameId total = b.scalar("total", type);
  b.emit(ReadElement{total, counter, number(0), type});
  b.emit(Release{counter});
  b.scalar_output(total, type_name);
  return b.finish();
}

/// y[i] := x[i] + 1, or x[x[i] + 1], or the former only where it is positive.
enum class Access { direct, gather, conditional };
dagaz::tree::Program copy_kernel(Access access) {
  ProgramBuilder b(Target::cuda);
  const NameId n = b.scalar("n");
  const NameId x = b.block("x");
  const NameId y = b.block("y");
  b.size_parameter(n);
  b.array_input(x, ScalarType::i64, "i64", n);
  b.emit(Allocate{y, b.op(ScalarOp::mul, ScalarType::i64, {n, number(8)})});
  Code body = b.collect([&] {
    const NameId i = b.scalar("i");
    const NameId item = b.scalar("item");
    b.emit(ReadSpecial{i, Special::thread_index});
    b.emit(Load{item, x, i, ScalarType::i64, Space::global, false});
    const Operand next = b.op(ScalarOp::add, ScalarType::i64, {item, number(1)});
    if (access == Access::gather) {
      const NameId other = b.scalar("other");
      b.emit(Load{other, x, next, ScalarType::i64, Space::global, false});
      b.emit(Store{y, i, other, ScalarType::i64, Space::global});
    } else if (access == Access::conditional) {
      const Operand positive = b.op(ScalarOp::slt, ScalarType::i64, {number(0), next});
      b.emit(If{positive, b.collect([&] {
                  b.emit(Store{y, i, next, ScalarType::i64, Space::global});
                }),
                {}});
    } else {
      b.emit(Store{y, i, next, ScalarType::i64, Space::global});
    }
  });
  b.emit(Launch{"copy", number(1), 32, number(0), std::move(body), {}});
  b.array_output(y, ScalarType::i64, "i64", n);
  return b.finish();
}

/// y[i] := op(x[i]) for one block of threads a stride apart.
dagaz::tree::Program function_kernel(ScalarOp op) {
  ProgramBuilder b(Target::sim);
  const NameId n = b.scalar("n");
  const NameId x = b.block("x");
  const NameId y = b.block("y");
  b.size_parameter(n);
  b.array_input(x, ScalarType::f32, "f32", n);
  b.emit(Allocate{y, b.op(ScalarOp::mul, ScalarType::i64, {n, number(4)})});
  Code body = b.collect([&] {
    const NameId i = b.scalar("i");
    b.emit(For{i, n, b.collect([&] {
                 const NameId item = b.scalar("item", ScalarType::f32);
                 b.emit(Load{item, x, i, ScalarType::f32, Space::global, true});
                 b.emit(Store{y, i, b.op(op, ScalarType::f32, {item}), ScalarType::f32,
                              Space::global});
               }),
               {}});
  });
  b.emit(Launch{"function", number(1), 1, number(0), std::move(body), {}});
  b.array_output(y, ScalarType::f32, "f32", n);
  return b.finish();
}

/// The f32 in a line of text output.
std::vector<float> floats_in(const std::string& line) {
  std::vector<float> values;
  for (std::size_t at = 1; at < line.size(); at = line.find_first_of(",]", at) + 2) {
    const std::string item = line.substr(at, line.find_first_of(",]", at) - at);
    if (item.find("nan") != std::string::npos) {
      values.push_back(std::nanf(""));
    } else if (item.find("inf") != std::string::npos) {
      values.push_back(item[0] == '-' ? -HUGE_VALF : HUGE_VALF);
    } else {
      values.push_back(std::strtof(item.c_str(), nullptr));
    }
  }
  return values;
}

const std::vector<ScalarOp> unary_functions = {
    ScalarOp::sqrt,  ScalarOp::exp,    ScalarOp::log1p,  ScalarOp::sin,   ScalarOp::cos,
    ScalarOp::tanh,  ScalarOp::sinpi,  ScalarOp::cospi,  ScalarOp::tanpi, ScalarOp::asinh,
    ScalarOp::atan,  ScalarOp::erf,    ScalarOp::erfc,   ScalarOp::gamma, ScalarOp::lgamma,
    ScalarOp::cbrt,  ScalarOp::round,  ScalarOp::floor,  ScalarOp::ceil,  ScalarOp::trunc,
    ScalarOp::fpow,  ScalarOp::atan2,  ScalarOp::hypot,  ScalarOp::fmod,  ScalarOp::fmin,
    ScalarOp::fma,   ScalarOp::digamma, ScalarOp::trigamma, ScalarOp::nextafter,
    ScalarOp::tan,   ScalarOp::asin,   ScalarOp::acos,   ScalarOp::sinh,  ScalarOp::cosh,
    ScalarOp::acosh, ScalarOp::atanh,  ScalarOp::log,    ScalarOp::log2,  ScalarOp::log10,
    ScalarOp::asinpi, ScalarOp::acospi, ScalarOp::atanpi, ScalarOp::atan2pi, ScalarOp::rsqrt,
    ScalarOp::copysign, ScalarOp::fsgn};

}  // namespace

TEST_CASE("a map kernel on the simulated GPU") {
  const auto program = map_kernel(Target::sim, ScalarType::i64, "i64", {ScalarOp::mul});
  const auto outcome = run(program, "[1i64,2i64,3i64]");
  CHECK(outcome.errors == "");
  CHECK(outcome.output == "[1i64, 4i64, 9i64]\n");
}

TEST_CASE("a failure in a kernel is reported with its arguments") {
  const auto program = map_kernel(Target::sim, ScalarType::i64, "i64", {ScalarOp::mul});
  const auto outcome = run(program, "[1i64,-2i64,3i64]");
  CHECK(outcome.status == 1);
  CHECK(outcome.errors.find("Element 1 is negative.") != std::string::npos);
}

TEST_CASE("a block reduces through shuffles, shared memory and an atomic") {
  std::string input = "[";
  for (int i = 0; i < 1000; ++i) input += (i == 0 ? "" : ",") + std::to_string(i) + "i32";
  const auto outcome = run(block_sum(Target::sim), input + "]");
  CHECK(outcome.errors == "");
  CHECK(outcome.output == "499500i32\n");
}

TEST_CASE("compare-and-swap at every width") {
  for (const auto& [type, name] : std::vector<std::pair<ScalarType, std::string>>{
           {ScalarType::i8, "i8"}, {ScalarType::i16, "i16"}, {ScalarType::i32, "i32"},
           {ScalarType::i64, "i64"}, {ScalarType::f16, "f16"}, {ScalarType::f32, "f32"},
           {ScalarType::f64, "f64"}}) {
    const bool real = dagaz::ir::is_float(type);
    const auto outcome = run(compare_exchange(Target::sim, type, name), "3i64");
    CHECK(outcome.errors == "");
    CHECK(outcome.output == std::string(real ? "96.0" : "96") + name + "\n");
    check_assembles(compare_exchange(Target::cuda, type, name));
  }
}

TEST_CASE("functions of f32 in kernels are accurate to two units in the last place") {
  std::vector<float> inputs = {0.0F, -0.0F, 1.0F, HUGE_VALF, -HUGE_VALF, std::nanf(""), 1e-45F,
                               88.7F, 88.8F, -87.4F, -103.5F, -104.5F, 3.4e38F, 1.18e-38F};
  for (int i = -4000; i < 4000; ++i) inputs.push_back(static_cast<float>(i) * 0.0271F);
  for (int i = 0; i < 2000; ++i) {
    inputs.push_back(std::ldexp(1.0F + static_cast<float>(i) / 2000, i % 200 - 100));
  }
  std::string text = "[";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    char item[40];
    std::snprintf(item, sizeof item, "%s%.9gf32", i == 0 ? "" : ",",
                  static_cast<double>(inputs[i]));
    text += std::isnan(inputs[i])   ? ",f32.nan"
            : std::isinf(inputs[i]) ? (inputs[i] < 0 ? ",-f32.inf" : ",f32.inf")
                                    : item;
  }
  for (const ScalarOp op : {ScalarOp::exp, ScalarOp::log, ScalarOp::tanh}) {
    const auto outcome = run(function_kernel(op), text + "]");
    REQUIRE(outcome.errors == "");
    const std::vector<float> found = floats_in(outcome.output);
    REQUIRE(found.size() == inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double x = static_cast<double>(inputs[i]);
      const double exact = op == ScalarOp::exp   ? std::exp(x)
                           : op == ScalarOp::log ? std::log(x)
                                                 : std::tanh(x);
      const auto wanted = static_cast<float>(exact);
      if (std::isnan(wanted) && std::isnan(found[i])) continue;
      if (wanted == found[i]) continue;
      const double unit = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
      const double error = std::fabs(static_cast<double>(found[i]) - exact) / unit;
      CHECK_MESSAGE(error < 2.0, dagaz::ir::name_of(op) << " of " << x << " gives " << found[i]);
    }
  }
}

TEST_CASE("PTX of kernels assembles") {
  check_assembles(map_kernel(Target::cuda, ScalarType::i64, "i64", {ScalarOp::mul}));
  check_assembles(map_kernel(Target::cuda, ScalarType::i8, "i8",
                             {ScalarOp::ipow, ScalarOp::sdiv_floor, ScalarOp::smul_hi}));
  check_assembles(block_sum(Target::cuda));
}

TEST_CASE("names in PTX that mean something in one function only do not say in which") {
  const auto artifacts =
      generate(block_sum(Target::cuda), test_options(), dagaz::codegen::want_ptx);
  REQUIRE(artifacts.problem == "");
  CHECK(artifacts.ptx.find("_param_") == std::string::npos);
  CHECK(artifacts.ptx.find("BB") == std::string::npos);
  CHECK(artifacts.ptx.find("[p1]") != std::string::npos);
}

TEST_CASE("kernels look for earlier failures only where these could do harm") {
  // The failure word is the first argument; a kernel that cannot fail reads it for nothing else.
  const auto looks = [](Access access) {
    const auto artifacts =
        generate(copy_kernel(access), test_options(), dagaz::codegen::want_ptx);
    REQUIRE(artifacts.problem == "");
    REQUIRE(artifacts.ptx.find(".entry copy(") != std::string::npos);
    return artifacts.ptx.find("[p0]") != std::string::npos;
  };
  CHECK(!looks(Access::direct));
  CHECK(looks(Access::gather));
  CHECK(looks(Access::conditional));
}

TEST_CASE("PTX with every function of reals assembles") {
  for (const auto& [type, name] : std::vector<std::pair<ScalarType, std::string>>{
           {ScalarType::f16, "f16"}, {ScalarType::f32, "f32"}, {ScalarType::f64, "f64"}}) {
    check_assembles(map_kernel(Target::cuda, type, name, unary_functions));
  }
}

TEST_CASE("an unknown GPU is refused with a reason") {
  auto options = test_options();
  options.gpu = "sm_35";
  const auto program = map_kernel(Target::cuda, ScalarType::i64, "i64", {ScalarOp::mul});
  CHECK(generate(program, options, dagaz::codegen::want_ptx).problem.find("`sm_35`") !=
        std::string::npos);
}
