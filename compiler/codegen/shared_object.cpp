// What the shared object shows to the outside; load.cpp calls it.
#include "codegen/compile.h"

#define DZ_EXPORT __attribute__((visibility("default")))

extern "C" {

DZ_EXPORT void dagaz_codegen_generate(const dagaz::imperative::Program* program,
                                      const dagaz::SourceFiles* files,
                                      const dagaz::codegen::Options* options, unsigned want,
                                      dagaz::codegen::Artifacts* artifacts) {
  *artifacts = dagaz::codegen::compile(*program, *files, *options, want);
}

DZ_EXPORT int dagaz_codegen_run(const dagaz::imperative::Program* program,
                                const dagaz::SourceFiles* files,
                                const dagaz::codegen::Options* options, int argc, char** argv) {
  return dagaz::codegen::execute(*program, *files, *options, argc, argv);
}

}  // extern "C"
