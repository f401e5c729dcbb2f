// See sites.h.  A definition of one program is found again in another by its file and place.
#include "tools/lsp/sites.h"

#include <set>
#include <utility>

#include "tools/lsp/describe.h"

namespace dagaz::tools::lsp {

namespace {

class Collector {
 public:
  using Place = std::pair<std::string, std::uint32_t>;

  Sites sites;

  // Adds what `snapshot` knows of the definitions found so far; false if that is nothing.
  bool add(const std::string& path, const std::shared_ptr<const Snapshot>& snapshot) {
    const Index& index = snapshot->index();
    std::set<Index::Id> wanted;
    for (const Index::Occurrence& o : index.all()) {
      if (!o.is_definition) continue;
      if (definitions_.contains(place(*snapshot, o.range))) {
        wanted.insert(index.representative(o.definition));
      }
    }
    if (wanted.empty()) return false;
    for (const Index::Id id : wanted) collect(*snapshot, id);
    sites.programs.emplace_back(path, snapshot);
    return true;
  }

  void collect(const Snapshot& snapshot, Index::Id representative) {
    const Index& index = snapshot.index();
    for (const Index::Occurrence& o : index.all()) {
      if (index.representative(o.definition) != representative) continue;
      const Place at = place(snapshot, o.range);
      if (o.is_definition) definitions_.insert(at);
      if (!seen_.insert(at).second) continue;
      sites.all.push_back({at.first, o.range, o.is_definition, o.is_pun, &snapshot});
    }
  }

 private:
  static Place place(const Snapshot& snapshot, const Range& range) {
    const bool is_library = snapshot.analysis().is_library(range.file);
    return {is_library ? snapshot.analysis().path(range.file) : snapshot.disk_path(range.file),
            range.begin};
  }

  std::set<Place> definitions_;
  std::set<Place> seen_;
};

}  // namespace

Sites sites_of(const Query& query, Index::Id id) {
  Collector collector;
  const Index& index = query.snapshot.index();
  collector.collect(query.snapshot, index.representative(id));
  collector.sites.programs.emplace_back(query.document.path, query.document.snapshot);
  if (is_local(index.definition(id).kind)) return std::move(collector.sites);
  const std::string name(
      query.snapshot.analysis().names().text(index.definition(id).name.symbol));
  for (const std::string& path : query.workspace.programs()) {
    if (path == query.document.path) continue;
    const auto text = query.workspace.read(path);
    if (!text || text->find(name) == std::string::npos) continue;
    if (const auto snapshot = query.workspace.check(path)) collector.add(path, snapshot);
  }
  return std::move(collector.sites);
}

}  // namespace dagaz::tools::lsp
