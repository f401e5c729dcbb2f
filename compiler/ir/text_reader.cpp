#include "ir/text_reader.h"

#include <charconv>
#include <limits>

namespace dagaz::ir::text {

/// The number at the end of `base_12`.
static std::optional<std::size_t> number_of(std::string_view word) {
  const std::size_t bar = word.rfind('_');
  if (bar == std::string_view::npos || bar + 1 == word.size()) return std::nullopt;
  std::size_t number = 0;
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data() + bar + 1, end, number);
  if (result.ptr != end || result.ec != std::errc()) return std::nullopt;
  return number;
}

/// Numbers that names may have: a bound on the size of the table of names.
static constexpr std::size_t largest_number = 50'000'000;

NameEntries::NameEntries(const std::vector<Token>& tokens) {
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::word) continue;
    const auto number = number_of(token.spelling);
    if (number && *number < largest_number && *number >= next_) next_ = *number + 1;
  }
  entries_.resize(next_);
}

std::optional<NameId> NameEntries::name(std::string_view spelling) {
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

std::optional<std::string_view> NameEntries::unbound() const {
  for (const Entry& entry : entries_) {
    if (!entry.spelling.empty() && !entry.bound) return entry.spelling;
  }
  return std::nullopt;
}

Names NameEntries::take() {
  Names names;
  for (Entry& entry : entries_) {
    names.fresh(std::move(entry.base), std::move(entry.type));
  }
  return names;
}

bool TextReader::at_punctuation(std::string_view spelling) const {
  return token().kind == TokenKind::punctuation && token().spelling == spelling;
}

bool TextReader::at_word(std::string_view spelling) const {
  return token().kind == TokenKind::word && token().spelling == spelling;
}

void TextReader::advance() {
  if (at_ + 1 < tokens_.size()) ++at_;
}

bool TextReader::skip(std::string_view punctuation) {
  if (!at_punctuation(punctuation)) return false;
  advance();
  return true;
}

bool TextReader::skip_word(std::string_view spelling) {
  if (!at_word(spelling)) return false;
  advance();
  return true;
}

void TextReader::expect(std::string_view punctuation) {
  if (!skip(punctuation)) fail_expected("`" + std::string(punctuation) + "`");
}

std::string_view TextReader::word(std::string_view what) {
  const std::string_view spelling = token().spelling;
  if (token().kind != TokenKind::word) {
    fail_expected(what);
    return "";
  }
  advance();
  return spelling;
}

void TextReader::fail(std::string message) {
  if (failed_) return;
  failed_ = true;
  const Range range{file_, token().begin, token().end};
  diagnostics_.report(DiagnosticKind::syntax, range, std::move(message));
  at_ = tokens_.size() - 1;
}

void TextReader::fail_expected(std::string_view what) {
  const std::string found =
      token().kind == TokenKind::end ? "the end" : "`" + std::string(token().spelling) + "`";
  fail("found " + found + ", expected " + std::string(what));
}

void TextReader::read(NameId& out) {
  const std::string_view spelling = word("a name");
  if (failed_) return;
  if (const auto name = names_.name(spelling)) {
    out = *name;
  } else {
    --at_;
    fail("the number of `" + std::string(spelling) + "` belongs to another name");
  }
}

void TextReader::read(Operand& out) {
  if (is_at_constant()) {
    Constant constant;
    read(constant);
    out = constant;
  } else {
    NameId name;
    read(name);
    out = name;
  }
}

bool TextReader::is_at_constant() const {
  return token().kind == TokenKind::number || at_word("true") || at_word("false") ||
         at_punctuation("-") || is_float_word();
}

bool TextReader::is_float_word() const {
  const auto type = scalar_type_named(token().spelling);
  return token().kind == TokenKind::word && type && is_float(*type);
}

void TextReader::read(Constant& out) {
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

Constant TextReader::special_float() {
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

Constant TextReader::number(std::string_view spelling) {
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

Constant TextReader::float_number(ScalarType type, const char* begin, const char* end) {
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

void TextReader::read(Type& out) {
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

void TextReader::read(std::string& out) {
  if (token().kind != TokenKind::text) {
    fail_expected("a quoted text");
    return;
  }
  out = text::unescaped(token().spelling);
  advance();
}

void TextReader::read(bool& out) {
  if (!at_word("true") && !at_word("false")) fail_expected("`true` or `false`");
  out = at_word("true");
  advance();
}

void TextReader::read(int& out) {
  const std::string_view digits = token().spelling;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (token().kind != TokenKind::number || result.ptr != digits.data() + digits.size()) {
    fail_expected("a number");
  }
  advance();
}

}  // namespace dagaz::ir::text
