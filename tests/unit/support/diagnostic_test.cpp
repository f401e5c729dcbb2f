// Diagnostics as text: carets under the right columns, labels, hints, JSON.
#include <doctest/doctest.h>

#include "support/diagnostic.h"
#include "support/whole_range.h"

using namespace dagaz;

namespace {
struct Sample {
  SourceFiles files;
  FileId file = files.add("a.fut", "def f x =\n\tx + øy\n");
  Diagnostics diagnostics;
};
}  // namespace

TEST_CASE("a caret stands under its character, whatever precedes it") {
  Sample sample;
  const auto begin = static_cast<std::uint32_t>(std::string_view("def f x =\n\tx + ø").size());
  sample.diagnostics.report(DiagnosticKind::syntax, Range{sample.file, begin, begin + 1},
                            "found `y`");
  CHECK(render(sample.diagnostics.all()[0], sample.files, RenderStyle::plain) ==
        "a.fut:2:7: error[syntax]: found `y`\n"
        "   2 | \tx + øy\n"
        "     | \t     ^\n");
}

TEST_CASE("characters that take two cells move the caret by two, and are marked by two") {
  SourceFiles files;
  const FileId file = files.add("a.fut", "-- \u4e16e\u0301 \U0001f600 y\n");
  Diagnostics diagnostics;
  diagnostics.report(DiagnosticKind::syntax, Range{file, 3, 6}, "wide");
  diagnostics.report(DiagnosticKind::syntax, Range{file, 15, 16}, "behind");
  CHECK(render(diagnostics.all()[0], files, RenderStyle::plain) ==
        "a.fut:1:4: error[syntax]: wide\n"
        "   1 | -- \u4e16e\u0301 \U0001f600 y\n"
        "     |    ^^\n");
  CHECK(render(diagnostics.all()[1], files, RenderStyle::plain) ==
        "a.fut:1:10: error[syntax]: behind\n"
        "   1 | -- \u4e16e\u0301 \U0001f600 y\n"
        "     |           ^\n");
}

TEST_CASE("labels and hints follow the primary place") {
  Sample sample;
  Diagnostic& diagnostic = sample.diagnostics.report(
      DiagnosticKind::syntax, Range{sample.file, 4, 5}, "two things");
  diagnostic.labels.push_back({Range{sample.file, 6, 7}, "the other"});
  diagnostic.hints.push_back("choose one");
  CHECK(render(diagnostic, sample.files, RenderStyle::plain) ==
        "a.fut:1:5: error[syntax]: two things\n"
        "   1 | def f x =\n"
        "     |     ^\n"
        "     |       - the other\n"
        "  help: choose one\n");
}

TEST_CASE("a label of the primary place stands behind its caret; other lines are shown") {
  Sample sample;
  Diagnostic& diagnostic = sample.diagnostics.report(
      DiagnosticKind::syntax, Range{sample.file, 4, 5}, "two things");
  diagnostic.labels.push_back({Range{sample.file, 4, 5}, "this one"});
  diagnostic.labels.push_back({Range{sample.file, 11, 12}, "the other"});
  CHECK(render(diagnostic, sample.files, RenderStyle::plain) ==
        "a.fut:1:5: error[syntax]: two things\n"
        "   1 | def f x =\n"
        "     |     ^ this one\n"
        "   2 | \tx + øy\n"
        "     | \t- the other\n");
}

TEST_CASE("of a long line only the part near the mark is shown") {
  SourceFiles files;
  const FileId file = files.add("a.fut", std::string(300, 'x') + "y" + std::string(300, 'z'));
  Diagnostics diagnostics;
  diagnostics.report(DiagnosticKind::syntax, Range{file, 300, 301}, "found `y`");
  CHECK(render(diagnostics.all()[0], files, RenderStyle::plain) ==
        "a.fut:1:301: error[syntax]: found `y`\n"
        "   1 | …" + std::string(60, 'x') + "y" + std::string(99, 'z') + "…\n"
        "     |  " + std::string(60, ' ') + "^\n");
}

TEST_CASE("a diagnostic without place has no line") {
  Sample sample;
  sample.diagnostics.report(DiagnosticKind::io, Range{}, "cannot read `b.fut`");
  CHECK(render(sample.diagnostics.all()[0], sample.files, RenderStyle::plain) ==
        "error[io]: cannot read `b.fut`\n");
}

TEST_CASE("JSON is one object a line, with quotes escaped") {
  Sample sample;
  sample.diagnostics.report(DiagnosticKind::syntax, Range{sample.file, 4, 5}, "say \"f\"");
  CHECK(render(sample.diagnostics.all()[0], sample.files, RenderStyle::json) ==
        "{\"severity\":\"error\",\"kind\":\"syntax\",\"message\":\"say \\\"f\\\"\",\"range\":"
        "{\"file\":\"a.fut\",\"line\":1,\"column\":5,\"end_line\":1,\"end_column\":6},"
        "\"labels\":[],\"hints\":[],\"suggestions\":[]}\n");
}

TEST_CASE("JSON has the edits of hints") {
  Sample sample;
  Diagnostic& diagnostic =
      sample.diagnostics.report(DiagnosticKind::syntax, Range{sample.file, 4, 5}, "no");
  diagnostic.hints.emplace_back("only text");
  diagnostic.hints.emplace_back("write `g`", std::vector<Edit>{{Range{sample.file, 4, 5}, "g"}},
                                Applicability::certain);
  const std::string text = render(diagnostic, sample.files, RenderStyle::json);
  CHECK(text.find("\"suggestions\":[{\"text\":\"write `g`\",\"certain\":true,\"edits\":[{\"range\":"
                  "{\"file\":\"a.fut\",\"line\":1,\"column\":5,\"end_line\":1,\"end_column\":6},"
                  "\"text\":\"g\"}]}]") != std::string::npos);
}

TEST_CASE("only errors count as errors") {
  Sample sample;
  CHECK_FALSE(sample.diagnostics.has_errors());
  sample.diagnostics.report(DiagnosticKind::io, Range{}, "x");
  CHECK(sample.diagnostics.error_count() == 1);
}

TEST_CASE("a whole range ends with the column behind it, and its line where that is another") {
  Sample sample;
  CHECK(describe_whole(Range{sample.file, 4, 7}, sample.files) == "a.fut:1:5-8");
  CHECK(describe_whole(Range{sample.file, 4, 16}, sample.files) == "a.fut:1:5-2:7");
  CHECK(describe_whole(Range{}, sample.files) == "<unknown>");
}
