// The explanations of diagnostics show what they say.
#include <doctest/doctest.h>

#include <string>

#include "check/check.h"
#include "support/explanations.h"
#include "syntax/imports.h"

namespace {

using namespace dagaz;

// The kinds of all diagnostics, each once.
std::string kinds(std::string_view text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  const auto read = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "example.fut") return std::string(text);
    return std::nullopt;
  };
  ast::Program program = syntax::parse_program_text("example.fut", std::string(text), sources,
                                                    names, diagnostics, read);
  if (!diagnostics.has_errors()) check::check_program(program, names, diagnostics);
  std::string all;
  for (const Diagnostic& d : diagnostics.all()) {
    const std::string name(kind_name(d.kind));
    if (all.find(name) == std::string::npos) all += (all.empty() ? "" : " ") + name;
  }
  return all;
}

}  // namespace

TEST_CASE("what an explanation calls wrong is of its kind, what it calls right is right") {
  for (const Explanation& e : explanations()) {
    CAPTURE(kind_name(e.kind));
    if (!e.wrong.empty()) CHECK(kinds(e.wrong) == kind_name(e.kind));
    if (!e.right.empty()) CHECK(kinds(e.right) == "");
  }
}

TEST_CASE("kinds are found by their names") {
  CHECK(find_kind("size-mismatch") == DiagnosticKind::size_mismatch);
  CHECK_FALSE(find_kind("nonsense"));
}
