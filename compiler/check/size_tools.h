// Sizes as syntax: from expressions and back, compared, searched.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "check/type_builder.h"
#include "syntax/ast.h"

namespace dagaz::check {

/// The size that the checked expression `exp` denotes.
const Size* size_of_expression(TypeBuilder& types, const ast::Exp* exp);
/// An expression that computes `size`, at `range`.
ast::Exp* expression_of_size(TypeBuilder& types, ast::Arena& arena, const Size* size,
                             const Range& range);

/// If `a` and `b` are built the same way, the parts in which they may still differ.
std::optional<std::vector<std::pair<const Size*, const Size*>>> similar_parts(
    TypeBuilder& types, const Size* a, const Size* b);
/// Whether `a` and `b` are the same, as syntax.
bool same_size(TypeBuilder& types, const Size* a, const Size* b);

/// Calls `visit` for each name that occurs free.
void for_each_name(const Size* size, const std::function<void(BindingId)>& visit);
/// For a type: names bound inside (parameters of functions, existentials) are skipped.
void for_each_free_size(const Type* type, const std::function<void(BindingId)>& visit);
bool mentions(const Size* size, BindingId name);
bool mentions(const Type* type, BindingId name);

/// Where a dimension stands: in the value itself, in a function's parameter, in its result.
enum class SizePosition { immediate, parameter, result };
/// Calls `visit` for each dimension of `type`, with the names bound around it inside `type`.
void for_each_dimension(
    const Type* type,
    const std::function<void(const Size*, SizePosition, const std::vector<BindingId>&)>& visit);

/// Names that are whole dimensions of a value of the type, so that the value tells them; and
/// names that occur only in places that do not.
struct Witnesses {
  std::vector<BindingId> constructive;
  std::vector<BindingId> others;
};
Witnesses size_witnesses(const Type* type);

/// The integer that `exp` is, if it is a literal.
std::optional<std::int64_t> integer_literal(const ast::Exp* exp);

bool contains(const std::vector<BindingId>& names, BindingId name);

}  // namespace dagaz::check
