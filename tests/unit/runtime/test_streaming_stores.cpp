// Copies past the caches, of any length from and to any address.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstddef>

#include "abi.h"
#include "cpu/streaming_stores.h"

namespace {

TEST_CASE("just the bytes asked for are copied, wherever they begin") {
  constexpr std::size_t room = 512;
  alignas(64) static unsigned char source[room];
  alignas(64) static unsigned char target[room];
  for (std::size_t k = 0; k < room; ++k) source[k] = static_cast<unsigned char>(k * 7 + 1);
  for (const std::size_t from : {0u, 1u, 16u, 33u, 64u}) {
    for (std::size_t to = 0; to < 70; ++to) {
      for (const std::size_t length : {0u, 1u, 5u, 63u, 64u, 65u, 127u, 128u, 200u, 320u}) {
        std::fill(target, target + room, static_cast<unsigned char>(0));
        dz_copy_streaming(target + to, source + from, static_cast<int64_t>(length));
        dagaz::runtime::finish_streaming_stores();
        bool equal = true;
        for (std::size_t k = 0; k < room; ++k) {
          const bool copied = k >= to && k < to + length;
          equal = equal && target[k] == (copied ? source[k - to + from] : 0);
        }
        CHECK(equal);
      }
    }
  }
}

}  // namespace
