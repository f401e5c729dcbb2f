// What is kept, what goes, and which folders are not used.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "cache_folder.h"
#include "streams.h"

namespace fs = std::filesystem;
using dagaz::runtime::CacheFolder;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

struct Opened {
  std::string problem;
  CacheFolder folder;
  explicit Opened(const std::string& path, std::uint64_t most_bytes = plenty)
      : folder(path, most_bytes, problem) {}
};

std::size_t files_in(const std::string& path) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

void used(const std::string& file, int hours_ago) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
}

}  // namespace

TEST_CASE("what is kept is found, by everybody who opens the folder") {
  const test::TemporaryFolder around;
  const std::string path = around.path() + "/some/where";
  const Opened one(path);
  CHECK(one.problem.empty());
  const std::string content("\0bytes\n", 7);
  one.folder.keep("a", content);
  one.folder.keep("empty", "");
  const Opened other(path);
  CHECK(other.folder.find("a") == content);
  CHECK(other.folder.find("empty") == "");
  CHECK(other.folder.find("b") == std::nullopt);
  one.folder.keep("a", "new");
  CHECK(other.folder.find("a") == "new");
  CHECK(fs::status(path).permissions() == fs::perms::owner_all);
}

TEST_CASE("a damaged entry is none") {
  const test::TemporaryFolder around;
  const std::string path = around.path() + "/cache";
  const Opened cache(path);
  cache.folder.keep("a", "content");
  fs::resize_file(path + "/a", 10);
  CHECK(cache.folder.find("a") == std::nullopt);
  cache.folder.keep("a", "content");
  std::fstream(path + "/a", std::ios::in | std::ios::out) << 'C';
  CHECK(cache.folder.find("a") == std::nullopt);
  std::ofstream(path + "/a", std::ios::trunc) << "short";
  CHECK(cache.folder.find("a") == std::nullopt);
}

TEST_CASE("folders that others can change are not used") {
  const test::TemporaryFolder around;
  const std::string path = around.path() + "/cache";
  fs::create_directory(path);
  for (const mode_t mode : {0770u, 0702u, 0777u}) {
    REQUIRE(chmod(path.c_str(), mode) == 0);
    const Opened cache(path);
    CHECK(cache.problem == "others can write to it");
    cache.folder.keep("a", "content");
    CHECK(cache.folder.find("a") == std::nullopt);
    CHECK(files_in(path) == 0);
  }
  if (geteuid() == 0) {
    REQUIRE(chmod(path.c_str(), 0700) == 0);
    REQUIRE(chown(path.c_str(), 1, 1) == 0);
    CHECK(Opened(path).problem == "it belongs to another user");
  }
  std::ofstream(around.path() + "/file") << "no folder";
  CHECK(Opened(around.path() + "/file").problem == "Not a directory");
}

TEST_CASE("the least recently used entries go when there is too much") {
  const test::TemporaryFolder around;
  const std::string path = around.path() + "/cache";
  const Opened cache(path, 10000);
  const std::string content(2000, 'x');
  for (const char* key : {"a", "b", "c", "d"}) cache.folder.keep(key, content);
  used(path + "/a", 4);
  used(path + "/b", 3);
  used(path + "/c", 2);
  used(path + "/d", 1);
  CHECK(cache.folder.find("a"));  // now it is the last
  cache.folder.keep("e", content);
  CHECK_FALSE(cache.folder.find("b"));
  for (const char* key : {"a", "c", "d", "e"}) CHECK(cache.folder.find(key));
  cache.folder.keep("f", std::string(20000, 'x'));
  CHECK_FALSE(cache.folder.find("f"));
  CHECK(cache.folder.find("e"));
}

TEST_CASE("what a process left unfinished goes in the end") {
  const test::TemporaryFolder around;
  const std::string path = around.path() + "/cache";
  const Opened cache(path);
  for (const char* name : {"/a.1.part", "/b.2.part"}) std::ofstream(path + name) << "some";
  used(path + "/a.1.part", 2);
  cache.folder.keep("c", "content");
  CHECK_FALSE(fs::exists(path + "/a.1.part"));
  CHECK(fs::exists(path + "/b.2.part"));
}

TEST_CASE("processes that keep and find the same entry see all of it or none") {
  const test::TemporaryFolder around;
  const std::string path = around.path() + "/cache";
  constexpr int processes = 4;
  for (int k = 0; k < processes; ++k) {
    if (fork() > 0) continue;
    const Opened cache(path, 100000);
    bool good = true;
    for (int i = 0; i < 200; ++i) {
      const std::string key = std::to_string(i % 7);
      const auto found = cache.folder.find(key);
      good = good && (!found || found->find_first_not_of(found->front()) == std::string::npos);
      cache.folder.keep(key, std::string(20000, static_cast<char>('a' + k)));
    }
    _exit(good ? 0 : 1);
  }
  for (int k = 0; k < processes; ++k) {
    int status = 0;
    REQUIRE(wait(&status) > 0);
    CHECK(status == 0);
  }
}
