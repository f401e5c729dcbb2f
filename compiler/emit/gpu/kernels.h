// Kernels over a space of points, and the private memory of their threads.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/points.h"

namespace dagaz::emit {

using BlockFunction = std::function<void(const Operand& part)>;

/// A kernel whose blocks work on parts of their own.
struct BlockKernel {
  Operand grid;
  Code code;
};

/// Of shared memory, that a block may have besides `ir::staged_bytes`.
Operand block_bytes(Context& c);
Operand read_special(Context& c, Special which);
/// The thread's index, of which nothing is computed before.
Operand read_thread_anew(Context& c);
/// Starts a kernel.
/// `together`: how many blocks a multiprocessor holds at once, at least; 0: as many as it may.
void launch(Context& c, std::string_view kernel, const Operand& grid, const Operand& shared_bytes,
            Code code, int together = 0);
void launch_points(Context& c, const std::vector<Operand>& extents, std::string_view kernel,
                   int several, const PointFunction& body);
/// Blocks that need private memory are no more than the device holds, and take the parts in turn.
BlockKernel kernel_of_blocks(Context& c, const Operand& parts, const BlockFunction& body);
/// A thread that waits at a barrier must hold nothing of the arena that others wait for.
void element_scope(Context& c, const std::function<void()>& build);
/// An array in a kernel that is too large for the stack: expanded, if its size is known before the
/// kernel starts, else from the thread's arena.
Place kernel_array(Context& c, const ir::Type& type, NameId block);

}  // namespace dagaz::emit
