// Accumulation, with_accumulator xs (\acc -> … accumulate acc is v …).
//
// A sum passes the adjoint of the result on to its start, and every write v reads it where it
// wrote: v̄ += x̄s[is].  So the return sweep runs the body without its accumulators, and what was a
// write becomes a read of one array that is known from the beginning.  Writes that overwrite leave
// nothing of the start where they are: there its adjoint is zero, which the same writes, of zeros,
// achieve.  Every other operator has become a loop before (sequential_accumulators.h).
#include <algorithm>

#include "ir/fields.h"
#include "passes/ad/accumulator_views.h"
#include "passes/ad/emitted_arrays.h"
#include "passes/ad/rules/rules.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

using Reads = std::unordered_map<NameId, std::optional<NameId>>;

// Gives every view of an accumulator the array that its root has.
void spread(const Body& body, Reads& reads) {
  AccumulatorRoots roots;
  for (const auto& [accumulator, array] : reads) roots.emplace(accumulator, accumulator);
  add_views(body, roots, {});
  for (const auto& [view, root] : roots) {
    const std::optional<NameId> array = reads.at(root);
    reads.insert_or_assign(view, array);
  }
}

// Removes what has to do with the given accumulators, at every depth.
class Strip {
 public:
  explicit Strip(const Reads& dead) : dead_(&dead) {}

  void body(Body& body) const {
    std::vector<Statement> kept;
    for (Statement& each : body.statements) {
      statement(each);
      if (!each.results.empty()) kept.push_back(std::move(each));
    }
    body.statements = std::move(kept);
  }
  void statement(Statement& statement) const;

 private:
  bool is_dead(NameId name) const { return dead_->count(name) != 0; }
  bool is_dead(const Operand& operand) const {
    return operand.is_name() && is_dead(operand.name());
  }
  // Removes the items whose place is dead.
  template <typename Item>
  static void keep(std::vector<Item>& items, const std::vector<bool>& dead) {
    std::vector<Item> kept;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!dead[i]) kept.push_back(std::move(items[i]));
    }
    items = std::move(kept);
  }
  template <typename Item>
  std::vector<bool> dead_places(const std::vector<Item>& items) const {
    std::vector<bool> dead;
    for (const Item& each : items) dead.push_back(is_dead(each));
    return dead;
  }
  void lambda(Lambda& lambda) const {
    body(lambda.body);
    const std::vector<bool> dead = dead_places(lambda.body.results);
    keep(lambda.body.results, dead);
    keep(lambda.result_types, dead);
  }

  const Reads* dead_;
};

void Strip::statement(Statement& statement) const {
  std::vector<bool> dead_results;
  for (const Binder& each : statement.results) dead_results.push_back(is_dead(each.name));
  if (auto* map = as<MapScanReduce>(statement.operation)) {
    const std::vector<bool> dead_arrays = dead_places(map->arrays);
    keep(map->arrays, dead_arrays);
    keep(map->map.parameters, dead_arrays);
    lambda(map->map);
  } else if (auto* loop = as<Loop>(statement.operation)) {
    std::vector<bool> dead_values;
    for (const LoopValue& value : loop->values) dead_values.push_back(is_dead(value.initial));
    body(loop->body);
    keep(loop->values, dead_values);
    keep(loop->body.results, dead_values);
    if (!loop->attributes.true_dependence.empty()) {
      keep(loop->attributes.true_dependence, dead_values);
    }
  } else if (auto* branch = as<Branch>(statement.operation)) {
    body(branch->then_body);
    body(branch->else_body);
    keep(branch->then_body.results, dead_results);
    keep(branch->else_body.results, dead_results);
    keep(branch->result_types, dead_results);
  } else if (auto* with = as<WithAccumulator>(statement.operation)) {
    lambda(with->body);
  }
  keep(statement.results, dead_results);
}

// Lets writes to the given accumulators write the given value.
void write_instead(Body& body, const Reads& values) {
  for (Statement& each : body.statements) {
    if (auto* write = as<Accumulate>(each.operation)) {
      const auto found = values.find(write->accumulator);
      if (found != values.end()) write->value = Operand(*found->second);
    }
    for_each_scope(each.operation, [&](Body& inner) { write_instead(inner, values); });
  }
}

}  // namespace

bool touches_accumulators(const Reverse& r, const Statement& statement) {
  if (r.accumulator_reads.empty()) return false;
  for (const NameId name : free_names(statement, r.environment.names())) {
    if (r.accumulator_reads.count(name) != 0) return true;
  }
  return false;
}

Statement without_accumulators(const Reverse& r, Statement statement) {
  Strip(r.accumulator_reads).statement(statement);
  return statement;
}

// The emitted array with zeros where the scope writes through its accumulator `index`.
static NameId overwritten_by_zeros(Reverse& r, const WithAccumulator& with, std::size_t index,
                                   NameId array) {
  const AccumulatorInput& input = with.inputs[index];
  WithAccumulator zeroing;
  zeroing.body = renamed(with.body, r.names());
  Reads others;
  for (std::size_t i = 0; i < with.inputs.size(); ++i) {
    if (i != index) others.emplace(zeroing.body.parameters[i].name, std::nullopt);
  }
  spread(zeroing.body.body, others);
  Strip(others).body(zeroing.body.body);
  Type part = r.names().type(input.array);
  part.shape.erase(part.shape.begin(),
                   part.shape.begin() + static_cast<std::ptrdiff_t>(input.shape.size()));
  const NameId zero = r.names().fresh("zero", part);
  r.environment.bind(zero, r.environment.zero(r.environment.type(part)));
  Reads written;
  written.emplace(zeroing.body.parameters[index].name, zero);
  spread(zeroing.body.body, written);
  write_instead(zeroing.body.body, written);
  zeroing.body.parameters = {zeroing.body.parameters[index]};
  zeroing.body.body.results = {zeroing.body.body.results[index]};
  zeroing.body.result_types = {zeroing.body.result_types[index]};
  const NameId start = r.names().fresh_like(input.array);
  r.environment.bind(start, r.out().add(Copy{array}, "adjoint"));
  zeroing.inputs = {AccumulatorInput{input.shape, start, std::nullopt, input.neutral}};
  const NameId result = r.names().fresh_like(input.array);
  copy_protected(r, Statement{{Binder{result}}, std::move(zeroing), {}, r.out().location()});
  return r.environment.name(result);
}

void adjoint_rule(Reverse& r, const Statement& statement, const WithAccumulator& with) {
  const std::size_t count = with.inputs.size();
  const Body& body = with.body.body;
  for (std::size_t i = 0; i < count; ++i) {
    const AccumulatorInput& input = with.inputs[i];
    const auto adjoint = r.adjoints.take(statement.results[i].name);
    std::optional<NameId> array;
    if (adjoint) array = adjoint->value->name();
    r.accumulator_reads.insert_or_assign(with.body.parameters[i].name, array);
    if (!adjoint) continue;
    if (input.op) {
      DZ_CHECK(is_addition(*input.op), "other operators are loops");
      r.adjoints.add(Operand(input.array), *array, Ownership::shared);
    } else if (r.adjoints.is_active(Operand(input.array))) {
      r.adjoints.add(Operand(input.array), overwritten_by_zeros(r, with, i, *array),
                     Ownership::owned);
    }
  }
  std::vector<std::optional<Operand>> other_adjoints;
  for (std::size_t i = count; i < statement.results.size(); ++i) {
    const auto adjoint = r.adjoints.take(statement.results[i].name);
    other_adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
  }
  spread(body, r.accumulator_reads);
  forward_sweep(r, body.statements);
  for (std::size_t i = count; i < statement.results.size(); ++i) {
    if (other_adjoints[i - count]) {
      r.adjoints.add(body.results[i], *other_adjoints[i - count], Ownership::shared);
    }
  }
  return_sweep(r, body.statements);
  r.note(statement, "accumulation", "reverse", "each write reads the adjoint where it wrote");
}

void adjoint_rule(Reverse& r, const Statement&, const Accumulate& accumulate) {
  const auto found = r.accumulator_reads.find(accumulate.accumulator);
  if (found == r.accumulator_reads.end() || !found->second) return;
  if (!r.adjoints.is_active(accumulate.value)) return;
  r.adjoints.add(
      accumulate.value,
      guarded_index(r.environment, *found->second, r.environment.operands(accumulate.indices)),
      Ownership::shared);
}

}  // namespace dagaz::passes::ad
