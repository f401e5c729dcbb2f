// Arrays as memory: reading and writing elements, copying, and values as they are.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

Operand load(Context& c, const Place& place, const std::vector<Operand>& indices, ScalarType type,
             std::string_view base);
void load_into(Context& c, NameId target, const Place& place, const std::vector<Operand>& indices,
               ScalarType type);
void store(Context& c, const Place& place, const std::vector<Operand>& indices,
           const Operand& value, ScalarType type);
void copy(Context& c, const Place& target, const Place& source, const ir::Type& type);
/// On a GPU memory is cleared without a kernel.
bool clear(Context& c, const Place& target, const ir::Type& type, const Operand& value);
/// Writes a scalar or array to the part of `target` at `indices`.
void write(Context& c, const Place& target, const std::vector<Operand>& indices,
           const Value& value);
/// The array without gaps, copied if it has some.
Place dense(Context& c, const Place& place, const ir::Type& type);
Value value_of(Context& c, const Operand& operand);
Value element_of(Context& c, NameId array, const std::vector<Operand>& indices);
/// Makes `to` mean `value`: sets a variable or binds a place.
void assign(Context& c, NameId to, const Value& value);

}  // namespace dagaz::emit
