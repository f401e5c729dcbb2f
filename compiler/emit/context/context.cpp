#include "emit/context/context.h"

#include <algorithm>

#include "ir/recursion.h"

namespace dagaz::emit {

Context::Context(Emission& emission, Program& result, const ir::PlannedProgram& planned)
    : Emitter(emission),
      program(result),
      source(planned.program),
      settings(planned.settings),
      arrays(emission.names),
      accumulators(emission.names),
      kernels(emission.names),
      stack{ir::recursive_functions(source), {}, {}} {}

Code Context::in_mode(Mode inside, const std::function<void()>& build) {
  const Mode outer = std::exchange(mode, inside);
  Code code = collect(build);
  mode = outer;
  return code;
}

// The function, what the kernel does, and a number that makes it unique: letters, digits and
// underscores only.
static std::string kernel_name(std::string_view function, std::string_view base,
                               std::size_t number) {
  std::string name;
  for (const char c : std::string(function) + "_" + std::string(base)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name + "_" + std::to_string(number);
}

const std::string& Kernels::name_of(const Code& code, std::string_view function,
                                    std::string_view base) {
  std::optional<std::size_t> number = forms_.find(code);
  if (!number) {
    number = names_.size();
    names_.push_back(kernel_name(function, base, *number));
    forms_.add(code, *number);
  }
  return names_[*number];
}

std::string CalledFunctions::name_of(const std::string& function, Mode mode) {
  return function + (mode == Mode::host ? ".host" : ".device");
}

std::string CalledFunctions::call(const std::string& function, Mode mode) {
  const std::pair<std::string, Mode> wanted{function, mode};
  if (std::find(all_.begin(), all_.end(), wanted) == all_.end()) all_.push_back(wanted);
  return name_of(function, mode);
}

}  // namespace dagaz::emit
