// Bodies and statements: order, and where results are wanted.
#include "emit/statements.h"

#include "emit/context/location_scope.h"
#include "emit/host/compaction.h"
#include "emit/host/fused_stencil.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"

namespace dagaz::emit {

static void send_to_destinations(Context& c, const ir::Body& body,
                                 const std::vector<Destination>& destinations) {
  if (destinations.empty()) return;
  for (const ir::Statement& one : body.statements) {
    for (const ir::Binder& result : one.results) {
      const auto found = c.memory.destinations.find(result.name);
      if (found == c.memory.destinations.end()) continue;
      const memory::Destination& to = found->second;
      if (to.result >= destinations.size() || !destinations[to.result]) continue;
      const Place& place = *destinations[to.result];
      c.arrays.want(result.name, to.permutation.empty() ? place : permuted(place, to.permutation));
    }
  }
}

// ---------------------------------------------------------------- bodies

// The statements of a body of host code, whose blocks are released after their last use.
static void emit_host_statements(Context& c, const std::vector<ir::Statement>& statements) {
  for (std::size_t k = 0; k < statements.size();) {
    c.scopes.at_statement(k);
    std::size_t next = k + emit_together(c, statements, k);
    if (next == k) next = k + emit_compaction(c, statements, k);
    if (next == k) emit_statement(c, statements[next++]);
    for (; k < next; ++k) c.scopes.release_dead(c, k);
  }
  c.scopes.at_statement(statements.size());
}

// The results; those that are not yet where they are wanted are copied.
static std::vector<Value> arrived(Context& c, const std::vector<Operand>& results,
                                  const std::vector<Destination>& destinations) {
  std::vector<Value> values;
  for (const Operand& result : results) values.push_back(value_of(c, result));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k >= destinations.size() || !destinations[k] || *values[k].place == *destinations[k]) {
      continue;
    }
    copy(c, *destinations[k], *values[k].place, values[k].type);
    values[k].place = destinations[k];
  }
  return values;
}

void emit_body(Context& c, const ir::Body& body, const std::vector<Destination>& destinations,
               const Finish& finish) {
  for (const ir::Statement& one : body.statements) c.arrays.forget(one);
  send_to_destinations(c, body, destinations);
  if (c.mode == Mode::host) {
    in_host_scope(c, [&] {
      emit_host_statements(c, body.statements);
      finish(arrived(c, body.results, destinations));
    });
  } else {
    for (const ir::Statement& one : body.statements) emit_statement(c, one);
    finish(arrived(c, body.results, destinations));
  }
}

void emit_lambda(Context& c, const ir::Lambda& lambda, const std::vector<Value>& arguments,
                 const std::vector<Destination>& destinations, const Finish& finish) {
  for (std::size_t k = 0; k < lambda.parameters.size(); ++k) {
    assign(c, lambda.parameters[k].name, arguments[k]);
  }
  emit_body(c, lambda.body, destinations, finish);
}

void emit_statement(Context& c, const ir::Statement& statement) {
  const LocationScope here(c, statement.location);
  const ir::Statement* const outer = c.host_statement;
  if (c.mode == Mode::host) c.host_statement = &statement;
  std::visit(
      [&](const auto& operation) {
        using Operation = std::decay_t<decltype(operation)>;
        if constexpr (std::is_same_v<Operation, ir::FlatMap> ||
                      std::is_same_v<Operation, ir::Differentiate> ||
                      std::is_same_v<Operation, ir::CustomDerivative>) {
          DZ_UNREACHABLE("an operation that is not there after flattening");
        } else {
          emit_operation(c, statement, operation);
        }
      },
      statement.operation);
  c.host_statement = outer;
}

// ---------------------------------------------------------------- destinations

ir::Lambda copy_of(Context& c, const ir::Lambda& lambda) {
  ir::Lambda copy = ir::renamed(lambda, c.names());
  memory::place_thread(copy.body, c.names(), c.memory);
  return copy;
}

}  // namespace dagaz::emit
