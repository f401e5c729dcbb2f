// What the emit_* files share: the program being compiled, the LLVM module of one part of it, and
// the emitter of one function.
//
// Mutable variables are stack slots in the entry block; LLVM turns them into values.  A function
// of the program becomes `{i32 status, results…} f(context, parameters…)`; every call checks the
// status.  Host code lists the references it owns in one array on its stack, so that a single
// exit releases whatever is alive when something fails.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/codegen.h"
#include "codegen/parts.h"
#include "tree/tree.h"

namespace dagaz::codegen {

using tree::NameId;
using tree::Operand;
using tree::ScalarOp;
using tree::ScalarType;
using tree::Space;

/// What is compiled; several threads read it at once.
struct Unit {
  Unit(const tree::Program& imperative_program, const std::unordered_set<std::string>& own,
       const SourceFiles& source_files, const Options& compile_options, Divide how);

  const tree::Program& program;
  const std::unordered_set<std::string>& pieces;  // functions that LLVM must not inline
  const SourceFiles& files;
  const Options& options;
  std::unordered_map<std::string, const tree::Function*> functions;
  Division division;

  const tree::Function& function(const std::string& name) const;
  bool on_gpu() const { return program.target != tree::Target::cpu; }
};

/// The LLVM module of one part.
struct PartModule {
  PartModule(const Unit& whole, const std::string& name, const llvm::TargetMachine& machine);

  const Unit& unit;
  llvm::LLVMContext context;
  llvm::Module module;
  const bool ptx;  // or code of the host
  const bool compresses;  // an instruction brings chosen lanes together
  const llvm::TargetLibraryInfoImpl library;  // functions that can be called
  /// Device functions that are called here; each is emitted here once.
  std::vector<const tree::Function*> called;
};

/// Where code runs, which decides what its block variables are and how it fails.
enum class Side { host, task, kernel };

/// A variable of the imperative program inside one LLVM function.
struct Variable {
  llvm::Type* type = nullptr;           // of its value: a scalar, or an address for a block
  llvm::AllocaInst* slot = nullptr;     // null when the variable is never assigned here
  llvm::Value* fixed = nullptr;         // its value then
  llvm::Value* reference_slot = nullptr;  // host blocks: where the dz_block * is kept
};

/// Emits the body of one LLVM function.
class FunctionEmitter {
 public:
  FunctionEmitter(PartModule& part, llvm::Function* function, Side side);

  // ---- whole functions (emit_functions.cpp)
  void emit_function(const tree::Function& source);
  void emit_task(const Task& task);
  void emit_kernel(const Kernel& kernel);

  // ---- values (emit_values.cpp)
  llvm::Type* value_type(ScalarType type) const;
  llvm::Type* memory_type(ScalarType type) const;
  llvm::Value* value(const Operand& operand);
  llvm::Value* value(NameId name);
  llvm::Value* integer(std::int64_t value, unsigned bits = 64);
  llvm::Constant* constant(const ir::Constant& constant);
  void assign(NameId name, llvm::Value* value);
  /// Host: the dz_block * in a block variable, and setting it together with its address.
  llvm::Value* reference(NameId block);
  void assign_reference(NameId block, llvm::Value* reference);
  llvm::Value* to_memory(llvm::Value* value, ScalarType type);
  llvm::Value* from_memory(llvm::Value* value, ScalarType type);
  bool is_block(NameId name) const;
  /// Binds a name to a value it keeps.
  void bind(NameId name, llvm::Value* value);

  // ---- scalar operations (emit_scalar.cpp, emit_math.cpp); `lanes` for the operations that
  // work on vectors as they do on scalars (emit_lanes.cpp)
  llvm::Value* scalar(ScalarOp op, ScalarType type, ScalarType result,
                      const std::vector<llvm::Value*>& arguments, unsigned lanes = 0);
  llvm::Value* math(ScalarOp op, ScalarType type, const std::vector<llvm::Value*>& arguments);

  llvm::IRBuilder<>& builder() { return builder_; }
  PartModule& part() { return part_; }
  bool in_ptx() const { return part_.ptx; }
  /// Calls a function of abi_functions.def.
  llvm::Value* runtime_call(std::string_view name, const std::vector<llvm::Value*>& arguments);
  /// A fresh block, at the end of the function.
  llvm::BasicBlock* block(std::string_view name);
  /// A stack slot, allocated once however often the code around it runs.
  llvm::AllocaInst* stack_slot(llvm::Type* type, const llvm::Twine& name = "");
  /// Leaves through the error exit unless `status` is 0.
  void check_status(llvm::Value* status);
  /// Leaves through the error exit.
  void exit_with(llvm::Value* status);

 private:
  // ---- statements (emit_code.cpp)
  void emit(const tree::Code& code);
  void emit(const tree::Assign& node);
  void emit(const tree::Move& node);
  void emit(const tree::For& node);
  void emit(const tree::While& node);
  void emit(const tree::If& node);
  void emit(const tree::Call& node);
  void emit(const tree::StackLimit& node);
  void emit(const tree::StackLeft& node);
  void emit(const tree::Fail& node);
  // ---- memory (emit_memory.cpp)
  void emit(const tree::Load& node);
  void emit(const tree::Store& node);
  void emit(const tree::Allocate& node);
  void emit(const tree::Share& node);
  void emit(const tree::Release& node);
  void emit(const tree::AllocateScratch& node);
  void emit(const tree::ScratchScope& node);
  void emit(const tree::AllocateLocal& node);
  void emit(const tree::SharedMemory& node);
  void emit(const tree::CopyElements& node);
  void emit(const tree::WriteTable& node);
  void emit(const tree::Clear& node);
  void emit(const tree::ReadElement& node);
  void emit_reads(std::span<const tree::ReadElement* const> reads);
  void emit(const tree::WriteElement& node);
  void emit(const tree::Fence& node);
  // ---- lanes (emit_lanes.cpp)
  void emit(const tree::LoadLanes& node);
  void emit(const tree::StoreLanes& node);
  void emit(const tree::LaneNumbers& node);
  void emit(const tree::CombineLanes& node);
  void emit(const tree::CombineEach& node);
  void emit(const tree::TransposeLanes& node);
  void emit(const tree::CompressLanes& node);
  void emit(const tree::CountLanes& node);
  void emit(const tree::ShiftLanes& node);
  void emit(const tree::LastLane& node);
  llvm::Value* splat(llvm::Value* value, unsigned lanes);
  llvm::Value* lane_addresses(NameId block, const Operand& index, const Operand& stride,
                              ScalarType type, unsigned lanes);
  llvm::Value* masked_address(NameId block, const Operand& index, ScalarType type);
  llvm::Value* lane_mask(const std::optional<Operand>& mask, unsigned lanes);
  bool are_consecutive(const Operand& index, const Operand& stride) const;
  /// `scalar` on vectors of `lanes`, in one instruction where there is one.
  llvm::Value* on_lanes(ScalarOp op, ScalarType type, ScalarType result,
                        std::vector<llvm::Value*> arguments, unsigned lanes);
  llvm::Value* compressed(llvm::Value* values, llvm::Value* mask);
  llvm::Value* compressed_in_memory(llvm::Value* values, llvm::Value* mask);
  llvm::Value* vector_function(ScalarOp op, ScalarType type,
                               const std::vector<llvm::Value*>& arguments, unsigned lanes);
  unsigned lanes_of(NameId name) const;
  void emit(const tree::Atomic& node);
  void emit(const tree::CompareExchange& node);
  // ---- parallelism (emit_parallel.cpp) and kernels (emit_kernel.cpp)
  void emit(const tree::ParallelFor& node);
  void emit(const tree::PieceCount& node);
  void emit(const tree::AdditionPieces& node);
  void emit(const tree::Launch& node);
  void emit(const tree::DeviceProperty& node);
  void emit(const tree::ReadSpecial& node);
  llvm::Value* failure_code();
  /// The number of a failure that host code or a task ends with.
  llvm::Value* failure_number(int failure);
  llvm::Value* failure_list(const std::vector<int>& failures);
  /// What profiles say of a parallel loop or kernel: its place, and the bytes of its arrays.
  llvm::Value* place(ir::LocationId location);
  llvm::Value* bytes_moved(const std::optional<Operand>& moved);
  void emit(const tree::Barrier& node);
  void emit(const tree::Shuffle& node);

  Variable& variable(NameId name);
  llvm::Value* element_address(NameId block, const Operand& index, ScalarType type, Space space);
  void simulate_access(llvm::Value* address, ScalarType type, Space space, int flags);
  void fetch_ahead(llvm::Value* address, int bytes);
  void mark_access(llvm::Instruction* access, Space space);
  /// Fails unless it returns; sets the failure word of the kernel.
  void fail_in_kernel(const tree::Fail& node);
  void bind_kernel_arguments(const Kernel& kernel);
  void leave_after_failure(const Kernel& kernel);
  llvm::Value* shuffle_word(llvm::Value* word, tree::ShuffleMode mode, llvm::Value* operand);
  void start();
  void finish(const std::vector<llvm::Value*>& results);
  void reserve_scratch_mark();

  PartModule& part_;
  const Unit& unit_;
  llvm::Function* function_;
  Side side_;
  llvm::IRBuilder<> builder_;
  llvm::Value* context_ = nullptr;       // dz_context * (host, task)
  llvm::Value* thread_ = nullptr;        // sim kernels: the thread
  llvm::Value* failure_word_ = nullptr;  // kernels
  std::unordered_map<NameId, Variable> variables_;
  llvm::AllocaInst* owned_ = nullptr;    // host: references owned; sized at the end
  std::uint64_t owned_count_ = 0;
  llvm::BasicBlock* error_exit_ = nullptr;
  llvm::AllocaInst* error_status_ = nullptr;
  llvm::AllocaInst* scratch_mark_ = nullptr;
  const Task* task_ = nullptr;                // tasks
  llvm::StructType* environment_ = nullptr;   // tasks: what they get from their loop
  std::vector<llvm::MDNode*> access_groups_;  // of the independent loops around
};

/// The C library's name of a function of reals, for f64; null if it has none.
const char* library_function(ScalarOp op);
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
/// Emits the dz_program (emit_program.cpp).
void emit_program(PartModule& part, const EntryPoints& entries, const Processor& processor,
                  std::string_view ptx);
/// Emits the functions of the C interface (emit_c_api.cpp); after emit_program.
void emit_c_api(PartModule& part);
/// The name of the symbol of the dz_program.
std::string program_symbol(const std::string& prefix, const std::string& version = {});
/// FILE:LINE:COLUMN of what the user has written: the innermost place outside the library; or
/// empty.
std::string written_at(const Unit& unit, ir::LocationId location);

}  // namespace dagaz::codegen
