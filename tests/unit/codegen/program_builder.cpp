// Building and running; results come back through files because a program prints as it would for
// a user.
#include "codegen/program_builder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "codegen/load.h"
#include "support/check.h"

namespace codegen_test {

namespace {

using dagaz::ir::ExternalElement;

const std::map<std::string, ExternalElement> elements = {
    {"bool", ExternalElement::boolean}, {"i8", ExternalElement::i8},
    {"i16", ExternalElement::i16},      {"i32", ExternalElement::i32},
    {"i64", ExternalElement::i64},      {"u8", ExternalElement::u8},
    {"u16", ExternalElement::u16},      {"u32", ExternalElement::u32},
    {"u64", ExternalElement::u64},      {"f16", ExternalElement::f16},
    {"f32", ExternalElement::f32},      {"f64", ExternalElement::f64}};

/// A file in the temporary folder that disappears with this object.
class TemporaryFile {
 public:
  TemporaryFile() {
    const int file = mkstemp(name_);
    DZ_CHECK(file >= 0, "no temporary file");
    close(file);
  }
  ~TemporaryFile() { std::remove(name_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* name() const { return name_; }
  std::string text() const {
    std::ifstream in(name_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  char name_[32] = "/tmp/dagaz_codegen_XXXXXX";
};

const dagaz::codegen::Library* loaded_library() {
  dagaz::Diagnostics diagnostics;
  const dagaz::codegen::Library* library = dagaz::codegen::load(diagnostics);
  DZ_CHECK(library != nullptr, "the code generator cannot be loaded");
  return library;
}

}  // namespace

dagaz::codegen::Artifacts generate(const dagaz::tree::Program& program,
                                   const dagaz::codegen::Options& options, unsigned want) {
  const dagaz::SourceFiles files;
  return loaded_library()->generate(program, files, options, want);
}

NameId ProgramBuilder::scalar(const std::string& base, ScalarType type) {
  return program.names.fresh(base, dagaz::ir::scalar_of(type));
}

NameId ProgramBuilder::block(const std::string& base) {
  return program.names.fresh(
      base, dagaz::ir::Type{ScalarType::i8, {}, dagaz::ir::TypeKind::block});
}

void ProgramBuilder::emit(Node node) {
  code.push_back(dagaz::tree::Instruction{std::move(node)});
}

Operand ProgramBuilder::op(ScalarOp op, ScalarType type, std::vector<Operand> arguments) {
  const ScalarType result = dagaz::ir::result_type(op, type, type);
  const NameId target = scalar("t", result);
  emit(dagaz::tree::Assign{target, op, type, result, std::move(arguments), false});
  return target;
}

int ProgramBuilder::failure(const std::string& text) {
  program.failures.push_back({text, dagaz::ir::LocationId()});
  return static_cast<int>(program.failures.size()) - 1;
}

int ProgramBuilder::external_scalar(const std::string& type) {
  dagaz::ir::ExternalType external;
  external.name = type;
  external.c_name = type;
  external.kind = dagaz::ir::ExternalKind::scalar;
  external.leaves = {{elements.at(type), 0}};
  program.external_types.push_back(external);
  return static_cast<int>(program.external_types.size()) - 1;
}

int ProgramBuilder::external_array(const std::string& type) {
  dagaz::ir::ExternalType external;
  external.name = "[]" + type;
  external.c_name = type + "_1d";
  external.kind = dagaz::ir::ExternalKind::array;
  external.leaves = {{elements.at(type), 1}};
  external.rank = 1;
  program.external_types.push_back(external);
  return static_cast<int>(program.external_types.size()) - 1;
}

void ProgramBuilder::size_parameter(NameId name) {
  function_.parameters.push_back(name);
  ++entry_.size_parameters;
}

void ProgramBuilder::scalar_input(NameId name, const std::string& type) {
  function_.parameters.push_back(name);
  inputs_.push_back(program.names.type(name));
  entry_.inputs.push_back({program.names.base(name), external_scalar(type), false});
}

void ProgramBuilder::array_input(NameId block, ScalarType type, const std::string& name,
                                 Operand size) {
  function_.parameters.push_back(block);
  inputs_.push_back(dagaz::ir::array_of(type, {size}));
  entry_.inputs.push_back({program.names.base(block), external_array(name), false});
}

void ProgramBuilder::size_result(Operand size) {
  function_.results.push_back(size);
  ++entry_.size_results;
}

void ProgramBuilder::scalar_output(Operand value, const std::string& type) {
  function_.results.push_back(value);
  outputs_.push_back(program.names.type(value));
  entry_.outputs.push_back({"", external_scalar(type), false});
}

void ProgramBuilder::array_output(NameId block, ScalarType type, const std::string& name,
                                  Operand size) {
  function_.results.push_back(block);
  outputs_.push_back(dagaz::ir::array_of(type, {size}));
  entry_.outputs.push_back({"", external_array(name), true});
}

dagaz::tree::Program ProgramBuilder::finish() {
  function_.name = "main";
  function_.body = std::move(code);
  entry_.name = "main";
  entry_.function = "main";
  program.functions.push_back(function_);
  program.entries.push_back(entry_);
  program.entry_inputs.push_back(inputs_);
  program.entry_outputs.push_back(outputs_);
  return program;
}

dagaz::codegen::Options test_options() {
  dagaz::codegen::Options options;
  options.prefix = "test";
  return options;
}

Outcome run(const dagaz::tree::Program& program, const std::string& input,
            const dagaz::codegen::Options& options) {
  const TemporaryFile in;
  const TemporaryFile out;
  const TemporaryFile errors;
  std::ofstream(in.name()) << input;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool redirected = std::freopen(in.name(), "r", stdin) != nullptr &&
                            std::freopen(out.name(), "w", stdout) != nullptr &&
                            std::freopen(errors.name(), "w", stderr) != nullptr;
    const dagaz::SourceFiles files;
    const dagaz::codegen::Library* library = loaded_library();
    char name[] = "test";
    char* arguments[] = {name, nullptr};
    dagaz::codegen::Options in_memory = options;
    in_memory.executable = true;
    const dagaz::codegen::Artifacts made =
        library->generate(program, files, in_memory, dagaz::codegen::want_object);
    const auto run_once = [&](const dagaz::codegen::Run& run) {
      return run(1, arguments, nullptr);
    };
    const int status =
        redirected ? library->use_in_process(made.objects, options.prefix, run_once) : 99;
    std::fflush(nullptr);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), out.text(), errors.text()};
}

void check_assembles(const dagaz::tree::Program& program) {
  static const bool assembler = std::system("ptxas --version > /dev/null 2>&1") == 0;
  for (const std::string gpu : {"sm_70", "sm_75", "sm_80", "sm_90"}) {
    auto options = test_options();
    options.gpu = gpu;
    const auto artifacts = generate(program, options, dagaz::codegen::want_ptx);
    REQUIRE(artifacts.problem == "");
    REQUIRE(artifacts.ptx.find(".entry") != std::string::npos);
    if (!assembler) {
      std::puts("[SKIP] ptxas is not installed");
      return;
    }
    char name[] = "/tmp/dagaz_ptx_XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(file >= 0);
    std::ofstream(name) << artifacts.ptx;
    // PTX for sm_70 runs on anything newer; assemblers drop old machines.
    const std::string machine = gpu == "sm_70" ? "sm_75" : gpu;
    const std::string command = "ptxas -arch=" + machine + " -o /dev/null " + name;
    CHECK_MESSAGE(std::system(command.c_str()) == 0, gpu);
    std::remove(name);
  }
}

}  // namespace codegen_test
