// `futhark.pkg`: the name of a package and the packages that it requires.
//
//   package github.com/somebody/something
//   require {
//     github.com/somebody/else 0.1.0 #d285563c25c5152b1ae80fc64de64ff2775fa733
//   }
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/package/version.h"

namespace dagaz::tools::package {

struct Requirement {
  std::string package;
  Version version;   // at least
  std::string hash;  // of the commit, when the requirement was written; may be empty
};

struct Manifest {
  std::vector<std::string> first_comments;
  std::string package;  // its path; empty: not a package for others
  std::vector<std::string> comments;
  std::vector<std::variant<std::string, Requirement>> entries;  // comments and requirements
  std::vector<std::string> last_comments;
};

/// Nothing, with `problem` set, if the text is no manifest.
std::optional<Manifest> parse_manifest(std::string_view text, std::string& problem);
std::string text_of(const Manifest& manifest);

/// Whether it can name a package, a repository of git's and a folder.
bool is_package_path(std::string_view path);

std::vector<Requirement> requirements(const Manifest& manifest);
/// The requirement of that package, or null.
Requirement* find(Manifest& manifest, std::string_view package);

}  // namespace dagaz::tools::package
