// A literate program as its blocks: top-level comments are text, lines that begin with `-- >` are
// directives, the rest is code.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "script/syntax.h"

namespace dagaz::tools::literate {

enum class DirectiveKind { result, image, plot, gnuplot, video, audio };
/// What is shown of the directive itself.
enum class Shown { all, without_parameters, nothing };

struct Directive {
  DirectiveKind kind = DirectiveKind::result;
  Shown shown = Shown::all;
  script::Expression expression;
  /// `key: value` lines; the lines of a script for gnuplot have no keys.
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// The value of a parameter, if it is there.
std::optional<std::string> parameter(const Directive& directive, std::string_view key);
/// The directive in its common layout.
std::string printed(const Directive& directive, Shown shown);

struct Block {
  enum class Kind { code, text, directive };
  Kind kind;
  std::string text;     // without comment signs
  Directive directive;  // of a directive
  int line;
};

/// The blocks of a program; nothing, with `problem` set, where a directive is none.
std::optional<std::vector<Block>> parse_blocks(std::string_view program, std::string& problem);

/// The functions that the directives need from the program.
std::set<std::string> functions_in(const std::vector<Block>& blocks);

}  // namespace dagaz::tools::literate
