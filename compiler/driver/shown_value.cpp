// An array of records is several arrays, as it is in compiled programs; a sum is the number of its
// constructor and the parts of all constructors, those of others being zeros.
#include "driver/shown_value.h"

#include <array>
#include <cctype>
#include <string_view>

#include "check/type_builder.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::driver {

using check::Type;
using query::Analysis;

namespace {

// ---------------------------------------------------------------- taking apart

class Taker {
 public:
  explicit Taker(const Analysis& analysis) : analysis_(analysis) {}

  Parts parts;

  // Adds the parts of `value`; inside of maps where `depth` is more than 0.
  void take(const Type* type, const std::string& value, int depth) {
    for (std::string& part : parts_of(type, value, depth)) {
      parts.expressions.push_back(std::move(part));
    }
  }

 private:
  using Strings = std::vector<std::string>;

  std::string text(Symbol symbol) const { return std::string(analysis_.names().text(symbol)); }

  Strings parts_of(const Type* type, const std::string& value, int depth) {
    return match(
        type->node, [&](const check::PrimitiveType&) { return Strings{value}; },
        [&](const check::Array& a) { return of_array(a, value, depth); },
        [&](const check::Record& r) {
          Strings result;
          for (const auto& [name, field] : r.fields) {
            for (std::string& part : parts_of(field, "(" + value + ")." + text(name), depth)) {
              result.push_back(std::move(part));
            }
          }
          return result;
        },
        [&](const check::Sum& s) { return of_sum(s, value, depth); },
        [](const check::Arrow&) { return Strings(); },
        [](const check::Named&) { return Strings(); },
        [](const check::MetaType&) { return Strings(); });
  }

  Strings of_array(const check::Array& a, const std::string& value, int depth) {
    const std::string element = "repl_x" + std::to_string(depth);
    Strings result;
    for (const std::string& part : parts_of(a.element, element, depth + 1)) {
      const std::string mapped = "repl_map (\\" + element + " -> " + part + ") (" + value + ")";
      result.push_back(part == element ? value : mapped);
    }
    return result;
  }

  std::string pattern(const std::pair<Symbol, std::vector<const Type*>>& constructor,
                      std::size_t named, const std::string& name) const {
    std::string result = "#" + text(constructor.first);
    for (std::size_t i = 0; i < constructor.second.size(); ++i) {
      result += i == named ? " " + name : " _";
    }
    return result;
  }

  Strings of_sum(const check::Sum& s, const std::string& value, int depth) {
    const std::string name = "repl_p" + std::to_string(depth);
    std::string number = "(match " + value;
    for (std::size_t c = 0; c < s.constructors.size(); ++c) {
      const std::size_t none = s.constructors[c].second.size();
      number += " case " + pattern(s.constructors[c], none, "") + " -> ";
      number += std::to_string(c) + "i32";
    }
    Strings result{number + ")"};
    for (const auto& constructor : s.constructors) {
      for (std::size_t i = 0; i < constructor.second.size(); ++i) {
        const Type* type = constructor.second[i];
        const Strings zeros = zeros_of(type, depth);
        const Strings own = parts_of(type, name, depth + 1);
        for (std::size_t p = 0; p < own.size(); ++p) {
          std::string part = "(match " + value + " case " + pattern(constructor, i, name) + " -> " +
                             own[p];
          if (s.constructors.size() > 1) part += " case _ -> " + zeros[p];
          result.push_back(part + ")");
        }
      }
    }
    return result;
  }

  // Stand-ins for the parts of a value that another constructor has.
  Strings zeros_of(const Type* type, int depth) {
    if (const auto* primitive = as<check::PrimitiveType>(type->node)) {
      const std::string name(check::primitive_name(primitive->primitive));
      return {name == "bool" ? "false" : "0" + name};
    }
    if (const auto* record = as<check::Record>(type->node)) {
      Strings result;
      for (const auto& field : record->fields) {
        for (std::string& zero : zeros_of(field.second, depth)) result.push_back(std::move(zero));
      }
      return result;
    }
    parts.problem = "a sum type whose constructors hold arrays or other sums cannot be shown; "
                    "match on it first";
    return Strings(parts_of(type, "repl_none", depth).size(), "0i32");
  }

  const Analysis& analysis_;
};

// ---------------------------------------------------------------- putting together

/// A printed value: a word, or the elements of an array.
struct Tree {
  std::string word;
  std::vector<Tree> elements;
  bool is_array = false;
};

// `1.5` for `1.5f32`.
std::string without_suffix(std::string word) {
  constexpr std::array<std::string_view, 11> suffixes{"i8",  "i16", "i32", "i64", "u8", "u16",
                                                      "u32", "u64", "f16", "f32", "f64"};
  const bool is_number = !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) != 0 ||
                                           word[0] == '-');
  for (const std::string_view suffix : suffixes) {
    if (is_number && word.ends_with(suffix)) return word.substr(0, word.size() - suffix.size());
  }
  return word;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Tree read() {
    skip();
    if (take("empty(")) {
      while (at_ < text_.size() && text_[at_] != ')') ++at_;
      ++at_;
      return {"", {}, true};
    }
    if (take("[")) {
      Tree array{"", {}, true};
      skip();
      while (at_ < text_.size() && !take("]")) {
        array.elements.push_back(read());
        skip();
        take(",");
        skip();
      }
      return array;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(",] \n").find(text_[at_]) == std::string::npos) {
      ++at_;
    }
    return {without_suffix(std::string(text_.substr(begin, at_ - begin))), {}, false};
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Joiner {
 public:
  explicit Joiner(const Analysis& analysis) : analysis_(analysis) {}

  // Takes as many of `parts`, from `next` on, as the type has.
  std::string join(const Type* type, const std::vector<const Tree*>& parts, std::size_t& next,
                   bool tight) {
    return match(
        type->node, [&](const check::PrimitiveType&) { return parts.at(next++)->word; },
        [&](const check::Array& a) { return array(a, parts, next); },
        [&](const check::Record& r) { return record(r, parts, next); },
        [&](const check::Sum& s) { return sum(s, parts, next, tight); },
        [](const check::Arrow&) { return std::string("<function>"); },
        [&](const check::Named&) { return "<" + query::type_text(analysis_, type) + ">"; },
        [](const check::MetaType&) { return std::string("?"); });
  }

 private:
  std::string array(const check::Array& a, const std::vector<const Tree*>& parts,
                    std::size_t& next) {
    // How many parts an element has, each of which is an array of as many elements.
    const std::size_t first = next;
    const std::size_t count = width(a.element);
    next += count;
    if (count == 0) return "[…]";
    std::string result = "[";
    for (std::size_t i = 0; i < parts.at(first)->elements.size(); ++i) {
      std::vector<const Tree*> element;
      for (std::size_t p = first; p < next; ++p) element.push_back(&parts.at(p)->elements.at(i));
      std::size_t inside = 0;
      result += (i == 0 ? "" : ", ") + join(a.element, element, inside, false);
    }
    return result + "]";
  }

  std::size_t width(const Type* type) const {
    Taker taker(analysis_);
    taker.take(type, "repl_x", 0);
    return taker.parts.expressions.size();
  }

  std::string record(const check::Record& r, const std::vector<const Tree*>& parts,
                     std::size_t& next) {
    const bool is_tuple = analysis_.context().types.tuple_length(r) >= 0;
    std::string result = is_tuple ? "(" : "{";
    bool is_first = true;
    for (const auto& [name, field] : r.fields) {
      if (!is_first) result += ", ";
      is_first = false;
      if (!is_tuple) result += std::string(analysis_.names().text(name)) + " = ";
      result += join(field, parts, next, false);
    }
    return result + (is_tuple ? ")" : "}");
  }

  std::string sum(const check::Sum& s, const std::vector<const Tree*>& parts, std::size_t& next,
                  bool tight) {
    const auto number = static_cast<std::size_t>(std::stoul(parts.at(next++)->word));
    std::string result;
    bool has_payload = false;
    for (std::size_t c = 0; c < s.constructors.size(); ++c) {
      if (c == number) result = "#" + std::string(analysis_.names().text(s.constructors[c].first));
      for (const Type* part : s.constructors[c].second) {
        const std::string text = join(part, parts, next, true);
        if (c == number) {
          result += " " + text;
          has_payload = true;
        }
      }
    }
    return tight && has_payload ? "(" + result + ")" : result;
  }

  const Analysis& analysis_;
};

}  // namespace

Parts parts_of(const Analysis& analysis, const Type* type, const std::string& value) {
  Taker taker(analysis);
  taker.take(type, value, 0);
  return std::move(taker.parts);
}

std::string shown_value(const Analysis& analysis, const Type* type,
                        const std::vector<std::string>& lines) {
  std::vector<Tree> trees;
  for (const std::string& line : lines) trees.push_back(Reader(line).read());
  std::vector<const Tree*> parts;
  for (const Tree& tree : trees) parts.push_back(&tree);
  std::size_t next = 0;
  return Joiner(analysis).join(type, parts, next, false);
}

}  // namespace dagaz::driver
