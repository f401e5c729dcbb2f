// LLVM declarations of the runtime functions that generated code may call, from the one list in
// runtime/abi_functions.def.
#pragma once

#include <string_view>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace dagaz::codegen {

/// The function `name` of abi_functions.def, declared in `module` on first use.
llvm::Function* runtime_function(llvm::Module& module, std::string_view name);

/// The LLVM type of a code letter: v void, i i32, l i64, p pointer; and, for the C API, b i8,
/// s i16, f float, d double.
llvm::Type* type_of_code(llvm::LLVMContext& context, char code);

}  // namespace dagaz::codegen
