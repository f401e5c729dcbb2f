// Loops of a thread.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/points.h"

namespace dagaz::emit {

/// A sequential loop whose iterations have scratch memory of their own.
void thread_loop(Context& c, const Operand& width, bool independent,
                 const std::function<void(Operand)>& body);
void thread_loop(Context& c, const Operand& width, LoopHints hints,
                 const std::function<void(Operand)>& body);
/// The same for independent iterations, as a plan says.
void thread_loop(Context& c, const Operand& width, const ir::Iterations& way,
                 const std::function<void(Operand)>& body);
void nested_loops(Context& c, const std::vector<Operand>& extents, const PointFunction& body);

}  // namespace dagaz::emit
