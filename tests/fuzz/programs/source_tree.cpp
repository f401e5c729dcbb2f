#include "source_tree.h"

#include "support/check.h"

namespace dagaz::fuzz {

static std::vector<std::string> pieces(std::string_view pattern) {
  std::vector<std::string> result(1);
  for (const char c : pattern) {
    if (c == '@') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

Source compose(const Type& type, std::string_view pattern, std::vector<Source> children) {
  Source source{text_of(type), plainest(type), pieces(pattern), std::move(children)};
  DZ_CHECK(source.text.size() == source.children.size() + 1,
           "as many children as holes in " + std::string(pattern));
  return source;
}

Source leaf(const Type& type, std::string text) {
  return Source{text_of(type), plainest(type), {std::move(text)}, {}};
}

Source declaration(std::string_view pattern, std::vector<Source> children) {
  Source source{"declaration", "", pieces(pattern), std::move(children)};
  DZ_CHECK(source.text.size() == source.children.size() + 1,
           "as many children as holes in " + std::string(pattern));
  return source;
}

static void append(std::string& out, const Source& source) {
  for (std::size_t i = 0; i < source.text.size(); ++i) {
    out += source.text[i];
    if (i < source.children.size()) append(out, source.children[i]);
  }
}

std::string render(const Source& source) {
  std::string out;
  append(out, source);
  return out;
}

std::size_t size_of(const Source& source) {
  std::size_t size = 1;
  for (const Source& child : source.children) size += size_of(child);
  return size;
}

Source& part_of(Source& source, std::size_t number) {
  if (number == 0) return source;
  --number;
  for (Source& child : source.children) {
    const std::size_t size = size_of(child);
    if (number < size) return part_of(child, number);
    number -= size;
  }
  DZ_UNREACHABLE("a part of the tree");
}

}  // namespace dagaz::fuzz
