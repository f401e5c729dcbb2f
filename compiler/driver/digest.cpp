#include "driver/digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dagaz::driver {

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::array<std::uint32_t, 64> schedule_of(const unsigned char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t k = 0; k < 4; ++k) words[i] = words[i] << 8 | block[4 * i + k];
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = words[i - 15];
    const std::uint32_t b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  return words;
}

}  // namespace

void Digest::take(const unsigned char* block) {
  const std::array<std::uint32_t, 64> words = schedule_of(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + round_constants[i] + words[i];
    const std::uint32_t two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                              ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Digest::add(std::string_view bytes) {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), block_bytes - rest_size_);
    std::memcpy(&rest_[rest_size_], bytes.data(), count);
    rest_size_ += count;
    bytes.remove_prefix(count);
    if (rest_size_ < block_bytes) return;
    take(rest_.data());
    rest_size_ = 0;
  }
}

void Digest::add_field(std::string_view bytes) {
  add(std::to_string(bytes.size()) + ":");
  add(bytes);
}

std::string Digest::text() {
  const std::uint64_t bits = 8 * bytes_;
  // A bit that is set, zeros up to the last eight bytes of a block, and there the number of bits.
  const std::size_t zeros = (2 * block_bytes - rest_size_ - 9) % block_bytes;
  std::string padding(1 + zeros + 8, '\0');
  padding[0] = static_cast<char>(0x80);
  for (std::size_t i = 0; i < 8; ++i) {
    padding[padding.size() - 1 - i] = static_cast<char>(bits >> (8 * i) & 0xff);
  }
  add(padding);
  std::string out;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[word >> shift & 0xf];
  }
  return out;
}

std::string digest_of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.text();
}

}  // namespace dagaz::driver
