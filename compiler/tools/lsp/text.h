// Places in texts as the protocol counts them, and files as it names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dagaz::tools::lsp {

/// What a character counts as: bytes or units of UTF-16, as agreed with the client.
enum class Encoding { utf8, utf16 };

/// Line and character, both from 0.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
  auto operator<=>(const Place&) const = default;
};

/// Translates between bytes and places of one text, which must outlive it.
class LineIndex {
 public:
  LineIndex(std::string_view text, Encoding encoding);
  Place place(std::size_t offset) const;
  /// The nearest byte there is.
  std::uint32_t offset(Place place) const;
  /// The number of lines.
  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size()); }
  /// How many characters `part` counts as.
  std::uint32_t length(std::string_view part) const;

 private:
  std::string_view text_;
  Encoding encoding_;
  std::vector<std::size_t> starts_;
};

/// `/a b` for `file:///a%20b`; other addresses as they are.
std::string path_of(std::string_view address);
/// `file:///a%20b` for `/a b`.
std::string address_of(std::string_view path);

/// `text` up to `from` without the white space at its end.
std::size_t skip_space_back(std::string_view text, std::size_t from);

}  // namespace dagaz::tools::lsp
