// Reads abi_functions.def.
#include "codegen/runtime_calls.h"

#include <string>
#include <vector>

#include "support/check.h"

namespace dagaz::codegen {

namespace {

struct Row {
  std::string_view name;
  std::string_view codes;
};

constexpr Row rows[] = {
#define DZ_ABI(result, name, parameters, codes) {#name, codes},
#include "abi_functions.def"
#undef DZ_ABI
};

}  // namespace

llvm::Type* type_of_code(llvm::LLVMContext& context, char code) {
  switch (code) {
    case 'v': return llvm::Type::getVoidTy(context);
    case 'b': return llvm::Type::getInt8Ty(context);
    case 's': return llvm::Type::getInt16Ty(context);
    case 'i': return llvm::Type::getInt32Ty(context);
    case 'l': return llvm::Type::getInt64Ty(context);
    case 'f': return llvm::Type::getFloatTy(context);
    case 'd': return llvm::Type::getDoubleTy(context);
    case 'p': return llvm::PointerType::getUnqual(context);
    default: break;
  }
  DZ_UNREACHABLE(std::string("type code ") + code);
}

llvm::Function* runtime_function(llvm::Module& module, std::string_view name) {
  if (llvm::Function* known = module.getFunction(name)) return known;
  for (const Row& row : rows) {
    if (row.name != name) continue;
    std::vector<llvm::Type*> parameters;
    for (const char code : row.codes.substr(1)) {
      parameters.push_back(type_of_code(module.getContext(), code));
    }
    auto* type = llvm::FunctionType::get(type_of_code(module.getContext(), row.codes[0]),
                                         parameters, false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                            llvm::StringRef(name), module);
    function->setDoesNotThrow();
    // The same wherever a function of the program asks: it is asked once, outside loops.
    if (name == "dz_stack_limit" || name == "dz_scratch_chunk") {
      function->setDoesNotAccessMemory();
      function->setWillReturn();
    }
    // What leads to a failure is unlikely, and is laid out apart.
    if (name == "dz_fail") function->addFnAttr(llvm::Attribute::Cold);
    return function;
  }
  DZ_UNREACHABLE("no runtime function " + std::string(name));
}

}  // namespace dagaz::codegen
