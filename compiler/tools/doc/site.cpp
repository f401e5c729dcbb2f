// See site.h.
#include "tools/doc/site.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/markup.h"
#include "tools/doc/assets.h"
#include "tools/doc/code.h"
#include "tools/doc/file_page.h"
#include "tools/doc/html.h"
#include "tools/doc/markdown.h"

namespace dagaz::tools::doc {

void Site::add(const query::Analysis& analysis, Root root) {
  const query::Index index(analysis, library_ == Library::shown
                                         ? query::Index::Depth::of_everything
                                         : query::Index::Depth::of_programs);
  const Places places(analysis, index, library_);
  for (const ast::File& file : analysis.program().files) {
    const bool is_hidden_root = root == Root::left_out && file.id == analysis.root().id;
    if (!places.is_shown(file.id) || is_hidden_root) continue;
    const std::string& stem = places.stem(file.id);
    if (pages_.contains(documentation_page(stem))) continue;
    const Code code(analysis, index, places, file.id);
    const FilePage documentation(analysis, places, code, file);
    pages_[documentation_page(stem)] = documentation.html();
    titles_[documentation_page(stem)] = stem;
    for (const FilePage::Entry& e : documentation.entries()) {
      entries_.push_back({e.name, e.kind, e.address, e.summary});
    }
    broken_.insert(broken_.end(), documentation.broken().begin(), documentation.broken().end());
    pages_[source_page(stem)] = "<h1>" + escape_markup(stem) + ".fut</h1>\n<pre>" +
                                code.lines(source_page(stem)) + "</pre>\n";
    titles_[source_page(stem)] = stem + ".fut";
    files_.push_back({stem, first_sentence(file.documentation)});
  }
}

void Site::add_guides(const std::vector<Text>& texts) {
  std::map<std::string, std::string> pages;
  for (const Text& each : texts) {
    const std::string own = each.path.substr(0, each.path.rfind('.')) + ".html";
    pages[each.path] = pages.empty() ? "index.html" : own;
  }
  std::map<std::string, const Guide*> guides;
  chapters_.reserve(texts.size());
  for (const Text& each : texts) {
    const std::string& address = pages.at(each.path);
    const Guide& guide =
        chapters_.emplace_back(address, render_guide(each.path, each.text, pages)).guide;
    guides[each.path] = &guide;
    pages_[address] = "<article class=\"text\">\n" + guide.html + "</article>\n";
    titles_[address] = guide.title;
    linked_.insert(guide.files.begin(), guide.files.end());
    for (const Guide::Heading& h : guide.headings) {
      entries_.push_back({h.title, h.level == 1 ? "page" : guide.title,
                          escape_address(address) + "#" + escape_address(h.anchor), h.text});
    }
  }
  for (const auto& [path, guide] : guides) {
    for (const Guide::Link& link : guide->links) {
      if (link.anchor.empty() || guides.at(link.page)->has_anchor(link.anchor)) continue;
      broken_.push_back({path, link.page + "#" + link.anchor});
    }
  }
}

std::string Site::navigation(const std::string& path) const {
  if (chapters_.empty()) return "";
  std::string html = "<nav>\n<ul>\n";
  for (const Chapter& chapter : chapters_) {
    const bool is_here = chapter.address == path;
    html += std::string("<li") + (is_here ? " class=\"here\"" : "") + "><a href=\"" +
            relative_address(path, chapter.address) + "\">" + escape_markup(chapter.guide.title) +
            "</a>";
    for (const Guide::Heading& h : chapter.guide.headings) {
      if (is_here && h.level == 2) {
        html += "<a class=\"section\" href=\"#" + escape_address(h.anchor) + "\">" +
                escape_markup(h.title) + "</a>";
      }
    }
    html += "</li>\n";
  }
  if (!files_.empty()) {
    html += "<li><a href=\"" + relative_address(path, "files.html") + "\">Programs</a></li>\n";
  }
  return html + "</ul>\n</nav>\n";
}

std::string Site::page(const std::string& path, const std::string& title,
                       const std::string& body) const {
  const std::string root = relative_address(path, "");
  const auto file = [&](const char* name) { return relative_address(path, name); };
  return "<!DOCTYPE html>\n<html lang=\"en\" data-root=\"" + root +
         "\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape_markup(title) + "</title>\n<link rel=\"stylesheet\" href=\"" + file("style.css") +
         "\">\n</head>\n<body>\n<header>\n<a class=\"home\" href=\"" + file("index.html") + "\">" +
         escape_markup(title_) +
         "</a>\n<div class=\"search\"><input id=\"search\" type=\"search\" "
         "placeholder=\"Search (/)\" aria-label=\"Search\" autocomplete=\"off\">"
         "<ul id=\"found\"></ul></div>\n</header>\n<div class=\"columns\">\n" +
         navigation(path) + "<main>\n" + body + "</main>\n</div>\n<script src=\"" +
         file("entries.js") + "\"></script>\n<script src=\"" + file("search.js") +
         "\"></script>\n</body>\n</html>\n";
}

std::string Site::list_of_files() const {
  std::string body =
      "<h1>" + escape_markup(chapters_.empty() ? title_ : "Programs") + "</h1>\n<table>\n";
  std::vector<File> sorted = files_;
  std::sort(sorted.begin(), sorted.end(),
            [](const File& a, const File& b) { return a.stem < b.stem; });
  for (const File& file : sorted) {
    body += "<tr><td><a href=\"" + escape_address(documentation_page(file.stem)) + "\">" +
            escape_markup(file.stem) + "</a></td><td>" + escape_markup(file.summary) +
            "</td></tr>\n";
  }
  return body + "</table>\n";
}

std::string Site::entries_script() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Entry& e : entries_) list.push_back({e.name, e.kind, e.address, e.summary});
  const auto replace = nlohmann::json::error_handler_t::replace;
  return "'use strict';\nconst dagazEntries = " + list.dump(-1, ' ', false, replace) + ";\n";
}

std::map<std::string, std::string> Site::files() const {
  std::map<std::string, std::string> result;
  for (const auto& [path, body] : pages_) {
    result[path] = page(path, titles_.at(path) + " – " + title_, body);
  }
  // A program may have a file of that name; its page is then the first one, too.
  const std::string list = chapters_.empty() ? "index.html" : "files.html";
  if (chapters_.empty() || !files_.empty()) {
    result.emplace(list, page(list, title_, list_of_files()));
  }
  result["style.css"] = style_sheet();
  result["search.js"] = search_script();
  result["entries.js"] = entries_script();
  return result;
}

}  // namespace dagaz::tools::doc
