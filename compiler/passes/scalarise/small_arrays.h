// Arrays of so few elements that their elements may as well be scalars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/builder.h"

namespace dagaz::passes::scalarising {

using namespace ir;  // NOLINT: private header of the pass

/// What fits into the registers of every target, with room for what is computed of it.
constexpr std::int64_t most_elements = 16;

/// Host code, or the inside of a parallel operation.
enum class Where { host, point };
/// Where the scopes of `operation` are, if it is in code of `where`.
Where inside(const Operation& operation, Where where);

/// Whether values of the type are arrays of constant shape with 1 … most_elements elements.
bool is_small(const Type& type);
bool is_small(const Operand& operand, const Names& names);
/// How many elements a small array has.
std::int64_t element_count(const Type& type);

/// The elements of an array in row-major order, read one by one; a scalar is its own element.
/// `type` is small; the array's own may have other names for the same sizes.
std::vector<Operand> elements_of(const Operand& value, const Type& type, Builder& out);
/// New scalars for the elements of the small array `array`, which `out` makes of them.
std::vector<NameId> scalars_for(NameId array, Builder& out);
/// Makes `result` the small array of these elements.
void make_array(NameId result, std::vector<Operand> elements, Builder& out);

}  // namespace dagaz::passes::scalarising
