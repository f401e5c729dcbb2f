// The kind of each token: of names by what they mean, of others by their spelling.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/parse.h"
#include "tools/lsp/names.h"
#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

namespace {

enum TokenType : unsigned {
  namespace_token, type_token, interface_token, type_parameter_token, parameter_token,
  variable_token, enum_member_token, function_token, keyword_token, comment_token, string_token,
  number_token, operator_token, decorator_token
};
enum Modifier : unsigned { declaration = 1, readonly = 2, default_library = 4 };

struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  unsigned type;
  unsigned modifiers;
};

Token classify(const Analysis& analysis, const Index& index, const Index::Occurrence& name) {
  const Definition& definition = index.definition(name.definition);
  Token token{name.range.begin, name.range.end, variable_token,
              name.is_definition ? unsigned{declaration} : 0u};
  switch (definition.kind) {
    case SymbolKind::function:
    case SymbolKind::entry:
    case SymbolKind::local_function: token.type = function_token; break;
    case SymbolKind::constant: token.modifiers |= readonly; break;
    case SymbolKind::parameter: token.type = parameter_token; break;
    case SymbolKind::local:
    case SymbolKind::size: break;
    case SymbolKind::type: token.type = type_token; break;
    case SymbolKind::type_parameter: token.type = type_parameter_token; break;
    case SymbolKind::module: token.type = namespace_token; break;
    case SymbolKind::signature: token.type = interface_token; break;
  }
  const std::string_view spelling = analysis.names().text(definition.name.symbol);
  if (!is_word(spelling)) token.type = operator_token;
  if (analysis.is_library(definition.name.range.file)) token.modifiers |= default_library;
  return token;
}

// A token that is no name of a definition.
std::optional<Token> classify(std::string_view text, const Range& range) {
  const auto token = [&](unsigned type, unsigned modifiers = 0) {
    return Token{range.begin, range.end, type, modifiers};
  };
  const char first = text.front();
  const auto all = keywords();
  if (std::find(all.begin(), all.end(), text) != all.end()) return token(keyword_token);
  if (is_primitive_type(text)) return token(type_token, default_library);
  if (std::isdigit(static_cast<unsigned char>(first)) != 0) return token(number_token);
  if (first == '"') return token(string_token);
  if (first == '\'') return text.back() == '\'' ? token(string_token) : token(type_parameter_token);
  if (first == '#' && text != "#[") return token(enum_member_token);
  if (std::string_view("+-*/%=!><|&^").find(first) != std::string_view::npos) {
    return token(operator_token);
  }
  return std::nullopt;
}

std::vector<Token> tokens_of(const Snapshot& snapshot) {
  const Analysis& analysis = snapshot.analysis();
  const FileId root = analysis.root().id;
  std::map<std::uint32_t, Token> found;  // by first byte
  for (const Index::Occurrence& name : snapshot.index().in_file(root)) {
    found.emplace(name.range.begin, classify(analysis, snapshot.index(), name));
  }
  NameTable scratch;
  const syntax::Trivia trivia = syntax::scan(root, analysis.files(), scratch);
  for (const Range& comment : trivia.comments) {
    found.emplace(comment.begin, Token{comment.begin, comment.end, comment_token, 0});
  }
  std::uint32_t attribute_end = 0;
  for (std::size_t i = 0; i < trivia.tokens.size(); ++i) {
    const Range& range = trivia.tokens[i];
    const std::string_view text = analysis.files().text(range);
    if (text == "#[") {
      std::size_t last = i;
      while (last + 1 < trivia.tokens.size() &&
             analysis.files().text(trivia.tokens[last]) != "]") {
        ++last;
      }
      attribute_end = trivia.tokens[last].end;
    }
    if (range.begin < attribute_end) {
      found.insert_or_assign(range.begin, Token{range.begin, range.end, decorator_token, 0});
    } else if (const auto token = text.empty() ? std::nullopt : classify(text, range)) {
      found.emplace(range.begin, *token);
    }
  }
  std::vector<Token> result;
  for (const auto& [begin, token] : found) {
    if (result.empty() || begin >= result.back().end) result.push_back(token);
  }
  return result;
}

}  // namespace

std::vector<std::string> token_types() {
  return {"namespace", "type",     "interface", "typeParameter", "parameter",
          "variable",  "enumMember", "function", "keyword",      "comment",
          "string",    "number",   "operator",  "decorator"};
}

std::vector<std::string> token_modifiers() {
  return {"declaration", "readonly", "defaultLibrary"};
}

Json semantic_tokens(const Query& query) {
  const LineIndex& lines = query.snapshot.lines();
  const std::string_view text = query.snapshot.analysis().root_text();
  Json data = Json::array();
  Place before;
  for (const Token& token : tokens_of(query.snapshot)) {
    const Place at = lines.place(token.begin);
    const std::string_view spelling = text.substr(token.begin, token.end - token.begin);
    data.push_back(at.line - before.line);
    data.push_back(at.line == before.line ? at.character - before.character : at.character);
    data.push_back(lines.length(spelling.substr(0, spelling.find('\n'))));
    data.push_back(token.type);
    data.push_back(token.modifiers);
    before = at;
  }
  return {{"data", data}};
}

}  // namespace dagaz::tools::lsp
