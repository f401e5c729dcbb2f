// Packages in repositories of git's, reached by its command.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/process.h"
#include "tools/package/manifest.h"
#include "tools/package/version.h"

namespace dagaz::driver {

/// A version of a package.
struct Revision {
  tools::package::Version version;
  std::string reference;  // a tag or a commit
  std::string commit;
};

/// Clones each repository once, into a temporary folder.  Functions give nothing, and set
/// `problem`, on failure.
class GitPackages {
 public:
  explicit GitPackages(bool verbose) : verbose_(verbose) {}

  /// The releases, least first: the tags vX.Y.Z of the major version that the path names, which
  /// is 0 or 1 for one without `@N`.
  std::optional<std::vector<Revision>> releases(const std::string& package, std::string& problem);
  /// The newest release, or the newest commit where there is none.
  std::optional<Revision> newest(const std::string& package, std::string& problem);
  std::optional<Revision> revision(const std::string& package,
                                   const tools::package::Version& version, std::string& problem);
  std::optional<tools::package::Manifest> manifest(const std::string& package,
                                                   const Revision& revision,
                                                   std::string& problem);
  /// Copies the package's files to `folder`.
  bool install(const std::string& package, const Revision& revision, const std::string& folder,
               std::string& problem);

 private:
  std::optional<std::string> git(const std::vector<std::string>& arguments, std::string& problem);
  std::optional<std::string> clone(const std::string& package, std::string& problem);
  std::optional<std::string> commit(const std::string& folder, const std::string& reference,
                                    std::string& problem);

  bool verbose_;
  TemporaryFolder work_;
  std::map<std::string, std::string> clones_;  // by address
};

}  // namespace dagaz::driver
