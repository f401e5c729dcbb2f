// Executables: arguments, options, results, exit statuses.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "program_main.h"
#include "streams.h"
#include "test_program.h"

namespace {

using test::Outcome;

Outcome run(const std::vector<std::string>& flags, const std::string& input) {
  return test::drive(dz_program_main, test::cpu_program(), flags, input);
}

}  // namespace

TEST_CASE("main is run on values from standard input") {
  const Outcome outcome = run({}, "[1, 2, 3i64]");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "6i64\n");
  CHECK(outcome.error.empty());
}

TEST_CASE("results are printed one a line, records by their fields") {
  CHECK(run({"-e", "swap"}, "1 2").out == "2i64\n1i64\n");
  CHECK(run({"--entry-point=scale"}, "2.0 [[1,2],[3,4]]").out ==
        "[[2.0f64, 4.0f64], [6.0f64, 8.0f64]]\n");
  CHECK(run({"-e", "make_point"}, "2.5 [1]").out == "2.5f64\n[1i64]\n");
  CHECK(run({"-n"}, "[1]").out.empty());
}

TEST_CASE("binary output is valid input") {
  const Outcome outcome = run({"-b", "-e", "consume"}, "[1, 2]");
  CHECK(outcome.status == 0);
  CHECK(run({}, outcome.out).out == "5i64\n");
}

TEST_CASE("every run gets its own copy of consumed arguments") {
  CHECK(run({"-r", "5", "-e", "consume"}, "[1, 2]").out == "[2i64, 3i64]\n");
}

TEST_CASE("run times go to a file, a line each") {
  const test::TemporaryFile file;
  CHECK(run({"-r", "3", "-t", file.name()}, "[1, 2]").status == 0);
  const std::string times = file.text();
  CHECK(std::count(times.begin(), times.end(), '\n') == 3);
}

TEST_CASE("runs go on until the median is known, or the time is over") {
  const test::TemporaryFile file;
  const auto runs_for = [&](const char* precision) {
    CHECK(run({"-r", "2", "--precision", precision, "--seconds", "0.2", "-t", file.name()},
              "[1, 2]").status == 0);
    const std::string times = file.text();
    return std::count(times.begin(), times.end(), '\n');
  };
  CHECK(runs_for("1000000") >= 6);
  CHECK(runs_for("1000000") < 20);
  CHECK(runs_for("1e-9") > 20);
  CHECK(run({"--precision", "0"}, "[1]").error ==
        "prog: --precision needs a number above 0, not `0`\n");
  CHECK(run({"--seconds", "long"}, "[1]").status == 2);
}

TEST_CASE("wrong data ends with status 1 and one sentence") {
  const Outcome wrong = run({}, "[1, 2.5]");
  CHECK(wrong.status == 1);
  CHECK(wrong.error == "prog: standard input:1:5: expected a value of type i64, found `2.5` "
                       "(argument 1 of 1, xs: []i64)\n");
  CHECK(run({}, "").status == 1);
  CHECK(run({}, "[1] 2").error ==
        "prog: standard input goes on after the 1 arguments of main\n");
  CHECK(run({"-e", "lengths"}, "1").error ==
        "prog: argument 1 of lengths has type shape, whose values cannot be read from text\n");
}

TEST_CASE("a failing program reports what and where") {
  const Outcome outcome = run({"-e", "at"}, "[1, 2] 7");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.error ==
        "prog: Error: Index [7] out of bounds for array of shape [2].\n\nBacktrace:\n"
        "-> #0  at.fut:3:5-9\n   #1  at.fut:1:1-30\n");
}

TEST_CASE("running out of memory names the size") {
  const Outcome outcome = run({"-e", "greedy", "--memory-cap", "1000000"}, "2000000");
  CHECK(outcome.status == 1);
  CHECK(outcome.error.find("could not allocate 2000000 bytes") != std::string::npos);
  CHECK(outcome.error.find("limit 1000000 bytes") != std::string::npos);
}

TEST_CASE("a bad command line ends with status 2") {
  const Outcome entry = run({"-e", "nosuch"}, "");
  CHECK(entry.status == 2);
  CHECK(entry.error.find("there is no entry point `nosuch`; choose one with -e:\n  main\n") !=
        std::string::npos);
  CHECK(run({"--frobnicate"}, "").error ==
        "prog: unknown option `--frobnicate`; --help lists the options\n");
  CHECK(run({"-z"}, "").error == "prog: unknown option `-z`; --help lists the options\n");
  CHECK(run({"-e"}, "").error == "prog: option `-e` needs an argument\n");
  CHECK(run({"--runs"}, "").error == "prog: option `--runs` needs an argument\n");
  CHECK(run({"-r", "0"}, "").status == 2);
  CHECK(run({"-r", "x"}, "").status == 2);
  CHECK(run({"extra"}, "").status == 2);
  CHECK(run({"--param", "x=1"}, "").status == 2);
  CHECK(run({"--param", "x"}, "").status == 2);
}

TEST_CASE("help and parameters are printed on standard output") {
  const Outcome help = run({"--help"}, "");
  CHECK(help.status == 0);
  CHECK(help.out.find("-e, --entry-point NAME") != std::string::npos);
  CHECK(help.out.find("  make_point\n") != std::string::npos);
  CHECK(run({"--print-params"}, "").status == 0);
}

TEST_CASE("profiling prints a report with the entry point") {
  const Outcome outcome = run({"-P", "--profile-format=json"}, "[1]");
  CHECK(outcome.error.find("\"name\":\"entry main\"") != std::string::npos);
}
