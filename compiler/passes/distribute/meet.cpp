// What ranks have each for itself is reduced once more, in the order of ranks: so the operator may
// be anything that it may be on one.
//
// Arrays that are combined element by element by an operation that ranks know are: each rank then
// combines one part of them.  Everything else goes, in one message, to every rank.
#include <optional>

#include "ir/names.h"
#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

/// x ∘ y for an operation that ranks know, or the same for the elements of rows.
std::optional<ir::ScalarOp> known_operation(const ir::Lambda& lambda) {
  if (lambda.parameters.size() != 2 || lambda.body.statements.size() != 1) return std::nullopt;
  const ir::Statement& only = lambda.body.statements.front();
  if (only.results.size() != 1 ||
      lambda.body.results.front() != Operand(only.results.front().name)) {
    return std::nullopt;
  }
  const NameId x = lambda.parameters[0].name;
  const NameId y = lambda.parameters[1].name;
  const auto are_both = [&](const auto& two) {
    return two.size() == 2 && ((two[0] == Operand(x) && two[1] == Operand(y)) ||
                               (two[0] == Operand(y) && two[1] == Operand(x)));
  };
  if (const auto* map = as<ir::MapScanReduce>(only.operation)) {
    const std::vector<Operand> arrays(map->arrays.begin(), map->arrays.end());
    const bool is_map = map->scans.empty() && map->reductions.empty() && !map->post;
    return is_map && are_both(arrays) ? known_operation(map->map) : std::nullopt;
  }
  const auto* scalar = as<ir::Scalar>(only.operation);
  const bool knows = scalar != nullptr && ir::combines_by(scalar->op, scalar->type);
  return knows && are_both(scalar->arguments) ? std::optional(scalar->op) : std::nullopt;
}

/// The reduction of what all ranks have, for every point of the outer dimensions.
ir::Statement reduction_of(const Combined& one, const std::vector<NameId>& all, NameId ranks,
                           ir::Builder& b) {
  ir::Names& names = b.names();
  const auto index = [&] { return names.fresh("r", ir::scalar_of(ir::ScalarType::i64)); };
  ir::SegmentedReduce again;
  std::vector<Operand> at{index()};
  for (const Operand& extent : one.outer) {
    at.emplace_back(index());
    again.space.push_back({{at.back().name()}, extent});
  }
  again.space.push_back({{at.front().name()}, ranks});
  ir::Builder inside(names);
  std::vector<Operand> values;
  for (const NameId own : all) values.emplace_back(inside.index(own, at));
  again.body = inside.take_body(std::move(values));
  again.result_types = one.op.result_types;
  again.operators.push_back({renamed(one.op, names), one.neutral, one.commutative});
  ir::Statement statement{{}, std::move(again), {}, b.location()};
  for (const NameId whole : one.whole) statement.results.push_back({whole});
  return statement;
}

}  // namespace

void Rewriter::combine(const std::vector<Combined>& all, ir::Builder& out) {
  std::vector<const Combined*> others;
  std::vector<NameId> collected;
  for (const Combined& one : all) {
    const auto op = known_operation(one.op);
    if (op && names_.type(one.whole.front()).is_array()) {
      collectives_.reduce(out, *op, one.own.front(), one.whole.front());
    } else {
      others.push_back(&one);
      collected.insert(collected.end(), one.own.begin(), one.own.end());
    }
  }
  if (others.empty()) return;
  const NameId ranks = collectives_.size(out);
  const std::vector<NameId> everything = collectives_.collect(out, ranks, collected);
  auto next = everything.begin();
  for (const Combined* one : others) {
    const auto end = next + static_cast<std::ptrdiff_t>(one->own.size());
    out.add(reduction_of(*one, {next, end}, ranks, out));
    next = end;
  }
}

}  // namespace dagaz::passes::distributing
