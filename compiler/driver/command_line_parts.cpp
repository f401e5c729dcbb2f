#include "driver/command_line_parts.h"

#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

#include "driver/option_checks.h"
#include "driver/tuning.h"
#include "passes/registry.h"

namespace dagaz::driver {

namespace {

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

const std::map<std::string, bool> diagnostics_as_json{{"text", false}, {"json", true}};

}  // namespace

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

static void add_pass_options(CLI::App& app, CompileOptions& options) {
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

namespace {

CLI::Validator is_gpu_name() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.rfind("sm_", 0) == 0 ? std::string() : "`" + text + "` is not sm_NN";
      },
      "sm_NN");
}

/// Of which machine code may be made: `sm_90a` would be for one of them alone.
CLI::Validator is_gpu_number() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool digits = text.size() >= 5 && text.size() <= 6 &&
                            text.find_first_not_of("0123456789", 3) == std::string::npos;
        return text.rfind("sm_", 0) == 0 && digits ? std::string()
                                                   : "`" + text + "` is not sm_NN";
      },
      "sm_NN");
}

}  // namespace

void add_gpu_code_options(CLI::App& app, CompileOptions& options) {
  CLI::Option* gpus =
      app.add_option("--gpu-code", options.gpu_code,
                     "GPUs for which machine code is put beside the PTX, made by ptxas")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(is_gpu_number());
  app.add_option("--ptxas", options.ptxas, "NVIDIA's assembler, for --gpu-code (default: ptxas)")
      ->type_name("COMMAND")
      ->needs(gpus);
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
      ->check(is_gpu_name());
  app.add_flag("--tf32", options.tf32,
               "Let GPUs from sm_80 on, named by --gpu, multiply f32 matrices in their matrix "
               "instructions, which round each factor to 11 bits");
  app.add_option("-O", options.optimisation, "0 turns optimisation off, 1 leaves LLVM little of it")
      ->capture_default_str()
      ->check(is_between(0, 3));
  app.add_flag("--verify", options.verify, "Check the program after elaboration and every pass");
  app.add_option(
      "--plan", options.plan,
      "Follow the schedules in this file, written as `inspect --stage=plan` prints them");
  app.add_option("--tune", options.tuned,
                 "Set a tunable of the compiler; `dagaz explain --tunables` lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](const std::string& text) {
            Tunables tunables;
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
         "`mpi`: also `mpirun -n N PROGRAM` runs it, in N processes that share the work, on a GPU "
         "each with --target=cuda "
         "(default: none)")
      ->check(CLI::IsMember({"mpi", "none"}))
      ->type_name("mpi|none");
}

void add_file(CLI::App& app, CompileOptions& options) {
  app.add_option("FILE", options.file, "The program (.fut)")->required();
}

namespace {

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

}  // namespace dagaz::driver
