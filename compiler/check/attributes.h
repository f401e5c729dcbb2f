// What the attributes that mean something take as arguments.
#pragma once

#include "check/context.h"

namespace dagaz::check {

/// Warns where an attribute does not have the arguments that it takes, and so means less than it says.
void check_attribute(Context& context, const ast::Attribute& attribute);

}  // namespace dagaz::check
