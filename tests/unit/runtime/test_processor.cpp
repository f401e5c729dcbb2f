// What a program needs of the processor, compared with what there is.
#include <doctest/doctest.h>

#include "processor.h"
#include "test_program.h"

namespace {

using namespace dagaz::runtime;

bool has_avx(std::string_view feature) { return feature == "avx" || feature == "sse3"; }

std::string lacking(const char* features) {
  dz_program program = test::cpu_program();
  program.processor = "model";
  program.processor_features = features;
  return lacking_processor(program, has_avx);
}

TEST_CASE("a program runs where all is there that it needs") {
  CHECK(lacking(nullptr).empty());
  CHECK(lacking("").empty());
  CHECK(lacking("avx").empty());
  CHECK(lacking("sse3 avx").empty());
}

TEST_CASE("what is lacking is named") {
  CHECK(lacking("avx2").find("the processor model and needs what this one lacks: avx2; build") !=
        std::string::npos);
  CHECK(lacking("avx2 avx avx512f sse3 av").find(": avx2, avx512f, av; build") !=
        std::string::npos);
}

#if defined(__x86_64__) && defined(__GNUC__)
TEST_CASE("the processor has what the compiler's own library says") {
  CHECK(processor_has("sse3") == (__builtin_cpu_supports("sse3") != 0));
  CHECK(processor_has("sse4.2") == (__builtin_cpu_supports("sse4.2") != 0));
  CHECK(processor_has("popcnt") == (__builtin_cpu_supports("popcnt") != 0));
  CHECK(processor_has("avx") == (__builtin_cpu_supports("avx") != 0));
  CHECK(processor_has("avx2") == (__builtin_cpu_supports("avx2") != 0));
  CHECK(processor_has("fma") == (__builtin_cpu_supports("fma") != 0));
  CHECK(processor_has("bmi2") == (__builtin_cpu_supports("bmi2") != 0));
  CHECK(processor_has("avx512f") == (__builtin_cpu_supports("avx512f") != 0));
  CHECK(processor_has("avx512vbmi2") == (__builtin_cpu_supports("avx512vbmi2") != 0));
  CHECK(processor_has("avx512vpopcntdq") == (__builtin_cpu_supports("avx512vpopcntdq") != 0));
  CHECK(processor_has("gfni") == (__builtin_cpu_supports("gfni") != 0));
  CHECK(processor_has("xop") == (__builtin_cpu_supports("xop") != 0));
}
#endif

TEST_CASE("no processor has what nobody knows") { CHECK(!processor_has("made-up")); }

}  // namespace
