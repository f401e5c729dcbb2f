// See explain_sizes.h.
#include "check/explain_sizes.h"

#include <set>
#include <string_view>

#include "check/check.h"
#include "check/context.h"
#include "check/declarations.h"
#include "check/expression_walk.h"
#include "check/print_type.h"
#include "check/size_tools.h"
#include "support/match.h"
#include "syntax/children.h"

namespace dagaz::check {

namespace {

class Explainer {
 public:
  Explainer(const Context& context, const SourceFiles& files) : context_(context), files_(files) {}

  std::string function(const ast::ValueDeclaration& value) {
    std::string text(context_.text(value.name.symbol));
    text += ": " + print_scheme(context_, *value.scheme) + "\n";
    for (const BindingId size : value.scheme->size_parameters) {
      const Range& where = context_.range_of(size);
      const bool is_open = files_.text(where) == "[]";
      text += line(size, (is_open ? "what `[]` stands for" : "a size parameter") +
                             told_by(value.function, size), where);
    }
    std::set<std::string_view> seen;
    ast::for_each_expression(*value.function.body, [&](const ast::Exp& exp) {
      for (const BindingId size : exp.existentials) {
        seen.insert(context_.text(size));
        text += line(size, "known when this is computed: " + excerpt(exp), exp.range);
      }
    });
    const Type* type = value.scheme->type;
    while (const auto* arrow = as<Arrow>(type->node)) {
      for (const BindingId size : arrow->existentials) {
        if (seen.contains(context_.text(size))) continue;
        text += line(size, "of the result, known when it is computed", value.function.body->range);
      }
      type = arrow->to;
    }
    return text;
  }

 private:
  /// The first parameter whose type holds the size.
  std::string told_by(const ast::Function& function, BindingId size) const {
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const ast::Pattern& pattern = *function.parameters[i];
      if (pattern.type == nullptr || !mentions(pattern.type, size)) continue;
      const BindingId name = parameter_name(pattern);
      return ", told by " + (name.valid() ? "`" + std::string(context_.text(name)) + "`"
                                          : "argument " + std::to_string(i + 1));
    }
    return "";
  }

  std::string excerpt(const ast::Exp& exp) const {
    constexpr std::size_t longest = 60;
    std::string text;
    for (const char c : files_.text(exp.range)) {
      const bool is_space = c == ' ' || c == '\n' || c == '\t';
      if (!is_space) text += c;
      if (is_space && !text.ends_with(' ')) text += ' ';
    }
    const std::size_t end = text.size() > longest ? text.rfind(' ', longest) : std::string::npos;
    return "`" + (end == std::string::npos ? text : text.substr(0, end) + " …") + "`";
  }

  std::string line(BindingId size, const std::string& what, const Range& where) const {
    const std::string place = where.valid() ? " (" + files_.describe(where) + ")" : "";
    return "  `" + std::string(context_.text(size)) + "`: " + what + place + "\n";
  }

  const Context& context_;
  const SourceFiles& files_;
};

}  // namespace

std::string check_and_explain_sizes(ast::Program& program, const SourceFiles& files,
                                    NameTable& names, Diagnostics& diagnostics) {
  CheckedProgram checked;
  checked.program = &program;
  Context context(program, names, diagnostics, checked);
  Declarations(context).check_program();
  Explainer explainer(context, files);
  std::string text;
  ast::for_each_value(program.files.back().declarations,
                      [&](const ast::ValueDeclaration& value, const ast::Declaration&) {
                        if (value.scheme != nullptr) text += explainer.function(value);
                      });
  return text;
}

}  // namespace dagaz::check
