// dagaz explain: what a kind of diagnostic means, with a program that has the mistake, the message
// it gets, checked on the spot, and the program put right.  docs/errors.md is all of them.
#include <algorithm>
#include <iostream>
#include <string>

#include "check/check.h"
#include "driver/commands.h"
#include "passes/registry.h"
#include "driver/tunables.h"
#include "support/explanations.h"
#include "support/spelling.h"
#include "syntax/imports.h"

namespace dagaz::driver {

namespace {

constexpr const char* page_head =
    "# Errors and warnings\n\n"
    "Every diagnostic of Dagaz has a kind, shown in brackets: `error[size-mismatch]: …`.  Here is\n"
    "what each kind means, with a program that has the mistake, its message, and the program put\n"
    "right.  `dagaz explain KIND` prints one of them.\n\n"
    "This page is made by `dagaz explain --page`; a test compares the two.\n";

// What checking `text` prints.
std::string messages_of(std::string_view text, RenderStyle style) {
  SourceFiles files;
  NameTable names;
  Diagnostics diagnostics;
  const syntax::FileReader read = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "example.fut") return std::string(text);
    return std::nullopt;
  };
  ast::Program program = syntax::parse_program_text("example.fut", std::string(text), files, names,
                                                    diagnostics, read);
  if (!diagnostics.has_errors()) check::check_program(program, names, diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += render(d, files, style);
  return out;
}

std::string severity_text(DiagnosticKind kind) {
  return kind_severity(kind) == Severity::error ? "error" : "warning";
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    out += "    " + std::string(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return out;
}

void print_explanation(const Explanation& e, RenderStyle style) {
  std::cout << severity_text(e.kind) << "[" << kind_name(e.kind)
            << "]: " << kind_summary(e.kind) << "\n\n"
            << e.why << "\n";
  if (!e.wrong.empty()) {
    std::cout << "\nThis is wrong:\n\n" << indented(e.wrong) << "\n"
              << messages_of(e.wrong, style);
  }
  if (!e.right.empty()) std::cout << "\nThis is right:\n\n" << indented(e.right);
}

void print_page() {
  std::cout << page_head;
  for (const Explanation& e : explanations()) {
    std::cout << "\n## " << kind_name(e.kind) << "\n\n*"
              << (kind_severity(e.kind) == Severity::error ? "Error" : "Warning") << ".* "
              << kind_summary(e.kind) << "\n\n"
              << e.why << "\n";
    if (!e.wrong.empty()) {
      std::cout << "\n```futhark\n" << e.wrong << "```\n\n```\n"
                << messages_of(e.wrong, RenderStyle::plain) << "```\n";
    }
    if (!e.right.empty()) std::cout << "\nRight:\n\n```futhark\n" << e.right << "```\n";
  }
}

void print_kinds() {
  std::size_t width = 0;
  for (const Explanation& e : explanations()) width = std::max(width, kind_name(e.kind).size());
  for (const Explanation& e : explanations()) {
    const std::string name(kind_name(e.kind));
    std::cout << name << std::string(width + 2 - name.size(), ' ') << kind_summary(e.kind)
              << "\n";
  }
}

void print_passes() {
  for (const passes::Pass& pass : passes::all_passes()) {
    std::cout << pass.name << (pass.need == passes::Need::required ? " (required)" : "") << "\n  "
              << pass.does << "\n  " << pass.place << "\n";
  }
}

void print_tunables() {
  for (const TunableRow& row : tunable_rows()) {
    std::cout << row.name << " = " << row.value << " (" << row.lowest << " to " << row.highest
              << ")\n  " << row.text << "\n";
  }
}

}  // namespace

int explain_command(const ExplainOptions& options) {
  if (options.page) {
    print_page();
  } else if (options.passes) {
    print_passes();
  } else if (options.tunables) {
    print_tunables();
  } else if (options.kind.empty()) {
    print_kinds();
  } else if (const auto kind = find_kind(options.kind)) {
    print_explanation(explanations()[static_cast<std::size_t>(*kind)], options.style);
  } else {
    std::vector<std::string_view> kinds;
    for (const Explanation& each : explanations()) kinds.push_back(kind_name(each.kind));
    std::cerr << "dagaz: there is no kind `" << options.kind
              << "`; `dagaz explain` lists them all" << did_you_mean(options.kind, kinds) << "\n";
    return 2;
  }
  return 0;
}

}  // namespace dagaz::driver
