// Runs the passes of a test on its program.
#include "runner/run_test.h"

#include <cctype>
#include <map>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/registry.h"

namespace dagaz::tests {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Renumbers names in order of occurrence, so that unrelated changes do not shift numbers.
std::string renumbered(const std::string& text) {
  std::map<std::string, std::size_t> numbers;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      result += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const std::size_t bar = word.rfind('_');
    const bool is_name = bar != std::string::npos && bar + 1 < word.size() &&
                         word.find_first_not_of("0123456789", bar + 1) == std::string::npos;
    if (is_name) {
      const std::size_t number = numbers.emplace(word, numbers.size()).first->second;
      result += word.substr(0, bar + 1) + std::to_string(number);
    } else {
      result += word;
    }
    at = end;
  }
  return result;
}

std::string first_violation(const ir::Program& program, ir::Stage stage) {
  const auto violations = ir::verify(program, stage);
  return violations.empty() ? "" : violations.front();
}

std::string round_trip_failure(const ir::Program& program) {
  const std::string once = ir::print(program);
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add("printed.ir", once);
  const auto again = ir::parse(file, files, diagnostics);
  if (!again) {
    return "the printed program does not parse: " +
           render(diagnostics.all().front(), files, RenderStyle::plain);
  }
  return ir::print(*again) == once ? "" : "the text form does not round-trip";
}

}  // namespace

TestResult run_test(const TestFile& test) {
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add(test.path, test.text);
  std::optional<ir::Program> program = ir::parse(file, files, diagnostics);
  if (!program) return {"", render(diagnostics.all().front(), files, RenderStyle::plain)};
  const bool starts_flat = !first_violation(*program, ir::Stage::parallel).empty();
  const ir::Stage stage = starts_flat ? ir::Stage::flat : ir::Stage::parallel;
  if (std::string text = first_violation(*program, stage); !text.empty()) {
    return {"", "the input is not well-formed: " + text};
  }
  const passes::PassOptions options{test.gpu ? passes::FlattenTarget::gpu
                                             : passes::FlattenTarget::cpu};
  for (const std::string& name : test.passes) {
    const passes::Pass* pass = passes::find_pass(name);
    if (pass == nullptr) return {"", "there is no pass `" + name + "`"};
    const std::string before = ir::print(*program);
    const bool says_changed = pass->run(*program, options);
    const bool changed = ir::print(*program) != before;
    if (changed && !says_changed) {
      return {"", name + " changed the program and says that it did not"};
    }
    if (says_changed && !changed) {
      return {"", name + " says that it changed the program and did not"};
    }
    if (std::string text = first_violation(*program, pass->result); !text.empty()) {
      return {"", "after " + name + ": " + text + "\n" + ir::print(*program)};
    }
    if (std::string text = round_trip_failure(*program); !text.empty()) return {"", text};
  }
  return {renumbered(ir::print(*program)), ""};
}

}  // namespace dagaz::tests
