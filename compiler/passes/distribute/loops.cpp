// Loops, whose state may be split: each rank carries its rows from step to step.
#include "passes/distribute/loops.h"

#include <utility>

#include "passes/distribute/accumulations.h"
#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

// This rank's rows of a value, as memory of its own: a step may be given them to keep.
NameId rows_to_keep(Rewriting& c, NameId array, const Split& split, ir::Builder& out) {
  if (c.placement.split_at(array, split.extent) == split.dimension) return c.own.at(array);
  const Rows rows = rows_of(c, split.extent);
  const std::string name = c.names.base(array) + "_part";
  if (c.scratch.contains(array)) {
    ir::Type type = c.names.type(array);
    type.shape[split.dimension] = rows.count;
    return out.add(ir::Scratch{type.element, std::move(type.shape)}, name);
  }
  const auto [part, position] = part_of(c, array, {split.dimension}, split.extent, rows, out);
  return out.add(ir::Copy{part}, name);
}

void share_loop(Rewriting& c, ir::Statement statement, ir::Builder& out) {
  auto& loop = std::get<ir::Loop>(statement.operation);
  std::vector<NameId> bound;
  std::vector<bool> keeps_rows(loop.values.size());
  std::vector<NameId> needed;    // whole in each step
  std::vector<NameId> sent;  // in the end
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    ir::LoopValue& value = loop.values[k];
    bound.push_back(value.parameter.name);
    const auto split = c.placement.split.find(value.parameter.name);
    if (split == c.placement.split.end()) continue;
    keeps_rows[k] = true;
    const Rows rows = rows_of(c, split->second.extent);
    value.initial = rows_to_keep(c, value.initial.name(), split->second, out);
    const auto take_part = [&](ir::Binder& binder, std::vector<NameId>& wanted) {
      const NameId whole = binder.name;
      binder.name = own_rows(c, whole, rows, split->second.dimension);
      c.own.emplace(whole, binder.name);
      if (c.placement.is_sent(whole)) wanted.push_back(whole);
    };
    take_part(value.parameter, needed);
    take_part(statement.results[k], sent);
  }
  if (const auto* form = std::get_if<ir::ForForm>(&loop.form)) bound.push_back(form->index.name);
  // The step before may have failed, too.
  const bool before = c.unagreed;
  c.unagreed = before || shares_what_may_fail(c, loop.body);
  ir::Builder inside(c.names);
  inside.set_location(out.location());
  if (!needed.empty()) agree(c, inside);
  send_made(c, needed, inside);
  loop.body = rewrite_body(c, std::move(loop.body), bound, inside);
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    if (keeps_rows[k]) loop.body.results[k] = c.own.at(loop.body.results[k].name());
  }
  c.unagreed = c.unagreed || before;
  out.add(std::move(statement));
  if (!sent.empty()) agree(c, out);
  send_made(c, sent, out);
}

}  // namespace dagaz::passes::distributing
