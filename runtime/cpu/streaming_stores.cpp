// "Non-temporal" stores collect in buffers of the processor's, a line each, and go to memory when
// they are whole: without the line being read first. So whole lines are stored, each at once. Both
// ends of what is copied, where they share their lines with others, are stored as usual.
#include "cpu/streaming_stores.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "abi.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

constexpr std::size_t line = 64;

#if defined(__x86_64__)

void store_lines(char* to, const char* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line) {
    __m128i parts[line / sizeof(__m128i)];
    std::memcpy(parts, from + i, line);
    for (std::size_t k = 0; k < std::size(parts); ++k) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i) + k, parts[k]);
    }
  }
}

__attribute__((target("avx"))) void store_lines_by_halves(char* to, const char* from,
                                                          std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line) {
    const auto* const source = reinterpret_cast<const __m256i*>(from + i);
    auto* const target = reinterpret_cast<__m256i*>(to + i);
    const __m256i first = _mm256_loadu_si256(source);
    const __m256i second = _mm256_loadu_si256(source + 1);
    _mm256_stream_si256(target, first);
    _mm256_stream_si256(target + 1, second);
  }
}

__attribute__((target("avx512f"))) void store_whole_lines(char* to, const char* from,
                                                          std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
  }
}

using Storing = void (*)(char* to, const char* from, std::size_t bytes);

Storing storing() {
  if (__builtin_cpu_supports("avx512f") != 0) return store_whole_lines;
  if (__builtin_cpu_supports("avx") != 0) return store_lines_by_halves;
  return store_lines;
}

void stream_lines(char* to, const char* from, std::size_t bytes) {
  static const Storing store = storing();
  store(to, from, bytes);
}

#else

// Other processors notice by themselves that whole lines are written.
void stream_lines(char* to, const char* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

#endif

}  // namespace

namespace dagaz::runtime {

void finish_streaming_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace dagaz::runtime

void dz_copy_streaming(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return;
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const auto all = static_cast<std::size_t>(bytes);
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(to) % line;
  const std::size_t before = std::min(behind == 0 ? 0 : line - behind, all);
  const std::size_t whole = (all - before) / line * line;
  const std::size_t last = all - before - whole;
  // Strips are short, and nearly all of them whole lines: a call for nothing would tell.
  if (before != 0) std::memcpy(target, source, before);
  stream_lines(target + before, source + before, whole);
  if (last != 0) std::memcpy(target + before + whole, source + before + whole, last);
}
