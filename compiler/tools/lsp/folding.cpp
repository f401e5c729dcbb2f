// What can be folded, declarations, brackets and comments of several lines; and, for growing a
// selection, what lies around what.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/parse.h"
#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

namespace {

class Folds {
 public:
  explicit Folds(const LineIndex& lines) : lines_(lines) {}

  // The lines from `begin` to `end`, the last of which stays visible if it closes a bracket.
  void add(std::uint32_t begin, std::uint32_t end, const char* kind, bool keeps_last_line) {
    const std::uint32_t first = lines_.place(begin).line;
    std::uint32_t last = lines_.place(end).line;
    if (keeps_last_line && last > first) --last;
    if (last <= first || !seen_.emplace(first, last).second) return;
    Json fold{{"startLine", first}, {"endLine", last}};
    if (kind != nullptr) fold["kind"] = kind;
    result.push_back(std::move(fold));
  }

  Json result = Json::array();

 private:
  const LineIndex& lines_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;
};

bool opens(std::string_view token) {
  return token == "(" || token == "[" || token == "{" || token == "#[";
}
bool closes(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

}  // namespace

Json folding_ranges(const Query& query) {
  const Analysis& analysis = query.snapshot.analysis();
  const LineIndex& lines = query.snapshot.lines();
  Folds folds(lines);
  Visitor visitor;
  visitor.only_declarations = true;
  visitor.definition = [&](const Definition& d) {
    folds.add(d.name.range.begin, d.whole.end, nullptr, false);
  };
  walk(analysis.root(), visitor);
  NameTable scratch;
  const syntax::Trivia trivia = syntax::scan(analysis.root().id, analysis.files(), scratch);
  std::vector<std::uint32_t> open;
  for (const Range& token : trivia.tokens) {
    const std::string_view text = analysis.files().text(token);
    if (opens(text)) open.push_back(token.begin);
    if (closes(text) && !open.empty()) {
      folds.add(open.back(), token.begin, nullptr, true);
      open.pop_back();
    }
  }
  for (std::size_t i = 0; i < trivia.comments.size();) {
    std::size_t last = i;
    while (last + 1 < trivia.comments.size() &&
           lines.place(trivia.comments[last + 1].begin).line ==
               lines.place(trivia.comments[last].begin).line + 1) {
      ++last;
    }
    folds.add(trivia.comments[i].begin, trivia.comments[last].end, "comment", false);
    i = last + 1;
  }
  return folds.result;
}

Json selection_ranges(const Query& query) {
  const Analysis& analysis = query.snapshot.analysis();
  Json result = Json::array();
  for (const Json& place : query.params.at("positions")) {
    const std::uint32_t offset = query.snapshot.lines().offset(
        {place.at("line").get<std::uint32_t>(), place.at("character").get<std::uint32_t>()});
    std::set<std::pair<std::uint32_t, std::uint32_t>> around;  // by size, then first byte
    const auto add = [&](const Range& range) {
      if (!analysis.is_root(range) || offset < range.begin || range.end < offset) return;
      around.emplace(range.end - range.begin, range.begin);
    };
    Visitor visitor;
    visitor.definition = [&](const Definition& d) {
      add(d.name.range);
      add(d.whole);
    };
    visitor.expression = [&](const ast::Exp& exp) { add(exp.range); };
    visitor.pattern = [&](const ast::Pattern& pattern) { add(pattern.range); };
    visitor.type = [&](const ast::TypeExp& type) { add(type.range); };
    walk(analysis.root(), visitor);
    Json chain = nullptr;
    for (auto part = around.rbegin(); part != around.rend(); ++part) {
      Json next{{"range", query.snapshot.range(part->second, part->second + part->first)}};
      if (!chain.is_null()) next["parent"] = std::move(chain);
      chain = std::move(next);
    }
    if (chain.is_null()) chain = {{"range", query.snapshot.range(offset, offset)}};
    result.push_back(std::move(chain));
  }
  return result;
}

}  // namespace dagaz::tools::lsp
