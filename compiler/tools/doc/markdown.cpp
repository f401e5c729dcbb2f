// The syntax is that of the cmark library.  A name in backquotes is a link where it is known;
// `name`@term, @type or @mtype, as the language's documentation writes references, has to be.
#include "tools/doc/markdown.h"

#include <cctype>
#include <string_view>
#include <vector>

#include "tools/doc/cmark_values.h"

namespace dagaz::tools::doc {

namespace {

Document parse(const std::string& text) {
  return Document(cmark_parse_document(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8));
}

std::string literal(cmark_node* node) {
  const char* text = cmark_node_get_literal(node);
  return text == nullptr ? "" : text;
}

std::vector<cmark_node*> nodes_of(cmark_node* root, cmark_node_type type) {
  std::vector<cmark_node*> found;
  const DocumentWalk iterator(cmark_iter_new(root));
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    if (event == CMARK_EVENT_ENTER && cmark_node_get_type(node) == type) found.push_back(node);
  }
  return found;
}

// Takes `@kind` off the front of the text behind a name.
std::string take_kind(cmark_node* behind) {
  if (behind == nullptr || cmark_node_get_type(behind) != CMARK_NODE_TEXT) return "";
  const std::string text = literal(behind);
  for (const char* kind : {"term", "mtype", "type"}) {
    const std::string mark = "@" + std::string(kind);
    const bool ends = text.size() == mark.size() ||
                      std::isalnum(static_cast<unsigned char>(text[mark.size()])) == 0;
    if (text.starts_with(mark) && ends) {
      cmark_node_set_literal(behind, text.substr(mark.size()).c_str());
      return kind;
    }
  }
  return "";
}

void link(cmark_node* code, const std::string& address) {
  cmark_node* link = cmark_node_new(CMARK_NODE_LINK);
  cmark_node_set_url(link, address.c_str());
  cmark_node_replace(code, link);
  cmark_node_append_child(link, code);
}

void link_names(cmark_node* root, const ResolveName& resolve, const ReportBroken& report) {
  for (cmark_node* code : nodes_of(root, CMARK_NODE_CODE)) {
    cmark_node* parent = cmark_node_parent(code);
    if (parent != nullptr && cmark_node_get_type(parent) == CMARK_NODE_LINK) continue;
    const std::string name = literal(code);
    const std::string kind = take_kind(cmark_node_next(code));
    const std::string address = resolve(name, kind);
    if (!address.empty()) {
      link(code, address);
    } else if (!kind.empty()) {
      report("`" + name + "`@" + kind);
    }
  }
}

// A link that is no address of its own names something, too: [the map](map).
void check_links(cmark_node* root, const ResolveName& resolve, const ReportBroken& report) {
  for (cmark_node* link : nodes_of(root, CMARK_NODE_LINK)) {
    const char* url = cmark_node_get_url(link);
    const std::string address = url == nullptr ? "" : url;
    const bool is_address = address.find(':') != std::string::npos || address.starts_with('#') ||
                            address.find('/') != std::string::npos ||
                            address.find(".html") != std::string::npos;
    if (is_address) continue;
    const std::string target = resolve(address, "");
    if (target.empty()) {
      report("(" + address + ")");
    } else {
      cmark_node_set_url(link, target.c_str());
    }
  }
}

}  // namespace

std::string render_markdown(const std::string& text, const ResolveName& resolve,
                            const ReportBroken& report) {
  const Document document = parse(text);
  check_links(document.get(), resolve, report);
  link_names(document.get(), resolve, report);
  const RenderedText html(
      cmark_render_html(document.get(), CMARK_OPT_VALIDATE_UTF8));
  return html.get();
}

std::string first_sentence(const std::string& text) {
  const Document document = parse(text);
  const auto paragraphs = nodes_of(document.get(), CMARK_NODE_PARAGRAPH);
  if (paragraphs.empty()) return "";
  std::string plain;
  const DocumentWalk iterator(cmark_iter_new(paragraphs.front()));
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (event != CMARK_EVENT_ENTER) continue;
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) plain += literal(node);
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) plain += ' ';
  }
  for (std::size_t dot = plain.find('.'); dot != std::string::npos;
       dot = plain.find('.', dot + 1)) {
    if (dot + 1 == plain.size() || plain[dot + 1] == ' ') return plain.substr(0, dot + 1);
  }
  return plain;
}

}  // namespace dagaz::tools::doc
