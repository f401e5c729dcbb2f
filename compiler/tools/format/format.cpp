// See format.h.  The result is read again: formatting that would lose a token or a comment is a
// bug, and nothing is written then.
#include "tools/format/format.h"

#include <string_view>
#include <vector>

#include "support/check.h"
#include "syntax/parse.h"
#include "tools/format/formatter.h"

namespace dagaz::tools {

namespace {

// One text, read without its imports.
struct Reading {
  ast::Arena arena;
  NameTable names;
  syntax::Trivia trivia;
  ast::File file;

  Reading(FileId id, const SourceFiles& sources, Diagnostics& diagnostics)
      : file(syntax::parse_file(id, {sources, arena, names, diagnostics, &trivia})) {}
};

bool closes(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

// The tokens that formatting keeps, in order.
std::vector<std::string_view> kept_tokens(const Reading& reading, const SourceFiles& sources) {
  const std::vector<Range>& tokens = reading.trivia.tokens;
  std::vector<std::string_view> kept;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = sources.text(tokens[i]);
    const std::string_view next =
        i + 1 < tokens.size() ? sources.text(tokens[i + 1]) : std::string_view();
    if (token == "," && (closes(next) || next == ",")) continue;
    if (token == "in" && next == "let") continue;
    kept.push_back(token == "def" ? "let" : token);
  }
  return kept;
}

std::vector<std::string_view> comment_texts(const Reading& reading, const SourceFiles& sources) {
  std::vector<std::string_view> texts;
  for (const Range& comment : reading.trivia.comments) {
    std::string_view text = sources.text(comment);
    texts.push_back(text.substr(0, text.find_last_not_of(" \t\r\f\v") + 1));
  }
  return texts;
}

}  // namespace

std::optional<std::string> format(FileId file, SourceFiles& sources, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  const Reading before(file, sources, diagnostics);
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  const SourceText source(sources.file(file), before.trivia);
  std::string text = Formatter(source, before.names).file(before.file);

  SourceFiles formatted;
  Diagnostics mistakes;
  const FileId again = formatted.add(sources.file(file).name(), text);
  const Reading after(again, formatted, mistakes);
  DZ_CHECK(!mistakes.has_errors(), "formatted: " + render(mistakes.all().front(), formatted,
                                                          RenderStyle::plain));
  DZ_CHECK(kept_tokens(before, sources) == kept_tokens(after, formatted),
           "formatting " + sources.file(file).name() + " keeps its tokens");
  DZ_CHECK(comment_texts(before, sources) == comment_texts(after, formatted),
           "formatting " + sources.file(file).name() + " keeps its comments");
  return text;
}

}  // namespace dagaz::tools
