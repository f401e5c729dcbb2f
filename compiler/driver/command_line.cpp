#include "driver/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <string>

#include "driver/command_line_mistakes.h"
#include "driver/command_line_parts.h"
#include "driver/command_reference.h"
#include "driver/commands.h"
#include "driver/doc_command.h"
#include "driver/fmt_command.h"
#include "driver/lsp_command.h"
#include "driver/option_checks.h"
#include "driver/repl_command.h"
#include "driver/test_options.h"
#include "driver/tool_commands.h"
#include "driver/version.h"

namespace dagaz::driver {

namespace {

constexpr const char* after_help =
    "Exit status: 0 success; 1 the program or its data is wrong; 2 the command line is wrong;\n"
    "70 a bug in Dagaz.";

const std::map<std::string, Emit> emits{
    {"exe", Emit::executable}, {"lib", Emit::library},   {"shared", Emit::shared},
    {"server", Emit::server},  {"hpp", Emit::hpp},
    {"header", Emit::header},  {"ptx", Emit::ptx},       {"llvm", Emit::llvm},
    {"asm", Emit::assembly},   {"ir", Emit::ir}};
const std::map<std::string, InspectStage> stages{
    {"ast", InspectStage::ast},
    {"typed", InspectStage::typed},
    {"ir", InspectStage::ir},
    {"fused", InspectStage::fused},
    {"optimised", InspectStage::optimised},
    {"ad", InspectStage::ad},
    {"flat", InspectStage::flat},
    {"passes", InspectStage::passes},
    {"plan", InspectStage::plan},
    {"memory", InspectStage::memory},
    {"imperative", InspectStage::imperative},
    {"llvm", InspectStage::llvm},
    {"ptx", InspectStage::ptx}};

bool is_identifier(const std::string& text) {
  const auto belongs = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), belongs);
}

// What standard error can show.
RenderStyle terminal_style() {
  const bool colour = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return colour ? RenderStyle::colour : RenderStyle::plain;
}

// All options of all subcommands; lives while CLI11 refers to it.
struct AllOptions {
  AllOptions() {
    for (CompileOptions* options : {&run.compile, &test.compile, &bench.compile}) {
      options->cache = cache_on;
    }
  }

  CheckOptions check;
  BuildOptions build;
  RunOptions run;
  TestOptions test;
  BenchOptions bench;
  AutotuneOptions autotune;
  InspectOptions inspect;
  FmtOptions fmt;
  DocOptions doc;
  ReplOptions repl;
  ToolOptions tools;
  ExplainOptions explain;
};

void add_check(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand("check", "Parse and type-check");
  add_file(*command, all.check.compile);
  add_diagnostic_options(*command, all.check.compile);
  command->add_flag("--fix", all.check.fix,
                    "Make the edits that messages are sure of, and show them");
  command->add_flag("--explain-sizes", all.check.explain_sizes,
                    "Say of each function where its sizes come from");
  command->callback([&] { status = check_command(all.check); });
}

void add_build(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand("build", "Compile to an executable, a library, PTX, …");
  BuildOptions& options = all.build;
  add_file(*command, options.compile);
  add_compile_options(*command, options.compile);
  add_cache_option(*command, options.compile);
  add_derivative_option(*command, options.compile);
  command->add_option("-o", options.output, "Name of the output (default: the file's name)");
  add_ranks_option(*command, options.compile);
  command->add_option("--prefix", options.prefix, "Prefix of C names (default: output's name)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return is_identifier(text) ? "" : "`" + text + "` cannot begin a name of C";
          },
          ""));
  add_gpu_code_options(*command, options.compile);
  command->add_option("--depfile", options.depfile,
                      "Also write the files that were read, for make and ninja")
      ->type_name("FILE");
  command
      ->add_option("--mpicc", options.mpicc,
                   "The C compiler of an MPI, for --ranks=mpi (default: $MPICC, or mpicc)")
      ->type_name("COMMAND");
  add_choice(*command, "--emit", options.emit, emits, "What to make (default exe)");
  command->callback([&] { status = build_command(all.build); });
}

void add_run(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand(
      "run", "Compile in memory and run: values from stdin, results to stdout");
  RunOptions& options = all.run;
  add_file(*command, options.compile);
  add_compile_options(*command, options.compile);
  add_cache_option(*command, options.compile);
  add_derivative_option(*command, options.compile);
  add_program_options(*command, options.program_arguments, Which::all);
  command->footer("Further options (-b, -n, -P, …) are those of compiled programs.");
  command->allow_extras();
  command->callback([&options, command, &status] {
    const std::vector<std::string> others = command->remaining();
    for (const std::string& other : others) {
      const std::string meant = meant_option(*command, other);
      if (meant.empty()) continue;
      std::cerr << "dagaz: unknown option `" << other << "`" << meant << "\n";
      status = 2;
      return;
    }
    options.program_arguments.insert(options.program_arguments.end(), others.begin(), others.end());
    status = run_command(options);
  });
}

void add_bench(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand("bench", "Time the inputs of the test blocks");
  BenchOptions& options = all.bench;
  command->add_option("PATH", options.paths, "Files, or folders to search for .fut files");
  add_compile_options(*command, options.compile);
  add_cache_option(*command, options.compile);
  auto* runs = command->add_option("-r,--runs", options.runs,
                                   "Runs of each input, after one that warms up; without "
                                   "--precision just so many")
                   ->capture_default_str()
                   ->check(is_between(1, 1000000));
  auto* precision = command->add_option("--precision", options.precision,
                                        "Go on until the median is known to so many percent, with "
                                        "95 % confidence")
                        ->type_name("PERCENT")
                        ->capture_default_str()
                        ->check(is_between(1e-3, 1e3));
  command->add_option("--seconds", options.seconds, "Go on so long at most with one input")
      ->capture_default_str()
      ->check(is_between(1e-3, 1e6));
  command->add_option("--compare", options.compare,
                      "Run nothing; say how the times in the second differ from those in the first")
      ->type_name("OLD.json NEW.json")
      ->expected(2);
  command->add_option("--block", options.block, "Only the test block around this line")
      ->type_name("LINE");
  command->add_option("--json", options.json, "Also write every run's time to this file");
  command
      ->add_option_function<int>(
          "--ranks",
          [&options](int ranks) {
            options.ranks = ranks;
            options.compile.ranks = true;
          },
          "Build for MPI, and time so many processes together, by $MPIRUN or mpirun")
      ->check(is_between(1, 1 << 20))
      ->type_name("N");
  add_sim_seed(*command);
  command->footer(
      "An entry point NAME_bytes or NAME_flops with the parameters of NAME says what a run\n"
      "of NAME moves and computes.");
  command->callback([&all, &status, runs, precision] {
    if (runs->count() > 0 && precision->count() == 0) all.bench.precision = 0;
    status = bench_command(all.bench);
  });
}

void add_autotune(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand(
      "autotune", "Find the plan that runs the test inputs fastest, and write FILE.tuning");
  AutotuneOptions& options = all.autotune;
  add_file(*command, options.compile);
  add_compile_options(*command, options.compile);
  command->add_option("-r,--runs", options.runs, "Runs of each input in a process")
      ->capture_default_str()
      ->check(is_between(1, 1000000));
  command->add_option("--seconds", options.seconds, "Try nothing new after so many seconds")
      ->capture_default_str()
      ->check(is_between(0.0, 1e6));
  command->footer("`build`, `run`, `test` and `bench` follow FILE.tuning.");
  command->callback([&] { status = autotune_command(all.autotune); });
}

void add_inspect(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand("inspect", "Print the program at a stage of compilation");
  InspectOptions& options = all.inspect;
  command->add_option("FILE", options.compile.file,
                      "The program (.fut), IR text (.ir), or an imperative tree (.tree)")
      ->required();
  add_compile_options(*command, options.compile);
  add_choice(*command, "--stage", options.stage, stages, "Which form to print (default optimised)");
  command->add_option("--stop-after", options.compile.stop_after, "The last pass to run")
      ->check(is_pass(MayBe::any));
  add_derivative_option(*command, options.compile);
  add_ranks_option(*command, options.compile);
  command->add_option("--passes", options.passes, "Passes to run on IR text")->delimiter(',');
  command->callback([&] { status = inspect_command(all.inspect); });
}

void add_fmt(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand("fmt", "Put programs into the common layout");
  FmtOptions& options = all.fmt;
  command->add_option("PATH", options.paths,
                      "Files to rewrite, or folders to search for .fut files\n"
                      "(default: standard input to standard output)");
  command->add_flag("--check", options.check,
                    "Write nothing; list what would change, with exit status 1 if anything");
  command->add_flag("--diff", options.diff, "Write nothing; print what would change");
  command->callback([&] { status = fmt_command(all.fmt); });
}

void add_lsp(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "lsp", "Serve an editor: the Language Server Protocol on stdin and stdout");
  // What many clients say, although there is no other way.
  command->add_flag_callback("--stdio", [] {}, "Nothing: there is no other way to talk to it");
  command->callback([&status] { status = lsp_command(); });
}

void add_doc(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand("doc", "Make a site from the documentation of programs");
  DocOptions& options = all.doc;
  command->add_option(
      "PATH", options.paths,
      "Files, or folders to search for .fut files; .md files are pages of the site,\n"
      "the first of them its first page");
  command->add_option("-o", options.output, "The folder to write")->capture_default_str();
  command->add_option("--title", options.title, "What the site is called")->capture_default_str();
  command->add_flag("--library", options.library, "Also document the standard library");
  command->add_flag("--Werror", options.warnings_are_errors,
                    "References that lead nowhere are errors");
  command->callback([&] { status = doc_command(all.doc); });
}

void add_repl(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command = app.add_subcommand("repl", "Evaluate what is typed, with a program's names");
  ReplOptions& options = all.repl;
  command->add_option("FILE", options.compile.file, "The program (.fut) to begin with");
  add_compile_options(*command, options.compile);
  command->callback([&] { status = repl_command(all.repl); });
}

void add_explain(CLI::App& app, AllOptions& all, int& status) {
  CLI::App* command =
      app.add_subcommand("explain", "Say what a kind of error or warning means, with an example");
  command->add_option("KIND", all.explain.kind, "As in `error[KIND]` (default: list all kinds)");
  command->add_flag("--tunables", all.explain.tunables,
                    "List the thresholds and sizes of plans that --tune sets");
  command->add_flag("--passes", all.explain.passes,
                    "List the passes: what each does, and why it stands where it does");
  command->add_flag("--page", all.explain.page, "Print the explanations of all kinds as Markdown");
  command->callback([&] { status = explain_command(all.explain); });
}

void set_styles(AllOptions& all, RenderStyle style) {
  for (CompileOptions* options : {&all.check.compile, &all.build.compile, &all.run.compile,
                                  &all.test.compile, &all.bench.compile, &all.inspect.compile}) {
    options->style = style;
  }
  all.fmt.style = style;
  all.doc.style = style;
  all.repl.compile.style = style;
  all.tools.script.compile.style = style;
  all.explain.style = isatty(STDOUT_FILENO) != 0 ? style : RenderStyle::plain;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("Dagaz: a compiler for data-parallel array programs and their derivatives", "dagaz");
  AllOptions all;
  set_styles(all, terminal_style());
  int status = 0;
  app.set_version_flag("--version", "dagaz " + std::string(version));
  app.require_subcommand(1);
  app.footer(after_help);
  add_check(app, all, status);
  add_run(app, all, status);
  add_build(app, all, status);
  add_test(app, all.test, status);
  add_bench(app, all, status);
  add_autotune(app, all, status);
  add_inspect(app, all, status);
  add_fmt(app, all, status);
  add_lsp(app, status);
  add_doc(app, all, status);
  add_repl(app, all, status);
  add_tool_commands(app, all.tools, status);
  add_reference_commands(app, status);
  add_explain(app, all, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    report_mistake(app, error, {argv + 1, argv + argc});
    return 2;
  }
  return status;
}

}  // namespace dagaz::driver
