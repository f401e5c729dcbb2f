// Dependencies between the statements of a body.
#include "passes/fuse/fusion_graph.h"

#include <algorithm>
#include <optional>

#include "ir/names.h"
#include "ir/traces.h"

namespace dagaz::passes {

using namespace ir;

FusionGraph::FusionGraph(std::vector<Statement> statements, const std::vector<Operand>& results,
                         const Names& names, const AliasInfo& aliases)
    : names_(names),
      aliases_(aliases),
      statements_(std::move(statements)),
      needs_(statements_.size()),
      gives_result_(statements_.size()) {
  std::unordered_map<NameId, Node> binds;
  std::unordered_map<NameId, std::vector<Node>> readers;
  std::optional<Node> last_trace;
  for (Node node = 0; node < statements_.size(); ++node) {
    const Statement& statement = statements_[node];
    merged_into_.push_back(node);
    order_.push_back(node);
    position_.push_back(node);
    for (const NameId name : free_names(statement, names)) {
      const auto found = binds.find(name);
      if (found != binds.end()) add_need(node, found->second);
      if (names.type(name).is_scalar() || !aliases.is_consumed(name)) continue;
      for (const NameId root : aliases.roots(name)) readers[root].push_back(node);
    }
    for (const NameId root : aliases.consumed_by(statement)) {
      for (const Node reader : readers[root]) {
        if (reader != node) add_need(node, reader);
      }
    }
    if (has_trace(statement.operation)) {
      if (last_trace) add_need(node, *last_trace);
      last_trace = node;
    }
    for (const Binder& result : statement.results) binds.emplace(result.name, node);
  }
  for (const Operand& result : results) {
    if (!result.is_name()) continue;
    const auto found = binds.find(result.name());
    if (found != binds.end()) gives_result_[found->second] = true;
  }
}

void FusionGraph::add_need(Node node, Node on) {
  std::vector<Node>& needs = needs_[node];
  if (std::find(needs.begin(), needs.end(), on) == needs.end()) needs.push_back(on);
}

FusionGraph::Node FusionGraph::find(Node node) const {
  while (merged_into_[node] != node) node = merged_into_[node];
  return node;
}

std::vector<FusionGraph::Node> FusionGraph::needs(Node node) const {
  std::vector<Node> result;
  for (const Node need : needs_[node]) {
    const Node current = find(need);
    if (current != node) result.push_back(current);
  }
  std::sort(result.begin(), result.end(),
            [this](Node a, Node b) { return position_[a] < position_[b]; });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

bool FusionGraph::needs_directly(Node later, Node earlier) const {
  return std::any_of(needs_[later].begin(), needs_[later].end(),
                     [&](Node need) { return find(need) == earlier; });
}

bool FusionGraph::is_only_user(Node user, Node node) const {
  if (gives_result_[node]) return false;
  for (std::size_t at = position_[node] + 1; at < order_.size(); ++at) {
    if (order_[at] != user && mentions(order_[at], node)) return false;
  }
  return true;
}

bool FusionGraph::mentions(Node later, Node earlier) const {
  if (!needs_directly(later, earlier)) return false;
  const std::vector<Binder>& results = statements_[earlier].results;
  const auto names = free_names(statements_[later], names_);
  return std::any_of(results.begin(), results.end(), [&](const Binder& result) {
    return std::find(names.begin(), names.end(), result.name) != names.end();
  });
}

/// By position: what between the two needs `earlier`, also through others.
std::vector<bool> FusionGraph::dependents_between(Node earlier, Node later) const {
  const std::size_t first = position_[earlier];
  std::vector<bool> dependent(position_[later] - first);
  for (std::size_t at = first + 1; at < position_[later]; ++at) {
    for (const Node need : needs_[order_[at]]) {
      const std::size_t where = position_[find(need)];
      if (where == first || (where > first && dependent[where - first])) {
        dependent[at - first] = true;
        break;
      }
    }
  }
  return dependent;
}

bool FusionGraph::needs_through_others(Node later, Node earlier) const {
  const std::vector<bool> dependent = dependents_between(earlier, later);
  const std::size_t first = position_[earlier];
  return std::any_of(needs_[later].begin(), needs_[later].end(), [&](Node need) {
    const std::size_t where = position_[find(need)];
    return where > first && where < position_[later] && dependent[where - first];
  });
}

void FusionGraph::move_dependents(Node earlier, Node later) {
  const std::vector<bool> dependent = dependents_between(earlier, later);
  const std::size_t first = position_[earlier];
  const std::size_t last = position_[later];
  std::vector<Node> waiting;
  std::size_t place = first + 1;
  for (std::size_t at = first + 1; at < last; ++at) {
    if (dependent[at - first]) {
      waiting.push_back(order_[at]);
    } else {
      order_[place++] = order_[at];
    }
  }
  order_[place++] = later;
  std::copy(waiting.begin(), waiting.end(),
            order_.begin() + static_cast<std::ptrdiff_t>(place));
  for (std::size_t at = first; at <= last; ++at) position_[order_[at]] = at;
}

void FusionGraph::inherit_needs(Node earlier, Node later) {
  std::erase_if(needs_[later], [&](Node need) { return find(need) == find(earlier); });
  for (const Node need : std::vector<Node>(needs_[earlier])) {
    if (find(need) != later) add_need(later, need);
  }
}

void FusionGraph::merge(Node earlier, Node later, Statement merged) {
  move_dependents(earlier, later);
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(position_[earlier]));
  for (std::size_t at = position_[earlier]; at < order_.size(); ++at) position_[order_[at]] = at;
  merged_into_[earlier] = later;
  gives_result_[later] = gives_result_[later] || gives_result_[earlier];
  inherit_needs(earlier, later);
  statements_[later] = std::move(merged);
}

bool FusionGraph::consumes_input(Node node, Node reader) const {
  return aliases_.may_write(statements_[node], statements_[reader], names_);
}

void FusionGraph::bypass(Node earlier, Node later, Statement changed) {
  std::vector<Node> consumers;
  bool between = false;
  for (std::size_t at = position_[earlier] + 1; at < order_.size(); ++at) {
    const Node node = order_[at];
    if (node == later || !needs_directly(node, earlier) || !consumes_input(node, earlier)) continue;
    consumers.push_back(node);
    between = between || at < position_[later];
  }
  if (between) move_dependents(earlier, later);
  for (const Node consumer : consumers) add_need(consumer, later);
  inherit_needs(earlier, later);
  statements_[later] = std::move(changed);
}

std::vector<Statement> FusionGraph::take() {
  std::vector<Statement> statements;
  for (const Node node : order_) statements.push_back(std::move(statements_[node]));
  return statements;
}

}  // namespace dagaz::passes
