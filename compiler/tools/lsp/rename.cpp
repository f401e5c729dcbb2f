// A new name for everything that one name stands for, in all programs of the workspace.  The edited
// programs are checked: where a name would come to mean something else, nothing is renamed.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lsp/describe.h"
#include "tools/lsp/names.h"
#include "tools/lsp/requests.h"
#include "tools/lsp/sites.h"

namespace dagaz::tools::lsp {

namespace {

const Index::Occurrence& renamable_at(const Query& query) {
  const Snapshot& snapshot = query.snapshot;
  const Index::Occurrence* name =
      snapshot.index().at(snapshot.analysis().root().id, query.offset);
  if (name == nullptr) throw RequestError{ErrorCode::request_failed, "there is no name here"};
  const Index::Id wanted = snapshot.index().representative(name->definition);
  for (Index::Id id = 0; id < snapshot.index().size(); ++id) {
    if (snapshot.index().representative(id) != wanted) continue;
    if (snapshot.analysis().is_library(snapshot.index().definition(id).name.range.file)) {
      throw RequestError{ErrorCode::request_failed,
                         "names of the standard library cannot be changed"};
    }
  }
  return *name;
}

// An edit of one file, in bytes.
struct Edit {
  Range range;
  const Snapshot* snapshot;
  std::string text;
};
using Edits = std::map<std::string, std::vector<Edit>>;

std::string edited(std::string text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.range.begin > b.range.begin; });
  for (const Edit& edit : edits) {
    text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.text);
  }
  return text;
}

// What each name of the user's own files means, as the number of its definition.
std::vector<Index::Id> meanings(const Snapshot& snapshot) {
  std::vector<Index::Id> result;
  for (const Index::Occurrence& o : snapshot.index().all()) {
    if (!snapshot.analysis().is_library(o.range.file)) result.push_back(o.definition);
  }
  return result;
}

std::size_t errors(const Snapshot& snapshot) {
  const auto& all = snapshot.analysis().diagnostics();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& d) {
    return kind_severity(d.kind) == Severity::error;
  }));
}

// Whether all programs mean what they meant before.
void verify(const Query& query, const Sites& sites, const Edits& edits, const std::string& name) {
  std::map<std::string, std::string> texts;
  for (const auto& [path, list] : edits) {
    const auto text = query.workspace.read(path);
    if (!text) throw RequestError{ErrorCode::request_failed, "cannot read " + path};
    texts[path] = edited(*text, list);
  }
  const auto read = [&](const std::string& path) -> std::optional<std::string> {
    const auto found = texts.find(path);
    return found == texts.end() ? query.workspace.read(path) : found->second;
  };
  for (const auto& [path, before] : sites.programs) {
    auto text = read(path);
    if (!text) throw RequestError{ErrorCode::request_failed, "cannot read " + path};
    const Snapshot after(path, std::move(*text), read, query.workspace.encoding);
    if (errors(after) > errors(*before) || meanings(after) != meanings(*before)) {
      throw RequestError{ErrorCode::request_failed,
                         "`" + name + "` already means something where it would be used (" + path +
                             ")"};
    }
  }
}

}  // namespace

Json prepare_rename(const Query& query) {
  const Index::Occurrence& name = renamable_at(query);
  return {{"range", query.snapshot.range(name.range)},
          {"placeholder", query.snapshot.analysis().files().text(name.range)}};
}

Json rename(const Query& query) {
  const auto wanted = query.params.at("newName").get<std::string>();
  const Index::Occurrence& name = renamable_at(query);
  const std::string_view old = query.snapshot.analysis().names().text(
      query.snapshot.index().definition(name.definition).name.symbol);
  if (is_word(old) ? !is_identifier(wanted) : !is_operator(wanted)) {
    throw RequestError{ErrorCode::request_failed, "`" + wanted + "` is no name that fits here"};
  }
  const Sites sites = sites_of(query, name.definition);
  Edits edits;
  for (const Site& site : sites.all) {
    std::string text = site.is_pun ? std::string(old) + " = " + wanted : wanted;
    edits[site.path].push_back({site.range, site.snapshot, std::move(text)});
  }
  verify(query, sites, edits, wanted);
  Json changes = Json::object();
  for (const auto& [path, list] : edits) {
    Json& file = changes[address_of(path)];
    for (const Edit& edit : list) {
      file.push_back({{"range", edit.snapshot->location(edit.range)["range"]},
                      {"newText", edit.text}});
    }
  }
  return {{"changes", changes}};
}

}  // namespace dagaz::tools::lsp
