// Connects a source file, its lexer and the generated parser.
#include "syntax/parse.h"

#include <string_view>

#include "syntax/parse_context.h"

namespace dagaz::syntax {

namespace {

struct Outcome {
  ast::File file;
  ast::Exp* expression = nullptr;
  ast::TypeExp* type = nullptr;
};

Outcome parse(FileId file, Goal goal, const ParseInput& input) {
  const std::string_view text = input.sources.file(file).text();
  Lexer lexer(file, text, goal, input.names, input.diagnostics);
  TreeBuilder builder(text, input.arena, input.names, input.diagnostics);
  ParseContext context{lexer, builder, input.diagnostics, input.sources};
  Parser parser(context);
  const std::size_t errors_before = input.diagnostics.error_count();
  const bool parsed = parser.parse() == 0;
  if (!parsed || input.diagnostics.error_count() > errors_before) return {};
  return {std::move(context.file), context.expression, context.type};
}

}  // namespace

ast::File parse_file(FileId file, const ParseInput& input) {
  ast::File result = parse(file, Goal::file, input).file;
  result.id = file;
  return result;
}

ast::Exp* parse_expression(FileId file, const ParseInput& input) {
  return parse(file, Goal::expression, input).expression;
}

ast::TypeExp* parse_type(FileId file, const ParseInput& input) {
  return parse(file, Goal::type, input).type;
}

}  // namespace dagaz::syntax
