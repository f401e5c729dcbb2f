// Fusion: in every body, consumers take in their producers, and independent operations over the
// same elements become one.
//
// A composition is made where no third statement stands between the two in the graph of
// dependencies.  It never repeats work, except for producers of a few cheap scalars, and never
// makes more operations.  Outer bodies come first: composing two maps puts their inner maps side
// by side.  Dead results are removed at the end, and simplification cleans up the rest.
#include "ir/fields.h"
#include "passes/dead_code.h"
#include "passes/fuse/compose.h"
#include "passes/fuse/fusion_graph.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;
using Node = FusionGraph::Node;

/// How many earlier operations of the same width a map or scatter is compared with.
constexpr int most_neighbours = 32;

class Fuser {
 public:
  Fuser(Program& program, const Function& function, const Tunables& tunables)
      : names_(program.names),
        aliases_(analyse_aliases(function, program)),
        tunables_(tunables) {}

  bool changed() const { return changed_; }

  void body(Body& body) {
    if (body.statements.size() > 1 && has_candidates(body)) {
      FusionGraph graph(std::move(body.statements), body.results, names_, aliases_);
      vertically(graph);
      // What several scatters read may now have one reader.
      if (horizontally(graph) > 0) vertically(graph);
      body.statements = graph.take();
    }
    for (Statement& statement : body.statements) {
      for_each_scope(statement.operation, [this](Body& inner) { this->body(inner); });
    }
  }

 private:
  static bool has_candidates(const Body& body) {
    for (const Statement& statement : body.statements) {
      if (std::holds_alternative<MapScanReduce>(statement.operation)) return true;
    }
    return false;
  }

  // -------------------------------------------------------------- vertically

  void vertically(FusionGraph& graph) {
    const std::vector<Node> consumers = graph.order();
    for (const Node consumer : consumers) {
      while (take_in_a_producer(graph, consumer)) {
      }
    }
  }
  bool take_in_a_producer(FusionGraph& graph, Node consumer) {
    if (!reads_elements(graph.statement(consumer).operation)) return false;
    const std::vector<Node> producers = graph.needs(consumer);
    for (auto at = producers.rbegin(); at != producers.rend(); ++at) {
      if (!std::holds_alternative<MapScanReduce>(graph.statement(*at).operation)) continue;
      if (graph.needs_through_others(consumer, *at)) continue;
      const ComposeContext context{names_, aliases_, graph.is_only_user(consumer, *at),
                                   tunables_.repeated_operations};
      auto composed =
          compose_vertically(graph.statement(*at), graph.statement(consumer), context);
      if (!composed) continue;
      changed_ = true;
      if (composed->producer == Producer::merged) {
        graph.merge(*at, consumer, std::move(composed->statement));
      } else {
        graph.bypass(*at, consumer, std::move(composed->statement));
      }
      return true;
    }
    return false;
  }
  static bool reads_elements(const Operation& operation) {
    return std::holds_alternative<MapScanReduce>(operation) ||
           std::holds_alternative<Histogram>(operation) ||
           std::holds_alternative<Scatter>(operation) ||
           std::holds_alternative<FlatMap>(operation);
  }

  // -------------------------------------------------------------- horizontally

  /// How many scatters it merged.
  int horizontally(FusionGraph& graph) {
    int scatters = 0;
    const std::vector<Node> all = graph.order();
    std::vector<Node> earlier;
    for (const Node node : all) {
      const Operation& operation = graph.statement(node).operation;
      if (!as<MapScanReduce>(operation) && !as<Scatter>(operation)) continue;
      int compared = 0;
      for (std::size_t i = earlier.size(); i-- > 0 && compared < most_neighbours;) {
        const Node other = earlier[i];
        if (graph.position(other) > graph.position(node)) continue;
        ++compared;
        if (graph.needs_directly(node, other) || graph.needs_through_others(node, other)) continue;
        const ComposeContext context{names_, aliases_};
        auto composed =
            compose_horizontally(graph.statement(other), graph.statement(node), context);
        if (!composed) continue;
        changed_ = true;
        if (as<Scatter>(composed->operation)) ++scatters;
        graph.merge(other, node, std::move(*composed));
        earlier.erase(earlier.begin() + static_cast<std::ptrdiff_t>(i));
      }
      earlier.push_back(node);
    }
    return scatters;
  }

  Names& names_;
  AliasInfo aliases_;
  const Tunables& tunables_;
  bool changed_ = false;
};

}  // namespace

bool fuse(ParallelProgram& program, const Tunables& tunables) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Fuser fuser(program.program, function, tunables);
    fuser.body(function.body);
    if (!fuser.changed()) continue;
    changed = true;
    eliminate_dead_code(function, program.program.names);
  }
  return changed;
}

}  // namespace dagaz::passes
