#include "plan/target.h"

#include <charconv>

namespace dagaz::plan {

namespace {

constexpr TargetDescription sse2{.registers = 16, .register_bytes = 16};
constexpr TargetDescription avx2{.registers = 16, .register_bytes = 32};
constexpr TargetDescription avx512{.registers = 32, .register_bytes = 64, .has_masks = true};
constexpr TargetDescription neon{.registers = 32, .register_bytes = 16};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TargetDescription this_machine() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return avx512;
  return __builtin_cpu_supports("avx2") != 0 ? avx2 : sse2;
#else
  return neon;
#endif
}

#if defined(__x86_64__)
constexpr TargetDescription oldest = sse2;
#else
constexpr TargetDescription oldest = neon;
#endif

}  // namespace

// Of processors that are not known by name, those of today have at least AVX2; for an older one
// blocks are too large, and some of their sums wait in memory.
TargetDescription target_named(std::string_view cpu) {
  if (cpu == "native") return this_machine();
  if (cpu == "generic") return oldest;
  if (cpu == "x86-64" || cpu == "x86-64-v2") return sse2;
  if (has(cpu, "avx512") || cpu == "x86-64-v4") return avx512;
  for (const std::string_view family : {"arm64", "cortex", "neoverse", "apple"}) {
    if (has(cpu, family)) return neon;
  }
  return avx2;
}

int capability_named(std::string_view gpu) {
  int capability = 0;
  if (gpu.starts_with("sm_")) std::from_chars(gpu.data() + 3, gpu.data() + gpu.size(), capability);
  return capability;
}

}  // namespace dagaz::plan
