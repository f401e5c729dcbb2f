// What is compiled, the LLVM module of one part of it, and one LLVM function: the variables of the
// imperative program in it, blocks of instructions, and its two exits.
//
// Variables that are set once are values (tree/kept_values.h), others stack slots in the entry
// block, which LLVM turns into values.  A function of the program becomes `{i32 status, results…}
// f(context, parameters…)`; every call checks the status.  Host code lists the references it owns
// in one array on its stack, so that a single exit releases whatever is alive when something fails.
#pragma once

#include <memory>
#include <optional>
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
  /// Functions around kernels that may lack memory for arrays of their threads.
  std::unordered_set<std::string> arena_users;

  const tree::Function& function(const std::string& name) const;
  bool on_gpu() const { return program.target != tree::Target::cpu; }
};

/// The LLVM module of one part.
struct PartModule {
  PartModule(const Unit& whole, const std::string& name, const llvm::TargetMachine& machine);

  const Unit& unit;
  llvm::LLVMContext context;
  llvm::Module module;
  const bool ptx;                             // or code of the host
  const bool compresses;                      // an instruction brings chosen lanes together
  const llvm::TargetLibraryInfoImpl library;  // functions that can be called
  /// Device functions that are called here; each is emitted here once.
  std::vector<const tree::Function*> called;
};

/// Where code runs, which decides what its block variables are and how it fails.
enum class Side { host, task, kernel };

/// One LLVM function while code is put into it.
class FunctionFrame {
 public:
  FunctionFrame(PartModule& part, llvm::Function* function, Side side);

  llvm::Type* value_type(ScalarType type) const;
  llvm::Type* memory_type(ScalarType type) const;
  llvm::Value* value(const Operand& operand);
  llvm::Value* value(NameId name);
  llvm::Value* integer(std::int64_t value, unsigned bits = 64);
  llvm::Constant* constant(const ir::Constant& constant);
  void assign(NameId name, llvm::Value* value);
  /// Host: the dz_block * in a block variable, and setting it together with its address.
  llvm::Value* reference(NameId block);
  llvm::Value* reference_slot(NameId block) { return variable(block).reference_slot; }
  void assign_reference(NameId block, llvm::Value* reference);
  llvm::Value* to_memory(llvm::Value* value, ScalarType type);
  llvm::Value* from_memory(llvm::Value* value, ScalarType type);
  bool is_block(NameId name) const;
  /// 0: a scalar.
  unsigned lanes_of(NameId name) const;
  /// Binds a name to a value it keeps.
  void bind(NameId name, llvm::Value* value);
  /// To that of a loop's counter, until other code of this function sets it.
  void bind_counter(NameId name, llvm::Value* value);

  llvm::IRBuilder<>& builder() { return builder_; }
  PartModule& part() { return part_; }
  const Unit& unit() const { return unit_; }
  Side side() const { return side_; }
  bool in_ptx() const { return part_.ptx; }
  /// Host, task: the dz_context *.
  llvm::Value* context() const { return context_; }
  /// Kernels for sim: the thread.
  llvm::Value* thread() const { return thread_; }
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
  /// Takes scratch memory (scratch.cpp), which is given back at the exits; null where there is
  /// none.
  llvm::Value* take_scratch(llvm::Value* bytes);

 protected:
  void start();
  /// Those among `names` are bound to a value when they are set.
  void keep_values(std::unordered_set<NameId> names);
  /// Ends the function: returns status 0 and `results`, and completes the failing exit.
  void finish(const std::vector<llvm::Value*>& results);
  /// Where the stack of scratch memory ends, and cutting it back to there.
  llvm::Value* scratch_mark();
  void reset_scratch(llvm::Value* mark);
  /// A parameter, whose reference the caller keeps.
  void borrow(NameId block, llvm::Value* reference);

  PartModule& part_;
  const Unit& unit_;
  llvm::Function* function_;
  Side side_;
  llvm::IRBuilder<> builder_;
  llvm::Value* context_ = nullptr;
  llvm::Value* thread_ = nullptr;

 private:
  /// A variable of the imperative program.
  struct Variable {
    llvm::Type* type = nullptr;             // of its value: a scalar, or an address for a block
    llvm::AllocaInst* slot = nullptr;       // null when the variable is never assigned here
    llvm::Value* fixed = nullptr;           // its value then
    bool counts = false;                    // in a loop, and may be assigned elsewhere
    llvm::Value* reference_slot = nullptr;  // host blocks: where the dz_block * is kept
  };
  Variable& variable(NameId name);

  std::unordered_map<NameId, Variable> variables_;
  std::unordered_set<NameId> kept_;    // that are bound to a value when they are set
  llvm::AllocaInst* owned_ = nullptr;  // host: references owned; sized at the end
  std::uint64_t owned_count_ = 0;
  llvm::BasicBlock* error_exit_ = nullptr;
  llvm::AllocaInst* error_status_ = nullptr;
  llvm::Value* scratch_chunk();
  llvm::Value* scratch_member(unsigned offset);

  llvm::Value* scratch_chunk_ = nullptr;  // the thread's dz_chunk
  llvm::Value* scratch_mark_ = nullptr;
};

}  // namespace dagaz::codegen
