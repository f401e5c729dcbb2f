#include "driver/tool_commands.h"

#include "values.h"

namespace dagaz::driver {

namespace {

void add_script(CLI::App& app, ToolOptions& tools, int& status) {
  CLI::App* command =
      app.add_subcommand("script", "Evaluate an expression over the functions of a program");
  ScriptOptions& options = tools.script;
  add_file(*command, options.compile);
  command->add_option_function<std::string>(
      "EXP", [&options](const std::string& text) { options.sources.push_back({text}); },
      "The expression, evaluated after those of -e and -f");
  const auto add_source = [&](const char* names, bool is_file, const char* help) {
    command
        ->add_option_function<std::string>(
            names,
            [&options, is_file](const std::string& text) {
              options.sources.push_back({text, is_file});
            },
            help)
        ->trigger_on_parse();
  };
  add_source("-e,--expression", false, "Evaluate this; the value of the last one is printed");
  add_source("-f,--file", true, "Evaluate what is in this file");
  command->add_flag("-b,--binary", options.binary, "Print the value in the binary format");
  command->add_flag("-v,--verbose", options.verbose, "Show what the program says");
  add_compile_options(*command, options.compile);
  add_derivative_option(*command, options.compile);
  add_program_options(*command, options.program_arguments, Which::of_the_machine);
  command->callback([&] { status = script_command(tools.script); });
}

void add_data_format(CLI::App& command, DataOptions& options, const std::string& names,
                     DataFormat format, const std::string& help) {
  command.add_flag_callback(names, [&options, format] { options.format = format; }, help)
      ->trigger_on_parse();
}

void add_bounds(CLI::App& command, DataOptions& options) {
  for (const char* type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32",
                           "f64"}) {
    const auto set = [&options, type](const std::string& text) {
      if (!options.bounds.set(*runtime::element_named(type), text)) {
        throw CLI::ValidationError(std::string("--") + type + "-bounds",
                                   "`" + text + "` is not MIN:MAX with values of type " + type);
      }
    };
    command
        .add_option_function<std::string>(std::string("--") + type + "-bounds", set,
                                          std::string("Bounds of values of type ") + type)
        ->type_name("MIN:MAX")
        ->trigger_on_parse();
  }
}

void add_data(CLI::App& app, ToolOptions& tools, int& status) {
  CLI::App* command =
      app.add_subcommand("data", "Make random values, or bring values into another form");
  command->alias("dataset");
  DataOptions& options = tools.data;
  add_data_format(*command, options, "--text", DataFormat::text,
                  "Write text (the default)");
  add_data_format(*command, options, "-b,--binary", DataFormat::binary,
                  "Write the binary format");
  add_data_format(*command, options, "-t,--type", DataFormat::type,
                  "Write types instead of values");
  add_data_format(*command, options, "--npy", DataFormat::npy,
                  "Write arrays for NumPy, one behind the other");
  add_data_format(*command, options, "--npz", DataFormat::npz,
                  "Write an archive of arrays for NumPy");
  add_data_format(*command, options, "--csv", DataFormat::csv,
                  "Write a table");
  command->add_option("-s,--seed", options.seed, "Where random values begin")
      ->capture_default_str();
  add_bounds(*command, options);
  command
      ->add_option_function<std::string>(
          "-g,--generate",
          [&options](const std::string& type) {
            options.orders.push_back({type, options.bounds, options.format});
          },
          "Make a value of this type, such as [10][2]f32, or this value")
      ->type_name("TYPE")
      ->trigger_on_parse();
  command->footer(
      "Forms and bounds hold for the values that are asked for after them.  Without -g,\n"
      "values in any form, a table or an archive too, are read from standard input.");
  command->callback([&] { status = data_command(tools.data); });
}

void add_datacmp(CLI::App& app, ToolOptions& tools, int& status) {
  CLI::App* command = app.add_subcommand("datacmp", "Compare the values in two files");
  command->add_option("GOT", tools.datacmp.got, "A file of values, in any form")->required();
  command->add_option("EXPECTED", tools.datacmp.expected, "Another")->required();
  command->footer("Floats may differ by 0.002 of the largest of their array.");
  command->callback([&] { status = datacmp_command(tools.datacmp); });
}

void add_literate(CLI::App& app, ToolOptions& tools, int& status) {
  CLI::App* command = app.add_subcommand(
      "literate", "Make a page from a program: its comments, code, and the results of directives");
  LiterateOptions& options = tools.literate;
  add_file(*command, options.compile);
  command->add_option("-o,--output", options.output, "The Markdown file (default: beside FILE)");
  command->add_flag("--html", options.html, "Also write the page as HTML");
  command->add_flag("--stop-on-error", options.stop_on_error,
                    "Write nothing if a directive fails");
  command->add_flag("-v,--verbose", options.verbose, "Show directives, and what the program says");
  add_compile_options(*command, options.compile);
  add_derivative_option(*command, options.compile);
  add_program_options(*command, options.program_arguments, Which::of_the_machine);
  command->footer(
      "Directives can read and write files, and `:gnuplot` can run commands: read a program "
      "from\nelsewhere before.");
  command->callback([&] { status = literate_command(tools.literate); });
}

struct PkgCommand {
  PkgAction action;
  const char* name;
  const char* help;
  bool takes_package;
};
constexpr PkgCommand pkg_commands[] = {
    {PkgAction::init, "init", "Begin a package: write futhark.pkg and its folder in lib/", true},
    {PkgAction::add, "add", "Require a package, in its newest version or at least in one", true},
    {PkgAction::remove, "remove", "Do not require a package any more", true},
    {PkgAction::sync, "sync", "Fill lib/ with what is required", false},
    {PkgAction::upgrade, "upgrade", "Require the newest versions", false},
    {PkgAction::versions, "versions", "List the versions of a package", true},
    {PkgAction::check, "check", "Say which versions would be used, and whether they are there",
     false},
    {PkgAction::fmt, "fmt", "Put futhark.pkg into the common layout", false}};

void add_pkg(CLI::App& app, ToolOptions& tools, int& status) {
  CLI::App* group =
      app.add_subcommand("pkg", "Manage the packages that futhark.pkg names, by git");
  group->require_subcommand(1);
  PkgOptions& options = tools.pkg;
  for (const PkgCommand& one : pkg_commands) {
    CLI::App* command = group->add_subcommand(one.name, one.help);
    if (one.takes_package) {
      command
          ->add_option("PACKAGE", options.package, "Its path, such as github.com/somebody/thing")
          ->required();
    }
    if (one.action == PkgAction::add) {
      command->add_option("VERSION", options.version, "The least version, such as 1.2.3");
    }
    command->add_flag("-v,--verbose", options.verbose, "Show what git does");
    command->callback([&options, &status, action = one.action] {
      options.action = action;
      status = pkg_command(options);
    });
  }
}

}  // namespace

void add_tool_commands(CLI::App& app, ToolOptions& tools, int& status) {
  add_script(app, tools, status);
  add_data(app, tools, status);
  add_datacmp(app, tools, status);
  add_literate(app, tools, status);
  add_pkg(app, tools, status);
}

}  // namespace dagaz::driver
