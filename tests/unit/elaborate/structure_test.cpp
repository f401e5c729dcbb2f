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

TEST_CASE("attributes may stand before `local`") {
  const ir::Program program =
      elaborated("#[noinline] local def f (x: i64) = x + 1\nentry main (x: i64) = f (f x)").program;
  CHECK(count(program, "call") == 2);
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
  REQUIRE(entry.outputs.size() == 1);
  const auto result = type(entry.outputs[0]);
  CHECK(result.name == "([]f64, #none | #some u8)");
  CHECK(result.c_name.empty());
  const auto& fields = result.members;
  REQUIRE(fields.size() == 2);
  const auto field = [&](std::size_t i) {
    return program.external_types[static_cast<std::size_t>(fields[i].types.front())];
  };
  CHECK(field(0).c_name == "f64_1d");
  CHECK(field(1).kind == ir::ExternalKind::sum);
  CHECK(entry.size_parameters == 1);
}

TEST_CASE("types of the interface have the names that the program writes") {
  const ir::Program program =
      elaborated("type v3 = (f64, f64, f64)\n"
                 "type body [n] = {at: v3, trail: [n]v3}\n"
                 "type pair 'a 'b = (a, b)\n"
                 "module m = { type number = {n: i64, real: bool} }\n"
                 "entry main [n] (b: body [n]) (p: pair f64 (i32, v3)) (q: m.number)\n"
                 "  (r: {y: i32, x: i32}) (rows: [][]v3) = b.at")
          .program;
  const auto named = [&](const std::string& name) {
    for (const ir::ExternalType& type : program.external_types) {
      if (type.name == name) return type.c_name.empty() ? "hashed" : type.c_name;
    }
    return std::string("missing");
  };
  CHECK(named("body") == "body");
  CHECK(named("v3") == "v3");
  CHECK(named("[]v3") == "arr1d_v3");
  CHECK(named("[][]v3") == "arr2d_v3");
  CHECK(named("pair f64 (i32, v3)") == "hashed");
  CHECK(named("m.number") == "m_number");
  CHECK(named("{y: i32, x: i32}") == "hashed");
  // What no abbreviation is written for is named after its structure.
  CHECK(named("(i32, (f64, f64, f64))") == "tup2_i32_tup3_f64_f64_f64");
}

TEST_CASE("different types of one name at the interface are told apart") {
  const ir::Program program =
      elaborated("module a = { type t = {x: i64, y: i64} }\n"
                 "type a_t = {z: f64, w: f64}\n"
                 "module b = { open a type u = t }\n"
                 "entry main (x: a.t) (y: a_t) (z: b.t) = x.x")
          .program;
  std::vector<std::string> names;
  for (const ir::ExternalType& type : program.external_types) {
    if (type.kind == ir::ExternalKind::record) names.push_back(type.name + "=" + type.c_name);
  }
  CHECK(names == std::vector<std::string>{"a.t=a_t", "a_t=", "b.t=b_t"});
}
