// The outline of a file, and declarations of all files by parts of their names.
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "support/match.h"
#include "syntax/parse.h"
#include "tools/lsp/describe.h"
#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

namespace {

constexpr std::size_t most_answers = 500;

bool contains(const Range& outer, const Range& inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

Json symbol(const Query& query, const Definition& definition) {
  const Analysis& analysis = query.snapshot.analysis();
  Json result{{"name", analysis.names().text(definition.name.symbol)},
              {"kind", symbol_number(definition.kind)},
              {"range", query.snapshot.range(cover(definition.whole, definition.name.range))},
              {"selectionRange", query.snapshot.range(definition.name.range)}};
  const std::string type = value_type(analysis, definition.value);
  if (!type.empty()) result["detail"] = type;
  return result;
}

// Puts each definition into the one around it; definitions come parents first.
Json nest(const Query& query, const std::vector<Definition>& definitions, std::size_t& next,
          const Range* around) {
  Json result = Json::array();
  while (next < definitions.size()) {
    const Definition& definition = definitions[next];
    if (around != nullptr && !contains(*around, definition.whole)) break;
    ++next;
    Json item = symbol(query, definition);
    Json children = nest(query, definitions, next, &definition.whole);
    if (!children.empty()) item["children"] = std::move(children);
    result.push_back(std::move(item));
  }
  return result;
}

// Whether the letters of `pattern` occur in `name` in their order, whatever their case.
bool matches(std::string_view pattern, std::string_view name) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::size_t next = 0;
  for (const char c : name) {
    if (next < pattern.size() && lower(c) == lower(pattern[next])) ++next;
  }
  return next == pattern.size();
}

}  // namespace

Json document_symbols(const Query& query) {
  std::vector<Definition> definitions;
  Visitor visitor;
  visitor.only_declarations = true;
  visitor.definition = [&](const Definition& definition) {
    // Parameters of modules are no declarations.
    if (definition.whole != definition.name.range) definitions.push_back(definition);
  };
  walk(query.snapshot.analysis().root(), visitor);
  std::size_t next = 0;
  return nest(query, definitions, next, nullptr);
}

Json workspace_symbols(const Workspace& workspace, const std::string& pattern) {
  Json result = Json::array();
  for (const std::string& path : workspace.programs()) {
    const auto text = workspace.read(path);
    if (!text) continue;
    SourceFiles files;
    NameTable names;
    Diagnostics mistakes;
    ast::Arena arena;
    syntax::Recovery recovery;
    const FileId id = files.add(path, *text);
    const ast::File file =
        syntax::parse_file(id, {files, arena, names, mistakes, nullptr, &recovery});
    const LineIndex lines(files.file(id).text(), workspace.encoding);
    Visitor visitor;
    visitor.only_declarations = true;
    visitor.definition = [&](const Definition& definition) {
      const std::string_view name = names.text(definition.name.symbol);
      if (result.size() >= most_answers || !matches(pattern, name)) return;
      const Range& range = definition.name.range;
      result.push_back({{"name", name},
                        {"kind", symbol_number(definition.kind)},
                        {"location",
                         {{"uri", address_of(path)},
                          {"range",
                           {{"start", place_json(lines.place(range.begin))},
                            {"end", place_json(lines.place(range.end))}}}}}});
    };
    walk(file, visitor);
  }
  return result;
}

}  // namespace dagaz::tools::lsp
