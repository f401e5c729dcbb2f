// Identities that the checker gives to names, kept in the syntax tree beside the spellings.
#pragma once

#include "support/id.h"

namespace dagaz {

struct BindingTag {};
/// A value: variable, function, parameter, size parameter, unknown size.
using BindingId = Id<BindingTag>;

struct TypeNameTag {};
/// A type name: abbreviation, abstract type, type parameter.
using TypeNameId = Id<TypeNameTag>;

struct ModuleTag {};
/// A module, parametric or not.
using ModuleId = Id<ModuleTag>;

}  // namespace dagaz
