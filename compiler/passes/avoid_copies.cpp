// Copies and writes of parts of arrays that nothing needs.
//
//   y = x with [i] = v;  r = y[i]             =   …  r = v
//   y = x with [i] = v;  z = y with [i] = w   =   z = x with [i] = w      if nothing else reads y
//   r = copy x[i];  …r…;  y = x with [i] = w  =   r = x[i];  …            if r is not used after y
//
// Loops whose iterations work on a row of an array, and their gradients, which take a row of an
// adjoint, write zeros there, and add to them, are full of these.  The first two make way for the
// third.
//
// Comes last, for here maps are what they will be: a copied row may be read until the array is
// written, and fusion moves reads.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/alias.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/dead_code.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class CopyAvoider {
 public:
  CopyAvoider(const Program& program, const Function& function)
      : names_(program.names), aliases_(analyse_aliases(function, program)) {}

  void read_written_parts(Body& body);
  void read_instead_of_copying(Body& body);
  bool changed() const { return changed_; }

 private:
  void enter(Body& body);
  std::optional<Operand> value_written(const Index& index) const;
  const Statement* overwritten(const Statement& statement) const;
  bool is_only_read(NameId array) const;
  bool may_be_read(std::size_t copy) const;

  const Names& names_;
  AliasInfo aliases_;
  std::vector<Statement>* statements_ = nullptr;
  std::unordered_map<NameId, std::size_t> bound_;              // by which statement
  std::unordered_map<NameId, std::vector<std::size_t>> uses_;  // in order; results come last
  bool changed_ = false;
};

void CopyAvoider::enter(Body& body) {
  statements_ = &body.statements;
  bound_.clear();
  uses_.clear();
  for (std::size_t i = 0; i < body.statements.size(); ++i) {
    for (const NameId name : free_names(body.statements[i], names_)) uses_[name].push_back(i);
    for (const Binder& result : body.statements[i].results) bound_.emplace(result.name, i);
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) uses_[result.name()].push_back(body.statements.size());
  }
}

/// Whether the body has such operations; most have none, and need not be looked at closely.
template <typename OperationType>
bool has(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& each) {
    return std::holds_alternative<OperationType>(each.operation);
  });
}

/// Whether the statement gives nothing that shares memory with an array that it reads.
bool only_reads(const Statement& statement, const Names& names) {
  if (std::holds_alternative<MapScanReduce>(statement.operation)) return true;
  const bool is_read = std::holds_alternative<Index>(statement.operation) ||
                       std::holds_alternative<Slice>(statement.operation);
  return is_read && names.type(statement.results[0].name).is_scalar();
}

// Whether all users of the array are such statements, which do not consume it.
bool CopyAvoider::is_only_read(NameId array) const {
  const auto uses = uses_.find(array);
  if (uses == uses_.end()) return false;
  return std::all_of(uses->second.begin(), uses->second.end(), [&](std::size_t use) {
    if (use == statements_->size()) return false;
    const Statement& user = (*statements_)[use];
    return only_reads(user, names_) && !aliases_.may_write(user, array);
  });
}

// ---------------------------------------------------------------- parts that were just written

/// Whether the index reads the very part that the update writes.
bool is_part(const Index& index, const Update& update, const Names& names) {
  const std::vector<Operand>& shape = names.type(update.array).shape;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const SliceDimension& written = update.dimensions[k];
    const bool fixed = k < index.indices.size();
    if (written.fixed != fixed) return false;
    if (fixed ? written.start != index.indices[k]
              : written.start != i64_operand(0) || written.stride != i64_operand(1) ||
                    written.count != shape[k]) {
      return false;
    }
  }
  return true;
}

std::optional<Operand> CopyAvoider::value_written(const Index& index) const {
  const auto at = bound_.find(index.array);
  if (at == bound_.end()) return std::nullopt;
  const auto* update = as<Update>((*statements_)[at->second].operation);
  if (update == nullptr || !is_part(index, *update, names_)) return std::nullopt;
  return update->value;
}

// The update before, if it writes what the statement overwrites, and for that alone.
const Statement* CopyAvoider::overwritten(const Statement& statement) const {
  const auto& update = std::get<Update>(statement.operation);
  const auto at = bound_.find(update.array);
  if (at == bound_.end()) return nullptr;
  const Statement& before = (*statements_)[at->second];
  const auto* written = as<Update>(before.operation);
  if (written == nullptr || written->dimensions != update.dimensions) return nullptr;
  return uses_.at(update.array).size() == 1 ? &before : nullptr;
}

void CopyAvoider::read_written_parts(Body& body) {
  for (Statement& each : body.statements) {
    for_each_scope(each.operation, [&](Body& inner) { read_written_parts(inner); });
  }
  if (!has<Update>(body)) return;
  enter(body);
  for (Statement& each : body.statements) {
    const auto* index = as<Index>(each.operation);
    if (index == nullptr) continue;
    const auto value = value_written(*index);
    const NameId result = each.results[0].name;
    // Nobody may write one by the name of the other.
    if (!value || !value->is_name() || aliases_.is_consumed(value->name()) ||
        !is_only_read(result)) {
      continue;
    }
    each.operation = Identity{*value};
    changed_ = true;
  }
  enter(body);
  for (Statement& each : body.statements) {
    if (!std::holds_alternative<Update>(each.operation)) continue;
    const Statement* before = overwritten(each);
    if (before == nullptr) continue;
    std::get<Update>(each.operation).array = std::get<Update>(before->operation).array;
    each.tokens.insert(each.tokens.end(), before->tokens.begin(), before->tokens.end());
    std::sort(each.tokens.begin(), each.tokens.end());
    each.tokens.erase(std::unique(each.tokens.begin(), each.tokens.end()), each.tokens.end());
    changed_ = true;
  }
}

// ---------------------------------------------------------------- copies

// Whether the users of a copy may read what it was made of: before that is written.
bool CopyAvoider::may_be_read(std::size_t copy) const {
  const Statement& statement = (*statements_)[copy];
  const NameId result = statement.results[0].name;
  const NameId array = std::get<Copy>(statement.operation).array;
  if (aliases_.is_consumed(result) || !is_only_read(result)) return false;
  for (std::size_t i = copy + 1; i <= uses_.at(result).back(); ++i) {
    if (aliases_.may_write((*statements_)[i], array)) return false;
  }
  return true;
}

void CopyAvoider::read_instead_of_copying(Body& body) {
  for (Statement& each : body.statements) {
    for_each_scope(each.operation, [&](Body& inner) { read_instead_of_copying(inner); });
  }
  if (!has<Copy>(body)) return;
  enter(body);
  for (std::size_t i = 0; i < body.statements.size(); ++i) {
    Statement& each = body.statements[i];
    // Of a view alone: whoever copies a whole array, in order to read it in order, knows why.
    const auto* copy = as<Copy>(each.operation);
    if (copy == nullptr || !may_be_read(i)) continue;
    const auto from = bound_.find(copy->array);
    if (from == bound_.end() || as<Index>(body.statements[from->second].operation) == nullptr) {
      continue;
    }
    each.operation = Identity{copy->array};
    changed_ = true;
  }
}

}  // namespace

bool avoid_copies(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    CopyAvoider parts(program.program, function);
    parts.read_written_parts(function.body);
    if (parts.changed()) eliminate_dead_code(function, program.program.names);
    CopyAvoider copies(program.program, function);
    copies.read_instead_of_copying(function.body);
    changed = changed || parts.changed() || copies.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
