// The spelling of types at the C interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/ast.h"

namespace dagaz::elaborate {

/// "[]" for each dimension.
std::string brackets(std::size_t rank);

/// What a type is applied to, in order, and the type: `t [n] a` may be nested to the left.
const ast::TypeExp* type_arguments(const ast::TypeApplication& application,
                                   std::vector<const ast::TypeArgument*>& arguments);

/// An identifier that says what the type is: "arr1d_v3" for `[]v3`, "tup2_i32_f64" for
/// `(i32, f64)`; empty where there is none that is legal in C.
std::string readable_identifier(std::string_view type_name);

}  // namespace dagaz::elaborate
