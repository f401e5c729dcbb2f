// What `trace x` and `#[trace] x` print.
#pragma once

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

/// Prints `value` where this is evaluated.
void trace(Elaborator& e, ValueRef value, const std::string& label);
/// Prints the value of `#[trace]` or `#[trace(tag)]`: without a tag after its source position.
void trace_attributed(Elaborator& e, const ast::Attributed& node, ValueRef value);

}  // namespace dagaz::elaborate
