#include "support/source.h"

#include <algorithm>

namespace dagaz {

Range cover(const Range& a, const Range& b) {
  if (!a.valid()) return b;
  if (!b.valid() || a.file != b.file) return a;
  return Range{a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

Position SourceFile::position(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  std::uint32_t column = 1;
  for (std::size_t i = line_starts_[line - 1]; i < offset && i < text_.size(); ++i) {
    const bool continuation = (static_cast<unsigned char>(text_[i]) & 0xC0u) == 0x80u;
    if (!continuation) ++column;
  }
  return Position{line, column};
}

std::string_view SourceFile::line_text(std::uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[line - 1];
  std::size_t end = line < line_starts_.size() ? line_starts_[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

FileId SourceFiles::add(std::string name, std::string text) {
  files_.emplace_back(std::move(name), std::move(text));
  return FileId(files_.size() - 1);
}

std::string_view SourceFiles::text(const Range& range) const {
  if (!range.valid()) return {};
  return file(range.file).text().substr(range.begin, range.end - range.begin);
}

std::string SourceFiles::describe(const Range& range) const {
  if (!range.valid()) return "<unknown>";
  const SourceFile& source = file(range.file);
  const Position at = source.position(range.begin);
  return source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace dagaz
