// Loops, whose state may be split: each rank carries its rows from step to step.
#include <utility>

#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

// This rank's rows of a value, as memory of its own: a step may be given them to keep.
NameId Rewriter::rows_to_keep(NameId array, const Split& split, ir::Builder& out) {
  if (placement_.split_at(array, split.extent) == split.dimension) return own_.at(array);
  const Rows rows = rows_of(split.extent);
  const std::string name = names_.base(array) + "_part";
  if (scratch_.contains(array)) {
    ir::Type type = names_.type(array);
    type.shape[split.dimension] = rows.count;
    return out.add(ir::Scratch{type.element, std::move(type.shape)}, name);
  }
  const auto [part, position] = part_of(array, {split.dimension}, split.extent, rows, out);
  return out.add(ir::Copy{part}, name);
}

void Rewriter::share_loop(ir::Statement statement, ir::Builder& out) {
  auto& loop = std::get<ir::Loop>(statement.operation);
  std::vector<NameId> bound;
  std::vector<bool> keeps_rows(loop.values.size());
  std::vector<NameId> needed;    // whole in each step
  std::vector<NameId> sent;  // in the end
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    ir::LoopValue& value = loop.values[k];
    bound.push_back(value.parameter.name);
    const auto split = placement_.split.find(value.parameter.name);
    if (split == placement_.split.end()) continue;
    keeps_rows[k] = true;
    const Rows rows = rows_of(split->second.extent);
    value.initial = rows_to_keep(value.initial.name(), split->second, out);
    const auto take_rows = [&](ir::Binder& binder, std::vector<NameId>& wanted) {
      const NameId whole = binder.name;
      binder.name = own_rows(whole, rows, split->second.dimension);
      own_.emplace(whole, binder.name);
      if (placement_.is_sent(whole)) wanted.push_back(whole);
    };
    take_rows(value.parameter, needed);
    take_rows(statement.results[k], sent);
  }
  if (const auto* form = std::get_if<ir::ForForm>(&loop.form)) bound.push_back(form->index.name);
  // The step before may have failed, too.
  const bool before = unagreed_;
  unagreed_ = before || shares_what_may_fail(loop.body);
  ir::Builder inside(names_);
  inside.set_location(out.location());
  if (!needed.empty()) agree(inside);
  send(needed, inside);
  loop.body = body(std::move(loop.body), bound, inside);
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    if (keeps_rows[k]) loop.body.results[k] = own_.at(loop.body.results[k].name());
  }
  unagreed_ = unagreed_ || before;
  out.add(std::move(statement));
  if (!sent.empty()) agree(out);
  send(sent, out);
}

}  // namespace dagaz::passes::distributing
