// The server protocol: every command, what it prints, and how it fails.
#include <doctest/doctest.h>

#include "streams.h"
#include "test_program.h"

namespace {

/// What a server prints for some commands, without the markers "%%% OK" of success.
std::string serve(const std::string& commands) {
  std::string text =
      test::drive(dz_server_main, test::cpu_program(), {}, commands).out;
  const std::string marker = "%%% OK\n";
  for (size_t at = text.find(marker); at != std::string::npos; at = text.find(marker, at)) {
    text.erase(at, marker.size());
  }
  return text;
}

/// The same after restoring some values from a file.
std::string serve_with(const std::string& values, const std::string& names,
                       const std::string& commands) {
  const test::TemporaryFile file(values);
  return serve("restore " + file.name() + " " + names + "\n" + commands);
}

}  // namespace

TEST_CASE("every command ends with its marker") {
  const test::Outcome outcome =
      test::drive(dz_server_main, test::cpu_program(), {}, "entry_points\n\nfree x\n");
  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "%%% OK\nmain\nscale\nat\nswap\nconsume\ngreedy\nmake_point\nlengths\n%%% OK\n"
        "%%% FAILURE\nEmpty line\n%%% OK\n%%% FAILURE\nUnknown variable: x\n%%% OK\n");
}

TEST_CASE("nonsense ends the server") {
  const test::Outcome outcome =
      test::drive(dz_server_main, test::cpu_program(), {}, "frobnicate\ntypes\n");
  CHECK(outcome.status == 1);
  CHECK(outcome.out == "%%% OK\n");
  CHECK(outcome.error == "prog: Unknown command: frobnicate\n");
  CHECK(test::drive(dz_server_main, test::cpu_program(), {}, "rank nosuch\n").error ==
        "prog: Unknown type nosuch\n");
  CHECK(test::drive(dz_server_main, test::cpu_program(), {}, "rank\n").error ==
        "prog: Insufficient command args.\n");
  CHECK(test::drive(dz_server_main, test::cpu_program(), {"-e", "main"}, "").status == 2);
}

TEST_CASE("types are listed: scalars, then the program's in order of names") {
  CHECK(serve("types\n") ==
        "i8\ni16\ni32\ni64\nu8\nu16\nu32\nu64\nf16\nf32\nf64\nbool\n"
        "(i64, i64)\n[][]f64\n[][]i64\n[]f64\n[]i64\n[]point\npoint\nshape\n");
  CHECK(serve("inputs consume\noutput consume\noutput main\n") == "*[]i64\n*[]i64\ni64\n");
  CHECK(serve("kind i8\nkind []i64\nkind point\nkind shape\nkind []point\n") ==
        "primitive\narray\nrecord\nsum\narray\n");
  CHECK(serve("rank [][]f64\nelemtype [][]f64\nelemtype []point\nrank []point\n") ==
        "2\nf64\npoint\n1\n");
  CHECK(serve("fields point\nvariants shape\n") ==
        "x f64\nys []i64\ncircle\n- f64\nlist\n- []i64\nnothing\n");
  CHECK(serve("fields shape\nvariants point\nrank point\n") ==
        "%%% FAILURE\nNot a record type\n%%% FAILURE\nNot a sum type\n"
        "%%% FAILURE\nNot an array type\n");
}

TEST_CASE("an entry point is called with variables, and its result stored") {
  const test::TemporaryFile result;
  const std::string printed = serve_with("[1, 2, 3]", "xs []i64",
                                         "call main total xs\ntype total\nstore " +
                                             result.name() + " total xs\n");
  CHECK(printed.starts_with("runtime: "));
  CHECK(printed.ends_with("\ni64\n"));
  CHECK(result.text() == std::string("b\2\0 i64\6\0\0\0\0\0\0\0", 15) +
                             std::string("b\2\1 i64\3\0\0\0\0\0\0\0", 15) +
                             std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 24));
}

TEST_CASE("several results are one tuple") {
  const std::string printed =
      serve_with("1 [2]", "x i64 xs []i64",
                 "output swap\nkind \"(i64, i64)\"\nfields \"(i64, i64)\"\ncall swap p x x\n"
                 "type p\nproject a p 0\ntype a\n");
  CHECK(printed.starts_with("(i64, i64)\nrecord\n0 i64\n1 i64\nruntime: "));
  CHECK(printed.ends_with("\n(i64, i64)\ni64\n"));
}

TEST_CASE("clients of older peers get the components of a tuple one by one") {
  const std::string printed =
      serve_with("1", "x i64", "outputs swap\noutputs main\ncall swap a b x x\ntype b\n");
  CHECK(printed.starts_with("i64\ni64\ni64\nruntime: "));
  CHECK(printed.ends_with("\ni64\n"));
}

TEST_CASE("a failing call prints its error and defines nothing") {
  const std::string printed =
      serve_with("[1, 2, 3] 7", "xs []i64 i i64", "call at out xs i\ntype out\n");
  CHECK(printed.find("\n%%% FAILURE\nError: Index [7] out of bounds for array of shape [3].\n") !=
        std::string::npos);
  CHECK(printed.ends_with("%%% FAILURE\nUnknown variable: out\n"));
}

TEST_CASE("calls with wrong variables are refused") {
  CHECK(serve("call nosuch out\ncall main out xs\n") ==
        "%%% FAILURE\nUnknown entry point: nosuch\n%%% FAILURE\nUnknown variable: xs\n");
  CHECK(serve_with("1", "x i64", "call main out x\ncall swap x x x\n") ==
        "%%% FAILURE\nWrong input type.  Expected []i64, got i64.\n"
        "%%% FAILURE\nVariable already exists: x\n");
}

TEST_CASE("variables are renamed, freed and cleared") {
  CHECK(serve_with("1 2", "a i64 b i64",
                   "rename a c\ntype c\nrename a d\nrename b c\nfree c\ntype c\nclear\ntype b\n") ==
        "i64\n%%% FAILURE\nUnknown variable: a\n%%% FAILURE\nVariable already exists: c\n"
        "%%% FAILURE\nUnknown variable: c\n%%% FAILURE\nUnknown variable: b\n");
}

TEST_CASE("restoring reports what is wrong with a file") {
  CHECK(serve("restore /nonexistent x i64\n") ==
        "%%% FAILURE\nFailed to open /nonexistent: No such file or directory\n");
  CHECK(serve_with("1 2", "x i64", "").starts_with("%%% FAILURE\nExpected EOF after reading 1"));
  CHECK(serve_with("true", "x i64", "")
            .starts_with("%%% FAILURE\nFailed to restore variable x.\nPossibly malformed data"));
  CHECK(serve_with("1", "x i64 x i64", "").find("Variable already exists: x") !=
        std::string::npos);
}

TEST_CASE("arrays are made, indexed and changed") {
  CHECK(serve_with("1 2 9", "a i64 b i64 c i64",
                   "new_array m [][]i64 2 1 a b\nshape m\nset m c 1 0\nindex x m 1 0\n"
                   "index y m 2 0\nindex y m 0\nnew_array n []i64 3 a b\nnew_array n []i64 x a\n"
                   "type x\n") ==
        "2\n1\n%%% FAILURE\nInvalid index `2` on dimension 1.\n"
        "%%% FAILURE\n2 indices expected but 1 values provided.\n"
        "%%% FAILURE\nExpected 3 values, but got 2.\n"
        "%%% FAILURE\nInvalid size `x` of dimension 1.\ni64\n");
}

TEST_CASE("records are made, taken apart, stored and restored") {
  const test::TemporaryFile stored;
  const std::string values = "2.5 [4, 5]";
  CHECK(serve_with(values, "x f64 ys []i64",
                   "new p point x ys\ntype p\nproject z p ys\nshape z\nproject z p nosuch\n"
                   "new q point x\nstore " + stored.name() + " p p\n") ==
        "point\n2\n%%% FAILURE\nNo such field\n"
        "%%% FAILURE\n1 fields expected but 2 values provided.\n");
  CHECK(serve("restore " + stored.name() + " a point b point\nproject y b ys\nshape y\n") ==
        "2\n");
}

TEST_CASE("sums are made and taken apart") {
  CHECK(serve_with("2.5 [4, 5]", "r f64 xs []i64",
                   "construct s shape list xs\nvariant s\ndestruct s ys\nshape ys\n"
                   "construct c shape circle r\nvariant c\ndestruct c a b\ndestruct c q\ntype q\n"
                   "construct e shape nosuch\nconstruct n shape nothing\nvariant n\n") ==
        "list\n2\ncircle\n%%% FAILURE\n1 variables expected but 2 variables provided.  circle\n"
        "f64\n%%% FAILURE\nNo such variant\nnothing\n");
}

TEST_CASE("arrays of records are zipped, unzipped, indexed and made of elements") {
  CHECK(serve_with("2.5 [4, 5]", "x f64 ys []i64",
                   "new p point x ys\nnew_array ps []point 2 p p\nshape ps\nindex q ps 1\n"
                   "project zs q ys\nshape zs\nset ps q 0\nunzip ps a\nset ps x 0\n") ==
        "2\n2\n%%% FAILURE\n2 arrays expected but 1 values provided.\n"
        "%%% FAILURE\nType mismatch: expected element of type point, got f64\n");
}

TEST_CASE("profiling, tuning and attributes answer") {
  CHECK(serve("pause_profiling\nunpause_profiling\nreport\n")
            .starts_with("{\"memory\":{\"device\":"));
  CHECK(serve("set_tuning_param a 1\ntuning_params main\ntuning_param_class a\n"
              "attributes main\n") ==
        "%%% FAILURE\nFailed to set tuning parameter a to 1\n"
        "%%% FAILURE\nUnknown tuning parameter: a\n");
}

TEST_CASE("words in quotes may hold spaces") {
  CHECK(serve("type \"a b\"\ntype \"a\n") == "%%% FAILURE\nUnknown variable: a b\n");
}
