// Pages of Markdown: the texts of a site that are no programs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace dagaz::tools::doc {

/// Paths and addresses count from the root of the site.
struct Guide {
  struct Heading { int level; std::string title, anchor, text; };
  struct Link { std::string page, anchor; };

  std::string title;
  std::string html;
  std::vector<Heading> headings;   // with the plain text up to the next one
  std::vector<Link> links;         // to other pages
  std::set<std::string> files;     // paths of what it links to or shows and is no page

  bool has_anchor(const std::string& anchor) const;
};

/// CommonMark with tables to HTML; raw HTML in it is left out.  `pages` has the address of each
/// guide by its path; that of `path` is among them.
Guide render_guide(const std::string& path, const std::string& text,
                   const std::map<std::string, std::string>& pages);

}  // namespace dagaz::tools::doc
