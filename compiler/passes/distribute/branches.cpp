// Branches, as between two ways to run a nest on a GPU: what both bodies leave by rows stays so.
#include "passes/distribute/loops.h"

#include <utility>

#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

void share_branch(Rewriting& c, ir::Statement statement, ir::Builder& out) {
  auto& branch = std::get<ir::Branch>(statement.operation);
  const bool before = c.unagreed;
  branch.then_body = rewrite_body(c, std::move(branch.then_body), {});
  const bool after = std::exchange(c.unagreed, before);
  branch.else_body = rewrite_body(c, std::move(branch.else_body), {});
  c.unagreed = c.unagreed || after;
  std::vector<NameId> sent;
  for (std::size_t k = 0; k < statement.results.size(); ++k) {
    const NameId whole = statement.results[k].name;
    const auto split = c.placement.split.find(whole);
    if (split == c.placement.split.end()) continue;
    for (ir::Body* const side : {&branch.then_body, &branch.else_body}) {
      side->results[k] = c.own.at(side->results[k].name());
    }
    const Rows& rows = rows_of(c, split->second.extent);
    const NameId part = own_rows(c, whole, rows, split->second.dimension);
    branch.result_types[k] = c.names.type(part);
    statement.results[k].name = part;
    c.own.emplace(whole, part);
    if (c.placement.is_sent(whole)) sent.push_back(whole);
  }
  out.add(std::move(statement));
  if (!sent.empty()) agree(c, out);
  send_made(c, sent, out);
}

}  // namespace dagaz::passes::distributing
