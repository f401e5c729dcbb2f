// What diagnostics suggest, as edits that the user may choose.
#include <algorithm>
#include <string>

#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

namespace {

// Null where a file of the library would be edited.
Json workspace_edit(const Snapshot& snapshot, const Hint& hint) {
  Json changes = Json::object();
  for (const Edit& edit : hint.edits) {
    if (!edit.range.valid() || snapshot.analysis().is_library(edit.range.file)) return nullptr;
    const Json location = snapshot.location(edit.range);
    if (location.is_null()) return nullptr;
    changes[location["uri"].get<std::string>()].push_back(
        {{"range", location["range"]}, {"newText", edit.text}});
  }
  return {{"changes", std::move(changes)}};
}

// The first letter large, as the menus of editors have it.
std::string title(const Hint& hint) {
  std::string text = hint.text;
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

bool wants_quick_fixes(const Json& params) {
  const Json only = params.value("/context/only"_json_pointer, Json());
  return !only.is_array() || only.empty() ||
         std::find(only.begin(), only.end(), Json("quickfix")) != only.end();
}

}  // namespace

Json code_actions(const Query& query) {
  Json result = Json::array();
  if (!wants_quick_fixes(query.params)) return result;
  const Snapshot& snapshot = query.snapshot;
  const Json& wanted = query.params.at("range");
  const std::uint32_t begin = snapshot.lines().offset(place_of(wanted.at("start")));
  const std::uint32_t end = snapshot.lines().offset(place_of(wanted.at("end")));
  for (const Diagnostic& diagnostic : snapshot.analysis().diagnostics()) {
    const Range& range = diagnostic.range;
    const bool is_near =
        snapshot.analysis().is_root(range) && range.begin <= end && begin <= range.end;
    if (!is_near) continue;
    for (const Hint& hint : diagnostic.hints) {
      if (hint.edits.empty()) continue;
      Json edit = workspace_edit(snapshot, hint);
      if (edit.is_null()) continue;
      result.push_back({{"title", title(hint)},
                        {"kind", "quickfix"},
                        {"diagnostics", {diagnostic_json(snapshot, diagnostic)}},
                        {"isPreferred", hint.can_be_applied()},
                        {"edit", std::move(edit)}});
    }
  }
  return result;
}

}  // namespace dagaz::tools::lsp
