// Semantic versions, as packages use them: X.Y.Z, or a commit, 0.0.0-TIME+HASH.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dagaz::tools::package {

struct Version {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::string time = {};    // of a version before the release; digits
  std::string commit = {};  // what stands behind the `+`

  /// By precedence: a version before its release is less, and commits do not count.
  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
};

std::optional<Version> parse_version(std::string_view text);
std::string text_of(const Version& version);
/// The commit that the version stands for; empty for releases.
std::string commit_of(const Version& version);

}  // namespace dagaz::tools::package
