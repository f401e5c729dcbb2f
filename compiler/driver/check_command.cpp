// dagaz check: parse and type-check; never opens LLVM.
#include "driver/commands.h"
#include "driver/compile.h"

namespace dagaz::driver {

int check_command(const CompileOptions& options) {
  Compilation compilation(options);
  if (parse(compilation)) check(compilation);
  return report(compilation) ? 1 : 0;
}

}  // namespace dagaz::driver
