// The text of a program as a tree of typed expressions, so that a failing program can be made
// smaller: any expression may give way to a plain one, or to one inside it, of the same type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "types.h"

namespace dagaz::fuzz {

struct Source {
  std::string type;               // as text; expressions of equal type may replace each other
  std::string fallback;           // the plainest text that may stand here
  std::vector<std::string> text;  // before, between and after the children
  std::vector<Source> children;
};

/// `pattern` with each @ replaced by the next of `children`.
Source compose(const Type& type, std::string_view pattern, std::vector<Source> children);
Source leaf(const Type& type, std::string text);
/// A part of the program that is no expression, and may be left out.
Source declaration(std::string_view pattern, std::vector<Source> children);

std::string render(const Source& source);

/// How many expressions there are in the tree, itself included.
std::size_t size_of(const Source& source);
/// The `number`-th in preorder.
Source& part_of(Source& source, std::size_t number);

}  // namespace dagaz::fuzz
