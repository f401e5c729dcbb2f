#include "tools/literate/blocks.h"

#include <algorithm>
#include <cctype>

namespace dagaz::tools::literate {

namespace {

constexpr std::string_view comment = "--";

struct Command {
  std::string_view name;
  DirectiveKind kind;
  std::vector<std::string_view> parameters;  // the names that it knows
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"img", DirectiveKind::image, {"file"}},
      {"plot2d", DirectiveKind::plot, {"size"}},
      {"gnuplot", DirectiveKind::gnuplot, {}},
      {"video", DirectiveKind::video, {"repeat", "fps", "loop", "autoplay", "format", "file"}},
      {"audio", DirectiveKind::audio, {"sampling_frequency", "codec"}}};
  return all;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

std::string_view without_sign(std::string_view line) {
  line.remove_prefix(comment.size());
  if (line.starts_with(" ")) line.remove_prefix(1);
  return line;
}

class DirectiveParser {
 public:
  // `text` begins behind the `>`.
  explicit DirectiveParser(std::string_view text) : rest_(text) {}

  std::optional<Directive> parse(std::string& problem) {
    Directive directive;
    const Command* command = head(directive, problem);
    if (!problem.empty()) return std::nullopt;
    std::size_t used = 0;
    auto expression = script::parse_prefix(rest_, used, problem);
    if (!expression) return std::nullopt;
    directive.expression = std::move(*expression);
    rest_.remove_prefix(used);
    if (!parameters(directive, command, problem)) return std::nullopt;
    return directive;
  }

 private:
  // `:brief`, `:covert` and the command; null where there is none.
  const Command* head(Directive& directive, std::string& problem) {
    for (;;) {
      skip_space();
      if (!rest_.starts_with(":")) return nullptr;
      const std::size_t end = std::min(rest_.find_first_of(" \t\n"), rest_.size());
      const std::string_view name = rest_.substr(1, end - 1);
      rest_.remove_prefix(end);
      if (name == "brief" || name == "covert") {
        directive.shown = name == "brief" ? Shown::without_parameters : Shown::nothing;
        continue;
      }
      const auto found = std::find_if(commands().begin(), commands().end(),
                                      [&](const Command& one) { return one.name == name; });
      if (found == commands().end()) {
        problem = "there is no directive `:" + std::string(name) + "`";
        return nullptr;
      }
      directive.kind = found->kind;
      return &*found;
    }
  }

  bool parameters(Directive& directive, const Command* command, std::string& problem) {
    if (rest_.empty()) {
      if (directive.kind == DirectiveKind::gnuplot) problem = "`:gnuplot` needs a script after `;`";
      return problem.empty();
    }
    if (command == nullptr || rest_.front() != ';') {
      problem = "unexpected `" + trimmed(rest_.substr(0, rest_.find('\n'))) + "`";
      return false;
    }
    rest_.remove_prefix(1);
    const std::size_t begin = rest_.find('\n');
    rest_ = begin == std::string_view::npos ? std::string_view() : rest_.substr(begin + 1);
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size() - 1);
      if (!add(directive, *command, rest_.substr(0, end + 1), problem)) return false;
      rest_.remove_prefix(end + 1);
    }
    return true;
  }

  static bool add(Directive& directive, const Command& command, std::string_view line,
                  std::string& problem) {
    if (directive.kind == DirectiveKind::gnuplot) {
      directive.parameters.emplace_back("", trimmed(line));
      return true;
    }
    if (trimmed(line).empty()) return true;
    const std::size_t colon = line.find(':');
    const std::string key = trimmed(line.substr(0, colon));
    const bool known = colon != std::string_view::npos &&
                       std::find(command.parameters.begin(), command.parameters.end(), key) !=
                           command.parameters.end();
    if (!known) {
      problem = "`:" + std::string(command.name) + "` has no parameter `" + key + "`";
      return false;
    }
    std::string value = trimmed(line.substr(colon + 1));
    if (key == "file" && (value.empty() || value.find_first_of("/\\ ") != std::string::npos)) {
      problem = "`file` is a name without folder or spaces, not `" + value + "`";
      return false;
    }
    directive.parameters.emplace_back(key, std::move(value));
    return true;
  }

  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
};

// Lines are taken one after the other.
class ProgramParser {
 public:
  explicit ProgramParser(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      if (line.ends_with("\r")) line.remove_suffix(1);
      lines_.push_back(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::optional<std::vector<Block>> parse(std::string& problem) {
    std::vector<Block> blocks;
    while (at_ < lines_.size()) {
      blocks.push_back({Block::Kind::code, "", {}, static_cast<int>(at_) + 1});
      Block& block = blocks.back();
      if (!is_comment()) {
        block.text = code();
      } else if (lines_[at_] == "-- ==") {
        block.text = test();
      } else if (is_directive()) {
        block.kind = Block::Kind::directive;
        block.text = comments();
        auto directive = DirectiveParser(std::string_view(block.text).substr(1)).parse(problem);
        if (!directive) {
          problem = std::to_string(block.line) + ": " + problem;
          return std::nullopt;
        }
        block.directive = std::move(*directive);
      } else {
        block.kind = Block::Kind::text;
        block.text = comments();
      }
    }
    return blocks;
  }

 private:
  bool is_comment() const { return lines_[at_].starts_with(comment); }
  bool is_directive() const {
    const std::string_view line = without_sign(lines_[at_]);
    return line.starts_with(">") && lines_[at_].starts_with("-- ");
  }

  std::string comments() {
    std::string text;
    for (; at_ < lines_.size() && is_comment(); ++at_) {
      text += std::string(without_sign(lines_[at_])) + "\n";
    }
    return text;
  }

  // A block of tests is shown as it is.
  std::string test() {
    std::string text;
    for (; at_ < lines_.size() && is_comment(); ++at_) {
      text += "-- " + std::string(without_sign(lines_[at_])) + "\n";
    }
    return text;
  }

  std::string code() {
    std::size_t begin = at_;
    while (at_ < lines_.size() && !is_comment()) ++at_;
    std::size_t end = at_;
    while (begin < end && lines_[begin].empty()) ++begin;
    while (begin < end && lines_[end - 1].empty()) --end;
    std::string text;
    for (; begin < end; ++begin) text += std::string(lines_[begin]) + "\n";
    return text;
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> parameter(const Directive& directive, std::string_view key) {
  for (const auto& [name, value] : directive.parameters) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string printed(const Directive& directive, Shown shown) {
  std::string out = "> ";
  for (const Command& command : commands()) {
    if (command.kind == directive.kind) out += ":" + std::string(command.name) + " ";
  }
  out += script::printed(directive.expression);
  if (shown != Shown::all || directive.parameters.empty()) return out;
  out += ";";
  for (const auto& [key, value] : directive.parameters) {
    out += "\n" + (key.empty() ? "" : key + ": ") + value;
  }
  return out;
}

std::optional<std::vector<Block>> parse_blocks(std::string_view program, std::string& problem) {
  return ProgramParser(program).parse(problem);
}

std::set<std::string> functions_in(const std::vector<Block>& blocks) {
  std::set<std::string> names;
  for (const Block& block : blocks) {
    if (block.kind == Block::Kind::directive) {
      script::add_functions(block.directive.expression, names);
    }
  }
  return names;
}

}  // namespace dagaz::tools::literate
