// Indices that are only taken apart into a quotient and a remainder by a few are two:
//
//   map (\i -> f (i / 2) (i % 2)) (iota (2 * n))  =  flatten (map (\j -> [f j 0, f j 1]) (iota n))
//
// What puts values in between, as layers that enlarge images do, is written so.  On the right side
// conditions on the remainder are known, and neighbours read neighbours.  Where points give arrays,
// they are points of two maps.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

// The body is there once for each remainder.
constexpr std::int64_t most_parts = 4;
constexpr std::size_t most_statements = 64;

/// How an index that counts to below `count` times `parts` is taken apart.
struct Parts {
  Operand count;
  std::int64_t parts;
};

class Splitter {
 public:
  explicit Splitter(Names& names) : names_(names) {}

  void body(Body& body);
  bool changed() const { return changed_; }

 private:
  void note(const Statement& statement);
  std::optional<Parts> parts_of(const MapScanReduce& map) const;
  std::optional<std::int64_t> divisor_of(const MapScanReduce& map) const;
  Body part(const MapScanReduce& map, const Operand& quotient, const Operand& remainder,
            std::int64_t parts, Builder& out);
  void split(Statement& statement, const Parts& parts, std::vector<Statement>& out);

  Names& names_;
  std::unordered_map<NameId, Scalar> products_;
  NameSet ranges_;  // arrays 0, 1, 2, …
  bool changed_ = false;
};

bool is_quotient(const Scalar& scalar) {
  return scalar.op == ScalarOp::sdiv_floor || scalar.op == ScalarOp::sdiv ||
         scalar.op == ScalarOp::udiv;
}
bool is_remainder(const Scalar& scalar) {
  return scalar.op == ScalarOp::smod_floor || scalar.op == ScalarOp::srem ||
         scalar.op == ScalarOp::urem;
}

std::optional<std::int64_t> constant_of(const Operand& operand) {
  if (!operand.is_constant() || operand.constant().type != ScalarType::i64) return std::nullopt;
  return integer_value(operand.constant());
}

/// By what the statement divides `index`, if it does.
std::optional<std::int64_t> divisor_in(const Statement& statement, NameId index) {
  const auto* scalar = as<Scalar>(statement.operation);
  if (scalar == nullptr || scalar->type != ScalarType::i64 ||
      (!is_quotient(*scalar) && !is_remainder(*scalar)) ||
      scalar->arguments[0] != Operand(index)) {
    return std::nullopt;
  }
  return constant_of(scalar->arguments[1]);
}

void Splitter::body(Body& body) {
  std::vector<Statement> statements;
  for (Statement& one : body.statements) {
    note(one);
    for_each_scope(one.operation, [&](Body& inside) { this->body(inside); });
    const auto* map = as<MapScanReduce>(one.operation);
    if (const auto parts = map ? parts_of(*map) : std::nullopt) {
      split(one, *parts, statements);
    } else {
      statements.push_back(std::move(one));
    }
  }
  body.statements = std::move(statements);
}

void Splitter::note(const Statement& statement) {
  if (const auto* scalar = as<Scalar>(statement.operation)) {
    if (scalar->type == ScalarType::i64 && scalar->op == ScalarOp::mul) {
      products_.emplace(statement.results.front().name, *scalar);
    }
  } else if (const auto* range = as<Iota>(statement.operation)) {
    if (counts_from_zero(*range)) ranges_.insert(statement.results.front().name);
  }
}

// All divisions of the index, in the lambda's own scope, are by this.
std::optional<std::int64_t> Splitter::divisor_of(const MapScanReduce& map) const {
  std::optional<std::int64_t> divisor;
  for (const Statement& one : map.map.body.statements) {
    const auto by = divisor_in(one, map.map.parameters.front().name);
    if (!by) continue;
    if (divisor && *divisor != *by) return std::nullopt;
    divisor = by;
  }
  return divisor;
}

std::optional<Parts> Splitter::parts_of(const MapScanReduce& map) const {
  const bool is_over_range = map.arrays.size() == 1 && ranges_.contains(map.arrays.front());
  if (!is_over_range || map.sequential || !map.scans.empty() || !map.reductions.empty() ||
      map.post || map.map.body.statements.size() > most_statements) {
    return std::nullopt;
  }
  for (const Type& type : map.map.result_types) {
    if (type.kind != TypeKind::value) return std::nullopt;
  }
  const auto divisor = divisor_of(map);
  if (!divisor || *divisor < 2 || *divisor > most_parts) return std::nullopt;
  if (const auto width = constant_of(map.width)) {
    if (*width % *divisor != 0) return std::nullopt;
    return Parts{i64_operand(*width / *divisor), *divisor};
  }
  const auto product = products_.find(map.width.name());
  if (product == products_.end()) return std::nullopt;
  const auto& factors = product->second.arguments;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    if (constant_of(factors[k]) == divisor) return Parts{factors[1 - k], *divisor};
  }
  return std::nullopt;
}

// What the map gives at the index that has this quotient and this remainder.
Body Splitter::part(const MapScanReduce& map, const Operand& quotient, const Operand& remainder,
                    std::int64_t parts, Builder& out) {
  const NameId index = map.map.parameters.front().name;
  Body body = map.map.body;
  for (Statement& one : body.statements) {
    if (!divisor_in(one, index)) continue;
    const bool whole = is_quotient(std::get<Scalar>(one.operation));
    one.operation = Identity{whole ? quotient : remainder};
    one.tokens.clear();
  }
  const Operand start = out.mul_i64(quotient, i64_operand(parts));
  const Operand here = out.add_i64(start, remainder);
  Body copy = renamed(body, names_);
  substitute(copy, Substitution{{index, here}}, names_);
  return copy;
}

void Splitter::split(Statement& statement, const Parts& parts, std::vector<Statement>& out) {
  changed_ = true;
  const auto& map = std::get<MapScanReduce>(statement.operation);
  Builder around(names_);
  around.set_location(statement.location);
  const Operand few = i64_operand(parts.parts);
  const bool are_numbers =
      std::all_of(map.map.result_types.begin(), map.map.result_types.end(),
                  [](const Type& type) { return type.is_scalar(); });
  const std::vector<NameId> rows = around.map_indices(
      parts.count, [&](Builder& outer, const std::vector<NameId>& quotient) {
        std::vector<Operand> results;
        if (!are_numbers) {
          const std::vector<NameId> few_rows = outer.map_indices(
              few, [&](Builder& inner, const std::vector<NameId>& remainder) {
                Body one = part(map, quotient.front(), remainder.front(), parts.parts, inner);
                inner.add_all(std::move(one.statements));
                return one.results;
              });
          results.assign(few_rows.begin(), few_rows.end());
          return results;
        }
        std::vector<std::vector<Operand>> elements(map.map.result_types.size());
        for (std::int64_t remainder = 0; remainder < parts.parts; ++remainder) {
          Body one = part(map, quotient.front(), i64_operand(remainder), parts.parts, outer);
          outer.add_all(std::move(one.statements));
          for (std::size_t k = 0; k < elements.size(); ++k) elements[k].push_back(one.results[k]);
        }
        for (std::size_t k = 0; k < elements.size(); ++k) {
          results.push_back(outer.add(
              ArrayLiteral{map.map.result_types[k], std::move(elements[k])}, "row"));
        }
        return results;
      });
  for (Statement& one : around.take()) {
    one.tokens.insert(one.tokens.end(), statement.tokens.begin(), statement.tokens.end());
    out.push_back(std::move(one));
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::vector<Operand> shape = names_.type(statement.results[k].name).shape;
    out.push_back({{statement.results[k]}, Reshape{rows[k], shape}, {}, statement.location});
  }
}

}  // namespace

bool split_indices(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Splitter splitter(program.program.names);
    splitter.body(function.body);
    changed = changed || splitter.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
