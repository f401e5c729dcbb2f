// A declaration that ends in the middle is completed from what it has opened: brackets, `let`
// without `in`, `if` without `then` …, each closed in the shortest way, the innermost first.
#include "tools/lsp/unfinished.h"

#include <algorithm>
#include <optional>

#include "syntax/parse.h"
#include "tools/lsp/names.h"

namespace dagaz::tools::lsp {

namespace {

constexpr std::string_view placeholder = "dagaz_placeholder";

/// What has been opened, by what is needed next.
enum class Need {
  round, square, curly,
  let_value,     // let p …   (= ???) in ???
  let_body,      // let p = … in ???
  then_branch, else_branch,
  cases,         // match e … case
  arrow_of_case, // case p … ->
  loop_form, loop_do,
  lambda_arrow,
  definition     // def f … =
};

std::string_view closing(Need need) {
  switch (need) {
    case Need::round: return ")";
    case Need::square: return "]";
    case Need::curly: return "}";
    case Need::let_value: return " = ??? in ???";
    case Need::let_body: return " in ???";
    case Need::then_branch: return " then ??? else ???";
    case Need::else_branch: return " else ???";
    case Need::cases: return " case _ -> ???";
    case Need::arrow_of_case: return " -> ???";
    case Need::loop_form: return " for _i < 1 do ???";
    case Need::loop_do: return " do ???";
    case Need::lambda_arrow: return " -> ???";
    case Need::definition: return " = ???";
  }
  return "";
}

class Openings {
 public:
  void read(std::string_view token, bool begins_declaration) {
    if (begins_declaration && (token == "def" || token == "let" || token == "entry")) {
      open_.push_back(Need::definition);
    } else if (token == "(") {
      open_.push_back(Need::round);
    } else if (token == "[" || token == "#[") {
      open_.push_back(Need::square);
    } else if (token == "{") {
      open_.push_back(Need::curly);
    } else if (token == ")" || token == "]" || token == "}") {
      close(token);
    } else if (token == "let") {
      if (top() == Need::let_body) open_.pop_back();  // `in` may be left out before `let`
      open_.push_back(Need::let_value);
    } else if (token == "=") {
      if (top() == Need::definition) open_.pop_back();
      if (top() == Need::let_value) open_.back() = Need::let_body;
    } else if (token == "in") {
      // That of `for x in xs` belongs to the loop.
      if (top() != Need::loop_do) replace(Need::let_body, std::nullopt);
    } else {
      read_control(token);
    }
  }

  std::string closings() const {
    std::string result;
    for (auto need = open_.rbegin(); need != open_.rend(); ++need) result += closing(*need);
    return result;
  }

 private:
  void read_control(std::string_view token) {
    if (token == "if") open_.push_back(Need::then_branch);
    if (token == "then") replace(Need::then_branch, Need::else_branch);
    if (token == "else") replace(Need::else_branch, std::nullopt);
    if (token == "match") open_.push_back(Need::cases);
    if (token == "case") {
      replace(Need::cases, std::nullopt);
      open_.push_back(Need::arrow_of_case);
    }
    if (token == "loop") open_.push_back(Need::loop_form);
    if (token == "for" || token == "while") replace(Need::loop_form, Need::loop_do);
    if (token == "do") replace(Need::loop_do, std::nullopt);
    if (token == "\\") open_.push_back(Need::lambda_arrow);
    if (token == "->" && (top() == Need::lambda_arrow || top() == Need::arrow_of_case)) {
      open_.pop_back();
    }
  }

  std::optional<Need> top() const {
    return open_.empty() ? std::nullopt : std::optional<Need>(open_.back());
  }

  static bool is_bracket(Need need) {
    return need == Need::round || need == Need::square || need == Need::curly;
  }

  // What was opened inside of a bracket ends with it.
  void close(std::string_view token) {
    const Need wanted = token == ")" ? Need::round : token == "]" ? Need::square : Need::curly;
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (open_[i] == wanted) {
        open_.resize(i);
        return;
      }
    }
  }

  // The innermost `from` in the same brackets becomes `to`; what was open inside of it ends.
  bool replace(Need from, std::optional<Need> to) {
    for (std::size_t i = open_.size(); i-- > 0 && !is_bracket(open_[i]);) {
      if (open_[i] != from) continue;
      open_.resize(i);
      if (to) open_.push_back(*to);
      return true;
    }
    return false;
  }

  std::vector<Need> open_;
};

// Where the declaration begins that `offset` lies in, and where the next one does.
Span declaration_around(std::string_view text, std::size_t offset) {
  std::size_t begin = 0;
  std::size_t end = text.size();
  for (auto line = syntax::next_declaration(text, 0); line;
       line = syntax::next_declaration(text, *line + 1)) {
    if (*line > offset) {
      end = *line;
      break;
    }
    begin = *line;
  }
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

std::string closings(std::string_view part) {
  SourceFiles files;
  NameTable names;
  const FileId id = files.add("", std::string(part));
  Openings openings;
  bool is_first = true;
  for (const Range& token : syntax::scan(id, files, names).tokens) {
    const std::string_view word = files.text(token);
    openings.read(word, is_first);
    // Attributes and `local` stand before the word that says what is declared.
    if (word != "local") is_first = false;
  }
  return openings.closings();
}

}  // namespace

Span word_at(std::string_view text, std::size_t offset) {
  std::size_t begin = offset;
  std::size_t end = offset;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  if (!is_word(text.substr(begin, end - begin))) begin = end = offset;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

std::vector<Unfinished> finish(std::string_view text, std::size_t offset) {
  const Span word = word_at(text, offset);
  // Names end in a letter of their own, so that a keyword that is half written is a name, too.
  const std::string written(text.substr(word.begin, word.end - word.begin));
  const std::string name = is_identifier(written) ? written : written + std::string(placeholder);
  const Span wanted{word.begin, static_cast<std::uint32_t>(word.begin + name.size())};
  const std::string before(text.substr(0, word.begin));
  std::vector<Unfinished> result;
  result.push_back({before + name + std::string(text.substr(word.end)), wanted});
  const Span declaration = declaration_around(text, offset);
  const std::string head(text.substr(declaration.begin, word.begin - declaration.begin));
  result.push_back({before + name + closings(head + name) + "\n\n" +
                        std::string(text.substr(std::max(declaration.end, word.end))),
                    wanted});
  return result;
}

}  // namespace dagaz::tools::lsp
