// Arrays as memory: reading and writing elements, copying, and values as they are.
#pragma once

#include <optional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

Operand load(Context& c, const Place& place, const std::vector<Operand>& indices, ScalarType type,
             std::string_view base);
void load_into(Context& c, NameId target, const Place& place, const std::vector<Operand>& indices,
               ScalarType type);
/// What lies `ahead` bytes behind is fetched.
void store(Context& c, const Place& place, const std::vector<Operand>& indices,
           const Operand& value, ScalarType type, std::optional<int> ahead = {});
/// Fetches what lies `ahead` bytes behind an element that a task reads.
void fetch(Context& c, const Place& place, const std::vector<Operand>& indices, ScalarType type,
           int ahead);
void copy(Context& c, const Place& target, const Place& source, const ir::Type& type);
/// On a GPU memory is filled without a kernel, where the elements are one constant of few bytes.
bool fill(Context& c, const Place& target, const ir::Type& type, const Operand& value);
/// Writes a scalar, and fetches what lies `ahead` bytes behind it, or an array to the part of
/// `target` at `indices`.
void write(Context& c, const Place& target, const std::vector<Operand>& indices, const Value& value,
           std::optional<int> ahead = {});
/// How far ahead of the write with this result its map's schedule fetches.
std::optional<int> ahead_of(const Context& c, NameId result);
/// The array without gaps, copied if it has some.
Place dense(Context& c, const Place& place, const ir::Type& type);
Value value_of(Context& c, const Operand& operand);
Value element_of(Context& c, NameId array, const std::vector<Operand>& indices);
/// Makes `to` mean `value`: sets a variable or binds a place.
void assign(Context& c, NameId to, const Value& value);

}  // namespace dagaz::emit
