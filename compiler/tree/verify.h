// Well-formedness of imperative trees, checked after lowering with `--verify` and in tests.
//
// Invariants:
//  1. A variable is a scalar, has lanes (at most 4096), or is a block.
//  2. It is set before it is used, in the order of the text: on the path taken, or on one that was
//     taken under the same conditions.  What a task or a kernel sets is gone after it.
//  3. Tasks and kernels set no variable that they capture, and capture none that has lanes.
//  4. Operands and what is set have the types and lanes that the instruction says; a plain scalar
//     stands for all lanes.  Sizes, indices and offsets are i64.
//  5. Each instruction stands where it may: in host code, tasks (of a CPU) or kernels (of a GPU);
//     tasks and kernels are not nested.  Host code of GPU targets neither loads nor stores.
//  6. Kernels access a block in the space it was made in: shared memory as shared, memory of the
//     thread as local, all else as global.
//  7. Barriers are not under control flow that may differ between the threads of a block, as far as
//     assignments show: it differs if it depends on thread_index, on what only one thread reads or
//     changes, or on variables set under such control flow.
//  8. Launches of one name have bodies of one form, and as many threads.
//  9. Called functions exist, device functions are called from tasks and kernels, others from host
//     code, and the failures of Fail exist; arguments and results agree.
// 10. A block that host code allocates is released by that function or is one of its results; after
//     Release a variable is not used before it is set again.
// 11. Functions have different names.  Those of entry points exist, with as many parameters and
//     results as their leaves and sizes; so do the external types of these.
#pragma once

#include <string>
#include <vector>

#include "tree/tree.h"

namespace dagaz::tree {

struct Violation {
  std::string message;
  const Instruction* instruction;  // null: of the function or the program as a whole
};

/// Empty if the program is well-formed.
std::vector<Violation> verify(const Program& program);

/// The message, with the instruction where there is one.
std::string text_of(const Violation& violation, const Program& program);

}  // namespace dagaz::tree
