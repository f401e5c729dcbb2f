// From text to IR and values.
#include "elaborated.h"

#include <sstream>

#include "check/check.h"
#include "elaborate/elaborate.h"
#include "ir/fields.h"
#include "ir/verify.h"
#include "syntax/imports.h"

namespace dagaz::test {

Elaborated elaborated(const std::string& text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Program program =
      syntax::parse_program_text("test.fut", text, sources, names, diagnostics);
  Elaborated result;
  if (!diagnostics.has_errors()) {
    const check::CheckedProgram checked = check::check_program(program, names, diagnostics);
    if (!diagnostics.has_errors()) {
      result.program = elaborate::elaborate(checked, sources, names, diagnostics,
                                            elaborate::Safety::as_written, {})
                           .program;
    }
  }
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (kind_severity(diagnostic.kind) != Severity::error) continue;
    result.errors.push_back(std::string(kind_name(diagnostic.kind)) + ": " + diagnostic.message);
  }
  if (result.errors.empty()) {
    result.violations = ir::verify(result.program, ir::Stage::parallel);
  }
  return result;
}

namespace {

void print_elements(const ir::Value& value, std::size_t dimension, std::size_t& next,
                    std::ostream& out) {
  if (dimension == value.shape.size()) {
    const ir::Constant constant{value.element, value.elements[next++]};
    if (value.element == ir::ScalarType::boolean) {
      out << (constant.bits != 0 ? "true" : "false");
    } else if (ir::is_float(value.element)) {
      out << ir::float_value(constant);
    } else {
      out << ir::integer_value(constant);
    }
    return;
  }
  out << "[";
  for (std::int64_t i = 0; i < value.shape[dimension]; ++i) {
    if (i > 0) out << ", ";
    print_elements(value, dimension + 1, next, out);
  }
  out << "]";
}

}  // namespace

std::string result_of(const std::string& text, const std::vector<std::int64_t>& arguments) {
  const Elaborated made = elaborated(text);
  if (!made.errors.empty()) return "error: " + made.errors.front();
  if (!made.violations.empty()) return "violation: " + made.violations.front();
  std::vector<ir::Value> values;
  for (const std::int64_t argument : arguments) {
    values.push_back({ir::ScalarType::i64, {}, {static_cast<std::uint64_t>(argument)}});
  }
  const auto outcome = ir::interpret(made.program, "main", std::move(values));
  if (const auto* error = std::get_if<ir::RuntimeError>(&outcome)) {
    return "error: " + error->message;
  }
  const auto& results = std::get<std::vector<ir::Value>>(outcome);
  std::ostringstream out;
  for (auto i = static_cast<std::size_t>(made.program.entries.front().size_results);
       i < results.size(); ++i) {
    if (out.tellp() > 0) out << " ";
    std::size_t next = 0;
    print_elements(results[i], 0, next, out);
  }
  return out.str();
}

std::string result_of(const std::string& text) { return result_of(text, {}); }

namespace {

int count_in(const ir::Body& body, const std::string& mnemonic) {
  int total = 0;
  for (const ir::Statement& statement : body.statements) {
    std::visit([&](const auto& node) { total += node.mnemonic == mnemonic ? 1 : 0; },
               statement.operation);
    ir::for_each_scope(statement.operation,
                       [&](const ir::Body& inner) { total += count_in(inner, mnemonic); });
  }
  return total;
}

}  // namespace

int count(const ir::Program& program, const std::string& mnemonic) {
  int total = 0;
  for (const ir::Function& function : program.functions) {
    total += count_in(function.body, mnemonic);
  }
  return total;
}

}  // namespace dagaz::test
