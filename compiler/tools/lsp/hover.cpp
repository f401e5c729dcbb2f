// What stands under the pointer: its type with sizes, and what its author says about it.
#include <string>

#include "support/match.h"
#include "tools/lsp/describe.h"
#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

namespace {

// The smallest expression of the root around `offset` that is a name, a field or a literal.
const ast::Exp* atom_at(const Analysis& analysis, std::uint32_t offset) {
  const ast::Exp* found = nullptr;
  Visitor visitor;
  visitor.expression = [&](const ast::Exp& exp) {
    if (!analysis.is_root(exp.range) || offset < exp.range.begin || exp.range.end < offset) return;
    const bool is_smaller = found == nullptr || exp.range.end - exp.range.begin <=
                                                    found->range.end - found->range.begin;
    if (is_smaller) found = &exp;
  };
  walk(analysis.root(), visitor);
  if (found == nullptr) return nullptr;
  const bool is_atom = as<ast::Variable>(found->node) || as<ast::Project>(found->node) ||
                       as<ast::IntegerLiteral>(found->node) ||
                       as<ast::FloatLiteral>(found->node) || as<ast::Hole>(found->node) ||
                       as<ast::Construct>(found->node) || as<ast::Index>(found->node);
  return is_atom ? found : nullptr;
}

Json answer(const Query& query, const std::string& code, std::string_view text,
            const Range& range) {
  std::string value = "```futhark\n" + code + "\n```";
  if (!text.empty()) value += "\n\n---\n\n" + std::string(text);
  return {{"contents", {{"kind", "markdown"}, {"value", value}}},
          {"range", query.snapshot.range(range)}};
}

}  // namespace

Json hover(const Query& query) {
  const Analysis& analysis = query.snapshot.analysis();
  const Index& index = query.snapshot.index();
  const FileId root = analysis.root().id;
  const Index::Occurrence* name = index.at(root, query.offset);
  const ast::Exp* atom = atom_at(analysis, query.offset);
  if (name != nullptr) {
    std::string code = describe(analysis, index.definition(name->definition), name->member);
    // A polymorphic value has a type of its own at each use.
    const auto* variable = atom == nullptr ? nullptr : as<ast::Variable>(atom->node);
    if (variable != nullptr && variable->instance != nullptr && atom->type != nullptr) {
      code += "\n-- here: " + type_text(analysis, atom->type);
    }
    return answer(query, code, documentation(index, name->definition), name->range);
  }
  if (atom == nullptr || atom->type == nullptr) return nullptr;
  const std::string type = type_text(analysis, atom->type);
  if (const auto* project = as<ast::Project>(atom->node)) {
    if (query.offset < project->field.range.begin) return nullptr;
    const std::string field(analysis.names().text(project->field.symbol));
    return answer(query, "." + field + ": " + type, "", project->field.range);
  }
  const std::string text(analysis.files().text(atom->range));
  const bool is_short = text.find('\n') == std::string::npos && text.size() <= 60;
  return answer(query, (is_short ? text : "…") + ": " + type, "", atom->range);
}

}  // namespace dagaz::tools::lsp
