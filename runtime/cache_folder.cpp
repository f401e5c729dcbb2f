// An entry is a file: its content, and behind it the checksum of that.  Its time of modification is
// when it was last used; the time of access is not kept by every file system.  All calls name files
// by the open folder, so what is used is what has been looked at.
#include "cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <tuple>
#include <vector>

namespace dagaz::runtime {

namespace {

// Behind entries that are being written; a process that was killed leaves them.
constexpr std::string_view unfinished = ".part";
constexpr std::time_t seconds_to_write = 3600;
constexpr std::size_t checksum_digits = 16;

/// A file that is closed with this object.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile() { close_it(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Whether what was written has arrived.
  bool close_it() {
    const bool closed = number_ >= 0 && close(number_) == 0;
    number_ = -1;
    return closed;
  }

 private:
  int number_;
};

/// FNV-1a: for damage, not against adversaries.
std::string checksum_of(std::string_view content) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : content) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[sum >> shift & 0xf];
  return text;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::string> read_all(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(file, &text[size], text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    size += static_cast<std::size_t>(count);
  }
  return text;
}

/// The folder and those around it, as far as they are not there; for this user alone.
void make_folders(const std::string& path) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    mkdir(path.substr(0, end).c_str(), S_IRWXU);
  }
}

/// Why code from the open folder must not be run.
std::string distrust(int folder) {
  struct stat status {};
  if (fstat(folder, &status) != 0) return std::strerror(errno);
  if (status.st_uid != geteuid()) return "it belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others can write to it";
  return "";
}

struct Entry {
  std::string name;
  std::uint64_t bytes = 0;
  timespec used{};
};

/// All entries of a folder, those that were not finished apart.
struct Listing {
  std::vector<Entry> entries;
  std::vector<Entry> unfinished;
};

Listing listing_of(int folder) {
  Listing listing;
  // Of its own: reading moves a position in the folder.
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto close_it = [](DIR* open) { closedir(open); };
  const std::unique_ptr<DIR, decltype(close_it)> files(again < 0 ? nullptr : fdopendir(again),
                                                       close_it);
  if (files == nullptr) return listing;
  while (const dirent* file = readdir(files.get())) {
    struct stat status {};
    if (fstatat(folder, file->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode)) {
      continue;
    }
    Entry entry{file->d_name, static_cast<std::uint64_t>(status.st_size), status.st_mtim};
    auto& list = entry.name.ends_with(unfinished) ? listing.unfinished : listing.entries;
    list.push_back(std::move(entry));
  }
  return listing;
}

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;
constexpr std::uint64_t usual_megabytes = 1024;

}  // namespace

std::string users_cache_folder() {
  if (const std::string chosen = value_of("DAGAZ_CACHE"); !chosen.empty()) return chosen;
  // The standard says that other paths are to be ignored.
  if (const std::string caches = value_of("XDG_CACHE_HOME"); caches.starts_with('/')) {
    return caches + "/dagaz";
  }
  const std::string home = value_of("HOME");
  return home.starts_with('/') ? home + "/.cache/dagaz" : "";
}

std::uint64_t most_cache_bytes() {
  const std::string chosen = value_of("DAGAZ_CACHE_MEGABYTES");
  char* end = nullptr;
  const unsigned long long count = std::strtoull(chosen.c_str(), &end, 10);
  const bool is_number = !chosen.empty() && *end == '\0' && count < megabyte * megabyte;
  return (is_number ? count : usual_megabytes) * megabyte;
}

CacheFolder::CacheFolder(const std::string& path, std::uint64_t most_bytes, std::string& problem)
    : most_bytes_(most_bytes) {
  make_folders(path);
  folder_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  problem = folder_ < 0 ? std::strerror(errno) : distrust(folder_);
  if (problem.empty() || folder_ < 0) return;
  close(folder_);
  folder_ = -1;
}

CacheFolder::~CacheFolder() {
  if (folder_ >= 0) close(folder_);
}

std::optional<std::string> CacheFolder::find(const std::string& key) const {
  if (folder_ < 0) return std::nullopt;
  const OpenFile file(openat(folder_, key.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::optional<std::string> text = read_all(file.number());
  if (!text || text->size() < checksum_digits) return std::nullopt;
  const std::string sum = text->substr(text->size() - checksum_digits);
  text->resize(text->size() - checksum_digits);
  if (checksum_of(*text) != sum) return std::nullopt;
  futimens(file.number(), nullptr);  // used now
  return text;
}

void CacheFolder::keep(const std::string& key, std::string_view content) const {
  if (folder_ < 0 || content.size() > most_bytes_) return;
  const std::string name = key + "." + std::to_string(getpid()) + std::string(unfinished);
  OpenFile file(openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       S_IRUSR | S_IWUSR));
  if (!file.is_open()) return;
  const bool written = write_all(file.number(), content) &&
                       write_all(file.number(), checksum_of(content)) && file.close_it();
  if (!written || renameat(folder_, name.c_str(), folder_, key.c_str()) != 0) {
    unlinkat(folder_, name.c_str(), 0);
    return;
  }
  remove_least_recently_used();
}

void CacheFolder::remove_least_recently_used() const {
  Listing listing = listing_of(folder_);
  const std::time_t now = std::time(nullptr);
  for (const Entry& one : listing.unfinished) {
    if (now - one.used.tv_sec > seconds_to_write) unlinkat(folder_, one.name.c_str(), 0);
  }
  std::uint64_t bytes = 0;
  for (const Entry& one : listing.entries) bytes += one.bytes;
  if (bytes <= most_bytes_) return;
  std::sort(listing.entries.begin(), listing.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec) < std::tie(b.used.tv_sec, b.used.tv_nsec);
  });
  // Some more than must be, so that not every new entry has to remove one.
  const std::uint64_t enough = most_bytes_ - most_bytes_ / 8;
  for (const Entry& one : listing.entries) {
    if (bytes <= enough) return;
    if (unlinkat(folder_, one.name.c_str(), 0) == 0) bytes -= one.bytes;
  }
}

}  // namespace dagaz::runtime
