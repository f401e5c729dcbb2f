// Free names, substitution and renaming: generic walks over the field lists.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/ops.h"
#include "ir/program.h"

namespace dagaz::ir {

using NameSet = std::unordered_set<NameId>;
using Substitution = std::unordered_map<NameId, Operand>;

/// Names used but not bound inside (sizes in the types of what is bound inside count as uses).
/// In order of first occurrence, each once.
std::vector<NameId> free_names(const Body& body, const Names& names);
std::vector<NameId> free_names(const Lambda& lambda, const Names& names);
std::vector<NameId> free_names(const Statement& statement, const Names& names);
std::vector<NameId> free_names(const Operation& operation, const Names& names);
/// Names bound anywhere inside.
std::vector<NameId> bound_names(const Body& body);
std::vector<NameId> bound_names(const Statement& statement);

/// Replaces uses, also in the types (in `names`) of what is bound inside.  A name that must stay a
/// name (an array operand) must not be replaced by a constant.
void substitute(Body& body, const Substitution& with, Names& names);
void substitute(Lambda& lambda, const Substitution& with, Names& names);
void substitute(Statement& statement, const Substitution& with, Names& names);
Type substitute(Type type, const Substitution& with);
Operand substitute(const Operand& operand, const Substitution& with);

/// A copy in which everything bound inside has a fresh name.
Body renamed(const Body& body, Names& names);
Lambda renamed(const Lambda& lambda, Names& names);
Statement renamed(const Statement& statement, Names& names);  // its results stay

/// Structural equality up to the names bound inside.
bool equivalent(const Lambda& a, const Lambda& b, const Names& names);
bool equivalent(const Operation& a, const Operation& b, const Names& names);
/// A hash that equal operations share.
std::size_t hash_of(const Operation& operation, const Names& names);

}  // namespace dagaz::ir
