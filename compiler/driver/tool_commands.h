// The commands around programs: scripts, data, literate programs, packages.
#pragma once

#include "driver/command_line_parts.h"
#include "driver/data_command.h"
#include "driver/literate_command.h"
#include "driver/pkg_command.h"
#include "driver/script_command.h"

namespace dagaz::driver {

/// Their options; live while CLI11 refers to them.
struct ToolOptions {
  ScriptOptions script;
  DataOptions data;
  DatacmpOptions datacmp;
  LiterateOptions literate;
  PkgOptions pkg;
};

void add_tool_commands(CLI::App& app, ToolOptions& tools, int& status);

}  // namespace dagaz::driver
