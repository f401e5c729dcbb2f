// cmark knows no tables: a text is cut into tables and what lies between them, and each cell of a
// table is a text of its own.
#include "tools/doc/guide.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "support/markup.h"
#include "tools/doc/cmark_values.h"
#include "tools/doc/html.h"

namespace dagaz::tools::doc {

namespace {

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

// A piece of a text: a table with a line for each row, or anything else.
struct Piece {
  bool is_table = false;
  std::vector<std::string> lines;
};

bool is_ruler(const std::string& line) {
  return line.starts_with('|') && line.find("--") != std::string::npos &&
         line.find_first_not_of("|-: ") == std::string::npos;
}

std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::vector<Piece> pieces(1);
  bool in_code = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) in_code = !in_code;
    const bool begins = !in_code && !pieces.back().is_table && lines[i].starts_with('|') &&
                        i + 1 < lines.size() && is_ruler(lines[i + 1]);
    const bool ends = pieces.back().is_table && !lines[i].starts_with('|');
    if (begins || ends) pieces.push_back({begins, {}});
    pieces.back().lines.push_back(lines[i]);
  }
  return pieces;
}

// `| a | b \| c |` as `a`, `b | c`.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
      cell += row[++i];
    } else if (row[i] == '|') {
      cells.push_back(std::exchange(cell, ""));
    } else {
      cell += row[i];
    }
  }
  return cells;
}

// The anchor of a heading, as GitHub makes it.
std::string anchor_of(const std::string& title) {
  std::string anchor;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 128 || std::isalnum(byte) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(byte < 128 ? std::tolower(byte) : c);
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class Renderer {
 public:
  Renderer(const std::string& path, const std::map<std::string, std::string>& pages)
      : path_(path), pages_(pages) {}

  Guide render(const std::string& text) {
    for (const Piece& piece : pieces_of(text)) {
      guide_.html += piece.is_table ? table(piece.lines) : markdown(joined(piece.lines));
    }
    if (guide_.title.empty()) guide_.title = path_;
    return std::move(guide_);
  }

 private:
  std::string table(const std::vector<std::string>& lines) {
    std::string html = "<table>\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i == 1) continue;  // the ruler
      const std::string tag = i == 0 ? "th" : "td";
      std::string row;
      for (const std::string& cell : cells_of(lines[i])) {
        std::string inside =
            markdown(cell.substr(std::min(cell.find_first_not_of(' '), cell.size())));
        if (inside.starts_with("<p>")) inside = inside.substr(3, inside.rfind("</p>") - 3);
        row += "<" + tag + ">" + inside + "</" + tag + ">";
      }
      const bool is_empty_head = i == 0 && lines[0].find_first_not_of("| ") == std::string::npos;
      if (!is_empty_head) html += "<tr>" + row + "</tr>\n";
    }
    return html + "</table>\n";
  }

  std::string markdown(const std::string& text) {
    const Document document(
        cmark_parse_document(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8));
    const std::size_t first_heading = guide_.headings.size();
    visit(document.get());
    const RenderedText rendered(
        cmark_render_html(document.get(), CMARK_OPT_VALIDATE_UTF8));
    return with_anchors(rendered.get(), first_heading);
  }

  void visit(cmark_node* document) {
    const DocumentWalk iterator(cmark_iter_new(document));
    bool in_heading = false;
    for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
      cmark_node* node = cmark_iter_get_node(iterator.get());
      const cmark_node_type type = cmark_node_get_type(node);
      if (type == CMARK_NODE_HEADING) {
        in_heading = event == CMARK_EVENT_ENTER;
        if (in_heading) guide_.headings.push_back({cmark_node_get_heading_level(node), "", "", ""});
        if (!in_heading) finish_heading();
      } else if (event == CMARK_EVENT_ENTER) {
        if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE) follow(node);
        if (!guide_.headings.empty()) collect(node, in_heading);
      }
    }
    if (!guide_.headings.empty()) guide_.headings.back().text += ' ';
  }

  void finish_heading() {
    Guide::Heading& heading = guide_.headings.back();
    if (guide_.title.empty()) guide_.title = heading.title;
    const std::string anchor = anchor_of(heading.title);
    const int before = used_[anchor]++;
    heading.anchor = before == 0 ? anchor : anchor + "-" + std::to_string(before);
  }

  // The text that a search looks through.
  void collect(cmark_node* node, bool in_heading) {
    Guide::Heading& heading = guide_.headings.back();
    std::string& text = in_heading ? heading.title : heading.text;
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_TEXT:
      case CMARK_NODE_CODE: text += text_of(cmark_node_get_literal(node)); break;
      case CMARK_NODE_CODE_BLOCK: text += text_of(cmark_node_get_literal(node)) + " "; break;
      case CMARK_NODE_SOFTBREAK:
      case CMARK_NODE_LINEBREAK:
      case CMARK_NODE_PARAGRAPH: text += ' '; break;
      default: break;
    }
  }

  // Leads a link to another file to that file's page, if it has one.
  void follow(cmark_node* link) {
    const std::string url = text_of(cmark_node_get_url(link));
    if (url.empty() || url.find(':') != std::string::npos) return;
    const std::string::size_type mark = std::min(url.find('#'), url.size());
    const std::string anchor = mark < url.size() ? url.substr(mark + 1) : "";
    std::string target = path_;
    if (mark > 0) {
      const auto folder = std::filesystem::path(path_).parent_path();
      target = (folder / url.substr(0, mark)).lexically_normal().generic_string();
    }
    const auto page = pages_.find(target);
    if (page == pages_.end()) {
      guide_.files.insert(target);
      cmark_node_set_url(link, relative_address(pages_.at(path_), target).c_str());
      return;
    }
    guide_.links.push_back({target, anchor});
    const std::string address = mark == 0 ? "" : relative_address(pages_.at(path_), page->second);
    cmark_node_set_url(link, (address + (anchor.empty() ? "" : "#" + anchor)).c_str());
  }

  // cmark gives headings no anchors.  `<h2>` cannot be anything else: text is escaped.
  std::string with_anchors(std::string html, std::size_t heading) const {
    std::size_t at = 0;
    for (; heading < guide_.headings.size(); ++heading) {
      const std::string open = "<h" + std::to_string(guide_.headings[heading].level) + ">";
      at = html.find(open, at);
      if (at == std::string::npos) break;
      const std::string id = " id=\"" + escape_markup(guide_.headings[heading].anchor) + "\"";
      html.insert(at + open.size() - 1, id);
      at += open.size() + id.size();
    }
    return html;
  }

  const std::string& path_;
  const std::map<std::string, std::string>& pages_;
  std::map<std::string, int> used_;
  Guide guide_;
};

}  // namespace

bool Guide::has_anchor(const std::string& anchor) const {
  return std::any_of(headings.begin(), headings.end(),
                     [&](const Heading& heading) { return heading.anchor == anchor; });
}

Guide render_guide(const std::string& path, const std::string& text,
                   const std::map<std::string, std::string>& pages) {
  return Renderer(path, pages).render(text);
}

}  // namespace dagaz::tools::doc
