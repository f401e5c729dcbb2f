// What the attributes that mean something take as arguments, and where they may stand.
#pragma once

#include "check/context.h"

namespace dagaz::check {

/// What an attribute stands before.
enum class AttributePlace { expression, pattern, declaration };

/// Warns where an attribute does not have the arguments that it takes, and so means less than it
/// says, where there is none of that name, and where it is not for such a place.
void check_attribute(Context& context, const ast::Attribute& attribute, AttributePlace place);

/// Warns where an attribute for loops stands before something that executes none.  To be called
/// when the names in the expression have been resolved.
void check_attributed(Context& context, const ast::Attributed& attributed);

}  // namespace dagaz::check
