// The textual form of the IR, out.  parse(print(p)) is p again.
#pragma once

#include <string>

#include "ir/program.h"

namespace dagaz::ir {

std::string print(const Program& program);
std::string print(const Function& function, const Names& names);
std::string print(const Statement& statement, const Names& names);
std::string print(const Operation& operation, const Names& names);
std::string print(const Lambda& lambda, const Names& names);
std::string print(const Type& type, const Names& names);
std::string print(const Version& version, const Names& names);
/// What a schedule says after its versions.
std::string print_work(const Schedule& schedule, const Names& names);
std::string print(const Settings& settings);
std::string print(const Operand& operand, const Names& names);
std::string print(const ExternalType& type);
std::string print(const EntryPoint& entry);
/// A text between quotes, with escapes.
std::string quoted(const std::string& text);

}  // namespace dagaz::ir
