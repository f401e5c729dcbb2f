#include "passes/distribute/collectives.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;
using ir::RankCall;
using ir::RankKind;

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

std::string Collectives::function(const RankCall& call) {
  std::string name = ir::rank_function_name(call);
  const bool known = std::any_of(program_.functions.begin(), program_.functions.end(),
                                 [&](const ir::Function& one) { return one.name == name; });
  if (!known) program_.functions.push_back(ir::rank_function(call, program_.names));
  return name;
}

NameId Collectives::number(ir::Builder& b, RankKind kind, std::vector<Operand> arguments,
                           std::string_view base) {
  const ir::Type i64 = ir::scalar_of(ir::ScalarType::i64);
  return b.add(ir::Call{function({kind}), std::move(arguments), {i64}}, base);
}

NameId Collectives::index(ir::Builder& b) { return number(b, RankKind::index, {}, "rank"); }
NameId Collectives::size(ir::Builder& b) { return number(b, RankKind::size, {}, "ranks"); }
NameId Collectives::first(ir::Builder& b, const Operand& rows) {
  return number(b, RankKind::first, {rows}, "first");
}
NameId Collectives::count(ir::Builder& b, const Operand& rows) {
  return number(b, RankKind::count, {rows}, "count");
}

void Collectives::agree(ir::Builder& b) {
  b.add(ir::Statement{{}, ir::Call{function({RankKind::agree}), {}, {}}, {}, b.location()});
}

void Collectives::gather(ir::Builder& b, NameId part, NameId whole) {
  all_rows(RankKind::gather, b, part, whole);
}

void Collectives::leave(ir::Builder& b, NameId part, NameId whole) {
  all_rows(RankKind::leave, b, part, whole);
}

void Collectives::all_rows(RankKind kind, ir::Builder& b, NameId part, NameId whole) {
  const ir::Type type = program_.names.type(whole);
  std::vector<Operand> arguments{program_.names.type(part).shape.front()};
  arguments.insert(arguments.end(), type.shape.begin(), type.shape.end());
  arguments.emplace_back(part);
  const RankCall call{kind, {}, {{type.element, type.rank()}}};
  b.add(ir::Statement{
      {{whole}}, ir::Call{function(call), std::move(arguments), {type}}, {}, b.location()});
}

void Collectives::whole(ir::Builder& b, const std::vector<NameId>& arguments) {
  RankCall call{RankKind::whole};
  std::vector<Operand> all;
  for (const NameId one : arguments) {
    const ir::Type& type = program_.names.type(one);
    call.leaves.push_back({type.element, type.rank()});
    all.insert(all.end(), type.shape.begin(), type.shape.end());
    all.emplace_back(one);
  }
  b.add(ir::Statement{{}, ir::Call{function(call), std::move(all), {}}, {}, b.location()});
}

// Whatever lies around the two dimensions is one each.
void Collectives::turn(ir::Builder& b, const std::vector<PartTurned>& all) {
  RankCall call{RankKind::turn};
  std::vector<Operand> arguments;
  std::vector<ir::Type> types;
  for (const PartTurned& one : all) {
    const std::vector<Operand>& shape = one.whole.shape;
    const auto first = static_cast<std::ptrdiff_t>(std::min(one.from, one.to));
    const auto second = static_cast<std::ptrdiff_t>(std::max(one.from, one.to));
    const auto product = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      return b.product({shape.begin() + from, shape.begin() + to});
    };
    const Operand outer = product(0, first);
    const Operand middle = product(first + 1, second);
    const Operand inner = product(second + 1, static_cast<std::ptrdiff_t>(shape.size()));
    const auto sizes_of = [&](NameId part) {
      const std::vector<Operand>& own = program_.names.type(part).shape;
      return std::vector<Operand>{outer, own[static_cast<std::size_t>(first)], middle,
                                  own[static_cast<std::size_t>(second)], inner};
    };
    const std::vector<Operand> before = sizes_of(one.part);
    const std::vector<Operand> after = sizes_of(one.turned);
    call.leaves.push_back({one.whole.element, before.size()});
    arguments.push_back(ir::i64_operand(one.to > one.from ? 1 : 0));
    arguments.push_back(shape[static_cast<std::size_t>(first)]);
    arguments.push_back(shape[static_cast<std::size_t>(second)]);
    arguments.insert(arguments.end(), before.begin(), before.end());
    arguments.push_back(after[1]);
    arguments.push_back(after[3]);
    arguments.emplace_back(b.add(ir::Reshape{one.part, before}, "part"));
    types.push_back(ir::array_of(one.whole.element, after));
  }
  const std::vector<NameId> turned =
      b.add_results(ir::Call{function(call), std::move(arguments), std::move(types)}, "turned");
  for (std::size_t k = 0; k < all.size(); ++k) {
    b.add(ir::Statement{{{all[k].turned}},
                        ir::Reshape{turned[k], program_.names.type(all[k].turned).shape},
                        {},
                        b.location()});
  }
}

void Collectives::windows(ir::Builder& b, const std::vector<RowsSent>& all) {
  RankCall call{RankKind::windows};
  std::vector<Operand> arguments;
  ir::Statement statement{{}, {}, {}, b.location()};
  std::vector<ir::Type> types;
  for (const RowsSent& one : all) {
    const ir::Type& type = program_.names.type(one.memory);
    call.leaves.push_back({type.element, type.rank()});
    const Operand count = program_.names.type(one.part).shape.front();
    for (const Operand& each :
         {count, one.rows, one.points, ir::i64_operand(one.window.low),
          ir::i64_operand(one.window.high), ir::i64_operand(one.window.wraps ? 1 : 0)}) {
      arguments.push_back(each);
    }
    arguments.insert(arguments.end(), type.shape.begin(), type.shape.end());
    arguments.emplace_back(one.part);
    types.push_back(type);
    statement.results.push_back({one.memory});
  }
  statement.operation = ir::Call{function(call), std::move(arguments), std::move(types)};
  b.add(std::move(statement));
}

ir::Statement Collectives::start(ir::Statement& windows) {
  auto& call = std::get<ir::Call>(windows.operation);
  RankCall what = ir::rank_call_of(call.function);
  ir::Statement wait{windows.results, {}, {}, windows.location};
  std::vector<Operand> arguments;
  for (ir::Binder& result : windows.results) {
    const std::vector<Operand>& shape = program_.names.type(result.name).shape;
    result.name = program_.names.fresh_like(result.name);
    arguments.insert(arguments.end(), shape.begin(), shape.end());
    arguments.emplace_back(result.name);
  }
  what.kind = RankKind::start_windows;
  call.function = function(what);
  what.kind = RankKind::wait_windows;
  wait.operation = ir::Call{function(what), std::move(arguments), call.result_types};
  return wait;
}

void Collectives::add_rows(ir::Builder& b, const std::vector<RowsAdded>& all) {
  RankCall call{RankKind::add_rows};
  std::vector<Operand> arguments;
  ir::Statement statement{{}, {}, {}, b.location()};
  std::vector<ir::Type> types;
  for (const RowsAdded& one : all) {
    const ir::Type& type = program_.names.type(one.added);
    call.leaves.push_back({type.element, type.rank()});
    const Operand count = program_.names.type(one.sum).shape.front();
    for (const Operand& each :
         {count, one.rows, one.points, ir::i64_operand(one.window.low),
          ir::i64_operand(one.window.high), ir::i64_operand(one.window.wraps ? 1 : 0)}) {
      arguments.push_back(each);
    }
    arguments.insert(arguments.end(), type.shape.begin(), type.shape.end());
    arguments.emplace_back(one.own);
    arguments.emplace_back(one.added);
    types.push_back(program_.names.type(one.sum));
    statement.results.push_back({one.sum});
  }
  statement.operation = ir::Call{function(call), std::move(arguments), std::move(types)};
  b.add(std::move(statement));
}

void Collectives::request(ir::Builder& b, const PlacesAsked& places,
                          const std::vector<RowsAsked>& all) {
  const ir::Names& names = program_.names;
  const ir::Type& asked = names.type(places.places);
  RankCall call{RankKind::request, {}, {{asked.element, asked.rank()}}};
  std::vector<Operand> arguments{ir::i64_operand(numbered_++),
                                 names.type(all.front().part).shape.front(), places.rows,
                                 places.points};
  arguments.insert(arguments.end(), asked.shape.begin(), asked.shape.end());
  arguments.emplace_back(places.places);
  ir::Statement statement{{}, {}, {}, b.location()};
  std::vector<ir::Type> types;
  for (const RowsAsked& one : all) {
    const ir::Type& type = names.type(one.part);
    call.leaves.push_back({type.element, type.rank()});
    arguments.insert(arguments.end(), type.shape.begin() + 1, type.shape.end());
    arguments.emplace_back(one.part);
    types.push_back(names.type(one.answers));
    statement.results.push_back({one.answers});
  }
  statement.operation = ir::Call{function(call), std::move(arguments), std::move(types)};
  b.add(std::move(statement));
}

Delivered Collectives::deliver(ir::Builder& b, const PlacesGiven& given) {
  ir::Names& names = program_.names;
  const std::vector<Operand> points = names.type(given.places).shape;
  RankCall call{RankKind::deliver, {}, {{ir::ScalarType::i64, points.size()}}};
  std::vector<Operand> arguments{ir::i64_operand(numbered_++), given.rows, given.points};
  arguments.insert(arguments.end(), points.begin(), points.end());
  arguments.emplace_back(given.places);
  const NameId total = names.fresh("total", ir::scalar_of(ir::ScalarType::i64));
  Delivered delivered{total, {}, {}};
  ir::Statement statement{{{total}}, {}, {}, b.location()};
  std::vector<ir::Type> types{names.type(total)};
  const auto gives = [&](NameId value, std::vector<Operand> row) {
    row.insert(row.begin(), total);
    types.push_back(ir::array_of(names.type(value).element, std::move(row)));
    const NameId name = names.fresh(names.base(value) + "_delivered", types.back());
    statement.results.push_back({name});
    return name;
  };
  delivered.places = gives(given.places, {});
  for (const NameId value : given.values) {
    const ir::Type& type = names.type(value);
    const std::vector<Operand> row(type.shape.begin() + static_cast<std::ptrdiff_t>(points.size()),
                                   type.shape.end());
    call.leaves.push_back({type.element, row.size()});
    arguments.insert(arguments.end(), row.begin(), row.end());
    arguments.emplace_back(value);
    delivered.values.push_back(gives(value, row));
  }
  statement.operation = ir::Call{function(call), std::move(arguments), std::move(types)};
  b.add(std::move(statement));
  return delivered;
}

std::vector<NameId> Collectives::collect(ir::Builder& b, NameId ranks,
                                         const std::vector<NameId>& values) {
  RankCall call{RankKind::collect};
  std::vector<Operand> arguments{ranks};
  std::vector<ir::Type> types;
  for (const NameId value : values) {
    const ir::Type& type = program_.names.type(value);
    call.leaves.push_back({type.element, type.rank()});
    arguments.insert(arguments.end(), type.shape.begin(), type.shape.end());
    types.push_back(ir::array_over(ranks, type));
  }
  arguments.insert(arguments.end(), values.begin(), values.end());
  return b.add_results(ir::Call{function(call), std::move(arguments), std::move(types)}, "all");
}

void Collectives::reduce(ir::Builder& b, const std::vector<ir::ScalarOp>& ops,
                         const std::vector<NameId>& own, const std::vector<NameId>& whole) {
  RankCall call{RankKind::reduce, ops};
  std::vector<Operand> arguments;
  ir::Statement statement{{}, {}, {}, b.location()};
  std::vector<ir::Type> types;
  for (const NameId one : whole) {
    const ir::Type& type = program_.names.type(one);
    call.leaves.push_back({type.element, type.rank()});
    arguments.insert(arguments.end(), type.shape.begin(), type.shape.end());
    types.push_back(type);
    statement.results.push_back({one});
  }
  arguments.insert(arguments.end(), own.begin(), own.end());
  statement.operation = ir::Call{function(call), std::move(arguments), std::move(types)};
  b.add(std::move(statement));
}

}  // namespace dagaz::passes::distributing
