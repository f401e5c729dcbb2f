// What the shared object shows to the outside: codegen.h under names that load.cpp finds.
#include "codegen/use_in_process.h"

#define DZ_EXPORT __attribute__((visibility("default")))

// Caller and callee are always built together, so C++ types may cross.
extern "C" {

DZ_EXPORT dagaz::codegen::Artifacts dagaz_codegen_generate(
    const dagaz::tree::Program& program, const dagaz::SourceFiles& files,
    const dagaz::codegen::Options& options, unsigned want) {
  return dagaz::codegen::generate(program, files, options, want);
}

DZ_EXPORT int dagaz_codegen_use(const std::vector<std::string>& objects, const std::string& prefix,
                                const std::function<int(const dagaz::codegen::Run&)>& use) {
  return dagaz::codegen::use_in_process(objects, prefix, use);
}

}  // extern "C"
