// Diagnostics as text: carets under the source as rustc draws them, or one JSON object a line.
#include <algorithm>
#include <string>

#include "support/diagnostic.h"

namespace dagaz {

namespace {

struct Colours {
  const char* bold = "";
  const char* error = "";
  const char* warning = "";
  const char* frame = "";
  const char* reset = "";
};

constexpr Colours no_colours;
constexpr Colours ansi_colours{"\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[0m"};

// The part of a source line that is shown: all of it, or what is near the mark if it is long.
struct Window {
  std::uint32_t first = 1;  // columns, from 1
  std::uint32_t last = 0;   // exclusive
  bool operator==(const Window&) const = default;
};
constexpr std::uint32_t longest_line = 160;
constexpr std::uint32_t context_columns = 60;

std::uint32_t columns_of(std::string_view line) {
  return static_cast<std::uint32_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

Window window_of(std::string_view line, std::uint32_t mark) {
  const std::uint32_t columns = columns_of(line);
  if (columns <= longest_line) return {1, columns + 1};
  const std::uint32_t first = mark > context_columns ? mark - context_columns : 1;
  return {first, std::min(columns + 1, first + longest_line)};
}

struct CodePoints {
  char32_t first, last;
};
// What terminals show over two cells: the scripts of East Asia, and pictures.
constexpr CodePoints wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
// What is drawn onto the character before it.
constexpr CodePoints combining[] = {
    {0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

// How many cells of a terminal the character takes that begins at `text`.
std::size_t cells_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t point = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < std::min(length, text.size()); ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  const auto is_in = [&](const CodePoints& range) {
    return range.first <= point && point <= range.last;
  };
  if (std::any_of(std::begin(combining), std::end(combining), is_in)) return 0;
  return std::any_of(std::begin(wide), std::end(wide), is_in) ? 2 : 1;
}

// Copies the columns of `line` from `first` up to `last`; as white space, tabs are kept so that
// what follows stands under its character.  Control characters are not let out to the terminal.
enum class Show { text, space };
std::string columns(std::string_view line, std::uint32_t first, std::uint32_t last, Show show) {
  std::string out;
  std::uint32_t column = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool continues = (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
    if (!continues) ++column;
    if (column < first || column >= last) continue;
    if (show == Show::text) {
      const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t';
      out += control || c == 0x7f ? ' ' : c;
    } else if (!continues) {
      out += c == '\t' ? "\t" : std::string(cells_of(line.substr(i)), ' ');
    }
  }
  return out;
}

// Draws source lines with marks below them; marks in one line share it.
class Drawing {
 public:
  Drawing(std::string& out, const SourceFiles& files, const Colours& colours)
      : out_(out), files_(files), colours_(colours) {}

  void mark(const Range& range, char sign, const std::string& text, const char* colour) {
    const SourceFile& file = files_.file(range.file);
    const Position begin = file.position(range.begin);
    const Position end = file.position(std::max(range.end, range.begin));
    const std::string_view line = file.line_text(begin.line);
    const Window window = window_of(line, begin.column);
    show_line(range.file, begin.line, line, window);
    const std::uint32_t line_end = columns_of(line) + 1;
    const std::uint32_t stop =
        std::min(end.line == begin.line ? end.column : line_end, window.last);
    const std::string marked = columns(line, begin.column, stop, Show::space);
    const std::size_t width = std::max<std::size_t>(marked.size(), 1);
    out_ += gutter("") + (window.first > 1 ? " " : "") +
            columns(line, window.first, std::min(begin.column, window.last), Show::space) +
            colour + std::string(width, sign);
    if (!text.empty()) out_ += " " + text;
    out_ += std::string(colours_.reset) + "\n";
  }

 private:
  std::string gutter(const std::string& number) const {
    const std::string space(number.size() < 4 ? 4 - number.size() : 0, ' ');
    return space + colours_.frame + number + " | " + colours_.reset;
  }

  void show_line(FileId file, std::uint32_t number, std::string_view line,
                 const Window& window) {
    if (file == file_ && number == line_ && window == window_) return;
    file_ = file;
    line_ = number;
    window_ = window;
    out_ += gutter(std::to_string(number)) + (window.first > 1 ? "…" : "") +
            columns(line, window.first, window.last, Show::text) +
            (window.last <= columns_of(line) ? "…" : "") + "\n";
  }

  std::string& out_;
  const SourceFiles& files_;
  const Colours& colours_;
  FileId file_;
  std::uint32_t line_ = 0;
  Window window_;
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string json_range(const Range& range, const SourceFiles& files) {
  if (!range.valid()) return "null";
  const SourceFile& file = files.file(range.file);
  const Position begin = file.position(range.begin);
  const Position end = file.position(range.end);
  return "{\"file\":" + quoted(file.name()) + ",\"line\":" + std::to_string(begin.line) +
         ",\"column\":" + std::to_string(begin.column) +
         ",\"end_line\":" + std::to_string(end.line) +
         ",\"end_column\":" + std::to_string(end.column) + "}";
}

std::string json_suggestions(const Diagnostic& diagnostic, const SourceFiles& files) {
  std::string out;
  for (const Hint& hint : diagnostic.hints) {
    if (hint.edits.empty()) continue;
    out += std::string(out.empty() ? "" : ",") + "{\"text\":" + quoted(hint.text) +
           ",\"certain\":" + (hint.can_be_applied() ? "true" : "false") + ",\"edits\":[";
    for (std::size_t i = 0; i < hint.edits.size(); ++i) {
      out += std::string(i == 0 ? "" : ",") +
             "{\"range\":" + json_range(hint.edits[i].range, files) +
             ",\"text\":" + quoted(hint.edits[i].text) + "}";
    }
    out += "]}";
  }
  return out;
}

std::string render_json(const Diagnostic& diagnostic, const SourceFiles& files) {
  const bool error = kind_severity(diagnostic.kind) == Severity::error;
  std::string out = "{\"severity\":\"" + std::string(error ? "error" : "warning") + "\",\"kind\":" +
                    quoted(kind_name(diagnostic.kind)) +
                    ",\"message\":" + quoted(diagnostic.message) +
                    ",\"range\":" + json_range(diagnostic.range, files) + ",\"labels\":[";
  for (std::size_t i = 0; i < diagnostic.labels.size(); ++i) {
    const Label& label = diagnostic.labels[i];
    out += std::string(i == 0 ? "" : ",") + "{\"range\":" + json_range(label.range, files) +
           ",\"text\":" + quoted(label.text) + "}";
  }
  out += "],\"hints\":[";
  for (std::size_t i = 0; i < diagnostic.hints.size(); ++i) {
    out += (i == 0 ? "" : ",") + quoted(diagnostic.hints[i].text);
  }
  return out + "],\"suggestions\":[" + json_suggestions(diagnostic, files) + "]}\n";
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceFiles& files, RenderStyle style) {
  if (style == RenderStyle::json) return render_json(diagnostic, files);
  const Colours& colours = style == RenderStyle::colour ? ansi_colours : no_colours;
  const bool error = kind_severity(diagnostic.kind) == Severity::error;
  const char* colour = error ? colours.error : colours.warning;
  std::string out;
  if (diagnostic.range.valid()) {
    out += std::string(colours.bold) + files.describe(diagnostic.range) + ": " + colours.reset;
  }
  out += std::string(colour) + (error ? "error[" : "warning[") +
         std::string(kind_name(diagnostic.kind)) + "]" + colours.reset + ": " +
         diagnostic.message + "\n";
  Drawing drawing(out, files, colours);
  // What is said about the culprit itself stands behind its mark.
  const auto at_culprit = [&](const Label& label) { return label.range == diagnostic.range; };
  const auto& labels = diagnostic.labels;
  const auto own = std::find_if(labels.begin(), labels.end(), at_culprit);
  if (diagnostic.range.valid()) {
    drawing.mark(diagnostic.range, '^', own == labels.end() ? "" : own->text, colour);
  }
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    if (label == own && diagnostic.range.valid()) continue;
    if (!label->range.valid()) {
      out += "  note: " + label->text + "\n";
      continue;
    }
    if (label->range.file != diagnostic.range.file) {
      out += "  at " + files.describe(label->range) + ":\n";
    }
    drawing.mark(label->range, '-', label->text, colours.frame);
  }
  for (const Hint& hint : diagnostic.hints) out += "  help: " + hint.text + "\n";
  return out;
}

}  // namespace dagaz
