#include "passes/distribute/collectives.h"

#include <algorithm>

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;
using ir::RankCall;
using ir::RankKind;

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
  const ir::Type type = program_.names.type(whole);
  std::vector<Operand> arguments{program_.names.type(part).shape.front()};
  arguments.insert(arguments.end(), type.shape.begin(), type.shape.end());
  arguments.emplace_back(part);
  const RankCall call{RankKind::gather, {}, {{type.element, type.rank()}}};
  b.add(ir::Statement{
      {{whole}}, ir::Call{function(call), std::move(arguments), {type}}, {}, b.location()});
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
