#include "driver/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
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
#include "driver/tuning.h"
#include "driver/version.h"
#include "passes/registry.h"
#include "support/spelling.h"

namespace dagaz::driver {

namespace {

constexpr const char* after_help =
    "Exit status: 0 success; 1 the program or its data is wrong; 2 the command line is wrong;\n"
    "70 a bug in Dagaz.";

const std::map<std::string, Target> targets{{"cpu", Target::cpu},
                                            {"cuda", Target::cuda},
                                            {"sim", Target::sim},
                                            {"interpreter", Target::interpreter}};
// What those who come from other compilers may ask for.
const std::map<std::string, std::string> meant_targets{
    {"c", "`cpu` makes native code"},
    {"multicore", "`cpu` uses all cores"},
    {"ispc", "`cpu` uses all cores and their vector instructions"},
    {"gpu", "`cuda` is for GPUs, `sim` shows without one what happens there"},
    {"ptx", "`--target=cuda --emit=ptx` writes PTX"},
    {"nvptx", "`--target=cuda --emit=ptx` writes PTX"},
    {"opencl", "of GPUs there are those of NVIDIA, by `cuda`"},
    {"hip", "of GPUs there are those of NVIDIA, by `cuda`"},
    {"vulkan", "of GPUs there are those of NVIDIA, by `cuda`"},
    {"metal", "of GPUs there are those of NVIDIA, by `cuda`"},
    {"simulator", "`sim` is the simulated GPU"}};
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

const std::map<std::string, std::string> no_other_words;

const std::map<std::string, bool> diagnostics_as_json{{"text", false}, {"json", true}};

// The spellings of a choice, for help texts: {cpu,cuda,…}.
template <typename T>
std::string choices(const std::map<std::string, T>& table) {
  std::string out = "{";
  for (const auto& [name, value] : table) out += (out.size() > 1 ? "," : "") + name;
  return out + "}";
}

// The text of messages about bad values is ours: that of CLI11 changes from version to version.
// `meant` says of some words that are not in the table what there is instead.
template <typename T>
CLI::Validator is_one_of(const std::map<std::string, T>& table,
                         const std::map<std::string, std::string>& meant = no_other_words) {
  return CLI::Validator(
      [&table, &meant](const std::string& text) {
        if (table.count(text) > 0) return std::string();
        std::vector<std::string> names;
        for (const auto& [name, value] : table) names.push_back(name);
        const auto known = meant.find(text);
        return "`" + text + "` is not one of " + choices(table) +
               (known != meant.end() ? "; " + known->second : did_you_mean(text, names));
      },
      choices(table));
}

template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, T& value,
                        const std::map<std::string, T>& table, const std::string& help,
                        const std::map<std::string, std::string>& meant = no_other_words) {
  return app
      .add_option_function<std::string>(
          flag, [&value, &table](const std::string& text) { value = table.at(text); }, help)
      ->check(is_one_of(table, meant));
}

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

void add_diagnostic_options(CLI::App& app, CompileOptions& options) {
  app.add_option_function<std::string>(
         "--diagnostics",
         [&options](const std::string& text) {
           if (diagnostics_as_json.at(text)) options.style = RenderStyle::json;
         },
         "How to print errors and warnings: text, or one JSON object a line")
      ->check(is_one_of(diagnostics_as_json));
  app.add_flag_callback("-w", [&options] { options.warnings = false; }, "No warnings");
  app.add_flag("--Werror", options.warnings_are_errors, "Warnings are errors");
  app.add_flag("--time-passes", options.time_passes, "Print how long each pass took");
  app.add_flag("--memory-report", options.memory_report,
               "Print where each array lies, the size of its block and how long it lives");
}

// A pass must exist; one that is to be left out, not be required.
enum class MayBe { any, optional };
CLI::Validator is_pass(MayBe which) {
  return CLI::Validator(
      [which](const std::string& name) {
        const passes::Pass* pass = passes::find_pass(name);
        if (pass == nullptr) {
          return "there is no pass `" + name + "`; `dagaz explain --passes` lists them" +
                 passes::meant_pass(name);
        }
        if (which == MayBe::any || pass->need == passes::Need::optional) return std::string();
        return "no program compiles without `" + name + "`: " + std::string(pass->place);
      },
      "PASS");
}

void add_pass_options(CLI::App& app, CompileOptions& options) {
  app.add_option("--without", options.without, "Leave out these optimisations")
      ->delimiter(',')
      ->check(is_pass(MayBe::optional));
  app.add_option("--print-after", options.print_after, "Print the program after these passes")
      ->delimiter(',')
      ->check(is_pass(MayBe::any));
  app.add_option("--pass-limit", options.pass_limit, "Leave out all optimisations but the first N")
      ->check(is_between(0, std::numeric_limits<int>::max()))
      ->type_name("N");
}

}  // namespace

// `dagaz build` takes several, with commas.
static void add_target_option(CLI::App& app, CompileOptions& options) {
  const bool several = app.get_name() == "build";
  const auto take = [several, &options](const std::vector<std::string>& names) {
    options.target = targets.at(names.front());
    options.further_targets.clear();
    for (auto name = std::next(names.begin()); name != names.end(); ++name) {
      options.further_targets.push_back(targets.at(*name));
    }
    if (names.size() == 1) return;
    if (!several) {
      throw CLI::ValidationError("--target",
                                 "only `dagaz build` makes programs for several targets");
    }
  };
  app.add_option_function<std::vector<std::string>>(
         "--target", take,
         std::string("Where the program runs (default cpu)") +
             (several ? "; of several, with commas, what the machine has is taken" : ""))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(is_one_of(targets, meant_targets));
}

void add_compile_options(CLI::App& app, CompileOptions& options) {
  add_diagnostic_options(app, options);
  add_target_option(app, options);
  app.add_option(
         "--cpu", options.cpu,
         "Processor: native; generic, for programs and libraries that others run; dispatch, "
         "for these too, with versions for x86-64-v2, v3 and v4 of which the best is "
         "taken; or LLVM's name of one, for --emit=asm and llvm also of the "
         "architectures x86-64 and arm64")
      ->capture_default_str();
  app.add_option("--gpu", options.gpu, "Oldest GPU to run on; newer ones run it too")
      ->capture_default_str()
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text.rfind("sm_", 0) == 0 ? std::string() : "`" + text + "` is not sm_NN";
          },
          "sm_NN"));
  app.add_option("-O", options.optimisation, "0 turns optimisation off")
      ->capture_default_str()
      ->check(is_between(0, 3));
  app.add_flag("--verify", options.verify, "Check the program after elaboration and every pass");
  app.add_option(
      "--plan", options.plan,
      "Follow the schedules in this file, written as `inspect --stage=plan` prints them");
  app.add_option("--tune", options.tuned,
                 "Set a tunable of plans; `dagaz explain --tunables` lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](const std::string& text) {
            plan::Tunables tunables;
            return set_tunable(tunables, text);
          },
          ""));
  app.add_option("--random-plan", options.plan_seed,
                 "Take legal schedules at random, for tests: the seed");
  app.add_flag("--safe", options.safe, "Ignore #[unsafe]");
  add_pass_options(app, options);
}

namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

// `all`, or ENTRY,…, or ENTRY:ARGUMENT,…
void add_derivatives(elaborate::Derivatives& derivatives, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    derivatives.of.push_back({text.substr(0, colon), split_at_commas(text.substr(colon + 1))});
    return;
  }
  for (const std::string& entry : split_at_commas(text)) {
    if (entry == "all") {
      derivatives.of_all = true;
    } else {
      derivatives.of.push_back({entry});
    }
  }
}

}  // namespace

void add_derivative_option(CLI::App& app, CompileOptions& options) {
  app.add_option_function<std::vector<std::string>>(
         "--derivatives",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) add_derivatives(options.derivatives, text);
         },
         "Also make the entry points F_vjp, F_jvp and, where F returns one float, "
         "F_value_and_grad: `f,g` with respect to all arguments that hold floats, `f:x,y` with "
         "respect to these; `all`: of every entry point that can be differentiated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->type_name("F,…|F:ARGUMENT,…|all");
}

void add_cache_option(CLI::App& app, CompileOptions& options) {
  app.add_option("--cache", options.cache,
                 "Where compiled programs are kept: `on`, the user's folder; `off`, nowhere; or a "
                 "folder")
      ->capture_default_str()
      ->type_name("on|off|FOLDER");
}

void add_ranks_option(CLI::App& app, CompileOptions& options) {
  app.add_option_function<std::string>(
         "--ranks", [&options](const std::string& text) { options.ranks = text == "mpi"; },
         "`mpi`: also `mpirun -n N PROGRAM` runs it, in N processes that share the work "
         "(default: none)")
      ->check(CLI::IsMember({"mpi", "none"}))
      ->type_name("mpi|none");
}

void add_file(CLI::App& app, CompileOptions& options) {
  app.add_option("FILE", options.file, "The program (.fut)")->required();
}

namespace {

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

/// Options of compiled programs that take a value: it could be mistaken for the file.
struct ProgramOption {
  const char* names;
  const char* forwarded;
  const char* value;
  const char* help;
  bool is_of_the_machine = true;  // whatever is run on it, and how often
};
constexpr ProgramOption program_options[] = {
    {"-e,--entry-point", "-e", "NAME", "Run this entry point instead of main", false},
    {"--output-format", "--output-format", "text|binary|npy|csv", "How results are printed", false},
    {"-t,--write-runtime-to", "-t", "FILE", "Write the microseconds of each run, a line each",
     false},
    {"-r,--runs", "-r", "RUNS", "Run that many times, after a run that is not counted", false},
    {"-d,--device", "-d", "NAME", "Use the GPU with this in its name, or the k-th: #k"},
    {"--sim-seed", "--sim-seed", "N", "Order in which the threads of the simulated GPU run"},
    {"--num-threads", "--num-threads", "N", "Threads of the cpu target; 0 is one per core"},
    {"--memory-cap", "--memory-cap", "BYTES", "Hold at most that much device memory"},
    {"--cache-file", "--cache-file", "FILE", "Keep compiled GPU code there"},
    {"--param", "--param", "NAME=VALUE", "Set a tuning parameter"},
    {"--tuning", "--tuning", "FILE", "Set tuning parameters from NAME=VALUE lines"},
    {"--unified-memory", "--unified-memory", "0|1|2", "GPU memory that the CPU sees"},
    {"--dump-ptx", "--dump-ptx", "FILE", "Write the GPU program to a file"},
    {"--load-ptx", "--load-ptx", "FILE", "Use the GPU program in this file"},
};

}  // namespace

void add_program_options(CLI::App& command, std::vector<std::string>& arguments, Which which) {
  for (const ProgramOption& option : program_options) {
    if (which == Which::of_the_machine && !option.is_of_the_machine) continue;
    const auto forward = [&arguments, &option](const std::vector<std::string>& values) {
      for (const std::string& value : values) {
        arguments.insert(arguments.end(), {option.forwarded, value});
      }
    };
    command.add_option_function<std::vector<std::string>>(option.names, forward, option.help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false)
        ->type_name(option.value)
        ->group("Options of the program");
  }
}

void add_sim_seed(CLI::App& command) {
  command.add_option_function<std::uint64_t>(
      "--sim-seed",
      [](std::uint64_t seed) { setenv("DZ_SIM_SEED", std::to_string(seed).c_str(), 1); },
      "Order in which the threads of the simulated GPU run (default 1)")
      ->type_name("N");
}

namespace {

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
