// The function of the application around the cursor, and which of its arguments is being written.
#include <algorithm>
#include <string>
#include <vector>

#include "check/print_type.h"
#include "support/match.h"
#include "tools/lsp/describe.h"
#include "tools/lsp/requests.h"
#include "tools/lsp/unfinished.h"

namespace dagaz::tools::lsp {

namespace {

struct Call {
  const ast::Exp* function = nullptr;
  std::size_t argument = 0;
  std::uint32_t size = 0;  // of the expression
};

// The smallest application with an argument around `wanted`.
Call call_around(const Analysis& analysis, Span wanted) {
  Call found;
  Visitor visitor;
  visitor.expression = [&](const ast::Exp& exp) {
    const auto* apply = as<ast::Apply>(exp.node);
    if (apply == nullptr || !analysis.is_root(exp.range)) return;
    const std::uint32_t size = exp.range.end - exp.range.begin;
    if (found.function != nullptr && size >= found.size) return;
    for (std::size_t i = 0; i < apply->arguments.size(); ++i) {
      const Range& range = apply->arguments[i]->range;
      if (range.begin <= wanted.begin && wanted.end <= range.end) {
        found = {apply->function, i, size};
      }
    }
  };
  walk(analysis.root(), visitor);
  return found;
}

// The name of a parameter; empty for a pattern.
std::string parameter_name(const Analysis& analysis, const ast::Pattern* pattern) {
  while (const auto* ascribed = as<ast::AscribedPattern>(pattern->node)) {
    pattern = ascribed->pattern;
  }
  const auto* name = as<ast::NamePattern>(pattern->node);
  return name == nullptr ? "" : std::string(analysis.names().text(name->name.symbol));
}

std::string spelling(const Analysis& analysis, const ast::Exp& function) {
  return std::string(analysis.files().text(function.range));
}

Json signature(const Analysis& analysis, const Index& index, const Call& call,
               const LineIndex& lines) {
  const auto* variable = as<ast::Variable>(call.function->node);
  const check::Type* type = call.function->type;
  std::string label = spelling(analysis, *call.function);
  std::string_view text;
  const ast::Function* written = nullptr;
  if (variable != nullptr && variable->id.valid()) {
    const check::ValueInfo& info = analysis.context().values[variable->id];
    if (info.scheme != nullptr) type = info.scheme->type;
    const Range& range = analysis.checked().bindings[variable->id].range;
    if (const auto id = index.find(range)) {
      text = documentation(index, *id);
      written = index.definition(index.implementation(*id)).function;
    }
  }
  if (type == nullptr) return nullptr;
  label += ":";
  Json parameters = Json::array();
  for (std::size_t i = 0;; ++i) {
    const auto* arrow = as<check::Arrow>(type->node);
    if (arrow == nullptr) break;
    std::string name;
    if (written != nullptr && i < written->parameters.size()) {
      name = parameter_name(analysis, written->parameters[i]);
    }
    label += i == 0 ? " " : " -> ";
    const std::uint32_t begin = lines.length(label);
    const std::string from = type_text(analysis, arrow->from);
    const bool is_compound = as<check::Arrow>(arrow->from->node) || !name.empty();
    label += is_compound ? "(" + (name.empty() ? "" : name + ": ") + from + ")" : from;
    parameters.push_back({{"label", {begin, lines.length(label)}}});
    type = arrow->to;
  }
  if (parameters.empty()) return nullptr;
  label += " -> " + type_text(analysis, type);
  Json result{{"label", label}, {"parameters", parameters}};
  if (!text.empty()) result["documentation"] = {{"kind", "markdown"}, {"value", text}};
  return {{"signatures", {result}},
          {"activeSignature", 0},
          {"activeParameter", std::min(call.argument, parameters.size() - 1)}};
}

}  // namespace

Json signature_help(const Query& query) {
  for (const Unfinished& attempt : finish(query.document.text, query.offset)) {
    const auto read = [&](const std::string& path) { return query.workspace.read(path); };
    const Analysis analysis(query.document.path, attempt.text, read, attempt.wanted);
    const Call call = call_around(analysis, attempt.wanted);
    if (call.function == nullptr) continue;
    return signature(analysis, Index(analysis), call, query.snapshot.lines());
  }
  return nullptr;
}

}  // namespace dagaz::tools::lsp
