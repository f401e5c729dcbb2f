#include "driver/test_input.h"

#include <fstream>
#include <sstream>

#include "data/npz.h"
#include "data/random_values.h"
#include "driver/compile.h"
#include "script/evaluate.h"

namespace dagaz::driver {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::optional<std::string> read_data(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (text && text->starts_with("\x1f\x8b")) {
    constexpr double patience = 60;
    ProcessResult unpacked = run_process({"gzip", "-dc"}, *text, patience);
    if (unpacked.status != 0) return std::nullopt;
    text = std::move(unpacked.output);
  }
  if (!text || !data::is_npz(*text)) return text;
  std::string problem;
  return data::unpacked_npz(*text, problem);
}

std::string first_lines(const std::string& text, int count) {
  std::istringstream in(text);
  std::string out;
  std::string line;
  while (count-- > 0 && std::getline(in, line)) out += "    " + line + "\n";
  return out;
}

std::string describe(const ProcessResult& process) {
  if (process.timed_out) return "took too long\n";
  std::string out = "exit status " + std::to_string(process.status);
  if (process.status > 128) out += " (signal " + std::to_string(process.status - 128) + ")";
  return out + "\n" + first_lines(process.errors, 12);
}

std::optional<std::string> TestInputs::of(const TestCase& test, std::string& problem) {
  switch (test.input_kind) {
    case InputKind::literal: return test.input;
    case InputKind::random: return data::random_input(test.input, problem);
    case InputKind::script: return of_script(test.input, problem);
    case InputKind::file:
    case InputKind::script_file: break;
  }
  auto text = read_data(beside(test.input));
  if (!text) problem = "cannot read `" + test.input + "`";
  if (!text || test.input_kind == InputKind::file) return text;
  return of_script(*text, problem);
}

std::optional<std::string> TestInputs::of_script(const std::string& text,
                                                 std::string& problem) {
  if (!program_) {
    CompileOptions options = options_;
    options.file = path_;
    Compilation compilation(std::move(options));
    program_ = front_end(compilation);
    if (!program_) {
      problem = "the program does not compile";
      return std::nullopt;
    }
  }
  const auto call = [&](const std::string& entry, const std::string& input,
                        std::string& failure) -> std::optional<std::string> {
    ProcessResult process = run_(entry, input);
    if (process.status == 0 && !process.timed_out) return std::move(process.output);
    failure = describe(process);
    return std::nullopt;
  };
  const script::Machine machine{
      &program_->program, call, [&](const std::string& file) { return read_data(beside(file)); }};
  const auto expression = script::parse(text, problem);
  if (!expression) return std::nullopt;
  const auto value = script::evaluate(*expression, machine, problem);
  if (!value) return std::nullopt;
  std::string input;
  script::append_input(*value, input);
  return input;
}

}  // namespace dagaz::driver
