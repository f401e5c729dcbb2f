// What the emit_* files share: the emitter of one function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit_lanes.h"
#include "codegen/emit_matrices.h"
#include "codegen/emit_memory.h"

namespace dagaz::codegen {

/// Emits the body of one LLVM function.  What concerns memory, lanes or matrices has classes of its
/// own, which know nothing of the code around.
class FunctionEmitter : public FunctionFrame {
 public:
  FunctionEmitter(PartModule& part, llvm::Function* function, Side side)
      : FunctionFrame(part, function, side),
        elements_(*this),
        memory_(*this, elements_),
        lanes_(*this, elements_),
        matrices_(*this, elements_) {}

  // ---- whole functions (emit_functions.cpp)
  void emit_function(const tree::Function& source);
  void emit_task(const Task& task);
  void emit_kernel(const Kernel& kernel);

 private:
  // ---- statements (emit_code.cpp)
  void emit(const tree::Code& code);
  /// An instruction, by the emitter of its kind.
  template <typename Node>
  void hand_on(const Node& node) {
    if constexpr (requires { memory_.emit(node); }) {
      memory_.emit(node);
    } else if constexpr (requires { lanes_.emit(node); }) {
      lanes_.emit(node);
    } else if constexpr (requires { matrices_.emit(node); }) {
      matrices_.emit(node);
    } else {
      emit(node);
    }
  }
  void emit(const tree::Assign& node);
  void emit(const tree::Move& node);
  void emit(const tree::For& node);
  void emit_iterations(const tree::For& node, llvm::Value* first, llvm::Value* bound,
                       unsigned together);
  void emit(const tree::While& node);
  void emit(const tree::If& node);
  void emit(const tree::ScratchScope& node);
  void emit(const tree::Call& node);
  void emit(const tree::StackLimit& node);
  void emit(const tree::StackLeft& node);
  void emit(const tree::Fail& node);
  // ---- parallelism (emit_parallel.cpp)
  void emit(const tree::ParallelFor& node);
  void emit(const tree::CallForEach& node);
  void emit(const tree::PieceCount& node);
  void emit(const tree::ThreadsMeet& node);
  void emit(const tree::AdditionPieces& node);
  void emit(const tree::Launch& node);
  void emit(const tree::DeviceProperty& node);
  /// The number of a failure that host code or a task ends with.
  llvm::Value* failure_number(int failure);
  /// What profiles say of a parallel loop or kernel: its place, and the bytes of its arrays.
  llvm::Value* place(ir::LocationId location);
  llvm::Value* bytes_moved(const std::optional<Operand>& moved);
  // ---- kernels (emit_kernel.cpp)
  void emit(const tree::ReadSpecial& node);
  void emit(const tree::SharedMemory& node);
  void emit(const tree::Barrier& node);
  void emit(const tree::Shuffle& node);
  void emit(const tree::Match& node);
  // ---- copies that a thread does not wait for (emit_copies.cpp)
  void emit(const tree::CopyAsync& node);
  void emit(const tree::CommitCopies& node);
  void emit(const tree::AwaitCopies& node);

  llvm::Value* failure_code();
  /// Fails unless it returns; sets the failure word of the kernel.
  void fail_in_kernel(const tree::Fail& node);
  void bind_kernel_arguments(const Kernel& kernel);
  void leave_after_failure(const Kernel& kernel);
  llvm::Value* shuffle_word(llvm::Value* word, tree::ShuffleMode mode, llvm::Value* operand);

  ElementAccess elements_;
  MemoryEmitter memory_;
  LaneEmitter lanes_;
  MatrixEmitter matrices_;
  llvm::Value* failure_word_ = nullptr;  // kernels
  bool uses_arena_ = false;              // kernels may have lacked memory
  const Task* task_ = nullptr;                // tasks
  llvm::StructType* environment_ = nullptr;   // tasks: what they get from their loop
};

/// What the linker calls something of this program, for several may be linked together; `name`
/// begins with what it is.
std::string symbol(const Unit& unit, const std::string& name);
/// Declares, on first use, the LLVM function of a function of the program.
llvm::Function* declare_function(PartModule& part, const tree::Function& source);
/// Declares, on first use, a task.
llvm::Function* declare_task(PartModule& part, const Task& task);
/// Declares, on first use, a kernel.
llvm::Function* declare_kernel(PartModule& part, const Kernel& kernel);
/// Whether the function returns the status alone, and writes its results to a `result_struct` that
/// its last argument points to: of pieces of long functions, which have very many.  LLVM takes time
/// that grows with the square of the number of values that a function returns.
bool gives_by_memory(const Unit& unit, const tree::Function& source);
/// The type `{i32 status, results…}`.
llvm::StructType* result_struct(PartModule& part, const tree::Function& source);
/// Emits the functions, tasks and kernels of a part (emit_functions.cpp).
void emit_part(PartModule& part, const Part& contents);

/// The functions behind the entry points, and why they fail (emit_entry_points.cpp).
struct EntryPoints {
  std::vector<llvm::Function*> functions;
  std::vector<tree::Failure> failures;  // the program's, and those of entry points
};
EntryPoints emit_entry_points(PartModule& part);
struct Processor;
/// A program's code for GPUs; empty where there is none.
struct EmbeddedCode {
  std::string_view ptx;
  const std::vector<GpuCode>& machine_code;
};
/// Emits the dz_program (emit_program.cpp).
void emit_program(PartModule& part, const EntryPoints& entries, const Processor& processor,
                  const EmbeddedCode& code);
/// Emits the functions of the C interface (emit_c_api.cpp); after emit_program.
void emit_c_api(PartModule& part);
/// The name of the symbol of the dz_program.
std::string program_symbol(const std::string& prefix, const std::string& version = {});
/// FILE:LINE:COLUMN of what the user has written: the innermost place outside the library; or
/// empty.
std::string written_at(const Unit& unit, ir::LocationId location);

}  // namespace dagaz::codegen
