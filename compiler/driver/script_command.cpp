#include "driver/script_command.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "driver/program_in_memory.h"
#include "driver/script_machine.h"
#include "driver/test_input.h"
#include "script/evaluate.h"
#include "support/check.h"

namespace dagaz::driver {

namespace {

// `$store "file" value`: what `$restore` reads.
std::optional<script::Value> store(const std::vector<script::Value>& arguments,
                                   std::string& problem) {
  using Kind = script::Value::Kind;
  const bool fits = arguments.size() == 2 && arguments[0].type == "[]u8" &&
                    (arguments[1].kind == Kind::array || arguments[1].kind == Kind::opaque);
  if (!fits) {
    std::string types;
    for (const script::Value& one : arguments) {
      types += (types.empty() ? "" : ", ") + script::type_of(one);
    }
    problem = "$store does not accept arguments of types: " + types;
    return std::nullopt;
  }
  std::string bytes;
  if (arguments[1].kind == Kind::array) {
    bytes = data::binary_of(arguments[1].array);
  } else {
    for (const std::string& leaf : arguments[1].leaves) bytes += leaf;
  }
  std::ofstream out(arguments[0].array.bytes, std::ios::binary);
  out << bytes;
  if (!out.flush()) {
    problem = "cannot write `" + arguments[0].array.bytes + "`";
    return std::nullopt;
  }
  return script::Value{};
}

// The expressions, or nothing after saying which is none.
std::optional<std::vector<script::Expression>> expressions(const ScriptOptions& options) {
  std::vector<script::Expression> result;
  for (const ScriptSource& source : options.sources) {
    const auto text =
        source.is_file ? read_file(source.text) : std::optional<std::string>(source.text);
    std::string problem = "cannot be read";
    auto expression = text ? script::parse(*text, problem) : std::nullopt;
    if (!expression) {
      std::cerr << "dagaz: " << (source.is_file ? "`" + source.text + "`" : "the expression")
                << ": " << problem << "\n";
      return std::nullopt;
    }
    result.push_back(std::move(*expression));
  }
  return result;
}

int print(const script::Value& value, const ScriptOptions& options) {
  std::string problem;
  const auto text = script::text_of(value, problem);
  if (!text) {
    std::cerr << "dagaz: " << problem << "\n";
    return 1;
  }
  if (!options.binary) {
    std::cout << *text << "\n";
    return 0;
  }
  if (value.kind != script::Value::Kind::array) {
    std::cerr << "dagaz: Result value cannot be represented in binary format.\n";
    return 1;
  }
  std::cout << data::binary_of(value.array);
  return 0;
}

int evaluate_all(const std::vector<script::Expression>& all, const ScriptOptions& options,
                 const ProgramInMemory& program) {
  script::Machine machine = script_machine(program, "", options.verbose);
  machine.builtin = [](const std::string& builtin, const std::vector<script::Value>& arguments,
                       std::string& problem) {
    return builtin == "store" ? store(arguments, problem) : std::nullopt;
  };
  std::optional<script::Value> last;
  for (const script::Expression& expression : all) {
    std::string problem;
    last = script::evaluate(expression, machine, problem);
    if (!last) {
      std::cerr << "dagaz: " << problem << "\n";
      return 1;
    }
  }
  return last ? print(*last, options) : 0;
}

}  // namespace

int script_command(const ScriptOptions& options) {
  const Doing doing("evaluating a script");
  const auto all = expressions(options);
  if (!all) return 1;
  std::set<std::string> functions;
  for (const script::Expression& expression : *all) script::add_functions(expression, functions);
  CompileOptions compile = options.compile;
  compile.entry_points.assign(functions.begin(), functions.end());
  return with_program(compile, options.program_arguments, [&](const ProgramInMemory& program) {
    return evaluate_all(*all, options, program);
  });
}

}  // namespace dagaz::driver
