// See writer.h.
#include "tools/format/writer.h"

#include <algorithm>

namespace dagaz::tools {

void Writer::begin() {
  if (line_ends_ > 0) {
    if (!out_.empty()) out_.append(static_cast<std::size_t>(line_ends_), '\n');
    out_.append(indentation, ' ');
    column_ = indentation;
    line_ends_ = 0;
  } else if (space_) {
    out_ += ' ';
    ++column_;
  }
  space_ = false;
}

void Writer::text(std::string_view text) {
  begin();
  out_ += text;
  // All bytes but those that continue a character of UTF-8.
  column_ += static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned>(c) & 0xc0u) != 0x80u;
  }));
}

void Writer::newline() {
  line_ends_ = std::max(line_ends_, 1);
  space_ = false;
}

void Writer::blank_line() {
  line_ends_ = 2;
  space_ = false;
}

void Writer::comment(std::string_view text) {
  this->text(text);
  newline();
}

std::size_t Writer::column() const {
  return line_ends_ > 0 ? indentation : column_ + (space_ ? 1 : 0);
}

std::string Writer::take() {
  if (!out_.empty()) out_ += '\n';
  return std::move(out_);
}

}  // namespace dagaz::tools
