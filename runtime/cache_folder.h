// A folder of entries that can be made again: each has a key, the least recently used go when there
// is too much.  Several processes may use it at once: an entry appears whole, by renaming, and
// whoever reads one that is being removed still reads all of it.  What lies here is run, so only a
// folder that nobody else can write to is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dagaz::runtime {

/// Where the user's programs, and their code for GPUs, are kept: $DAGAZ_CACHE, or `dagaz` in the
/// user's cache folder.  Empty where there is nowhere to keep anything; `off` is what a user may
/// have chosen.
std::string users_cache_folder();
/// How much of each kind may be kept there.
std::uint64_t most_cache_bytes();

class CacheFolder {
 public:
  /// The folder at `path`, made if it is not there.  Where it cannot be used, `problem` says why.
  CacheFolder(const std::string& path, std::uint64_t most_bytes, std::string& problem);
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  /// What was kept under a key, unless that was removed or damaged since.
  std::optional<std::string> find(const std::string& key) const;
  /// Keeps `content` under a key, a file's name, in the place of what was there.  Where there is no
  /// room nothing is kept.
  void keep(const std::string& key, std::string_view content) const;

 private:
  void remove_least_recently_used() const;

  int folder_ = -1;
  std::uint64_t most_bytes_;
};

}  // namespace dagaz::runtime
