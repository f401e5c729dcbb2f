// A match covers every value of its type, and says which it does not.
#include <doctest/doctest.h>

#include <string>

#include "check/check.h"
#include "syntax/imports.h"

namespace {

using namespace dagaz;

std::string first_message(const std::string& text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Program program =
      syntax::parse_program_text("test.fut", text, sources, names, diagnostics);
  if (!diagnostics.has_errors()) check::check_program(program, names, diagnostics);
  if (diagnostics.all().empty()) return "";
  const Diagnostic& first = diagnostics.all().front();
  return std::string(kind_name(first.kind)) + ": " + first.message;
}

std::string unmatched(const std::string& type, const std::string& cases) {
  const std::string prefix = "unmatched-cases: Unmatched cases in match expression: ";
  const std::string message =
      first_message("def f (x: " + type + ") : i32 = match x " + cases);
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

}  // namespace

TEST_CASE("a missing case is shown by an example") {
  const std::string type = "#a i32 bool | #b | #c (#d bool | #e)";
  CHECK(unmatched(type, "case #a _ _ -> 1 case #b -> 2 case #c _ -> 3") == "");
  CHECK(unmatched(type, "case #a _ _ -> 1 case #c _ -> 3") == "#b");
  CHECK(unmatched(type, "case #a _ true -> 1 case #b -> 2 case #c #e -> 3") ==
        "#a _ false, #c (#d _)");
  CHECK(unmatched(type, "case #c (#d true) -> 1 case #a 1 _ -> 2 case #b -> 3") ==
        "#a _ _, #c (#d false), #c #e");
}

TEST_CASE("tuples, records, numbers and truth values are looked into") {
  CHECK(unmatched("(bool, bool)", "case (true, _) -> 1 case (_, false) -> 2") ==
        "(false, true)");
  CHECK(unmatched("{a: bool, b: i32}", "case {a = true, b = _} -> 1") == "{a=false, b=_}");
  CHECK(unmatched("i32", "case 1 -> 1 case -1 -> 2") == "_");
  CHECK(unmatched("i32", "case 1 -> 1 case x -> x") == "");
  CHECK(unmatched("()", "case () -> 1") == "");
}

TEST_CASE("a case that can never be reached is pointed out") {
  CHECK(unmatched("bool", "case true -> 1 case false -> 2 case _ -> 3")
            .starts_with("unreachable-case"));
  CHECK(unmatched("i32", "case 1 -> 1 case 1 -> 2 case _ -> 3").starts_with("unreachable-case"));
  CHECK(unmatched("(bool, bool)", "case (true, _) -> 1 case (_, true) -> 2 case _ -> 3") == "");
}

TEST_CASE("patterns without alternatives must always match") {
  CHECK(first_message("def f (x: i32) = let 1 = x in x").starts_with("refutable-pattern"));
  CHECK(first_message("def f (x: (#a i32)) : i32 = let (#a y) = x in y") == "");
}
