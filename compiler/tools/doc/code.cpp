// See code.h.
#include "tools/doc/code.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "query/words.h"
#include "support/markup.h"
#include "syntax/parse.h"
#include "tools/doc/html.h"

namespace dagaz::tools::doc {

using query::Analysis;
using query::Index;

namespace {

// The class of a token that is no name of a definition; null for none.
const char* token_class(std::string_view token) {
  const auto all = query::keywords();
  if (std::find(all.begin(), all.end(), token) != all.end()) return "k";
  if (query::is_primitive_type(token)) return "t";
  if (std::isdigit(static_cast<unsigned char>(token[0])) != 0) return "n";
  if (token[0] == '"') return "s";
  if (token[0] == '#' && token != "#[") return "c";
  return nullptr;
}

std::string marked(const char* kind, std::string_view text) {
  if (kind == nullptr) return escape_markup(text);
  return "<span class=\"" + std::string(kind) + "\">" + escape_markup(text) + "</span>";
}

template <typename List, typename Begin>
auto first_from(const List& list, std::uint32_t offset, const Begin& begin) {
  return std::partition_point(list.begin(), list.end(),
                              [&](const auto& item) { return begin(item) < offset; });
}

}  // namespace

Code::Code(const Analysis& analysis, const Index& index, const Places& places, FileId file)
    : analysis_(analysis),
      index_(index),
      places_(places),
      file_(file),
      text_(analysis.files().file(file).text()) {
  NameTable scratch;
  trivia_ = syntax::scan(file, analysis.files(), scratch);
}

std::string Code::link(const Index::Occurrence& name, const std::string& page,
                       Links links) const {
  const std::string text = escape_markup(analysis_.files().text(name.range));
  const Index::Id id = name.definition;
  std::optional<Target> target = places_.documented(id);
  if (!target) target = places_.documented(index_.implementation(id));
  if (!target && links == Links::to_everything) target = places_.in_source(id);
  if (!target) return text;
  const std::string address =
      (target->page == page ? "" : relative_address(page, target->page)) + "#" +
      escape_address(target->anchor);
  return "<a href=\"" + address + "\">" + text + "</a>";
}

std::string Code::html(const Range& range, const std::string& page, Links links) const {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::string>> pieces;  // begin: end and text
  const auto add = [&](const Range& piece, std::string html) {
    if (piece.begin < range.begin || range.end < piece.end) return;
    pieces.emplace(piece.begin, std::pair(piece.end, std::move(html)));
  };
  const auto begin_of_range = [](const Range& r) { return r.begin; };
  const auto names = index_.in_file(file_);
  for (auto name = first_from(names, range.begin, [](const auto& n) { return n.range.begin; });
       name != names.end() && name->range.begin < range.end; ++name) {
    add(name->range, link(*name, page, links));
  }
  for (auto token = first_from(trivia_.tokens, range.begin, begin_of_range);
       token != trivia_.tokens.end() && token->begin < range.end; ++token) {
    const std::string_view word = analysis_.files().text(*token);
    const char* kind = word.empty() ? nullptr : token_class(word);
    if (kind != nullptr) add(*token, marked(kind, word));
  }
  for (auto comment = first_from(trivia_.comments, range.begin, begin_of_range);
       comment != trivia_.comments.end() && comment->begin < range.end; ++comment) {
    add(*comment, marked("m", analysis_.files().text(*comment)));
  }
  std::string result;
  std::uint32_t at = range.begin;
  for (const auto& [begin, piece] : pieces) {
    if (begin < at) continue;
    result += escape_markup(text_.substr(at, begin - at)) + piece.second;
    at = piece.first;
  }
  return result + escape_markup(text_.substr(at, range.end - at));
}

std::string Code::lines(const std::string& page) const {
  std::string result;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    const std::string line = std::to_string(++number);
    result += "<span class=\"line\" id=\"L" + line + "\"><a class=\"number\" href=\"#L" + line +
              "\">" + line + "</a>" +
              html({file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                   page, Links::to_everything) +
              "</span>\n";
    begin = end + 1;
  }
  return result;
}

Range Code::head(std::uint32_t begin, std::uint32_t end) const {
  const auto word = [&](const Range& token) { return analysis_.files().text(token); };
  auto token = first_from(trivia_.tokens, begin, [](const Range& r) { return r.begin; });
  // Attributes stand in front.
  while (token != trivia_.tokens.end() && token->begin < end && word(*token) == "#[") {
    while (token != trivia_.tokens.end() && word(*token) != "]") ++token;
    if (token != trivia_.tokens.end()) ++token;
  }
  Range result{file_, begin, end};
  if (token == trivia_.tokens.end()) return result;
  result.begin = token->begin;
  int depth = 0;
  std::uint32_t last = token->end;
  for (; token != trivia_.tokens.end() && token->begin < end; ++token) {
    const std::string_view text = word(*token);
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    if (text == "=" && depth == 0) break;
    last = token->end;
  }
  result.end = last;
  return result;
}

}  // namespace dagaz::tools::doc
