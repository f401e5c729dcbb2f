// Reads the text form that text.h describes, from the same field lists as the printer.
//
// After the first mistake the parser stands at the end of the file, where every rule fails at
// once; so rules need not pass failures on.
#include "ir/parse.h"

#include <charconv>
#include <limits>
#include <unordered_map>

#include "ir/lexer.h"
#include "ir/text.h"

namespace dagaz::ir {

namespace {

using text::Token;
using text::TokenKind;

/// The number at the end of `base_12`.
std::optional<std::size_t> number_of(std::string_view word) {
  const std::size_t bar = word.rfind('_');
  if (bar == std::string_view::npos || bar + 1 == word.size()) return std::nullopt;
  std::size_t number = 0;
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data() + bar + 1, end, number);
  if (result.ptr != end || result.ec != std::errc()) return std::nullopt;
  return number;
}

/// Numbers that names may have: a bound on the size of the table of names.
constexpr std::size_t largest_number = 50'000'000;

/// The names of the text, by spelling and by number.
class NameEntries {
 public:
  struct Entry {
    std::string_view spelling;
    std::string base;
    Type type;
    bool bound = false;
  };

  explicit NameEntries(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (token.kind != TokenKind::word) continue;
      const auto number = number_of(token.spelling);
      if (number && *number < largest_number && *number >= next_) next_ = *number + 1;
    }
    entries_.resize(next_);
  }

  /// The name spelled so; nothing if its number belongs to another spelling.
  std::optional<NameId> name(std::string_view spelling) {
    const auto found = by_spelling_.find(spelling);
    if (found != by_spelling_.end()) return found->second;
    const auto number = number_of(spelling);
    NameId name;
    if (number && *number < entries_.size()) {
      name = NameId(*number);
      if (!entries_[*number].spelling.empty()) return std::nullopt;
      entries_[*number].base = spelling.substr(0, spelling.rfind('_'));
    } else {
      name = NameId(entries_.size());
      entries_.push_back({});
      entries_.back().base = spelling;
    }
    entries_[name.index].spelling = spelling;
    by_spelling_.emplace(spelling, name);
    return name;
  }

  Entry& operator[](NameId name) { return entries_[name.index]; }

  /// A name that was used and never bound.
  std::optional<std::string_view> unbound() const {
    for (const Entry& entry : entries_) {
      if (!entry.spelling.empty() && !entry.bound) return entry.spelling;
    }
    return std::nullopt;
  }

  Names take() {
    Names names;
    for (Entry& entry : entries_) {
      names.fresh(std::move(entry.base), std::move(entry.type));
    }
    return names;
  }

 private:
  std::size_t next_ = 0;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, NameId> by_spelling_;
};

class Parser {
 public:
  Parser(FileId file, std::string_view source, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics), tokens_(text::tokenize(source)), names_(tokens_) {}

  std::optional<Program> run() {
    Program program;
    while (!failed_ && token().kind != TokenKind::end) declaration(program);
    if (!failed_) {
      if (const auto name = names_.unbound()) {
        fail("`" + std::string(*name) + "` is used but bound nowhere");
      }
    }
    if (failed_) return std::nullopt;
    program.names = names_.take();
    program.locations = std::move(locations_);
    return program;
  }

  std::optional<std::unordered_map<NameId, Schedule>> schedules() {
    std::unordered_map<NameId, Schedule> found;
    while (!failed_ && token().kind != TokenKind::end) {
      NameId name;
      read(name);
      expect(":");
      read(found[name]);
    }
    if (failed_) return std::nullopt;
    return found;
  }

 private:
  // -------------------------------------------------------------- tokens

  const Token& token() const { return tokens_[at_]; }
  bool at_punctuation(std::string_view spelling) const {
    return token().kind == TokenKind::punctuation && token().spelling == spelling;
  }
  bool at_word(std::string_view spelling) const {
    return token().kind == TokenKind::word && token().spelling == spelling;
  }
  void advance() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  bool skip(std::string_view punctuation) {
    if (!at_punctuation(punctuation)) return false;
    advance();
    return true;
  }
  bool skip_word(std::string_view spelling) {
    if (!at_word(spelling)) return false;
    advance();
    return true;
  }
  void expect(std::string_view punctuation) {
    if (!skip(punctuation)) fail_expected("`" + std::string(punctuation) + "`");
  }
  std::string_view word(std::string_view what) {
    const std::string_view spelling = token().spelling;
    if (token().kind != TokenKind::word) {
      fail_expected(what);
      return "";
    }
    advance();
    return spelling;
  }
  void fail(std::string message) {
    if (failed_) return;
    failed_ = true;
    const Range range{file_, token().begin, token().end};
    diagnostics_.report(DiagnosticKind::syntax, range, std::move(message));
    at_ = tokens_.size() - 1;
  }
  void fail_expected(std::string_view what) {
    const std::string found =
        token().kind == TokenKind::end ? "the end" : "`" + std::string(token().spelling) + "`";
    fail("found " + found + ", expected " + std::string(what));
  }

  // -------------------------------------------------------------- leaves

  void read(NameId& out) {
    const std::string_view spelling = word("a name");
    if (failed_) return;
    if (const auto name = names_.name(spelling)) {
      out = *name;
    } else {
      --at_;
      fail("the number of `" + std::string(spelling) + "` belongs to another name");
    }
  }
  void read(Operand& out) {
    if (token().kind == TokenKind::number || at_word("true") || at_word("false") ||
        at_punctuation("-") || is_float_word()) {
      Constant constant;
      read(constant);
      out = constant;
    } else {
      NameId name;
      read(name);
      out = name;
    }
  }
  bool is_float_word() const {
    const auto type = scalar_type_named(token().spelling);
    return token().kind == TokenKind::word && type && is_float(*type);
  }
  void read(Constant& out) {
    if (skip_word("true")) {
      out = make_bool(true);
    } else if (skip_word("false")) {
      out = make_bool(false);
    } else if (token().kind == TokenKind::number) {
      out = number(token().spelling);
      advance();
    } else {
      out = special_float();
    }
  }
  /// f64.nan, -f32.inf, f16.bits 32257
  Constant special_float() {
    const bool negative = skip("-");
    const auto type = scalar_type_named(word("a constant"));
    expect(".");
    const std::string_view which = word("`nan`, `inf` or `bits`");
    if (failed_ || !type || !is_float(*type)) {
      fail("this is no float type");
      return {};
    }
    if (which == "inf") {
      const double infinity = std::numeric_limits<double>::infinity();
      return make_float(*type, negative ? -infinity : infinity);
    }
    if (which == "nan") return make_float(*type, std::numeric_limits<double>::quiet_NaN());
    std::uint64_t bits = 0;
    const std::string_view digits = token().spelling;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (which != "bits" || result.ec != std::errc()) fail_expected("`nan`, `inf` or `bits N`");
    advance();
    return Constant{*type, bits};
  }
  Constant number(std::string_view spelling) {
    std::size_t digits = spelling.find_first_of("if");
    if (digits == std::string_view::npos) digits = spelling.size();
    const std::string_view suffix = spelling.substr(digits);
    const auto type = suffix.empty() ? ScalarType::i64 : scalar_type_named(suffix);
    if (!type || *type == ScalarType::boolean) {
      fail("`" + std::string(suffix) + "` is no number type");
      return {};
    }
    const char* begin = spelling.data();
    const char* end = begin + digits;
    if (is_float(*type)) return float_number(*type, begin, end);
    std::int64_t value = 0;
    const auto result = std::from_chars(begin, end, value);
    if (result.ptr != end || result.ec != std::errc()) fail("this is no integer of 64 bits");
    return make_integer(*type, value);
  }
  Constant float_number(ScalarType type, const char* begin, const char* end) {
    double value = 0;
    std::from_chars_result result;
    if (type == ScalarType::f64) {
      result = std::from_chars(begin, end, value);
    } else {
      float narrow = 0;
      result = std::from_chars(begin, end, narrow);
      value = static_cast<double>(narrow);
    }
    if (result.ptr != end || result.ec != std::errc()) fail("this is no number of its type");
    return make_float(type, value);
  }
  void read(Type& out) {
    if (skip_word("token")) {
      out = token_type();
      return;
    }
    out = Type{};
    if (skip_word("acc")) out.kind = TypeKind::accumulator;
    while (skip("[")) {
      read(out.shape.emplace_back());
      expect("]");
    }
    read(out.element);
  }
  void read(Binder& out) {
    read(out.name);
    expect(":");
    Type type;
    read(type);
    if (failed_) return;
    NameEntries::Entry& entry = names_[out.name];
    if (entry.bound) {
      fail("`" + std::string(entry.spelling) + "` is bound before");
      return;
    }
    entry.bound = true;
    entry.type = std::move(type);
  }
  void read(SliceDimension& out) {
    read(out.start);
    out.fixed = !skip(":");
    out.count = i64_operand(1);
    out.stride = i64_operand(1);
    if (out.fixed) return;
    read(out.count);
    expect(":");
    read(out.stride);
  }
  void read(std::string& out) {
    if (token().kind != TokenKind::text) {
      fail_expected("a quoted text");
      return;
    }
    out = text::unescaped(token().spelling);
    advance();
  }
  void read(bool& out) {
    if (!at_word("true") && !at_word("false")) fail_expected("`true` or `false`");
    out = at_word("true");
    advance();
  }
  void read(int& out) {
    const std::string_view digits = token().spelling;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (token().kind != TokenKind::number || result.ptr != digits.data() + digits.size()) {
      fail_expected("a number");
    }
    advance();
  }
  template <typename E>
    requires std::is_enum_v<E>
  void read(E& out) {
    const auto& words = text::Spellings<E>::words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (skip_word(words[i])) {
        out = static_cast<E>(i);
        return;
      }
    }
    fail_expected("one of " + std::string(words.front()) + ", …, " + std::string(words.back()));
  }

  // -------------------------------------------------------------- structures

  template <typename T>
  void read(std::vector<T>& out) {
    expect("[");
    if (!at_punctuation("]")) list(out);
    expect("]");
  }
  void read(std::vector<bool>& out) {
    expect("[");
    while (!failed_ && !at_punctuation("]")) {
      bool item = false;
      read(item);
      out.push_back(item);
      if (!at_punctuation("]")) expect(",");
    }
    expect("]");
  }
  template <typename T>
  void list(std::vector<T>& out) {
    do {
      out.emplace_back();
      read(out.back());
    } while (skip(","));
  }
  template <typename T>
  void read(std::optional<T>& out) {
    read(out.emplace());
  }
  void read(Body& out) {
    expect("{");
    while (!failed_ && !at_word("return")) read(out.statements.emplace_back());
    advance();
    if (!at_punctuation("}")) list(out.results);
    expect("}");
  }
  void read(Lambda& out) {
    expect("\\");
    expect("(");
    if (!at_punctuation(")")) list(out.parameters);
    expect(")");
    expect("->");
    read(out.result_types);
    read(out.body);
  }
  void read(std::variant<ForForm, WhileForm>& out) {
    if (skip_word("for")) {
      read(out.emplace<ForForm>());
    } else if (skip_word("while")) {
      read(out.emplace<WhileForm>().condition);
    } else {
      fail_expected("`for` or `while`");
    }
  }
  void read(Schedule& out) { read(out.versions); }
  void read(Version& out) {
    const std::string_view mnemonic = word("a strategy");
    if (!failed_ && !read_strategy(mnemonic, out.strategy,
                                   std::make_index_sequence<std::variant_size_v<Strategy>>())) {
      --at_;
      fail("`" + std::string(mnemonic) + "` is no strategy");
    }
    if (skip_word("when")) read(out.when);
  }
  template <std::size_t... indices>
  bool read_strategy(std::string_view mnemonic, Strategy& out, std::index_sequence<indices...>) {
    const auto read_if = [&]<std::size_t index>(std::integral_constant<std::size_t, index>) {
      if (std::variant_alternative_t<index, Strategy>::mnemonic != mnemonic) return false;
      members(out.emplace<index>());
      return true;
    };
    return (read_if(std::integral_constant<std::size_t, indices>()) || ...);
  }
  template <HasFields Node>
  void read(Node& node) {
    if constexpr (!text::joint<Node>.empty()) {
      read(std::get<0>(node.fields()));
      expect(text::joint<Node>);
      read(std::get<1>(node.fields()));
    } else {
      expect("(");
      members(node);
      expect(")");
    }
  }

  template <typename Node>
  void members(Node& node) {
    constexpr std::size_t labelled = text::first_labelled<Node>();
    constexpr std::size_t count = std::tuple_size_v<decltype(node.fields())>;
    [&]<std::size_t... indices>(std::index_sequence<indices...>) {
      (read(std::get<indices>(node.fields())), ...);
    }(std::make_index_sequence<labelled>());
    std::array<bool, count + 1> seen = {};
    bool more = true;
    while (!failed_ && more) {
      more = [&]<std::size_t... indices>(std::index_sequence<indices...>) {
        return (labelled_member<labelled + indices>(node, seen) || ...);
      }(std::make_index_sequence<count - labelled>());
    }
    [&]<std::size_t... indices>(std::index_sequence<indices...>) {
      (require_member<labelled + indices>(node, seen), ...);
    }(std::make_index_sequence<count - labelled>());
  }
  template <std::size_t index, typename Node, typename Seen>
  bool labelled_member(Node& node, Seen& seen) {
    if (seen[index] || !skip_word(text::label_at(Node::field_names, index))) return false;
    seen[index] = true;
    read(std::get<index>(node.fields()));
    return true;
  }
  /// Members that have no empty value must be written.
  template <std::size_t index, typename Node, typename Seen>
  void require_member(Node& node, const Seen& seen) {
    using T = std::decay_t<decltype(std::get<index>(node.fields()))>;
    if constexpr (detail::is_leaf_role<T> || detail::is_variant<T>) {
      if (!seen[index]) {
        fail_expected("`" + std::string(text::label_at(Node::field_names, index)) + "`");
      }
    }
  }

  // -------------------------------------------------------------- statements

  void read(Operation& out) {
    const std::string_view mnemonic = word("an operation");
    if (const auto op = scalar_op_named(mnemonic)) {
      read_scalar(*op, out.emplace<Scalar>());
      return;
    }
    if (!failed_ && !read_alternative(mnemonic, out,
                                      std::make_index_sequence<std::variant_size_v<Operations>>())) {
      --at_;
      fail("`" + std::string(mnemonic) + "` is no operation");
    }
  }
  void read_scalar(ScalarOp op, Scalar& out) {
    out.op = op;
    expect(".");
    read(out.type);
    out.result = result_type(op, out.type, out.type);
    if (result_kind_of(op) == ResultKind::converted) {
      expect(".");
      read(out.result);
    }
    for (int i = 0; i < arity_of(op); ++i) read(out.arguments.emplace_back());
  }
  template <std::size_t... indices>
  bool read_alternative(std::string_view mnemonic, Operation& out,
                        std::index_sequence<indices...>) {
    return (read_if<indices>(mnemonic, out) || ...);
  }
  template <std::size_t index>
  bool read_if(std::string_view mnemonic, Operation& out) {
    using Node = std::variant_alternative_t<index, Operations>;
    if constexpr (std::is_same_v<Node, Scalar>) {
      return false;
    } else {
      if (Node::mnemonic != mnemonic) return false;
      members(out.emplace<index>());
      return true;
    }
  }
  void read(Statement& out) {
    const std::uint32_t begin = token().begin;
    if (!at_punctuation("=")) list(out.results);
    expect("=");
    read(out.operation);
    if (skip_word("if")) read(out.tokens);
    if (skip("#")) {
      expect("[");
      const std::string_view mode = word("`forward` or `reverse`");
      out.mode = mode == "forward" ? ModeRequest::forward : ModeRequest::reverse;
      expect("]");
    }
    if (failed_) return;
    const Range range{file_, begin, tokens_[at_ - 1].end};
    locations_.push_back({range, {}});
    out.location = LocationId(locations_.size() - 1);
  }

  // -------------------------------------------------------------- declarations

  void declaration(Program& program) {
    if (skip_word("function")) {
      function(program.functions.emplace_back());
    } else if (skip_word("type")) {
      members(program.external_types.emplace_back());
    } else if (skip_word("entry")) {
      members(program.entries.emplace_back());
    } else {
      fail_expected("`function`, `type` or `entry`");
    }
  }
  void function(Function& out) {
    if (token().kind == TokenKind::text) {
      read(out.name);
    } else {
      out.name = word("the function's name");
    }
    expect("(");
    while (!failed_ && !at_punctuation(")")) {
      out.consumes.push_back(skip("*"));
      read(out.parameters.emplace_back());
      if (!at_punctuation(")")) expect(",");
    }
    expect(")");
    expect("->");
    read(out.result_types);
    read(out.body);
  }

  FileId file_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;
  NameEntries names_;
  std::vector<Location> locations_;
};

}  // namespace

std::optional<Program> parse(FileId file, const SourceFiles& files, Diagnostics& diagnostics) {
  return Parser(file, files.file(file).text(), diagnostics).run();
}

std::optional<std::unordered_map<NameId, Schedule>> parse_schedules(FileId file,
                                                                    const SourceFiles& files,
                                                                    Diagnostics& diagnostics) {
  return Parser(file, files.file(file).text(), diagnostics).schedules();
}

}  // namespace dagaz::ir
