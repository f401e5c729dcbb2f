// RFC 1321.
#include "support/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace dagaz {

namespace {

using State = std::array<std::uint32_t, 4>;
constexpr std::size_t block_bytes = 64;

constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// The parts of sines that lie behind the point.
std::uint32_t constant(std::uint32_t step) {
  return static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(step + 1.0)) * 0x1p32));
}

void add_block(State& state, const char* bytes) {
  std::array<std::uint32_t, 16> words;
  std::memcpy(words.data(), bytes, block_bytes);
  auto [a, b, c, d] = state;
  for (std::uint32_t step = 0; step < block_bytes; ++step) {
    const std::uint32_t round = step / 16;
    std::uint32_t mixed = 0;
    std::uint32_t word = 0;
    if (round == 0) {
      mixed = (b & c) | (~b & d);
      word = step;
    } else if (round == 1) {
      mixed = (b & d) | (c & ~d);
      word = 5 * step + 1;
    } else if (round == 2) {
      mixed = b ^ c ^ d;
      word = 3 * step + 5;
    } else {
      mixed = c ^ (b | ~d);
      word = 7 * step;
    }
    const std::uint32_t sum = a + mixed + constant(step) + words[word % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, rotations[round][step % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5(std::string_view text) {
  State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::string rest(text.substr(text.size() - text.size() % block_bytes));
  for (std::size_t at = 0; at + block_bytes <= text.size(); at += block_bytes) {
    add_block(state, text.data() + at);
  }
  rest += '\x80';
  while (rest.size() % block_bytes != block_bytes - 8) rest += '\0';
  const std::uint64_t bits = 8 * std::uint64_t{text.size()};
  rest.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  for (std::size_t at = 0; at < rest.size(); at += block_bytes) add_block(state, &rest[at]);
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 0; shift < 32; shift += 8) {
      const std::uint32_t byte = word >> shift & 0xff;
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    }
  }
  return out;
}

}  // namespace dagaz
