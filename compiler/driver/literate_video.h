// Films from arrays of pictures, or from a function that makes one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "script/evaluate.h"
#include "tools/literate/blocks.h"

namespace dagaz::driver {

/// The bytes of the film that `:video` asks for; nothing, with `problem` set, if there is none.
std::optional<std::string> make_video(const tools::literate::Directive& directive,
                                      const script::Value& value, const script::Machine& machine,
                                      const std::string& format, std::string& problem);

/// Runs a program of others.  If it fails or is missing, `problem` says so, and for what it was
/// needed.
bool run_tool(const std::vector<std::string>& command, const std::string& input,
              const std::string& purpose, std::string& output, std::string& problem);

}  // namespace dagaz::driver
