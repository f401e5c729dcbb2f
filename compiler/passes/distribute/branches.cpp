// Branches, as between two ways to run a nest on a GPU: what both bodies leave by rows stays so.
#include <utility>

#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

void Rewriter::share_branch(ir::Statement statement, ir::Builder& out) {
  auto& branch = std::get<ir::Branch>(statement.operation);
  const bool before = unagreed_;
  branch.then_body = body(std::move(branch.then_body), {});
  const bool after = std::exchange(unagreed_, before);
  branch.else_body = body(std::move(branch.else_body), {});
  unagreed_ = unagreed_ || after;
  std::vector<NameId> sent;
  for (std::size_t k = 0; k < statement.results.size(); ++k) {
    const NameId whole = statement.results[k].name;
    const auto split = placement_.split.find(whole);
    if (split == placement_.split.end()) continue;
    for (ir::Body* const side : {&branch.then_body, &branch.else_body}) {
      side->results[k] = own_.at(side->results[k].name());
    }
    const NameId part = own_rows(whole, rows_of(split->second.extent), split->second.dimension);
    branch.result_types[k] = names_.type(part);
    statement.results[k].name = part;
    own_.emplace(whole, part);
    if (placement_.is_sent(whole)) sent.push_back(whole);
  }
  out.add(std::move(statement));
  if (!sent.empty()) agree(out);
  send(sent, out);
}

}  // namespace dagaz::passes::distributing
