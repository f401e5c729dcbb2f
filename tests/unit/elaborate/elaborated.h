// What the tests of elaboration share: from the text of a program to its IR, and to values.
#pragma once

#include <string>
#include <vector>

#include "ir/interpret.h"
#include "ir/program.h"

namespace dagaz::test {

/// A program and what was reported while it was made.
struct Elaborated {
  ir::Program program;
  std::vector<std::string> errors;      // "kind: message"
  std::vector<std::string> violations;  // of the IR's invariants
};

/// The IR of the program with this text.
Elaborated elaborated(const std::string& text);

/// The results of `main`, called without arguments, as text: `3`, `[1, 2]`, `true 2.5`; or
/// `error: …` with the message of a failed check, or of the compiler.
std::string result_of(const std::string& text);

/// The same for `main` with these arguments, each an i64.
std::string result_of(const std::string& text, const std::vector<std::int64_t>& arguments);

/// How often operations of this kind occur in all functions, nested ones included.
int count(const ir::Program& program, const std::string& mnemonic);

}  // namespace dagaz::test
