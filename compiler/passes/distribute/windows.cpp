// Windows: points that read rows beside their own.  Each rank is sent the rows that its points read
// of those that others have, all that the statements of a body want of what there is in one message
// from each of them.
#include "passes/distribute/windows.h"

#include <algorithm>

#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

// What a shared operation reads through windows; of a loop, what it does so in any step, so that it
// is sent once.
static std::vector<WantedWindow> windows_of(Rewriting& c, const ir::Statement& statement) {
  std::vector<WantedWindow> all;
  if (statement.results.empty() || c.placement.windows.empty()) return all;
  const auto share = c.placement.shares.find(statement.results[0].name);
  if (share != c.placement.shares.end()) {
    const Operand& extent = extent_of(statement.operation, share->second);
    const SharedIndex index = index_of(statement.operation, share->second.dimension);
    for (const auto& [array, read] : reads_at(statement.operation, index, c.definitions, c.names)) {
      const WindowOver* window = c.placement.window_of(array, extent);
      if (window != nullptr && !reads_own_rows(c, array, read.positions, extent)) {
        all.push_back({array, window});
      }
    }
  } else if (as<ir::Loop>(statement.operation)) {
    for (const NameId name : ir::free_names(statement, c.names)) {
      const auto found = c.placement.windows.find(name);
      if (found == c.placement.windows.end()) continue;
      for (const WindowOver& one : found->second) {
        if (c.placement.window_of(name, one.points) != nullptr) all.push_back({name, &one});
      }
    }
  }
  // The same order on all ranks, whatever the tables have.
  std::sort(all.begin(), all.end(),
            [](const WantedWindow& a, const WantedWindow& b) { return a.array < b.array; });
  return all;
}

void want_windows(Rewriting& c, const ir::Statements& statements) {
  for (const ir::Statement& one : statements) {
    for (const WantedWindow& wanted : windows_of(c, one)) c.wanted.push_back(wanted);
  }
}

static bool is_fetched(const Rewriting& c, const WantedWindow& wanted) {
  const auto found = c.fetched.find(wanted.array);
  return found != c.fetched.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const FetchedWindow& one) { return one.points == wanted.window->points; });
}

FetchedWindow fetched_window(const Rewriting& c, NameId array, const Operand& points) {
  for (const FetchedWindow& one : c.fetched.at(array)) {
    if (one.points == points) return one;
  }
  DZ_UNREACHABLE("a window that was not fetched");
}

// None where the rank has no points, or there is nothing to read.
Operand window_rows(const Rewriting& c, NameId array, const WindowOver& window, ir::Builder& out) {
  const Operand count = rows_of(c, window.points).count;
  const Operand all = out.add_i64(count, ir::i64_operand(window.window.high - window.window.low));
  const Operand zero = ir::i64_operand(0);
  const Operand& rows = c.names.type(array).shape.front();
  Operand least = count;
  if (rows != window.points) {
    least = out.scalar(ir::ScalarOp::smin, ir::ScalarType::i64, {least, rows});
  }
  const Operand none = out.scalar(ir::ScalarOp::sle, ir::ScalarType::i64, {least, zero}, "none");
  return out.select(ir::ScalarType::i64, none, zero, all);
}

void fetch_windows(Rewriting& c, const ir::Statement& statement, ir::Builder& out) {
  const auto has_rows = [&](const Operand& extent) {
    return std::any_of(c.rows.begin(), c.rows.end(),
                       [&](const auto& one) { return one.first == extent; });
  };
  const auto can_be_fetched = [&](const WantedWindow& one) {
    return !is_fetched(c, one) && c.own.contains(one.array) && has_rows(one.window->points);
  };
  const std::vector<WantedWindow> now = windows_of(c, statement);
  if (std::none_of(now.begin(), now.end(), can_be_fetched)) return;
  std::vector<RowsSent> sent;
  for (const WantedWindow& one : c.wanted) {
    if (!can_be_fetched(one)) continue;
    const Operand count = window_rows(c, one.array, *one.window, out);
    ir::Type type = c.names.type(one.array);
    const Operand rows = type.shape.front();
    type.shape.front() = count;
    const NameId memory = c.names.fresh(c.names.base(one.array) + "_window", std::move(type));
    sent.push_back({c.own.at(one.array), rows, one.window->points, one.window->window, memory});
    c.fetched[one.array].push_back({one.window->points, memory, count});
  }
  agree(c, out);
  c.collectives.windows(out, sent);
}

}  // namespace dagaz::passes::distributing
