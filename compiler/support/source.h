// Source files and positions in them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/id.h"

namespace dagaz {

struct FileTag {};
using FileId = Id<FileTag>;

/// A half-open range of bytes in one file.  The default is "nowhere".
struct Range {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool valid() const { return file.valid(); }
  bool operator==(const Range&) const = default;
};

/// The smallest range that covers both (the other one, if one is nowhere).
Range cover(const Range& a, const Range& b);

/// Line and column, both from 1; columns count Unicode code points.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// One file: its name as the user wrote it, its text, and where its lines start.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  Position position(std::uint32_t offset) const;
  /// The text of line `line` (from 1), without its end.
  std::string_view line_text(std::uint32_t line) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

/// All files of a compilation.
class SourceFiles {
 public:
  FileId add(std::string name, std::string text);
  const SourceFile& file(FileId id) const { return files_[id.index]; }
  std::size_t size() const { return files_.size(); }
  std::string_view text(const Range& range) const;
  /// `file:line:column` of the start of `range`; `<unknown>` for nowhere.
  std::string describe(const Range& range) const;

 private:
  std::deque<SourceFile> files_;
};

}  // namespace dagaz
