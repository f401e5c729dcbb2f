// SHA-256 (FIPS 180-4): names for contents.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dagaz::driver {

/// Takes bytes, and says at last which they were.
class Digest {
 public:
  void add(std::string_view bytes);
  /// The bytes and where they end: what is added field by field is told apart from what has the
  /// same bytes in other fields.
  void add_field(std::string_view bytes);
  /// 64 hexadecimal digits; nothing may be added after.
  std::string text();

 private:
  static constexpr std::size_t block_bytes = 64;
  void take(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, block_bytes> rest_{};  // of a block
  std::size_t rest_size_ = 0;
  std::uint64_t bytes_ = 0;
};

/// The digest of one text.
std::string digest_of(std::string_view bytes);

}  // namespace dagaz::driver
