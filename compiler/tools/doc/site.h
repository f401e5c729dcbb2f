// A static site about programs: a page for each file with all that it defines, its source, pages of
// Markdown, and a search that needs no server.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "query/analysis.h"
#include "query/index.h"
#include "tools/doc/guide.h"
#include "tools/doc/places.h"

namespace dagaz::tools::doc {

/// A reference in documentation that leads nowhere.
struct BrokenReference {
  std::string place;  // FILE:LINE:COLUMN of the declaration
  std::string reference;
};

/// Whether the root of a program has pages, or only names what is to have some.
enum class Root { left_out, shown };

class Site {
 public:
  Site(std::string title, Library library) : title_(std::move(title)), library_(library) {}

  /// Adds the files of a program that are not there yet.  It must be free of errors.
  void add(const query::Analysis& analysis, Root root);
  /// Adds pages of Markdown, by their paths from the root of the site, which also are their
  /// addresses; but that of the first is the site's.
  struct Text { std::string path, text; };
  void add_guides(const std::vector<Text>& texts);
  /// The paths of what guides link to and is no page of the site.
  const std::set<std::string>& linked_files() const { return linked_; }
  /// The texts of all files of the site, by their paths.
  std::map<std::string, std::string> files() const;
  const std::vector<BrokenReference>& broken_references() const { return broken_; }

 private:
  struct Entry { std::string name, kind, address, summary; };
  struct File { std::string stem, summary; };
  struct Chapter { std::string address; Guide guide; };

  std::string page(const std::string& path, const std::string& title,
                   const std::string& body) const;
  std::string list_of_files() const;
  /// Links to all guides, and to the sections of the one at `path`; empty if there are none.
  std::string navigation(const std::string& path) const;
  std::string entries_script() const;

  std::string title_;
  Library library_;
  std::map<std::string, std::string> pages_;  // by path, without the frame
  std::map<std::string, std::string> titles_;
  std::vector<Entry> entries_;
  std::vector<File> files_;
  std::vector<Chapter> chapters_;
  std::set<std::string> linked_;
  std::vector<BrokenReference> broken_;
};

}  // namespace dagaz::tools::doc
