// The statements of one body as a graph: who needs whom, in an order of execution.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/alias.h"
#include "ir/program.h"

namespace dagaz::passes {

/// Statements with their dependencies.  A statement needs those that bind what it mentions; one
/// that consumes an array needs all that read it before, and one that prints the last that does.
class FusionGraph {
 public:
  using Node = std::size_t;

  FusionGraph(std::vector<ir::Statement> statements, const std::vector<ir::Operand>& results,
              const ir::Names& names, const ir::AliasInfo& aliases);

  /// Nodes in an order of execution.
  const std::vector<Node>& order() const { return order_; }
  std::size_t position(Node node) const { return position_[node]; }
  ir::Statement& statement(Node node) { return statements_[node]; }
  /// Nodes that `node` needs directly, each once, in order of execution.
  std::vector<Node> needs(Node node) const;
  /// Whether nobody but `user` mentions what `node` binds; others may have to come behind it.
  bool is_only_user(Node user, Node node) const;
  /// Whether `later` needs `earlier` other than directly.
  bool needs_through_others(Node later, Node earlier) const;
  bool needs_directly(Node later, Node earlier) const;

  /// Lets `later` stand for both; what depends on `earlier` and stood between them moves behind.
  void merge(Node earlier, Node later, ir::Statement merged);
  /// `later` no longer needs `earlier`, but what that needs.  What consumes something that
  /// `earlier` reads and stood between them moves behind.
  void bypass(Node earlier, Node later, ir::Statement changed);

  std::vector<ir::Statement> take();

 private:
  Node find(Node node) const;
  bool mentions(Node later, Node earlier) const;
  std::vector<bool> dependents_between(Node earlier, Node later) const;
  /// `later` and, after it, what stood between and needs `earlier`.
  void move_dependents(Node earlier, Node later);
  void inherit_needs(Node earlier, Node later);
  bool consumes_input(Node node, Node reader) const;
  void add_need(Node node, Node on);

  const ir::Names& names_;
  const ir::AliasInfo& aliases_;

  std::vector<ir::Statement> statements_;
  std::vector<std::vector<Node>> needs_;
  std::vector<Node> merged_into_;
  std::vector<Node> order_;
  std::vector<std::size_t> position_;
  std::vector<bool> gives_result_;  // of the whole body
};

}  // namespace dagaz::passes
