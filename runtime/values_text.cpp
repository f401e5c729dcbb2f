// Reading the text form.  Arrays are read into one flat buffer; the first subarray of each
// dimension fixes its size and every later one must agree.  Recursion is as deep as the rank of
// the type asked for, never as deep as the input nests.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "values.h"

namespace dagaz::runtime {

static constexpr int64_t unknown_size = -1;

static bool is_token_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '+' ||
         c == '_';
}

bool ValueReader::fail_at(size_t where, const std::string& message) {
  const std::string_view before = input_.substr(0, where);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  error_ = std::string(source_) + ":" + std::to_string(line) + ":" +
           std::to_string(where - line_start + 1) + ": " + message;
  return false;
}

/// Skips white space and `--` comments; always true, so that it can stand in a chain.
bool ValueReader::skip_space() {
  while (position_ < input_.size()) {
    if (std::isspace(static_cast<unsigned char>(input_[position_])) != 0) {
      ++position_;
    } else if (input_.substr(position_, 2) == "--") {
      position_ = std::min(input_.find('\n', position_), input_.size());
    } else {
      break;
    }
  }
  return true;
}

bool ValueReader::at_end() {
  skip_space();
  return position_ == input_.size();
}

std::string_view ValueReader::token() {
  size_t end = position_;
  while (end < input_.size() && is_token_character(input_[end])) {
    ++end;
  }
  return input_.substr(position_, end - position_);
}

std::string ValueReader::found_here() {
  if (position_ >= input_.size()) {
    return "the end of the input";
  }
  std::string_view text = token();
  if (text.empty()) {
    text = input_.substr(position_, 1);
    if (std::isprint(static_cast<unsigned char>(text.front())) == 0) {
      return "a byte that is not text";
    }
  }
  constexpr size_t most = 40;
  return "`" + std::string(text.substr(0, most)) + (text.size() > most ? "…`" : "`");
}

bool ValueReader::expect(char c, const char* what) {
  skip_space();
  if (peek() != c) {
    return fail_at(position_, std::string("expected ") + what + ", found " + found_here());
  }
  ++position_;
  return true;
}

bool ValueReader::read_text(dz_leaf_type type, Value& out) {
  out.shape.assign(static_cast<size_t>(type.rank), unknown_size);
  if (position_ >= input_.size()) {
    return fail_at(position_, "expected a value of type " + value_type_name(type) +
                                  ", found the end of the input");
  }
  const bool read = type.rank == 0 ? read_scalar(out) : read_array(out, 0);
  if (!read) {
    return false;
  }
  // Below an empty dimension nothing says how large the inner ones are.
  std::replace(out.shape.begin(), out.shape.end(), unknown_size, int64_t{0});
  out.bytes = {out.storage.data(), out.storage.size()};
  return true;
}

bool ValueReader::fix_size(Value& out, size_t level, int64_t size, size_t where) {
  if (out.shape[level] != unknown_size && out.shape[level] != size) {
    return fail_at(where, "irregular array: expected " + std::to_string(out.shape[level]) +
                              " elements in this row as in the others, found " +
                              std::to_string(size));
  }
  out.shape[level] = size;
  return true;
}

bool ValueReader::read_array(Value& out, size_t level) {
  skip_space();
  if (peek() == '"' && out.element == DZ_U8 && level + 1 == out.shape.size()) {
    return read_string(out, level);
  }
  if (peek() == '[') {
    return read_elements(out, level);
  }
  if (token() == "empty") {
    return read_empty(out, level);
  }
  const dz_leaf_type type = {out.element, static_cast<int32_t>(out.shape.size() - level)};
  return fail_at(position_,
                 "expected a value of type " + value_type_name(type) + ", found " + found_here());
}

bool ValueReader::read_item(Value& out, size_t level) {
  return level + 1 == out.shape.size() ? read_scalar(out) : read_array(out, level + 1);
}

bool ValueReader::read_elements(Value& out, size_t level) {
  const size_t start = position_;
  ++position_;
  int64_t size = 0;
  for (skip_space(); peek() != ']'; skip_space()) {
    if (!read_item(out, level)) {
      return false;
    }
    ++size;
    skip_space();
    if (peek() == ']') {
      break;
    }
    if (!expect(',', "`,` or `]`")) {
      return false;
    }
  }
  ++position_;
  return fix_size(out, level, size, start);
}

/// empty([0][3]i32): sizes, at least one of them 0, then the element type.
bool ValueReader::read_empty(Value& out, size_t level) {
  const size_t start = position_;
  position_ += token().size();
  if (!expect('(', "`(`") || !read_empty_sizes(out, level)) {
    return false;
  }
  skip_space();
  if (token() != element_info(out.element).name) {
    return fail_at(position_, std::string("expected the element type ") +
                                  element_info(out.element).name + ", found " + found_here());
  }
  position_ += token().size();
  const auto first = out.shape.begin() + static_cast<std::ptrdiff_t>(level);
  if (std::find(first, out.shape.end(), 0) == out.shape.end()) {
    return fail_at(start, "this array is not empty: none of its sizes is 0");
  }
  return expect(')', "`)`");
}

bool ValueReader::read_empty_sizes(Value& out, size_t level) {
  for (size_t i = level; i < out.shape.size(); ++i) {
    if (!expect('[', "`[` and a size")) {
      return false;
    }
    skip_space();
    const std::string_view digits = token();
    int64_t size = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (problem != std::errc() || end != digits.data() + digits.size() || size < 0) {
      return fail_at(position_, "expected a size, found " + found_here());
    }
    if (!fix_size(out, i, size, position_)) {
      return false;
    }
    position_ += digits.size();
    if (!expect(']', "`]`")) {
      return false;
    }
  }
  return true;
}

bool ValueReader::read_string(Value& out, size_t level) {
  const size_t start = position_;
  const size_t before = out.storage.size();
  ++position_;
  while (peek() != '"') {
    if (position_ >= input_.size()) {
      return fail_at(start, "this string does not end");
    }
    if (peek() == '\\') {
      if (!read_escape(out.storage)) {
        return false;
      }
    } else {
      out.storage.push_back(input_[position_]);
      ++position_;
    }
  }
  ++position_;
  return fix_size(out, level, static_cast<int64_t>(out.storage.size() - before), start);
}

/// \n \t \r \" \\ \a \b \f \v, a decimal code such as \65, or a hexadecimal one such as \x41.
bool ValueReader::read_escape(std::vector<char>& out) {
  constexpr std::string_view letters = "ntr\"\\'abfv";
  constexpr std::string_view meanings = "\n\t\r\"\\'\a\b\f\v";
  const size_t start = position_;
  ++position_;
  const size_t letter = position_ < input_.size() ? letters.find(peek()) : std::string_view::npos;
  if (letter != std::string_view::npos) {
    out.push_back(meanings[letter]);
    ++position_;
    return true;
  }
  const bool hexadecimal = peek() == 'x';
  position_ += hexadecimal ? 1 : 0;
  const char* const first = input_.data() + position_;
  const char* const last = input_.data() + std::min(input_.size(), position_ + 3);
  unsigned code = 0;
  const auto [end, problem] = std::from_chars(first, last, code, hexadecimal ? 16 : 10);
  if (problem != std::errc() || code > 0xff) {
    return fail_at(start, "this escape is not one of \\n \\t \\r \\\" \\\\ or a byte's code");
  }
  position_ += static_cast<size_t>(end - first);
  out.push_back(static_cast<char>(code));
  return true;
}

bool ValueReader::read_scalar(Value& out) {
  skip_space();
  const std::string_view text = token();
  char bytes[8];
  if (!parse_scalar(text, out.element, bytes)) {
    return fail_at(position_, std::string("expected a value of type ") +
                                  element_info(out.element).name + ", found " + found_here());
  }
  position_ += text.size();
  out.storage.insert(out.storage.end(), bytes, bytes + element_info(out.element).bytes);
  return true;
}

}  // namespace dagaz::runtime
