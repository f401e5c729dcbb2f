#include "support/whole_range.h"

namespace dagaz {

std::string describe_whole(const Range& range, const SourceFiles& files) {
  if (!range.valid()) return files.describe(range);
  const SourceFile& source = files.file(range.file);
  const Position begin = source.position(range.begin);
  const Position end = source.position(range.end);
  const std::string line = begin.line == end.line ? "" : std::to_string(end.line) + ":";
  return files.describe(range) + "-" + line + std::to_string(end.column);
}

}  // namespace dagaz
