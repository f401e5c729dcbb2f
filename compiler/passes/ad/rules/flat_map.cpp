// Reverse mode of flatmap, whose iterations give segments of any size, concatenated.  The return
// sweep is that of an ordinary map: iteration i finds the adjoint of its segment in the whole one,
// from where its segment starts.
#include "passes/ad/rules/map_site.h"
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void adjoint_rule(Reverse& r, const Statement& statement, const FlatMap& flat_map) {
  MapSite site;
  site.statement = &statement;
  site.width = r.environment.operand(flat_map.width);
  site.lambda = &flat_map.map;
  site.mode = ModeRequest::reverse;
  for (const NameId array : flat_map.arrays) {
    site.arrays.push_back(r.environment.name(array));
    site.originals.push_back(r.adjoints.is_active(Operand(array)) ? std::optional(array)
                                                                  : std::nullopt);
  }
  // Results of the statement: total, sizes, starts, segments, uniform values; of the lambda: size,
  // segments, uniform values.
  site.sizes = r.environment.name(statement.results[1].name);
  site.starts = r.environment.name(statement.results[2].name);
  site.adjoints.push_back(std::nullopt);
  site.segments.push_back(std::nullopt);
  for (std::size_t i = 3; i < statement.results.size(); ++i) {
    const auto adjoint = r.adjoints.take(statement.results[i].name);
    const auto value = adjoint ? adjoint->value : std::nullopt;
    const bool segment = i - 3 < static_cast<std::size_t>(flat_map.varying);
    site.adjoints.push_back(segment ? std::nullopt : value);
    site.segments.push_back(segment && value ? std::optional(value->name()) : std::nullopt);
  }
  return_map(r, site);
  r.note(statement, "flatmap", "reverse", "a map over the segments of the adjoint");
}

}  // namespace dagaz::passes::ad
