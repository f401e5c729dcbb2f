// From a name to its definition, its type and its uses.
#include <string>
#include <vector>

#include "support/match.h"
#include "tools/lsp/requests.h"
#include "tools/lsp/sites.h"

namespace dagaz::tools::lsp {

namespace {

// The file that the `import` at `offset` reads.
Range imported_file(const Analysis& analysis, std::uint32_t offset) {
  Range found;
  Visitor visitor;
  visitor.only_declarations = true;
  visitor.module = [&](const ast::ModuleExp& module) {
    const auto* import = as<ast::ModuleImport>(module.node);
    const bool is_here = import != nullptr && import->file.valid() &&
                         module.range.begin <= offset && offset <= module.range.end;
    if (is_here) found = Range{import->file, 0, 0};
  };
  walk(analysis.root(), visitor);
  return found;
}

const Index::Occurrence* name_at(const Query& query) {
  return query.snapshot.index().at(query.snapshot.analysis().root().id, query.offset);
}

// The abstract type of which `type` is, or is made.
TypeNameId named_type(const check::Type* type) {
  while (type != nullptr) {
    if (const auto* named = as<check::Named>(type->node)) return named->name;
    const auto* array = as<check::Array>(type->node);
    type = array == nullptr ? nullptr : array->element;
  }
  return {};
}

}  // namespace

Json definition(const Query& query) {
  const Index& index = query.snapshot.index();
  const Index::Occurrence* name = name_at(query);
  if (name == nullptr) {
    return query.snapshot.location(imported_file(query.snapshot.analysis(), query.offset));
  }
  const Index::Id id = index.implementation(name->definition);
  return query.snapshot.location(index.definition(id).name.range);
}

Json type_definition(const Query& query) {
  const Index::Occurrence* name = name_at(query);
  if (name == nullptr) return nullptr;
  const check::Context& context = query.snapshot.analysis().context();
  const BindingId id = name->member.kind == check::MemberKind::value
                           ? name->member.value()
                           : query.snapshot.index().definition(name->definition).value;
  if (!id.valid() || !context.values.contains(id)) return nullptr;
  const TypeNameId type = named_type(context.values[id].unsized);
  return type.valid() ? query.snapshot.location(context.type_names[type].range) : Json();
}

Json references(const Query& query) {
  const Index::Occurrence* name = name_at(query);
  if (name == nullptr) return nullptr;
  const Json options = query.params.value("context", Json::object());
  const bool with_definitions = options.value("includeDeclaration", true);
  Json result = Json::array();
  for (const Site& site : sites_of(query, name->definition).all) {
    if (site.is_definition && !with_definitions) continue;
    result.push_back(site.snapshot->location(site.range));
  }
  return result;
}

Json document_highlight(const Query& query) {
  const Index& index = query.snapshot.index();
  const Index::Occurrence* name = name_at(query);
  if (name == nullptr) return nullptr;
  const Index::Id id = index.representative(name->definition);
  constexpr int read = 2;
  constexpr int write = 3;
  Json result = Json::array();
  for (const Index::Occurrence& o : index.in_file(query.snapshot.analysis().root().id)) {
    if (index.representative(o.definition) != id) continue;
    result.push_back({{"range", query.snapshot.range(o.range)},
                      {"kind", o.is_definition ? write : read}});
  }
  return result;
}

}  // namespace dagaz::tools::lsp
