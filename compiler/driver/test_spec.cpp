#include "driver/test_spec.h"

#include <algorithm>
#include <cctype>

#include "driver/wrapped_integers.h"

namespace dagaz::driver {

namespace {

// One block as text, comment markers removed but lines kept, so that places can be told.
struct BlockText {
  std::string text;
  int first_line;
  std::vector<std::size_t> lines;  // where each begins in the file, after its marker
};

std::vector<BlockText> find_blocks(std::string_view text) {
  std::vector<BlockText> blocks;
  int line_number = 0;
  bool inside = false;
  const char* const begin = text.data();
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++line_number;
    if (line.substr(0, 5) == "-- ==") {
      blocks.push_back(BlockText{std::string(line.substr(5)), line_number, {}});
      blocks.back().lines.push_back(static_cast<std::size_t>(line.data() - begin) + 5);
      inside = true;
    } else if (inside && line.substr(0, 2) == "--") {
      blocks.back().text += "\n" + std::string(line.substr(2));
      blocks.back().lines.push_back(static_cast<std::size_t>(line.data() - begin) + 2);
    } else {
      inside = false;
    }
  }
  return blocks;
}

constexpr std::string_view structure_pipelines[] = {"gpu-mem", "gpu", "mc-mem", "mc",
                                                    "seq-mem", "internalised"};

// A recursive-descent reader of one block; `failed` holds once something was wrong.
class BlockReader {
 public:
  BlockReader(const BlockText& block, SpecError& error)
      : text_(block.text), first_line_(block.first_line), lines_(block.lines), error_(error) {}

  bool read(TestSpec& spec, bool is_first) {
    skip_space();
    if (is_first && eat_word("tags")) spec.tags = words(braces());
    if (is_first && eat("error:")) {
      spec.must_be_rejected = true;
      spec.rejection = rest_of_line();
      return finish();
    }
    while (eat("property:")) {
      for (std::string& name : words(rest_of_line())) spec.properties.push_back(std::move(name));
    }
    TestBlock block;
    if (eat("entry:")) {
      block.entries = words(rest_of_line());
    } else {
      block.entries = {"main"};
    }
    while (!failed_ && !at_end() && !at("structure") && !at("warning:")) {
      block.cases.push_back(read_case());
    }
    block.first_line = first_line_;
    if (!block.cases.empty()) spec.blocks.push_back(std::move(block));
    while (!failed_ && eat_word("structure")) {
      for (const std::string_view pipeline : structure_pipelines) {
        if (eat_word(pipeline)) break;
      }
      braces();
    }
    while (!failed_ && eat("warning:")) spec.warnings.push_back(rest_of_line());
    return finish();
  }

 private:
  TestCase read_case() {
    TestCase result;
    result.line = line();
    if (at("\"")) result.name = quoted();
    while (!eat_word("input")) {
      const std::string tag = at_word("structure") ? "" : word();
      if (tag.empty()) {
        fail("expected `input`");
        return result;
      }
      if (tag == "random") {
        result.input_kind = InputKind::random;
      } else if (tag == "script") {
        result.input_kind = InputKind::script;
      } else {
        result.tags.push_back(tag);
      }
    }
    if (eat("@")) {
      result.input_kind =
          result.input_kind == InputKind::script ? InputKind::script_file : InputKind::file;
      result.input = word();
    } else {
      result.input = braces();
      if (result.input_kind == InputKind::literal) result.input = wrapped_integers(result.input);
    }
    read_expectation(result);
    return result;
  }

  void read_expectation(TestCase& result) {
    if (eat_word("auto")) {
      if (!eat_word("output")) fail("expected `output` after `auto`");
      result.expectation = Expectation::automatic;
    } else if (eat_word("output")) {
      if (eat("@")) {
        result.expectation = Expectation::values_file;
        result.expected = word();
      } else {
        result.expectation = Expectation::values;
        result.expected_begin = in_file(position_ + 1);
        result.expected = wrapped_integers(braces());
        result.expected_end = in_file(closed_);
      }
    } else if (eat("error:")) {
      result.expectation = Expectation::error;
      result.expected = rest_of_line();
    }
  }

  bool finish() {
    if (!failed_ && !at_end()) fail("unexpected `" + rest_of_line() + "`");
    return !failed_;
  }
  void fail(std::string message) {
    if (failed_) return;
    failed_ = true;
    error_ = SpecError{line(), std::move(message)};
  }
  int line() const {
    int count = first_line_;
    for (std::size_t i = 0; i < position_ && i < text_.size(); ++i) count += text_[i] == '\n';
    return count;
  }
  std::size_t in_file(std::size_t position) const {
    const std::size_t before = std::min(position, text_.size());
    const auto number = static_cast<std::size_t>(
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(before), '\n'));
    const std::size_t start = before == 0 ? 0 : text_.rfind('\n', before - 1) + 1;  // npos + 1 is 0
    return lines_[number] + before - start;
  }
  bool at_end() const { return position_ >= text_.size(); }
  bool at(std::string_view what) const {
    return std::string_view(text_).substr(position_, what.size()) == what;
  }
  bool at_word(std::string_view what) const {
    if (!at(what)) return false;
    const std::size_t after = position_ + what.size();
    return after >= text_.size() || !is_word_character(text_[after]);
  }
  bool eat(std::string_view what) {
    if (!at(what)) return false;
    position_ += what.size();
    skip_space();
    return true;
  }
  bool eat_word(std::string_view what) { return at_word(what) && eat(what); }
  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[position_]))) ++position_;
  }
  static bool is_word_character(char c) {
    return !std::isspace(static_cast<unsigned char>(c)) && c != '{' && c != '}';
  }
  std::string word() {
    std::string out;
    while (!at_end() && is_word_character(text_[position_])) out += text_[position_++];
    skip_space();
    return out;
  }
  std::string quoted() {
    std::string out;
    ++position_;
    while (!at_end() && text_[position_] != '"') out += text_[position_++];
    if (at_end()) fail("a name without closing quote");
    ++position_;
    skip_space();
    return out;
  }
  // The text up to the end of the line, without surrounding white space.
  std::string rest_of_line() {
    std::string out;
    while (!at_end() && text_[position_] != '\n') out += text_[position_++];
    skip_space();
    while (!out.empty() && std::isspace(static_cast<unsigned char>(out.back()))) out.pop_back();
    return out;
  }
  // The text between `{` and the matching `}`; braces inside strings do not count.
  std::string braces() {
    if (!at("{")) {
      fail("expected `{`");
      return {};
    }
    ++position_;
    std::string out;
    int depth = 1;
    bool in_string = false;
    for (; !at_end(); ++position_) {
      const char c = text_[position_];
      if (in_string) {
        if (c == '\\') {
          out += c;
          ++position_;
        } else if (c == '"') {
          in_string = false;
        }
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        break;
      }
      if (!at_end()) out += text_[position_];
    }
    if (at_end()) fail("`{` without `}`");
    closed_ = position_++;
    skip_space();
    return out;
  }
  static std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> out;
    std::string current;
    for (const char c : text + " ") {
      if (!std::isspace(static_cast<unsigned char>(c))) {
        current += c;
      } else if (!current.empty()) {
        out.push_back(std::move(current));
        current.clear();
      }
    }
    return out;
  }

  const std::string& text_;
  int first_line_;
  const std::vector<std::size_t>& lines_;
  SpecError& error_;
  std::size_t position_ = 0;
  std::size_t closed_ = 0;  // where the last braces end
  bool failed_ = false;
};

}  // namespace

// Leaves the last block that begins at `line` or above.
static void keep_block(std::vector<TestBlock>& blocks, int line) {
  const auto after = std::find_if(blocks.begin(), blocks.end(), [&](const TestBlock& block) {
    return block.first_line > line;
  });
  blocks.erase(after, blocks.end());
  if (blocks.size() > 1) blocks.erase(blocks.begin(), blocks.end() - 1);
}

std::optional<TestSpec> parse_test_spec(std::string_view text, SpecError& error,
                                        std::optional<int> line) {
  TestSpec spec;
  bool is_first = true;
  for (const BlockText& block : find_blocks(text)) {
    if (!BlockReader(block, error).read(spec, is_first)) return std::nullopt;
    is_first = false;
    spec.any = true;
  }
  if (line) keep_block(spec.blocks, *line);
  return spec;
}

}  // namespace dagaz::driver
