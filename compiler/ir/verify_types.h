// The typing rules of operations.  Private to the verifier.
#pragma once

#include <string>
#include <vector>

#include "ir/program.h"

namespace dagaz::ir {

/// What is wrong with the operands, lambdas and result types of `statement`; empty if nothing.
/// Sizes are compared only where both are constants: equal sizes may have different names.
std::vector<std::string> type_errors(const Statement& statement, const Program& program);

/// Whether values of the one type can stand for the other.
bool compatible(const Type& a, const Type& b);

}  // namespace dagaz::ir
