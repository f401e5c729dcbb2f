// Where arrays may be taken from their names.
#include <doctest/doctest.h>

#include <string>

#include "ir/fields.h"
#include "ir/last_uses.h"
#include "ir/parse.h"

namespace dagaz::ir {
namespace {

/// The last uses of each statement of `f` and those in its scopes, then of the results: names by
/// their bases, a scope in braces.
class Shown {
 public:
  explicit Shown(const Program& program) : names_(program.names) {
    uses_.add(program.functions.front(), names_);
    body(program.functions.front().body);
  }
  std::string text;

 private:
  void body(const Body& body) {
    for (const Statement& statement : body.statements) {
      list(uses_.of(statement));
      for_each_scope(statement.operation, [&](const Body& inner) {
        text += "{ ";
        this->body(inner);
        text += "} ";
      });
    }
    list(uses_.of(body));
  }
  void list(const std::vector<NameId>& names) {
    for (const NameId name : names) text += names_.base(name) + " ";
    text += "; ";
  }

  const Names& names_;
  LastUses uses_;
};

std::string last_uses(const std::string& source) {
  SourceFiles files;
  Diagnostics diagnostics;
  const auto program = parse(files.add("test.ir", source), files, diagnostics);
  if (!program) return render(diagnostics.all().front(), files, RenderStyle::plain);
  return Shown(*program).text;
}

TEST_CASE("an array is taken where nothing after mentions it") {
  CHECK(last_uses("function f (xs: [3]i64) -> [[3]i64, [3]i64] {"
                  " ys: [3]i64 = identity xs"
                  " zs: [3]i64 = update xs [0] 1"
                  " return ys, zs }") == "; xs ; ys zs ; ");
}

TEST_CASE("an array that is mentioned twice is not taken") {
  CHECK(last_uses("function f (xs: [3]i64) -> [[6]i64, [6]i64] {"
                  " ys: [6]i64 = concat 6 [xs, xs]"
                  " return ys, ys }") == "; ; ");
}

TEST_CASE("scopes that may run again take what they bind") {
  CHECK(last_uses("function f (xs: [3]i64, ns: [3]i64) -> [[3]i64] {"
                  " ys: [3]i64 = loop values [a: [3]i64 = xs] form for i: i64 < 3 body {"
                  "   n: i64 = index ns [i]"
                  "   b: [3]i64 = update a [i] n"
                  "   return b }"
                  " return ys }") == "xs ; { ; a ; b ; } ys ; ");
}

TEST_CASE("a branch takes what nothing after it mentions") {
  CHECK(last_uses("function f (c: bool, xs: [3]i64, ys: [3]i64) -> [[3]i64, [3]i64] {"
                  " zs: [3]i64 = branch c then_body {"
                  "   a: [3]i64 = update xs [0] 1 return a }"
                  "  else_body { return ys } result_types [[3]i64]"
                  " return zs, ys }") == "; { xs ; a ; } { ; } zs ys ; ");
}

}  // namespace
}  // namespace dagaz::ir
