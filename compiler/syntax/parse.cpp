// Connects a source file, its lexer and the generated parser.  After a mistake, parsing starts
// again at the next line that begins a declaration, so that one run reports those of all.
#include "syntax/parse.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "syntax/parse_context.h"
#include "syntax/recovery.h"

namespace dagaz::syntax {

Outcome parse_extent(const Extent& extent, FileId file, Goal goal, const ParseInput& input) {
  const std::string_view text = input.sources.file(file).text();
  Lexer lexer(file, text, extent, goal, input.names, input.diagnostics, input.trivia);
  TreeBuilder builder(text, input.arena, input.names, input.diagnostics, input.trivia);
  ParseContext context{lexer, builder, input.diagnostics, input.sources, extent.begin > 0};
  Parser parser(context);
  const std::size_t errors_before = input.diagnostics.error_count();
  if (parser.parse() != 0) return {{}, nullptr, nullptr, lexer.token_begin()};
  if (input.diagnostics.error_count() > errors_before) return {};
  return {std::move(context.file), context.expression, context.type, std::nullopt, true};
}

namespace {

// Whether a declaration begins with `line`, from what its first word says.  An indented line has
// to be unmistakable: `let` may go on with an expression, and `type` with a module type.
bool begins_declaration(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(" \t");
  if (indent == std::string_view::npos) return false;
  const std::string_view rest = line.substr(indent);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r(\""));
  if (word == "def" || word == "entry") return true;
  if (indent > 0) return false;
  for (const std::string_view keyword :
       {"let", "type", "type~", "type^", "module", "open", "import", "local"}) {
    if (word == keyword) return true;
  }
  return rest.starts_with("#[") || rest.starts_with("-- |");
}

}  // namespace

std::optional<std::size_t> next_declaration(std::string_view text, std::size_t from) {
  std::size_t line = from == 0 ? 0 : text.rfind('\n', from - 1) + 1;
  while (line < text.size()) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    if (line >= from && begins_declaration(text.substr(line, end - line))) return line;
    line = end + 1;
  }
  return std::nullopt;
}

ast::File parse_file(FileId file, const ParseInput& input) {
  const std::string_view text = input.sources.file(file).text();
  Outcome outcome = parse_extent({}, file, Goal::file, input);
  const bool recovers = !outcome.complete && input.recovery != nullptr;
  ast::File result = std::move(outcome.file);
  // After a mistake the other declarations are read for theirs.
  std::size_t start = 0;
  while (outcome.stopped_at) {
    const auto next = next_declaration(text, std::max(*outcome.stopped_at, start + 1));
    if (!next) break;
    start = *next;
    outcome = parse_extent({start}, file, Goal::file, input);
  }
  if (recovers) result = recover(file, input);
  result.id = file;
  return result;
}

Trivia scan(FileId file, const SourceFiles& sources, NameTable& names) {
  Diagnostics unread;
  Trivia trivia;
  Lexer lexer(file, sources.file(file).text(), {}, Goal::file, names, unread, &trivia);
  while (lexer.next().kind() != Parser::symbol_kind::S_YYEOF) {
  }
  return trivia;
}

ast::Exp* parse_expression(FileId file, const ParseInput& input) {
  return parse_extent({}, file, Goal::expression, input).expression;
}

ast::TypeExp* parse_type(FileId file, const ParseInput& input) {
  return parse_extent({}, file, Goal::type, input).type;
}

}  // namespace dagaz::syntax
