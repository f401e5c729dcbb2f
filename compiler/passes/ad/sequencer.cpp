// The statements of a scope with accumulators, one by one.
#include "passes/ad/sequencer.h"

#include <algorithm>

#include "ir/fields.h"
#include "passes/ad/environment.h"
#include "passes/ad/normalise.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

Type array_type(Type accumulator) {
  accumulator.kind = TypeKind::value;
  return accumulator;
}

std::vector<Operand> Sequencer::inlined(const WithAccumulator& with, Builder& out) {
  scope_ = std::to_string(with.body.parameters[0].name.index);
  for (std::size_t i = 0; i < with.inputs.size(); ++i) {
    enter(with.body.parameters[i].name, i, with.inputs[i].array);
    operators_.push_back(with.inputs[i].op);
    if (!with.inputs[i].op) continue;
    for (const NameId name : free_names(*with.inputs[i].op, *names_)) capture(name);
  }
  statements(with.body.body.statements, out);
  std::vector<Operand> results;
  for (const Operand& each : with.body.body.results) results.push_back(operand(each));
  return results;
}

bool Sequencer::touches(const Statement& statement) const {
  const std::vector<NameId> used = free_names(statement, *names_);
  return std::any_of(used.begin(), used.end(), [&](NameId name) { return is_mine(name); });
}

NameId Sequencer::next(NameId view, NameId of) {
  const NameId array = names_->fresh(names_->base(view), array_type(names_->type(view)));
  enter(view, cells_.at(of).input, array);
  return array;
}

Body Sequencer::body(const Body& original, const Builder& around) {
  Builder out = around.nested();
  statements(original.statements, out);
  std::vector<Operand> results;
  for (const Operand& each : original.results) results.push_back(operand(each));
  return out.take_body(std::move(results));
}

void Sequencer::statements(const std::vector<Statement>& all, Builder& out) {
  for (const Statement& each : all) {
    out.set_location(each.location);
    out.set_tokens(each.tokens);
    statement(each, out);
  }
}

void Sequencer::statement(const Statement& statement, Builder& out) {
  if (!touches(statement)) {
    out.add(statement);
  } else if (const auto* each = as<Accumulate>(statement.operation)) {
    write(statement, *each, out);
  } else if (const auto* same = as<Identity>(statement.operation)) {
    const Cell cell = cells_.at(same->value.name());
    enter(statement.results[0].name, cell.input, cell.array);
  } else if (const auto* map = as<MapScanReduce>(statement.operation)) {
    this->map(statement, *map, out);
  } else if (std::holds_alternative<Loop>(statement.operation)) {
    loop(statement, out);
  } else if (std::holds_alternative<Branch>(statement.operation)) {
    branch(statement, out);
  } else if (std::holds_alternative<WithAccumulator>(statement.operation)) {
    with(statement, out);
  } else {
    DZ_CHECK(std::holds_alternative<Call>(statement.operation), "no other way to hand them on");
    call(statement, out);
  }
}

// Writes outside the array are dropped.
void Sequencer::write(const Statement& statement, const Accumulate& write, Builder& out) {
  const Cell cell = cells_.at(write.accumulator);
  const Type type = names_->type(cell.array);
  Operand inside(make_bool(true));
  std::vector<SliceDimension> place;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    if (d >= write.indices.size()) {
      place.push_back({false, i64_operand(0), type.shape[d], i64_operand(1)});
      continue;
    }
    place.push_back({true, write.indices[d], i64_operand(1), i64_operand(1)});
    // As unsigned numbers, negative indices are beyond every size.
    const Operand below =
        out.scalar(ScalarOp::ult, ScalarType::i64, {write.indices[d], type.shape[d]});
    inside = out.scalar(ScalarOp::bit_and, ScalarType::boolean, {inside, below}, "inside");
  }
  const auto update = [&](Builder& inner) {
    Operand value = write.value;
    if (operators_[cell.input]) {
      const Lambda op = renamed(*operators_[cell.input], *names_);
      const Operand old = inner.index(cell.array, write.indices);
      inner.add(Statement{{op.parameters[0]}, Identity{old}, {}, statement.location});
      inner.add(Statement{{op.parameters[1]}, Identity{value}, {}, statement.location});
      inner.add_all(op.body.statements);
      value = op.body.results[0];
    }
    return std::vector<Operand>{inner.add(Update{cell.array, place, value}, "updated")};
  };
  const auto keep = [&](Builder&) { return std::vector<Operand>{cell.array}; };
  const NameId array = out.branch(inside, update, keep, "updated")[0];
  enter(statement.results[0].name, cell.input, array);
}

// ---------------------------------------------------------------- maps as loops

// The parameters of the map: elements at `index`, and what its accumulators have become.
void Sequencer::enter_elements(const MapScanReduce& map, NameId index, Builder& inner,
                               std::vector<Carried>& carried) {
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    const NameId parameter = map.map.parameters[i].name;
    const NameId array = map.arrays[i];
    if (is_mine(array)) {
      const Cell cell = cells_.at(array);
      carried.push_back(Carried{next(parameter, array), cell.array, {}, {}, cell.input});
    } else if (names_->type(array).kind == TypeKind::accumulator) {
      carried.push_back(Carried{parameter, array, {}, {}, {}});
    } else {
      inner.add(Statement{{Binder{parameter}}, Index{array, {index}}, {}, inner.location()});
    }
  }
}

// What the map gives: reductions so far, and rows so far.
void Sequencer::carry_results(const Statement& statement, const MapScanReduce& map, Builder& out,
                              std::vector<Carried>& carried) {
  std::size_t next_result = 0;
  const auto carry = [&](const Operand& initial) {
    const NameId result = statement.results[next_result++].name;
    const NameId parameter = names_->fresh(names_->base(result), names_->type(result));
    carried.push_back(Carried{parameter, initial, {}, result, {}});
  };
  for (const ReduceOperator& each : map.reductions) {
    for (const Operand& neutral : each.neutral) carry(neutral);
  }
  while (next_result < statement.results.size()) {
    const Type type = names_->type(statement.results[next_result].name);
    if (type.kind == TypeKind::accumulator) {
      ++next_result;
    } else {
      carry(out.add(Scratch{type.element, type.shape}, "rows"));
    }
  }
}

// The values after one iteration, of whose statements these are the results.
void Sequencer::step(const Statement& statement, const MapScanReduce& map, NameId index,
                     Builder& inner, std::vector<Carried>& carried) {
  const std::vector<Operand>& results = map.map.body.results;
  const auto carried_for = [&](NameId result) -> Carried& {
    return *std::find_if(carried.begin(), carried.end(),
                         [&](const Carried& each) { return each.result == result; });
  };
  std::size_t at = 0;
  for (const ReduceOperator& each : map.reductions) {
    const Lambda op = renamed(each.op, *names_);
    const std::size_t arity = each.neutral.size();
    for (std::size_t i = 0; i < arity; ++i) {
      const NameId sum = carried_for(statement.results[at + i].name).parameter;
      inner.add(Statement{{op.parameters[i]}, Identity{sum}, {}, inner.location()});
      inner.add(
          Statement{{op.parameters[arity + i]}, Identity{results[at + i]}, {}, inner.location()});
    }
    inner.add_all(op.body.statements);
    for (std::size_t i = 0; i < arity; ++i) {
      carried_for(statement.results[at + i].name).next = op.body.results[i];
    }
    at += arity;
  }
  for (; at < results.size(); ++at) {
    const NameId result = statement.results[at].name;
    if (names_->type(result).kind != TypeKind::accumulator) {
      Carried& rows = carried_for(result);
      const auto place = part_at({index}, names_->type(rows.parameter));
      rows.next = inner.add(Update{rows.parameter, place, operand(results[at])}, "rows");
      continue;
    }
    // The accumulator that was handed in comes back.
    const NameId last = results[at].name();
    const bool mine = is_mine(last);
    for (Carried& each : carried) {
      const bool same = mine ? each.input == cells_.at(last).input
                             : !each.input && !each.result.valid() &&
                                   names_->type(each.parameter) == names_->type(result);
      if (!same || each.result.valid()) continue;
      each.next = operand(last);
      each.result = mine ? next(result, last) : result;
      break;
    }
  }
}

void Sequencer::map(const Statement& statement, const MapScanReduce& map, Builder& out) {
  if (!map.scans.empty() || map.post) {
    // Split, the map that accumulates stands alone.
    statements(normalise(Body{{statement}, {}}, *names_).statements, out);
    return;
  }
  const NameId index = names_->fresh("i", scalar_of(ScalarType::i64));
  Builder inner = out.nested();
  std::vector<Carried> carried;
  enter_elements(map, index, inner, carried);
  carry_results(statement, map, out, carried);
  statements(map.map.body.statements, inner);
  step(statement, map, index, inner, carried);
  Loop loop;
  loop.form = ForForm{Binder{index}, map.width};
  std::vector<Binder> results;
  std::vector<Operand> values;
  for (const Carried& each : carried) {
    loop.values.push_back(LoopValue{Binder{each.parameter}, each.initial});
    results.push_back(Binder{each.result});
    values.push_back(each.next);
  }
  loop.body = inner.take_body(std::move(values));
  out.add(Statement{std::move(results), std::move(loop), statement.tokens, statement.location});
}

// ---------------------------------------------------------------- scopes that hand them on

void Sequencer::loop(Statement statement, Builder& out) {
  auto& loop = std::get<Loop>(statement.operation);
  for (LoopValue& value : loop.values) {
    if (!value.initial.is_name() || !is_mine(value.initial.name())) continue;
    const NameId initial = value.initial.name();
    value.initial = operand(initial);
    value.parameter = Binder{next(value.parameter.name, initial)};
  }
  const std::vector<Operand> last = loop.body.results;
  loop.body = body(loop.body, out);
  give_back(statement.results, last);
  out.add(std::move(statement));
}

void Sequencer::branch(Statement statement, Builder& out) {
  auto& branch = std::get<Branch>(statement.operation);
  const std::vector<Operand> last = branch.then_body.results;
  branch.then_body = body(branch.then_body, out);
  branch.else_body = body(branch.else_body, out);
  give_back(statement.results, last);
  for (std::size_t i = 0; i < last.size(); ++i) {
    branch.result_types[i] = names_->type(statement.results[i].name);
  }
  out.add(std::move(statement));
}

void Sequencer::with(Statement statement, Builder& out) {
  auto& with = std::get<WithAccumulator>(statement.operation);
  const std::vector<Operand> last = with.body.body.results;
  with.body.body = body(with.body.body, out);
  give_back(statement.results, last);
  for (std::size_t i = with.inputs.size(); i < last.size(); ++i) {
    with.body.result_types[i] = names_->type(statement.results[i].name);
  }
  out.add(std::move(statement));
}

// The results of a statement whose scope gave `last`.
void Sequencer::give_back(std::vector<Binder>& results, const std::vector<Operand>& last) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!last[i].is_name() || !is_mine(last[i].name())) continue;
    results[i] = Binder{next(results[i].name, last[i].name())};
  }
}

Body sequenced(Body body, Names& names, AccumulatingFunctions* functions,
               const std::function<bool(const WithAccumulator&)>& which) {
  Builder out(names);
  for (Statement& each : body.statements) {
    for_each_scope(each.operation, [&](Body& inner) {
      inner = sequenced(std::move(inner), names, functions, which);
    });
    const auto* with = as<WithAccumulator>(each.operation);
    if (with == nullptr || !which(*with)) {
      out.add(std::move(each));
      continue;
    }
    out.set_location(each.location);
    out.set_tokens(each.tokens);
    const std::vector<Operand> results = Sequencer(names, functions).inlined(*with, out);
    for (std::size_t i = 0; i < each.results.size(); ++i) {
      out.add(Statement{{each.results[i]}, Identity{results[i]}, each.tokens, each.location});
    }
  }
  return out.take_body(std::move(body.results));
}

}  // namespace dagaz::passes::ad
