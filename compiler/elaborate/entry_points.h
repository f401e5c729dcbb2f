// Entry points: one function of the IR each, and what the C interface has to know of it.
#pragma once

#include <functional>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

/// What an entry point computes of its arguments; the frame is that of the declaration's body.
using EntryBody =
    std::function<ValueRef(const Closure&, Frame*, const std::vector<ValueRef>&)>;

/// Finds the entry points that other declarations mention: calls of these are `shared`.
void share_entry_points(Elaborator& e);
/// Adds the entry point to the program, or reports why it cannot be compiled.
void elaborate_entry(Elaborator& e, const check::EntryPoint& entry);
/// One that computes something else of the declaration.
void elaborate_entry(Elaborator& e, const check::EntryPoint& entry, const EntryBody& body);
/// The value of the declaration for these arguments.
ValueRef apply_entry(Elaborator& e, const Closure& closure, Frame* frame,
                     std::vector<ValueRef> arguments);

/// Adds the wanted derivatives as entry points.
void add_derivatives(Elaborator& e, const Derivatives& wanted);

}  // namespace dagaz::elaborate
