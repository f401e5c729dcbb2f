// Panic mode at the grain of declarations, which in this language begin lines.  The text is cut at
// the lines that begin a declaration and lie in no braces; a part that parses is kept.  In one that
// does not, the innermost declaration around the mistake gets `???` as its value, which keeps what
// its head says, or is left out; and again, while that leads further.
#include "syntax/recovery.h"

#include <algorithm>
#include <cctype>

namespace dagaz::syntax {

namespace {

// Mistakes of one part that are repaired before it is given up.
constexpr std::size_t repair_limit = 24;

class Recoverer {
 public:
  Recoverer(FileId file, const ParseInput& input)
      : file_(file), input_(input), text_(input.sources.file(file).text()),
        tokens_(scan(file, input.sources, input.names).tokens) {
    find_lines();
  }

  ast::File run() {
    ast::File result;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t end = i + 1 < parts_.size() ? parts_[i + 1] : text_.size();
      std::optional<ast::File> part = repaired({parts_[i], end});
      if (!part) {
        lose(parts_[i], end);
        continue;
      }
      if (i == 0) result.documentation = std::move(part->documentation);
      result.declarations.insert(result.declarations.end(), part->declarations.begin(),
                                 part->declarations.end());
    }
    return result;
  }

 private:
  // Parts begin at lines in no pair of braces.  A brace without a partner makes no pair.
  void find_lines() {
    std::vector<const Range*> open;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const Range& token : tokens_) {
      if (text_of(token) == "{") open.push_back(&token);
      if (text_of(token) == "}" && !open.empty()) {
        pairs.emplace_back(open.back()->begin, token.begin);
        open.pop_back();
      }
    }
    parts_.push_back(0);
    for (auto line = next_declaration(text_, 0); line; line = next_declaration(text_, *line + 1)) {
      if (!lines_.empty() && only_introduces(lines_.back(), *line)) continue;
      lines_.push_back(*line);
      const bool is_inside = std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return pair.first < *line && *line < pair.second;
      });
      if (!is_inside && *line > 0) parts_.push_back(*line);
    }
  }

  // Whether comments, attributes and `local` are all there is before `end`.
  bool only_introduces(std::size_t begin, std::size_t end) const {
    auto token = first_token(begin);
    while (token != tokens_.end() && token->begin < end) {
      if (text_of(*token) == "#[") {
        while (token != tokens_.end() && text_of(*token) != "]") ++token;
        if (token == tokens_.end()) return false;
      } else if (text_of(*token) != "local") {
        return false;
      }
      ++token;
    }
    return true;
  }

  Outcome attempt(const Extent& extent, ast::Arena& arena) const {
    Diagnostics mistakes;
    Outcome outcome =
        parse_extent(extent, file_, Goal::file, {input_.sources, arena, input_.names, mistakes});
    if (!outcome.complete && !outcome.stopped_at) {
      // The grammar was followed, but not by what the tokens say.
      for (const Diagnostic& mistake : mistakes.all()) {
        if (!outcome.stopped_at) outcome.stopped_at = mistake.range.begin;
      }
    }
    return outcome;
  }

  // Where the part stops being understood with these repairs.
  std::size_t reach(const Extent& extent) const {
    ast::Arena scratch;
    const Outcome outcome = attempt(extent, scratch);
    return outcome.stopped_at.value_or(static_cast<std::size_t>(-1));
  }

  std::optional<ast::File> repaired(Extent extent) {
    for (std::size_t i = 0; i < repair_limit; ++i) {
      const std::size_t stop = reach(extent);
      if (stop == static_cast<std::size_t>(-1)) {
        for (const Repair& repair : extent.repairs) note(repair);
        return attempt(extent, input_.arena).file;
      }
      const std::optional<Repair> next = repair_at(stop, extent);
      if (!next) return std::nullopt;
      extent.repairs.push_back(*next);
    }
    return std::nullopt;
  }

  // The repair of the declaration around `stop` that leads further.
  std::optional<Repair> repair_at(std::size_t stop, const Extent& extent) const {
    const std::size_t after_last =
        extent.repairs.empty() ? extent.begin : extent.repairs.back().end;
    // The word that begins a declaration may be what does not fit the one before.
    const auto after =
        std::partition_point(lines_.begin(), lines_.end(), [&](std::size_t line) {
          const auto token = first_token(line);
          return token != tokens_.end() && token->begin < stop;
        });
    const std::size_t begin = std::max(after == lines_.begin() ? 0 : *(after - 1), extent.begin);
    if (begin < after_last) return std::nullopt;
    const auto next = std::upper_bound(lines_.begin(), lines_.end(), begin);
    const std::size_t end = without_closing_braces(
        begin, next == lines_.end() ? extent.end : std::min(*next, extent.end));
    std::vector<Repair> candidates;
    if (const auto equals = equals_sign(begin, end)) {
      candidates.push_back({Repair::Kind::open_value, *equals, end});
    }
    candidates.push_back({Repair::Kind::leave_out, begin, end});
    for (const Repair& candidate : candidates) {
      Extent changed = extent;
      changed.repairs.push_back(candidate);
      if (reach(changed) > end) return candidate;
    }
    return std::nullopt;
  }

  // Braces at the end that open before the declaration belong to the module around it.
  std::size_t without_closing_braces(std::size_t begin, std::size_t end) const {
    int depth = 0;
    for (auto token = first_token(begin); token != tokens_.end() && token->begin < end; ++token) {
      if (text_of(*token) == "{") ++depth;
      if (text_of(*token) == "}" && --depth < 0) return token->begin;
    }
    return end;
  }

  // The first `=` outside of brackets.
  std::optional<std::size_t> equals_sign(std::size_t begin, std::size_t end) const {
    int depth = 0;
    for (auto token = first_token(begin); token != tokens_.end() && token->begin < end; ++token) {
      const std::string_view word = text_of(*token);
      if (word == "(" || word == "[" || word == "{" || word == "#[") ++depth;
      if (word == ")" || word == "]" || word == "}") --depth;
      if (word == "=" && depth == 0) return token->begin;
    }
    return std::nullopt;
  }

  std::vector<Range>::const_iterator first_token(std::size_t from) const {
    return std::partition_point(tokens_.begin(), tokens_.end(),
                                [&](const Range& token) { return token.begin < from; });
  }

  void note(const Repair& repair) {
    if (repair.kind == Repair::Kind::leave_out) return lose(repair.begin, repair.end);
    const auto line = std::upper_bound(lines_.begin(), lines_.end(), repair.begin);
    damage(line == lines_.begin() ? 0 : *(line - 1), repair.end);
  }

  void damage(std::size_t begin, std::size_t end) {
    input_.recovery->damaged.push_back(
        {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }

  void lose(std::size_t begin, std::size_t end) {
    damage(begin, end);
    for (auto token = first_token(begin); token != tokens_.end() && token->begin < end; ++token) {
      const std::string_view word = text_of(*token);
      const auto first = static_cast<unsigned char>(word.front());
      if (std::isalpha(first) != 0 || first == '_') input_.recovery->lost_words.emplace(word);
    }
  }

  std::string_view text_of(const Range& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  FileId file_;
  const ParseInput& input_;
  std::string_view text_;
  std::vector<Range> tokens_;
  std::vector<std::size_t> lines_;  // that begin a declaration
  std::vector<std::size_t> parts_;  // those of them that begin a part, and the first
};

}  // namespace

ast::File recover(FileId file, const ParseInput& input) { return Recoverer(file, input).run(); }

}  // namespace dagaz::syntax
