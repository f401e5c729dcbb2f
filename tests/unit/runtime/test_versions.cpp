// Which version of a program a context runs.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "test_program.h"
#include "versions.h"

namespace {

using namespace dagaz::runtime;

/// Versions for two processors and a GPU; the second processor's is the better.
struct Program {
  dz_program first = test::cpu_program();
  dz_program wide = test::cpu_program();
  dz_program gpu = test::cpu_program();
  const dz_program* others[2] = {&wide, &gpu};

  Program() {
    first.processor = "narrow";
    wide.processor = gpu.processor = "wide";
    gpu.target = DZ_TARGET_CUDA;
    first.version_count = 2;
    first.versions = others;
  }
};

bool all(const dz_program&) { return true; }
bool none(const dz_program&) { return false; }
bool without_gpu(const dz_program& version) { return version.target == DZ_TARGET_CPU; }
bool only_narrow(const dz_program& version) {
  return std::string_view(version.processor) == "narrow";
}

TEST_CASE("the last version is taken that can run") {
  const Program program;
  CHECK(&best_version(program.first, all) == &program.gpu);
  CHECK(&best_version(program.first, without_gpu) == &program.wide);
  CHECK(&best_version(program.first, only_narrow) == &program.first);
  CHECK(&best_version(program.first, none) == &program.first);
  CHECK(version_for(program.first, "", without_gpu) == &program.wide);
}

TEST_CASE("a device names a target, a processor or a GPU") {
  const Program program;
  CHECK(version_for(program.first, "cpu", all) == &program.wide);
  CHECK(version_for(program.first, "cpu", only_narrow) == &program.first);
  CHECK(version_for(program.first, "narrow", all) == &program.first);
  CHECK(version_for(program.first, "wide", only_narrow) == &program.wide);
  CHECK(version_for(program.first, "cuda", all) == &program.gpu);
  CHECK(version_for(program.first, "H100", without_gpu) == &program.gpu);
  CHECK(version_for(program.first, "#1", all) == &program.gpu);
}

TEST_CASE("what no version is for has none") {
  Program program;
  program.first.version_count = 1;
  CHECK(version_for(program.first, "wider", all) == nullptr);
  CHECK(versions_of(program.first) == "cpu narrow, cpu wide");
}

TEST_CASE("a program of one version is its own best") {
  CHECK(&best_version(test::cpu_program(), none) == &test::cpu_program());
}

}  // namespace
