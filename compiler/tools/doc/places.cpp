// An anchor is the path of a name through the modules around it, behind the name space for what is
// no value: `plane.norm`, `type:plane.t`, `mtype:point`.
#include "tools/doc/places.h"

#include <algorithm>

#include "support/match.h"
#include "syntax/imports.h"

namespace dagaz::tools::doc {

using query::Analysis;
using query::Index;

std::string page_stem(const Analysis& analysis, const ast::File& file) {
  if (analysis.is_library(file.id)) return file.path.substr(1);  // prelude/soacs
  std::string path = file.path;
  std::string up;
  while (path.starts_with("../")) {
    path.erase(0, 3);
    up += "up/";
  }
  if (path.starts_with('/')) path.erase(0, 1);
  return up + path;
}

std::string documentation_page(const std::string& stem) { return stem + ".html"; }
std::string source_page(const std::string& stem) { return "source/" + stem + ".html"; }

Places::Places(const Analysis& analysis, const Index& index, Library library)
    : analysis_(analysis), index_(index) {
  for (const ast::File& file : analysis.program().files) {
    // What the compiler provides is seen through the other files.
    const bool is_internal = file.path == syntax::library_path("intrinsics");
    if (analysis.is_library(file.id) && (library == Library::left_out || is_internal)) continue;
    stems_[file.id.index] = page_stem(analysis, file);
    collect(file.declarations, "");
  }
}

void Places::add(const ast::Name& name, const char* kind, const std::string& prefix) {
  const std::string spelling(analysis_.names().text(name.symbol));
  const std::string anchor = kind + prefix + spelling;
  const Key key(name.range.file.index, name.range.begin);
  anchors_[key] = anchor;
  names_[{name.range.file.index, anchor}] = key;
}

void Places::collect(const std::vector<ast::Declaration*>& declarations,
                     const std::string& prefix) {
  for (const ast::Declaration* d : declarations) {
    match(
        d->node, [&](const ast::ValueDeclaration& v) { add(v.name, "", prefix); },
        [&](const ast::TypeDeclaration& t) { add(t.name, "type:", prefix); },
        [&](const ast::ModuleDeclaration& m) {
          add(m.name, "", prefix);
          const std::string inner =
              prefix + std::string(analysis_.names().text(m.name.symbol)) + ".";
          collect(*m.body, inner);
        },
        [&](const ast::SignatureDeclaration& s) {
          add(s.name, "mtype:", prefix);
          const std::string inner =
              prefix + std::string(analysis_.names().text(s.name.symbol)) + ".";
          collect(*s.signature, inner);
        },
        [&](const ast::OpenDeclaration& o) { collect(*o.module, prefix); },
        [](const ast::LocalDeclaration&) {});
  }
}

void Places::collect(const ast::ModuleExp& module, const std::string& prefix) {
  if (const auto* body = as<ast::ModuleBody>(module.node)) {
    collect(body->declarations, prefix);
  } else if (const auto* ascription = as<ast::ModuleAscription>(module.node)) {
    collect(*ascription->module, prefix);
  }
}

void Places::collect(const ast::SignatureExp& signature, const std::string& prefix) {
  if (const auto* with = as<ast::SignatureWith>(signature.node)) {
    return collect(*with->signature, prefix);
  }
  const auto* body = as<ast::SignatureBody>(signature.node);
  if (body == nullptr) return;
  for (const ast::Spec& spec : body->specs) {
    match(
        spec.node, [&](const ast::ValueSpec& s) { add(s.name, "", prefix); },
        [&](const ast::TypeSpec& s) { add(s.name, "type:", prefix); },
        [&](const ast::ModuleSpec& s) {
          add(s.name, "", prefix);
          collect(*s.signature,
                  prefix + std::string(analysis_.names().text(s.name.symbol)) + ".");
        },
        [](const ast::IncludeSpec&) {});
  }
}

std::string Places::anchor(const Range& name) const {
  const auto found = anchors_.find(Key(name.file.index, name.begin));
  return found == anchors_.end() ? "" : found->second;
}

std::optional<Target> Places::documented(Index::Id id) const {
  const Range& range = index_.definition(id).name.range;
  const std::string name = anchor(range);
  if (name.empty() || !is_shown(range.file)) return std::nullopt;
  return Target{documentation_page(stem(range.file)), name};
}

std::optional<Target> Places::in_source(Index::Id id) const {
  const Range& range = index_.definition(id).name.range;
  if (!range.valid() || !is_shown(range.file)) return std::nullopt;
  const auto line = analysis_.files().file(range.file).position(range.begin).line;
  return Target{source_page(stem(range.file)), "L" + std::to_string(line)};
}

std::optional<Target> Places::resolve(const std::string& name, const std::string& kind, FileId file,
                                      std::string scope) const {
  std::vector<std::string> kinds{"", "type:", "mtype:"};
  if (kind == "term" || kind == "module") kinds = {""};
  if (kind == "type") kinds = {"type:"};
  if (kind == "mtype") kinds = {"mtype:"};
  const auto find = [&](FileId in, const std::string& path) -> std::optional<Target> {
    for (const std::string& each : kinds) {
      if (names_.contains({in.index, each + path})) {
        return Target{documentation_page(stem(in)), each + path};
      }
    }
    return std::nullopt;
  };
  if (!is_shown(file)) return std::nullopt;
  // From the innermost module outwards.
  while (true) {
    const std::string path = scope.empty() ? name : scope + "." + name;
    if (auto target = find(file, path)) return target;
    if (scope.empty()) break;
    const std::size_t dot = scope.rfind('.');
    scope = dot == std::string::npos ? "" : scope.substr(0, dot);
  }
  // Then what other files define at their top: those read last first.
  const auto& files = analysis_.program().files;
  for (auto other = files.rbegin(); other != files.rend(); ++other) {
    if (other->id == file || !is_shown(other->id)) continue;
    if (auto target = find(other->id, name)) return target;
  }
  return std::nullopt;
}

}  // namespace dagaz::tools::doc
