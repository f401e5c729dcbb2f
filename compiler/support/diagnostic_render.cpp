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

// Columns up to `column` as white space, tabs kept so that the caret stands under its character.
std::string padding(std::string_view line, std::uint32_t column) {
  std::string out;
  std::uint32_t seen = 1;
  for (std::size_t i = 0; i < line.size() && seen < column; ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0u) == 0x80u) continue;
    out += line[i] == '\t' ? '\t' : ' ';
    ++seen;
  }
  return out;
}

void draw_line(std::string& out, const SourceFile& file, const Range& range, char mark,
               std::string_view text, const char* mark_colour, const Colours& colours) {
  const Position begin = file.position(range.begin);
  const Position end = file.position(std::max(range.end, range.begin));
  const std::string_view line = file.line_text(begin.line);
  const std::string number = std::to_string(begin.line);
  const std::string gutter(std::max<std::size_t>(number.size(), 4), ' ');
  out += std::string(gutter.size() - number.size(), ' ') + colours.frame + number + " | " +
         colours.reset + std::string(line) + "\n";
  const std::uint32_t width =
      end.line == begin.line
          ? std::max<std::uint32_t>(1, end.column - begin.column)
          : std::max<std::uint32_t>(
                1, static_cast<std::uint32_t>(line.size()) - begin.column + 2);
  out += gutter + colours.frame + " | " + colours.reset + padding(line, begin.column) +
         mark_colour + std::string(width, mark);
  if (!text.empty()) out += " " + std::string(text);
  out += std::string(colours.reset) + "\n";
}

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
    out += (i == 0 ? "" : ",") + quoted(diagnostic.hints[i]);
  }
  return out + "]}\n";
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
  if (diagnostic.range.valid()) {
    draw_line(out, files.file(diagnostic.range.file), diagnostic.range, '^', "", colour, colours);
  }
  for (const Label& label : diagnostic.labels) {
    if (!label.range.valid()) {
      out += "  note: " + label.text + "\n";
      continue;
    }
    if (label.range.file != diagnostic.range.file) {
      out += "  at " + files.describe(label.range) + ":\n";
    }
    draw_line(out, files.file(label.range.file), label.range, '-', label.text, colours.frame,
              colours);
  }
  for (const std::string& hint : diagnostic.hints) out += "  help: " + hint + "\n";
  return out;
}

}  // namespace dagaz
