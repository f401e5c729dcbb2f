#include "passes/flatten/ranges.h"

#include <utility>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

/// Removes from `ranges` what is read as a whole.
struct WholeReads {
  NameSet& ranges;

  void use(const NameId& name) { ranges.erase(name); }
  void use(const Operand& operand) {
    if (operand.is_name()) use(operand.name());
  }
  void bind(const Binder&) {}
  void type(const Type&) {}
  void body(const Body& body) {
    for (const Statement& one : body.statements) enter(one.operation);
    for (const Operand& result : body.results) use(result);
  }
  void lambda(const Lambda& lambda) { body(lambda.body); }

 private:
  void enter(const Operation& operation) {
    if (const auto* read = as<Index>(operation)) {
      for (const Operand& index : read->indices) use(index);
    } else if (const auto* map = as<MapScanReduce>(operation)) {
      MapScanReduce inside = *map;
      inside.arrays.clear();
      walk_fields(*this, inside);
    } else {
      walk_fields(*this, operation);
    }
  }
};

}  // namespace

NameSet computed_ranges(const Body& body) {
  NameSet ranges;
  for (const Statement& one : body.statements) {
    const auto* range = as<Iota>(one.operation);
    if (range && is_integer(range->type)) ranges.insert(one.results[0].name);
  }
  if (!ranges.empty()) WholeReads{ranges}.body(body);
  return ranges;
}

const Iota* range_of(NameId array, const std::vector<Statement>& statements) {
  for (const Statement& one : statements) {
    const auto* range = as<Iota>(one.operation);
    if (range && is_integer(range->type) && one.results[0].name == array) return range;
  }
  return nullptr;
}

void compute_element(const Iota& range, const Binder& element, NameId index, Names& names,
                     std::vector<Statement>& out) {
  const ScalarType type = range.type;
  const auto scalar = [&](ScalarOp op, ScalarType from, std::vector<Operand> arguments) {
    const NameId name = names.fresh("at", scalar_of(type));
    out.push_back({{{name}}, Scalar{op, from, type, std::move(arguments)}});
    return Operand(name);
  };
  const bool is_narrow = type != ScalarType::i64;
  Operand at = is_narrow ? scalar(ScalarOp::sign_extend, ScalarType::i64, {index}) : Operand(index);
  if (range.stride != Operand(one_of(type))) at = scalar(ScalarOp::mul, type, {at, range.stride});
  if (range.start != Operand(zero_of(type))) at = scalar(ScalarOp::add, type, {range.start, at});
  out.push_back({{element}, Identity{at}});
}

}  // namespace dagaz::passes::flattening
