#include "passes/flatten/ranges.h"

#include <algorithm>

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
    if (as<Iota>(one.operation)) ranges.insert(one.results[0].name);
  }
  if (!ranges.empty()) WholeReads{ranges}.body(body);
  return ranges;
}

bool counts_from_zero(NameId array, const std::vector<Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& one) {
    const auto* range = as<Iota>(one.operation);
    return range && one.results[0].name == array && range->type == ScalarType::i64 &&
           range->start == i64_operand(0) && range->stride == i64_operand(1);
  });
}

}  // namespace dagaz::passes::flattening
