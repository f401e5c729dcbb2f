// Windows: points that read rows beside their own.  Each rank is sent the rows that its points read
// of those that others have, all that the statements of a body want of what there is in one message
// from each of them.
#include <algorithm>

#include "passes/distribute/rewrite.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

// What a shared operation reads through windows; of a loop, what it does so in any step, so that it
// is sent once.
std::vector<Rewriter::Wanted> Rewriter::windows_of(const ir::Statement& statement) {
  std::vector<Wanted> all;
  if (statement.results.empty() || placement_.windows.empty()) return all;
  const auto share = placement_.shares.find(statement.results[0].name);
  if (share != placement_.shares.end()) {
    const Operand& extent = extent_of(statement.operation, share->second);
    const SharedIndex index = index_of(statement.operation, share->second.dimension);
    for (const auto& [array, read] : reads_at(statement.operation, index, definitions_, names_)) {
      const WindowOver* window = placement_.window_of(array, extent);
      if (window != nullptr && !reads_own_rows(array, read.positions, extent)) {
        all.push_back({array, window});
      }
    }
  } else if (as<ir::Loop>(statement.operation)) {
    for (const NameId name : ir::free_names(statement, names_)) {
      const auto found = placement_.windows.find(name);
      if (found == placement_.windows.end()) continue;
      for (const WindowOver& one : found->second) {
        if (placement_.window_of(name, one.points) != nullptr) all.push_back({name, &one});
      }
    }
  }
  // The same order on all ranks, whatever the tables have.
  std::sort(all.begin(), all.end(),
            [](const Wanted& a, const Wanted& b) { return a.array < b.array; });
  return all;
}

void Rewriter::want_windows(const ir::Statements& statements) {
  for (const ir::Statement& one : statements) {
    for (const Wanted& wanted : windows_of(one)) wanted_.push_back(wanted);
  }
}

bool Rewriter::is_fetched(const Wanted& wanted) const {
  const auto found = fetched_.find(wanted.array);
  return found != fetched_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const Fetched& one) { return one.points == wanted.window->points; });
}

Rewriter::Fetched Rewriter::fetched_window(NameId array, const Operand& points) const {
  for (const Fetched& one : fetched_.at(array)) {
    if (one.points == points) return one;
  }
  DZ_UNREACHABLE("a window that was not fetched");
}

// None where the rank has no points, or there is nothing to read.
Operand Rewriter::window_rows(NameId array, const WindowOver& window, ir::Builder& out) const {
  const Operand count = rows_of(window.points).count;
  const Operand all = out.add_i64(count, ir::i64_operand(window.window.high - window.window.low));
  const Operand zero = ir::i64_operand(0);
  const Operand& rows = names_.type(array).shape.front();
  Operand least = count;
  if (rows != window.points) {
    least = out.scalar(ir::ScalarOp::smin, ir::ScalarType::i64, {least, rows});
  }
  const Operand none = out.scalar(ir::ScalarOp::sle, ir::ScalarType::i64, {least, zero}, "none");
  return out.select(ir::ScalarType::i64, none, zero, all);
}

void Rewriter::fetch_windows(const ir::Statement& statement, ir::Builder& out) {
  const auto has_rows = [&](const Operand& extent) {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const auto& one) { return one.first == extent; });
  };
  const auto can_be_fetched = [&](const Wanted& one) {
    return !is_fetched(one) && own_.contains(one.array) && has_rows(one.window->points);
  };
  const std::vector<Wanted> now = windows_of(statement);
  if (std::none_of(now.begin(), now.end(), can_be_fetched)) return;
  std::vector<RowsSent> sent;
  for (const Wanted& one : wanted_) {
    if (!can_be_fetched(one)) continue;
    const Operand count = window_rows(one.array, *one.window, out);
    ir::Type type = names_.type(one.array);
    const Operand rows = type.shape.front();
    type.shape.front() = count;
    const NameId memory = names_.fresh(names_.base(one.array) + "_window", std::move(type));
    sent.push_back({own_.at(one.array), rows, one.window->points, one.window->window, memory});
    fetched_[one.array].push_back({one.window->points, memory, count});
  }
  agree(out);
  collectives_.windows(out, sent);
}

}  // namespace dagaz::passes::distributing
