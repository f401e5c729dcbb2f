// Arrays that control flow of the host gives: variables that every path sets.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// A block variable and an offset variable; the layout is row-major.
struct Join {
  NameId block;
  NameId offset;
};

Join new_join(Context& c, NameId name);
void set_join(Context& c, const Join& join, const Value& value);

}  // namespace dagaz::emit
