// Visiting the parts of an expression.
#pragma once

#include <functional>

#include "syntax/ast.h"

namespace dagaz::check {

/// Calls `visit` for each direct subexpression of `exp`, in order of evaluation.  Expressions in
/// written types and in patterns are not visited.
void for_each_child(ast::Exp& exp, const std::function<void(ast::Exp*&)>& visit);
void for_each_child(const ast::Exp& exp, const std::function<void(const ast::Exp*)>& visit);

/// Calls `visit` for each name that `pattern` binds.
void for_each_name(ast::Pattern& pattern, const std::function<void(ast::NamePattern&)>& visit);
/// The name that a parameter can be referred to by in later sizes: `x` or `x: t`, else invalid.
BindingId parameter_name(const ast::Pattern& pattern);
/// `pattern` without attributes and ascriptions around it.
const ast::Pattern& strip_pattern(const ast::Pattern& pattern);
/// `exp` without ascriptions, attributes and assertions around it.
const ast::Exp* strip_expression(const ast::Exp* exp);

/// The expression whose value `exp` has: what stands behind its `let`s.
const ast::Exp& result_expression(const ast::Exp& exp);

/// Where `exp` uses `id` first; invalid if nowhere.
Range first_use(BindingId id, const ast::Exp& exp);

/// Whether `exp` binds names inside, which a size must not.
bool has_binding(const ast::Exp& exp);

}  // namespace dagaz::check
