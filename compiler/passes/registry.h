// Passes by name, for `dagaz inspect --passes=…` and for the tests of passes.
#pragma once

#include <string_view>
#include <vector>

#include "ir/program.h"
#include "ir/verify.h"

namespace dagaz::passes {

struct RegisteredPass {
  std::string_view name;
  ir::Program (*run)(ir::Program);
  ir::Stage result;  // the stage of what it returns
};

/// All passes, in the order of their declaration.
const std::vector<RegisteredPass>& registered_passes();
/// The pass called so, or null.
const RegisteredPass* find_pass(std::string_view name);

}  // namespace dagaz::passes
