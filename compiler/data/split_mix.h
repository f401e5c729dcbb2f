// SplitMix (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
// the words that the peer's random values are made of.
#pragma once

#include <bit>
#include <cstdint>

namespace dagaz::data {

class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(mix(seed)), gamma_(mix_gamma(seed + golden_gamma)) {}

  uint64_t word() { return mix(state_ += gamma_); }
  uint32_t half_word() { return static_cast<uint32_t>(word()); }

 private:
  static constexpr uint64_t golden_gamma = 0x9e3779b97f4a7c15;

  static uint64_t mixed(uint64_t z, int first, uint64_t a, int second, uint64_t b, int third) {
    z = (z ^ z >> first) * a;
    z = (z ^ z >> second) * b;
    return z ^ z >> third;
  }
  static uint64_t mix(uint64_t z) {
    return mixed(z, 33, 0xff51afd7ed558ccd, 33, 0xc4ceb9fe1a85ec53, 33);
  }
  static uint64_t mix_gamma(uint64_t z) {
    const uint64_t odd = mixed(z, 30, 0xbf58476d1ce4e5b9, 27, 0x94d049bb133111eb, 31) | 1;
    constexpr int enough_changes = 24;
    return std::popcount(odd ^ odd >> 1) >= enough_changes ? odd : odd ^ 0xaaaaaaaaaaaaaaaa;
  }

  uint64_t state_;
  uint64_t gamma_;
};

}  // namespace dagaz::data
