#include "data/arrays.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "data/binary_values.h"
#include "data/npz.h"
#include "values.h"

namespace dagaz::data {

namespace {

using runtime::ValueFormat;

std::string written(const Array& array, ValueFormat format) {
  std::string out;
  runtime::write_value(out, format, array.element, array.shape, array.bytes.data());
  return out;
}

Array owned(const runtime::Value& value) {
  return Array{value.element, value.shape, std::string(value.bytes)};
}

bool belongs_to_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._+-").find(c) != std::string_view::npos;
}

/// What a literal says about its own type.
struct Guess {
  int32_t element = DZ_I32;
  int32_t rank = 0;
  bool open = true;  // no suffix says what its numbers are
};

/// The element type that a word names: `1i64`, `f32.nan`, `true`.
std::optional<int32_t> named_in(std::string_view word) {
  if (word == "true" || word == "false") return DZ_BOOL;
  std::string_view digits = word;
  digits.remove_prefix(digits.starts_with("-") || digits.starts_with("+") ? 1 : 0);
  const bool is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  for (int32_t element = DZ_I8; element < runtime::element_count; ++element) {
    const std::string_view name = runtime::element_info(element).name;
    const bool is_float = name[0] == 'f';
    if (digits.starts_with(std::string(name) + ".")) return element;
    if (word.ends_with(name) && word.size() > name.size() && !(is_float && is_hexadecimal)) {
      return element;
    }
  }
  return std::nullopt;
}

bool has_fraction(std::string_view word) {
  const bool is_hexadecimal = word.find_first_of("xX") != std::string_view::npos;
  return word.find_first_of(is_hexadecimal ? ".pP" : ".eE") != std::string_view::npos;
}

// `empty([0][2]f32)`.
Guess guess_empty(std::string_view text, int32_t depth) {
  Guess guess{DZ_I32, depth, false};
  const std::size_t close = std::min(text.find(')'), text.size());
  const std::string_view type = text.substr(0, close);
  guess.rank += static_cast<int32_t>(std::count(type.begin(), type.end(), '['));
  const std::size_t name = type.rfind(']');
  if (name != std::string_view::npos) {
    guess.element = runtime::element_named(type.substr(name + 1)).value_or(DZ_I32);
  }
  return guess;
}

// The literal at the start of `text`.
Guess guess_type(std::string_view text) {
  Guess guess;
  int32_t depth = 0;
  int32_t deepest = 0;
  std::size_t at = 0;
  do {
    const char c = text[at];
    if (c == '[') deepest = std::max(deepest, ++depth);
    if (c == ']') --depth;
    if (c == '"') return {DZ_U8, depth + 1, false};
    if (text.substr(at).starts_with("empty(")) return guess_empty(text.substr(at + 5), depth);
    if (!belongs_to_word(c)) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && belongs_to_word(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (const auto named = named_in(word)) return {*named, deepest, false};
    if (has_fraction(word)) guess.element = DZ_F64;
  } while (depth > 0 && at < text.size());
  guess.rank = deepest;
  return guess;
}

// Of a table, by its cells.
std::optional<Array> read_table(std::string_view text, std::string& problem) {
  for (const int32_t element : {DZ_I64, DZ_F64, DZ_BOOL}) {
    runtime::Value value;
    std::string found = runtime::read_csv(text, element, value);
    // Numbers with fractions are no heading.
    const bool has_values = !value.shape.empty() && value.shape[0] > 0;
    if (found.empty() && has_values) {
      const std::string_view heading = text.substr(0, text.find('\n'));
      const bool misread =
          element == DZ_I64 && has_fraction(heading) &&
          heading.find_first_not_of("0123456789.,+-eE \t\r") == std::string_view::npos;
      if (!misread) return owned(value);
    }
    if (problem.empty() || element == DZ_F64) problem = found;
  }
  if (problem.empty()) problem = "a table without values";
  return std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& source)
      : text_(text), reader_(text, source), source_(source) {}

  std::optional<std::vector<Array>> read(std::string& problem) {
    std::vector<Array> values;
    if (text_.starts_with(runtime::npz_magic)) {
      auto members = read_npz(text_, problem);
      if (!members) {
        add_source(problem);
        return std::nullopt;
      }
      for (Member& member : *members) values.push_back(std::move(member.array));
      return values;
    }
    if (!reader_.at_end() && is_table(reader_.rest())) {
      auto table = read_table(reader_.rest(), problem);
      if (!table) {
        add_source(problem);
        return std::nullopt;
      }
      values.push_back(std::move(*table));
      return values;
    }
    while (!reader_.at_end()) {
      if (!next(values, problem)) return std::nullopt;
    }
    return values;
  }

 private:
  // Bytes of a binary value may be commas, too.
  static bool is_table(std::string_view rest) {
    return rest[0] != '[' && !binary_value(rest) && !rest.starts_with(runtime::npy_magic) &&
           runtime::looks_like_csv(rest);
  }

  void add_source(std::string& problem) const { problem = source_ + ": " + problem; }

  bool next(std::vector<Array>& values, std::string& problem) {
    const std::string_view rest = reader_.rest();
    // What a server stored of a type without a form of its own: its parts are values.
    if (runtime::stored_bytes(rest)) {
      reader_.skip(runtime::stored_header);
      return true;
    }
    if (rest.starts_with(runtime::npy_magic)) {
      runtime::Value value;
      std::size_t used = 0;
      problem = runtime::read_npy(rest, value, used);
      if (!problem.empty()) {
        add_source(problem);
        return false;
      }
      reader_.skip(used);
      values.push_back(owned(value));
      return true;
    }
    const auto binary = binary_value(rest);
    if (binary) {
      values.push_back(array_of(rest.substr(0, binary->bytes)));
      reader_.skip(binary->bytes);
      return true;
    }
    const Guess guess = guess_type(rest);
    runtime::Value value;
    if (!reader_.read({guess.element, guess.rank}, value)) {
      problem = reader_.error();
      return false;
    }
    values.push_back(owned(value));
    if (guess.open) {
      values.back().literal = rest.substr(0, rest.size() - reader_.rest().size());
    }
    return true;
  }

  std::string_view text_;
  runtime::ValueReader reader_;
  const std::string& source_;
};

}  // namespace

std::string type_text(const Array& array) {
  std::string out;
  for (const int64_t size : array.shape) out += "[" + std::to_string(size) + "]";
  return out + runtime::element_info(array.element).name;
}

std::string type_name(const Array& array) {
  return runtime::value_type_name({array.element, static_cast<int32_t>(array.shape.size())});
}

std::string text_of(const Array& array) { return written(array, ValueFormat::text); }
std::string binary_of(const Array& array) { return written(array, ValueFormat::binary); }

Array array_of(std::string_view bytes) {
  const auto value = binary_value(bytes);
  Array array;
  if (!value) return array;
  std::string_view name = bytes.substr(3, 4);
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  array.element = runtime::element_named(name).value_or(DZ_I32);
  array.shape = value->shape;
  array.bytes = bytes.substr(value->header, value->bytes - value->header);
  return array;
}

std::optional<std::vector<Array>> read_values(std::string_view text, const std::string& source,
                                              std::string& problem) {
  return Reader(text, source).read(problem);
}

std::optional<Array> literal_as(const std::string& literal, int32_t element, std::size_t rank) {
  runtime::ValueReader reader(literal, "literal");
  runtime::Value value;
  if (!reader.read({element, static_cast<int32_t>(rank)}, value) || !reader.at_end()) {
    return std::nullopt;
  }
  return owned(value);
}

}  // namespace dagaz::data
