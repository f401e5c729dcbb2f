// Running a program inside this process: its object code goes through LLVM's ORC linker; runtime
// functions come from the runtime linked into this shared object, maths from the C library.
#include <cstdio>

#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/TargetParser/Host.h>

#include "abi.h"
#include "codegen/codegen.h"
#include "codegen/emit.h"
#include "codegen/use_in_process.h"
#include "program_main.h"
#include "support/check.h"

// Conversions of f16 that the compiler's own library provides on every x86-64.
extern "C" {
float __extendhfsf2(_Float16 value);
_Float16 __truncsfhf2(float value);
_Float16 __truncdfhf2(double value);
}

namespace dagaz::codegen {

namespace {

struct Symbol {
  const char* name;
  void* address;
};

const Symbol symbols[] = {
#define DZ_ABI(result, name, parameters, codes) {#name, reinterpret_cast<void*>(&name)},
#include "abi_functions.def"
#undef DZ_ABI
    {"__extendhfsf2", reinterpret_cast<void*>(&__extendhfsf2)},
    {"__truncsfhf2", reinterpret_cast<void*>(&__truncsfhf2)},
    {"__truncdfhf2", reinterpret_cast<void*>(&__truncdfhf2)},
};

template <typename T>
T must(llvm::Expected<T> expected, const char* what) {
  DZ_CHECK(static_cast<bool>(expected),
           std::string(what) + ": " + llvm::toString(expected.takeError()));
  return std::move(*expected);
}

void must(llvm::Error error, const char* what) {
  DZ_CHECK(!error, std::string(what) + ": " + llvm::toString(std::move(error)));
}

/// Only object files come to it, so no part of LLVM that knows processors is started.
std::unique_ptr<llvm::orc::LLJIT> make_linker() {
  using CompilerResult = llvm::Expected<std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>>;
  return must(llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(
                      llvm::Triple(llvm::sys::getProcessTriple())))
                  .setDataLayout(llvm::DataLayout("e-m:e"))
                  .setCompileFunctionCreator(
                      [](llvm::orc::JITTargetMachineBuilder) -> CompilerResult { return nullptr; })
                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                  .create(),
              "starting the in-memory linker");
}

void define_symbols(llvm::orc::LLJIT& jit) {
  llvm::orc::JITDylib& library = jit.getMainJITDylib();
  llvm::orc::SymbolMap map;
  for (const Symbol& symbol : symbols) {
    map[jit.mangleAndIntern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                             llvm::JITSymbolFlags::Exported};
  }
  must(library.define(llvm::orc::absoluteSymbols(std::move(map))), "defining runtime functions");
  const char prefix = jit.getDataLayout().getGlobalPrefix();
  using Generator = llvm::orc::DynamicLibrarySearchGenerator;
  library.addGenerator(must(Generator::GetForCurrentProcess(prefix), "searching the process"));
  for (const char* name : {"libm.so.6", "libmvec.so.1"}) {
    // Where glibc has no vector functions, no code calls them.
    if (auto found = Generator::Load(name, prefix)) {
      library.addGenerator(std::move(*found));
    } else {
      llvm::consumeError(found.takeError());
    }
  }
}

}  // namespace

int use_in_process(const std::vector<std::string>& objects, const std::string& prefix,
                   const std::function<int(const Run&)>& use) {
  const Doing doing("running in this process");
  const std::unique_ptr<llvm::orc::LLJIT> jit = make_linker();
  define_symbols(*jit);
  for (const std::string& object : objects) {
    must(jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "dagaz")),
         "linking in memory");
  }
  const auto* compiled =
      must(jit->lookup(program_symbol(prefix)), "finding the program").toPtr<const dz_program*>();
  return use([compiled](int argc, char** argv, const dz_rank_messages* ranks) {
    return dz_rank_main(compiled, argc, argv, ranks);
  });
}

}  // namespace dagaz::codegen
