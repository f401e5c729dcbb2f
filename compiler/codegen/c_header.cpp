// Prints the description of c_api.h as a header that C99 and C++ accept.
#include "codegen/c_header.h"

#include "codegen/c_api.h"
#include "support/check.h"
#include "support/text_writer.h"

namespace dagaz::codegen {

namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

const char* target_name(tree::Target target) {
  switch (target) {
    case tree::Target::cpu: return "cpu";
    case tree::Target::cuda: return "cuda";
    case tree::Target::sim: return "sim";
  }
  DZ_UNREACHABLE("target");
}

std::string join(const CType& type, const std::string& name) {
  return type.text + (type.text.back() == '*' ? "" : " ") + name;
}

void print(TextWriter& out, const CFunction& function) {
  out << join(function.result, function.name) << '(';
  if (function.parameters.empty()) out << "void";
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const CParameter& parameter = function.parameters[i];
    out << (i == 0 ? "" : ", ") << join(parameter.type, parameter.name);
  }
  out << ");\n";
}

/// The documentation as a comment, its lines kept.
void print_comment(TextWriter& out, const std::string& documentation) {
  if (documentation.empty()) return;
  std::string text;
  for (const char c : documentation) {
    // A comment must not end early.
    if (c == '/' && text.ends_with('*')) text += ' ';
    text += c;
    if (c == '\n') text += "   ";
  }
  out << "/* " << text << " */\n";
}

}  // namespace

std::string c_header(const tree::Program& program, const Options& options) {
  TextWriter out;
  out << "/* The interface of the program `" << options.prefix << "`, compiled by Dagaz.\n"
      << "   Functions that return int return 0 on success; those that return a pointer return\n"
      << "   NULL on failure; " << options.prefix << "_context_get_error says why. */\n"
      << "#pragma once\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
      << "#include <stdio.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const CSection& section : c_api(program, options)) {
    if (section.functions.empty()) continue;
    out << "\n/* " << section.title << ". */\n";
    for (const std::string& name : section.structs) out << "struct " << name << ";\n";
    for (const CFunction& function : section.functions) {
      print_comment(out, function.documentation);
      print(out, function);
    }
  }
  const std::string prefix = upper(options.prefix);
  out << "\n#define " << prefix << "_BACKEND_" << target_name(program.target) << '\n';
  if (program.target == tree::Target::cpu) {
    out << "#define " << prefix << "_BACKEND_multicore\n";
  }
  out << "#define " << prefix << "_SUCCESS 0\n#define " << prefix << "_PROGRAM_ERROR 2\n#define "
      << prefix << "_OUT_OF_MEMORY 3\n\n#ifdef __cplusplus\n}\n#endif\n";
  return out.take();
}

}  // namespace dagaz::codegen
