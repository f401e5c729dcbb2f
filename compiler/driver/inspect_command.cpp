// dagaz inspect: the program at any stage as text, and named passes on IR text.
#include <fstream>
#include <iostream>
#include <sstream>

#include "check/print_typed.h"
#include "codegen/load.h"
#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/pipeline.h"
#include "driver/tuning.h"
#include "driver/versions.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "memory/report.h"
#include "passes/registry.h"
#include "plan/report.h"
#include "syntax/ast_print.h"
#include "tree/parse.h"
#include "tree/print.h"
#include "tree/verify.h"

namespace dagaz::driver {

namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// What is printed may be of either stage; passes start from the first.
bool is_well_formed(const ir::Program& program, bool has_passes, Diagnostics& diagnostics) {
  const std::vector<std::string> violations = ir::verify(program, ir::Stage::parallel);
  if (violations.empty()) return true;
  if (!has_passes && ir::verify(program, ir::Stage::flat).empty()) return true;
  std::string text = "the program is not well-formed:";
  for (const std::string& one : violations) text += "\n  " + one;
  diagnostics.report(DiagnosticKind::syntax, Range{}, text);
  return false;
}

/// The file of the command, as text that no front end reads; nothing if it cannot be read.
std::optional<FileId> read_text(Compilation& compilation, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    compilation.diagnostics.report(DiagnosticKind::io, Range{}, "cannot read `" + path + "`");
    return std::nullopt;
  }
  return compilation.files.add(path, text.str());
}

// IR text through the named passes.
void inspect_ir(Compilation& compilation, const InspectOptions& options) {
  const std::optional<FileId> file = read_text(compilation, options.compile.file);
  if (!file) return;
  std::optional<ir::Program> program =
      ir::parse(*file, compilation.files, compilation.diagnostics);
  if (!program) return;
  if (!is_well_formed(*program, !options.passes.empty(), compilation.diagnostics)) return;
  ir::Stage stage = ir::Stage::parallel;
  for (const std::string& name : options.passes) {
    const passes::Pass* pass = passes::find_pass(name);
    if (pass == nullptr) {
      compilation.diagnostics.report(
          DiagnosticKind::io, Range{},
          "there is no pass `" + name + "`" + passes::meant_pass(name));
      return;
    }
    if (stage == ir::Stage::flat && pass->needs == ir::Stage::parallel) {
      compilation.diagnostics.report(DiagnosticKind::io, Range{},
                                     "pass `" + name + "` cannot follow one that flattens");
      return;
    }
    const PassTimer timer(compilation.times, name);
    pass->run(*program, {is_gpu(options.compile.target) ? passes::FlattenTarget::gpu
                                                        : passes::FlattenTarget::cpu});
    stage = pass->result;
  }
  std::cout << ir::print(*program);
}

/// The tree itself, or what code generation makes of it.
void print_tree(Compilation& compilation, const InspectOptions& options,
                const tree::Program& program) {
  const bool ptx = options.stage == InspectStage::ptx;
  if (!ptx && options.stage != InspectStage::llvm) {
    std::cout << tree::print(program);
    return;
  }
  const codegen::Library* library = codegen::load(compilation.diagnostics);
  if (library == nullptr) return;
  codegen::Options code_options;
  code_options.prefix = "program";
  code_options.cpu = options.compile.cpu;
  code_options.gpu = options.compile.gpu;
  code_options.tunables = tunables_of(options.compile, compilation.diagnostics).code;
  code_options.optimisation = options.compile.optimisation;
  const codegen::Artifacts artifacts =
      library->generate(program, compilation.files, code_options,
                        ptx ? codegen::want_ptx : codegen::want_llvm);
  if (!artifacts.problem.empty()) {
    compilation.diagnostics.report(DiagnosticKind::io, Range{}, artifacts.problem);
    return;
  }
  std::cout << (ptx ? artifacts.ptx : artifacts.llvm);
}

void print_code(Compilation& compilation, const InspectOptions& options,
                ir::ParallelProgram program, const PassContext& context) {
  program = optimise(std::move(program), context);
  if (context.diagnostics.has_errors()) return;
  const auto lowered = lower(flatten(std::move(program), context), context);
  if (lowered) print_tree(compilation, options, *lowered);
}

// Text of an imperative tree.
void inspect_tree(Compilation& compilation, const InspectOptions& options) {
  const std::optional<FileId> file = read_text(compilation, options.compile.file);
  if (!file) return;
  const std::optional<tree::ParsedProgram> parsed =
      tree::parse(*file, compilation.files, compilation.diagnostics);
  if (!parsed) return;
  for (const tree::Violation& one : tree::verify(parsed->program)) {
    compilation.diagnostics.report(DiagnosticKind::syntax, tree::place_of(one, *parsed),
                                   one.message);
  }
  if (!compilation.diagnostics.has_errors()) print_tree(compilation, options, parsed->program);
}

// The program after the passes of a stage, or after the one to stop at.
void print_ir(Compilation& compilation, const InspectOptions& options,
              ir::ParallelProgram program) {
  const bool is_report = options.stage == InspectStage::ad;
  passes::AdReport ad_report;
  const PassContext context = pass_context(compilation, is_report ? &ad_report : nullptr);
  switch (options.stage) {
    case InspectStage::ast:
    case InspectStage::typed: break;
    case InspectStage::ir: std::cout << ir::print(program.program); break;
    case InspectStage::fused:
      std::cout << ir::print(optimise(std::move(program), context, Until::fused).program);
      break;
    case InspectStage::optimised:
      std::cout << ir::print(optimise(std::move(program), context).program);
      break;
    case InspectStage::ad:
      optimise(std::move(program), context);
      std::cout << passes::print(ad_report, compilation.files);
      break;
    case InspectStage::flat:
      std::cout << ir::print(flatten(optimise(std::move(program), context), context).program);
      break;
    case InspectStage::passes:
      compilation.history.counts_statements = true;
      flatten(optimise(std::move(program), context), context);
      std::cout << compilation.history.table();
      break;
    case InspectStage::plan:
    case InspectStage::memory: {
      ir::FlatProgram flat = flatten(optimise(std::move(program), context), context);
      const auto planned = plan(std::move(flat), context);
      if (!planned) break;
      std::cout << (options.stage == InspectStage::plan
                        ? plan::report(*planned, compilation.files)
                        : memory::report(*planned));
      break;
    }
    case InspectStage::imperative:
    case InspectStage::llvm:
    case InspectStage::ptx: print_code(compilation, options, std::move(program), context); break;
  }
}

void inspect_source(Compilation& compilation, const InspectOptions& options) {
  if (!parse(compilation)) return;
  if (options.stage == InspectStage::ast) {
    std::cout << ast::print(compilation.syntax.files.back(), compilation.names);
    return;
  }
  if (options.stage == InspectStage::typed) {
    std::cout << check::check_and_print(compilation.syntax, compilation.names,
                                        compilation.diagnostics);
    return;
  }
  if (!check(compilation)) return;
  std::optional<ir::ParallelProgram> program = elaborate(compilation);
  if (!program) return;
  print_ir(compilation, options, std::move(*program));
}

}  // namespace

int inspect_command(const InspectOptions& options) {
  const bool is_ir = ends_with(options.compile.file, ".ir");
  const bool is_tree = ends_with(options.compile.file, ".tree");
  if (options.stage == InspectStage::ptx && options.compile.target != Target::cuda) {
    std::cerr << "dagaz: --stage=ptx needs --target=cuda\n";
    return 2;
  }
  if (!is_ir && !options.passes.empty()) {
    std::cerr << "dagaz: --passes works on IR text (FILE.ir); use --stage for programs\n";
    return 2;
  }
  if (versions_of(options.compile).size() > 1) {
    std::cerr << several_versions;
    return 2;
  }
  Compilation compilation(options.compile);
  if (is_ir) {
    inspect_ir(compilation, options);
  } else if (is_tree) {
    inspect_tree(compilation, options);
  } else {
    inspect_source(compilation, options);
  }
  return report(compilation) ? 1 : 0;
}

}  // namespace dagaz::driver
