// Types and sizes as the user writes them.
#pragma once

#include <functional>
#include <string>

#include "check/context.h"

namespace dagaz::check {

/// Follows a type variable to what is known of it, or gives it back.
using ResolveMeta = std::function<const Type*(const Type*)>;

/// What is known of an unsolved type variable, in words or as a type.
using DescribeMeta = std::function<std::string(std::uint32_t)>;

std::string print_type(const Context& context, const Type* type);
/// The same for types with variables.
std::string print_open_type(const Context& context, const Type* type, const ResolveMeta& resolve,
                            const DescribeMeta& describe);
std::string print_size(const Context& context, const Size* size);
std::string print_expression(const Context& context, const ast::Exp* exp);
/// `[n] 'a. type`
std::string print_scheme(const Context& context, const Scheme& scheme);
/// The name of a type name in types: `t`.
std::string print_type_name(const Context& context, TypeNameId id);

}  // namespace dagaz::check
