// Values of the CommonMark library that are freed when they go out of scope.
#pragma once

#include <cmark.h>

#include <cstdlib>
#include <memory>

namespace dagaz::tools::doc {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

using Document = std::unique_ptr<cmark_node, FreeNode>;
using DocumentWalk = std::unique_ptr<cmark_iter, FreeIterator>;
using RenderedText = std::unique_ptr<char, FreeText>;

}  // namespace dagaz::tools::doc
