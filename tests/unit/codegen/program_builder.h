// Builds small imperative programs for tests, compiles them, and runs them in a child process with
// given input.
#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"

namespace codegen_test {

using dagaz::tree::Code;
using dagaz::tree::NameId;
using dagaz::tree::Node;
using dagaz::tree::Operand;
using dagaz::tree::ScalarOp;
using dagaz::tree::ScalarType;
using dagaz::tree::Target;

struct Outcome {
  int status = 0;
  std::string output;
  std::string errors;
};

/// One function `main` and its entry point.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(Target target) { program.target = target; }

  NameId scalar(const std::string& base, ScalarType type = ScalarType::i64);
  NameId block(const std::string& base);
  /// Appends to the code under construction.
  void emit(Node node);
  /// Runs `build` and returns what it emitted.
  template <typename F>
  Code collect(F build) {
    Code outer = std::move(code);
    code.clear();
    build();
    std::swap(outer, code);
    return outer;
  }
  Operand op(ScalarOp op, ScalarType type, std::vector<Operand> arguments);
  int failure(const std::string& text);

  /// Parameters and results of the entry point.
  void size_parameter(NameId name);
  void scalar_input(NameId name, const std::string& type);
  void array_input(NameId block, ScalarType type, const std::string& name, Operand size);
  void size_result(Operand size);
  void scalar_output(Operand value, const std::string& type);
  void array_output(NameId block, ScalarType type, const std::string& name, Operand size);

  /// The finished program.
  dagaz::tree::Program finish();

  dagaz::tree::Program program;
  Code code;

 private:
  int external_scalar(const std::string& type);
  int external_array(const std::string& type);

  dagaz::tree::Function function_;
  dagaz::ir::EntryPoint entry_;
  std::vector<dagaz::ir::Type> inputs_;
  std::vector<dagaz::ir::Type> outputs_;
};

inline Operand number(std::int64_t value) { return dagaz::ir::i64_operand(value); }

dagaz::codegen::Options test_options();
dagaz::codegen::Artifacts generate(const dagaz::tree::Program& program,
                                   const dagaz::codegen::Options& options, unsigned want);
/// Runs the program in a child process with `input` on standard input.
Outcome run(const dagaz::tree::Program& program, const std::string& input,
            const dagaz::codegen::Options& options = test_options());
/// Checks that NVIDIA's assembler accepts the PTX of `program`; says so when there is none.
void check_assembles(const dagaz::tree::Program& program);

}  // namespace codegen_test
