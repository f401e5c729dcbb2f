// Each round checks the program, takes of each diagnostic the first hint that is certain, and makes
// those edits that leave a text which can be parsed.  An edit may show further mistakes, or undo
// another one: a text that was there before ends it.
#include "driver/mend.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "support/edits.h"
#include "support/library_folder.h"
#include "support/name_table.h"
#include "syntax/parse.h"

namespace dagaz::driver {

namespace {

/// Mistakes that hide behind others are few; edits that call for more of their kind would not end.
constexpr int most_rounds = 100;

/// The edits of one hint.
using Cure = std::vector<Edit>;
using CuresByFile = std::map<std::string, std::vector<Cure>>;

bool can_be_parsed(const std::string& name, const std::string& text) {
  SourceFiles files;
  NameTable names;
  Diagnostics mistakes;
  ast::Arena arena;
  const FileId file = files.add(name, text);
  syntax::parse_file(file, {files, arena, names, mistakes});
  return !mistakes.has_errors();
}

/// Edits of several files at once are left to the user, as are those of the library.
CuresByFile certain_cures(const Compilation& compilation, Texts& texts) {
  CuresByFile result;
  for (const Diagnostic& diagnostic : compilation.diagnostics.all()) {
    const bool is_shown = compilation.options.warnings ||
                          kind_severity(diagnostic.kind) == Severity::error;
    const auto hint = std::find_if(diagnostic.hints.begin(), diagnostic.hints.end(),
                                   [](const Hint& each) { return each.can_be_applied(); });
    if (!is_shown || hint == diagnostic.hints.end()) continue;
    const FileId file = hint->edits.front().range.file;
    const bool is_one_file =
        file.valid() && std::all_of(hint->edits.begin(), hint->edits.end(),
                                    [&](const Edit& edit) { return edit.range.file == file; });
    if (!is_one_file) continue;
    const SourceFile& source = compilation.files.file(file);
    if (is_library_file(source.name())) continue;
    texts.emplace(source.name(), source.text());
    std::vector<Cure>& cures = result[source.name()];
    const bool is_known = std::find(cures.begin(), cures.end(), hint->edits) != cures.end();
    if (!is_known) cures.push_back(hint->edits);
  }
  return result;
}

/// All cures if they fit together, else one after the other those that fit to the ones before.
std::string with_cures(const std::string& name, const std::string& text,
                       const std::vector<Cure>& cures) {
  Cure all;
  for (const Cure& cure : cures) all.insert(all.end(), cure.begin(), cure.end());
  const auto together = edited(text, all);
  if (together && can_be_parsed(name, *together)) return *together;
  std::string result = text;
  Cure made;
  for (const Cure& cure : cures) {
    Cure more = made;
    more.insert(more.end(), cure.begin(), cure.end());
    const auto next = edited(text, more);
    if (!next || !can_be_parsed(name, *next)) continue;
    made = std::move(more);
    result = *next;
  }
  return result;
}

}  // namespace

Texts mended(const Checker& check) {
  Texts original;
  Texts now;
  std::set<Texts> seen;
  bool changed = true;
  for (int round = 0; changed && round < most_rounds && seen.insert(now).second; ++round) {
    changed = false;
    for (const auto& [name, cures] : certain_cures(*check(now), original)) {
      const auto before = now.find(name);
      const std::string& text = before == now.end() ? original.at(name) : before->second;
      std::string after = with_cures(name, text, cures);
      if (after == text) continue;
      now[name] = std::move(after);
      changed = true;
    }
  }
  std::erase_if(now, [&](const auto& file) { return file.second == original.at(file.first); });
  return now;
}

}  // namespace dagaz::driver
