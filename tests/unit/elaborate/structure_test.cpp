// The shape of the IR: what costs nothing is not there, and nests stay perfect.
#include <doctest/doctest.h>

#include "elaborated.h"

using namespace dagaz;
using test::count;
using test::elaborated;

TEST_CASE("arrays of records are several arrays, and zipping moves nothing") {
  const ir::Program program =
      elaborated("entry main (xs: []i64) (ys: []f64) = map2 (\\x y -> (y, x)) xs ys").program;
  CHECK(count(program, "map_scan_reduce") <= 1);
  CHECK(count(program, "copy") == 0);
}

TEST_CASE("views move nothing") {
  const ir::Program program =
      elaborated("entry main (xss: [][]i64) = flatten (transpose (reverse xss))").program;
  CHECK(count(program, "map_scan_reduce") == 0);
  CHECK(count(program, "slice") == 1);
  CHECK(count(program, "permute") == 1);
  CHECK(count(program, "reshape") == 1);
}

TEST_CASE("a broadcast is a perfect nest over the result") {
  const test::Elaborated made =
      elaborated("entry main [n][m] (xs: [n][m]f64) (ys: [m]f64) = xs .+ ys");
  REQUIRE(made.errors.empty());
  CHECK(made.violations.empty());
  CHECK(count(made.program, "map_scan_reduce") == 2);
  const ir::Body* body = &made.program.functions.front().body;
  for (int depth = 0; depth < 2; ++depth) {
    REQUIRE(body->statements.size() == 1);
    body = &std::get<ir::MapScanReduce>(body->statements.front().operation).map.body;
  }
  CHECK(body->statements.size() == 1);
}

TEST_CASE("a stretched operand of a broadcast is read where it is") {
  const ir::Program program =
      elaborated("entry main [n][m] (xs: [n][m]f64) (ys: [n][1]f64) = xs .* ys").program;
  CHECK(count(program, "replicate") == 0);
  CHECK(count(program, "copy") == 0);
  CHECK(count(program, "map_scan_reduce") == 2);
}

TEST_CASE("a constant is computed once in each entry point, outside all nests") {
  const ir::Program program =
      elaborated("def table = map (\\i -> i * i) (iota 10)\n"
                 "entry main (xs: []i64) = map (\\x -> table[x] + table[0]) xs")
          .program;
  CHECK(count(program, "iota") == 1);
}

TEST_CASE("attributes reach the statement that they stand at") {
  const ir::Program program =
      elaborated("entry main (xs: []f64) = #[forward] map (\\x -> x * x) xs").program;
  CHECK(program.functions.front().body.statements.back().mode == ir::ModeRequest::forward);
  const ir::Program loop =
      elaborated("entry main (n: i64) = #[stripmine(2)] loop x = 1 for _i < n do x * 2").program;
  const auto& statement = loop.functions.front().body.statements.back();
  CHECK(std::get<ir::Loop>(statement.operation).attributes.stripmine == 2);
}

TEST_CASE("functions that do not call themselves are gone") {
  const ir::Program program =
      elaborated("def f (x: i64) = x + 1\nentry main (x: i64) = f (f x)").program;
  CHECK(count(program, "call") == 0);
  CHECK(program.functions.size() == 1);
  const ir::Location& location = program.locations[program.functions.front()
                                                       .body.statements.back()
                                                       .location.index];
  CHECK(location.inlined_at.valid());
}

TEST_CASE("the outside sees types by their names") {
  const ir::Program program =
      elaborated("type~ params = {n: i64, xs: []f64}\n"
                 "entry main (p: params) (k: u8) = (p.xs, #some k : #some u8 | #none)")
          .program;
  REQUIRE(program.entries.size() == 1);
  const ir::EntryPoint& entry = program.entries.front();
  const auto type = [&](const ir::ExternalValue& value) {
    return program.external_types[static_cast<std::size_t>(value.type)];
  };
  CHECK(type(entry.inputs[0]).name == "params");
  CHECK(type(entry.inputs[0]).kind == ir::ExternalKind::record);
  CHECK(type(entry.inputs[1]).name == "u8");
  CHECK(type(entry.outputs[0]).c_name == "f64_1d");
  CHECK(type(entry.outputs[1]).kind == ir::ExternalKind::sum);
  CHECK(entry.size_parameters == 1);
}
