// Reads texts of the form that text.h describes: the words, the leaves of the field lists, and the
// structures that are made of them.  The parsers of the array IR and of the imperative tree add
// what is their own.
//
// After the first mistake a reader stands at the end of the file, where every rule fails at once;
// so rules need not pass failures on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/lexer.h"
#include "ir/text.h"
#include "support/diagnostic.h"

namespace dagaz::ir::text {

/// The names of the text, by spelling and by number.
class NameEntries {
 public:
  struct Entry {
    std::string_view spelling;
    std::string base;
    Type type;
    bool bound = false;
  };

  explicit NameEntries(const std::vector<Token>& tokens);

  /// The name spelled so; nothing if its number belongs to another spelling.
  std::optional<NameId> name(std::string_view spelling);

  Entry& operator[](NameId name) { return entries_[name.index]; }

  /// A name that was used and never bound.
  std::optional<std::string_view> unbound() const;

  Names take();

 private:
  std::size_t next_ = 0;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, NameId> by_spelling_;
};

/// Words and leaves.
class TextReader {
 public:
  TextReader(FileId file, std::string_view source, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics), tokens_(tokenize(source)), names_(tokens_) {}

 protected:
  // -------------------------------------------------------------- tokens

  const Token& token() const { return tokens_[at_]; }
  bool at_punctuation(std::string_view spelling) const;
  bool at_word(std::string_view spelling) const;
  void advance();
  bool skip(std::string_view punctuation);
  bool skip_word(std::string_view spelling);
  void expect(std::string_view punctuation);
  std::string_view word(std::string_view what);
  void fail(std::string message);
  void fail_expected(std::string_view what);

  // -------------------------------------------------------------- leaves

  void read(NameId& out);
  void read(Operand& out);
  bool is_float_word() const;
  /// Whether a constant comes next, where an operand may stand.
  bool is_at_constant() const;
  void read(Constant& out);
  /// f64.nan, -f32.inf, f16.bits 32257
  Constant special_float();
  Constant number(std::string_view spelling);
  Constant float_number(ScalarType type, const char* begin, const char* end);
  void read(Type& out);
  void read(std::string& out);
  void read(bool& out);
  void read(int& out);
  template <typename E>
    requires std::is_enum_v<E>
  void read(E& out) {
    const auto& words = Spellings<E>::words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (skip_word(words[i])) {
        out = static_cast<E>(i);
        return;
      }
    }
    fail_expected("one of " + std::string(words.front()) + ", …, " + std::string(words.back()));
  }

  FileId file_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;
  NameEntries names_;
};

/// Structures, whose members `Self` reads.
template <typename Self>
class StructureReader : public TextReader {
 public:
  using TextReader::TextReader;

 protected:
  using TextReader::read;

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
      self().read(item);
      out.push_back(item);
      if (!at_punctuation("]")) expect(",");
    }
    expect("]");
  }
  template <typename T>
  void list(std::vector<T>& out) {
    do {
      out.emplace_back();
      self().read(out.back());
    } while (skip(","));
  }
  template <typename T>
  void read(std::optional<T>& out) {
    self().read(out.emplace());
  }
  template <HasFields Node>
  void read(Node& node) {
    if constexpr (!joint<Node>.empty()) {
      self().read(std::get<0>(node.fields()));
      if (!skip_word(joint<Node>)) expect(joint<Node>);
      self().read(std::get<1>(node.fields()));
    } else {
      expect("(");
      members(node);
      expect(")");
    }
  }

  template <typename Node>
  void members(Node& node) {
    constexpr std::size_t labelled = first_labelled<Node>();
    constexpr std::size_t count = std::tuple_size_v<decltype(node.fields())>;
    [&]<std::size_t... indices>(std::index_sequence<indices...>) {
      (self().read(std::get<indices>(node.fields())), ...);
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
    if (seen[index] || !skip_word(label_at(Node::field_names, index))) return false;
    seen[index] = true;
    self().read(std::get<index>(node.fields()));
    return true;
  }
  /// Members that have no empty value must be written.
  template <std::size_t index, typename Node, typename Seen>
  void require_member(Node& node, const Seen& seen) {
    using T = std::decay_t<decltype(std::get<index>(node.fields()))>;
    if constexpr (detail::is_leaf_role<T> || detail::is_variant<T>) {
      if (!seen[index]) {
        fail_expected("`" + std::string(label_at(Node::field_names, index)) + "`");
      }
    }
  }
  /// What follows the name of a scalar operation.
  template <typename ScalarNode>
  void read_scalar(ScalarOp op, ScalarNode& out) {
    out.op = op;
    expect(".");
    self().read(out.type);
    out.result = result_type(op, out.type, out.type);
    if (result_kind_of(op) == ResultKind::converted) {
      expect(".");
      self().read(out.result);
    }
    for (int i = 0; i < arity_of(op); ++i) self().read(out.arguments.emplace_back());
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace dagaz::ir::text
