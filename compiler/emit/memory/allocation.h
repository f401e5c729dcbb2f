// New memory: of the host in blocks, of a thread on its stack or in scratch memory.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

Operand byte_count(Context& c, const ir::Type& type);
NameId new_block(Context& c, const Operand& bytes, std::string_view base);
Place private_array(Context& c, const ir::Type& type, std::string_view base);
Place new_array(Context& c, const ir::Type& type, std::string_view base);
/// The place of result `name`: where it is wanted, or a new array.
Place result_array(Context& c, NameId name);
/// Emits what `build` emits; scratch memory is given back after it.  Whether it used private
/// memory, so that iterations of a loop around it share memory.
bool with_private_scope(Context& c, const std::function<void()>& build);

}  // namespace dagaz::emit
