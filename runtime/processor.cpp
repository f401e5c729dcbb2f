// Asking the processor, and comparing.
#include "processor.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace dagaz::runtime {

#ifdef __x86_64__

namespace {

struct Answer {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Answer ask(unsigned leaf, unsigned part) {
  Answer answer;
  if (__get_cpuid_count(leaf, part, &answer.a, &answer.b, &answer.c, &answer.d) == 0) {
    return {};
  }
  return answer;
}

/// The registers that the system saves, a bit for each kind.
unsigned saved_registers() {
  constexpr unsigned knows_saving = 1u << 27;
  if ((ask(1, 0).c & knows_saving) == 0) {
    return 0;
  }
  unsigned low = 0;
  unsigned high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

constexpr unsigned none = 0;
constexpr unsigned ymm = 0x6;
constexpr unsigned zmm = 0xe6;
constexpr unsigned egpr = 1u << 19;

}  // namespace

bool processor_has(std::string_view feature) {
#define DZ_PROCESSOR_FEATURE(name, leaf, part, word, bit, state)       \
  if (feature == name) {                                               \
    return (ask(leaf, part).word >> bit & 1u) != 0 &&                  \
           (state == none || (saved_registers() & state) == state);    \
  }
#include "processor_features.def"
#undef DZ_PROCESSOR_FEATURE
  return false;
}

#else

bool processor_has(std::string_view) {
  return false;
}

#endif

std::string lacking_processor(const dz_program& program, bool (*has)(std::string_view feature)) {
  std::string_view rest =
      program.processor_features == nullptr ? "" : program.processor_features;
  std::string lacking;
  while (!rest.empty()) {
    const std::string_view feature = rest.substr(0, rest.find(' '));
    rest.remove_prefix(feature.size() == rest.size() ? rest.size() : feature.size() + 1);
    if (!has(feature)) {
      lacking += (lacking.empty() ? "" : ", ") + std::string(feature);
    }
  }
  if (lacking.empty()) {
    return "";
  }
  return std::string("this program was built for the processor ") + program.processor +
         " and needs what this one lacks: " + lacking +
         "; build it on this machine, or with --cpu=generic for every machine";
}

}  // namespace dagaz::runtime
