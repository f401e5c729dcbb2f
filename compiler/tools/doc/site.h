// A static site about programs: a page for each file with all that it defines, its source, and a
// search that needs no server.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "query/analysis.h"
#include "query/index.h"
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
  /// The texts of all files of the site, by their paths.
  std::map<std::string, std::string> files() const;
  const std::vector<BrokenReference>& broken_references() const { return broken_; }

 private:
  struct Entry { std::string name, kind, address, summary; };
  struct File { std::string stem, summary; };

  std::string page(const std::string& path, const std::string& title,
                   const std::string& body) const;
  std::string index_page() const;
  std::string entries_script() const;

  std::string title_;
  Library library_;
  std::map<std::string, std::string> pages_;  // by path, without the frame
  std::map<std::string, std::string> titles_;
  std::vector<Entry> entries_;
  std::vector<File> files_;
  std::vector<BrokenReference> broken_;

};

}  // namespace dagaz::tools::doc
