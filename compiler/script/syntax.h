// The peer's script language: expressions over the entry points of a program.
//
//   e ::= let x = e in e | let (x, …) = e in e | f a … | $builtin a … | a
//   a ::= literal | "text" | x | f | (e, …) | {x = e, …} | a.x | x[e, …]
//
// Where two expressions follow each other, white space decides: `f [1]` applies, `x[1]` indexes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dagaz::script {

struct Expression;

/// A function with its arguments, or without any a variable.
struct Call {
  std::string function;
  bool is_builtin;
  std::vector<Expression> arguments;
};
/// A number, a boolean or an array of them, as written.
struct Literal {
  std::string text;
};
struct Text {
  std::string bytes;
};
struct Tuple {
  std::vector<Expression> parts;
};
struct Record {
  std::vector<std::string> names;
  std::vector<Expression> values;
};
struct Projection {
  std::vector<Expression> whole;  // one
  std::string field;
};
struct Indexing {
  std::vector<Expression> array;  // one
  std::vector<Expression> indices;
};
struct Let {
  std::vector<std::string> names;
  bool takes_apart;              // the pattern has parentheses
  std::vector<Expression> parts;  // the value and the body
};

struct Expression {
  std::variant<Call, Literal, Text, Tuple, Record, Projection, Indexing, Let> node;
};

/// The expression at the start of `text`; `used` becomes its length.  Nothing, with `problem` set,
/// if there is none.
std::optional<Expression> parse_prefix(std::string_view text, std::size_t& used,
                                       std::string& problem);
/// The expression that `text` is.
std::optional<Expression> parse(std::string_view text, std::string& problem);

/// The functions that the expression needs from the program.
void add_functions(const Expression& expression, std::set<std::string>& names);

/// The expression on one line, in the peer's layout.
std::string printed(const Expression& expression);

}  // namespace dagaz::script
