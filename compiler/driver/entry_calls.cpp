#include "driver/entry_calls.h"

#include <fstream>

#include "data/binary_values.h"
#include "driver/interpreted_calls.h"
#include "driver/process.h"
#include "driver/test_input.h"
#include "values.h"

namespace dagaz::driver {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines.push_back(text.substr(begin, end - begin));
  }
  lines.push_back(text.substr(begin));
  return lines;
}

std::string bytes_of(const Leaves& leaves) {
  std::string bytes;
  for (const data::Array& leaf : leaves) bytes += data::binary_of(leaf);
  return bytes;
}

Leaves leaves_of(std::string_view bytes) {
  Leaves leaves;
  for (const std::string& one : data::split_binary(bytes)) leaves.push_back(data::array_of(one));
  return leaves;
}

// Speaks the server's protocol; values go through files.
class ServerCalls final : public EntryCalls {
 public:
  ServerCalls(const ir::Program& program, std::vector<std::string> command, std::string folder)
      : EntryCalls(std::move(command), std::move(folder)), program_(program) {}

 private:
  struct Reply {
    bool failed = false;
    std::vector<std::string> lines;
  };

  bool greet(Conversation& process) override { return reply(process).has_value(); }

  std::optional<Answer> ask(Conversation& process, const ir::EntryPoint& entry,
                            const std::vector<Leaves>& inputs) override {
    const std::string in_file = folder() + "/arguments";
    const std::string out_file = folder() + "/result";
    std::string restore = "restore \"" + in_file + "\"";
    std::string names;
    std::ofstream file(in_file, std::ios::binary);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ir::ExternalType& type = type_at(entry.inputs[i].type);
      const std::string bytes = bytes_of(inputs[i]);
      if (is_stored(type)) file << header(bytes.size());
      file << bytes;
      const std::string name = " in" + std::to_string(i);
      restore += name + " \"" + type.name + "\"";
      names += name;
    }
    file.close();
    const auto restored = command(process, restore);
    if (!restored || restored->failed) return failure(restored);
    const auto called = command(process, "call " + entry.name + " out" + names);
    const auto freed = command(process, "free" + names);
    if (!called || called->failed) return failure(called);
    const auto stored = command(process, "store \"" + out_file + "\" out");
    const auto released = command(process, "free out");
    if (!freed || !stored || !released) return std::nullopt;
    if (stored->failed) return failure(stored);
    const auto text = read_file(out_file);
    if (!text) return std::nullopt;
    std::string_view bytes = *text;
    if (is_stored(type_at(entry.outputs[0].type))) bytes.remove_prefix(runtime::stored_header);
    return Answer{Answer::Kind::value, leaves_of(bytes), {}};
  }

  const ir::ExternalType& type_at(int index) const {
    return program_.external_types[static_cast<std::size_t>(index)];
  }
  static bool is_stored(const ir::ExternalType& type) {
    return type.kind != ir::ExternalKind::scalar && type.kind != ir::ExternalKind::array;
  }
  static std::string header(std::size_t bytes) {
    const auto count = static_cast<int64_t>(bytes);
    return std::string(runtime::stored_magic) +
           std::string(reinterpret_cast<const char*>(&count), sizeof count);
  }
  static std::optional<Answer> failure(const std::optional<Reply>& reply) {
    if (!reply) return std::nullopt;
    return Answer{Answer::Kind::program_error, {}, reply->lines};
  }

  static std::optional<Reply> command(Conversation& process, const std::string& words) {
    if (!process.say(words + "\n")) return std::nullopt;
    return reply(process);
  }
  static std::optional<Reply> reply(Conversation& process) {
    Reply result;
    for (auto line = process.line(); line; line = process.line()) {
      if (*line == "%%% OK") return result;
      if (*line == "%%% FAILURE") {
        result = {true, {}};
      } else {
        result.lines.push_back(std::move(*line));
      }
    }
    return std::nullopt;
  }

  const ir::Program& program_;
};

class InterpreterCalls final : public EntryCalls {
 public:
  InterpreterCalls(std::vector<std::string> command, std::string folder)
      : EntryCalls(std::move(command), std::move(folder)) {}

 private:
  bool greet(Conversation&) override { return true; }

  std::optional<Answer> ask(Conversation& process, const ir::EntryPoint& entry,
                            const std::vector<Leaves>& inputs) override {
    std::string arguments;
    for (const Leaves& input : inputs) arguments += bytes_of(input);
    const auto made = ask_interpreter(process, entry.name, arguments);
    if (!made) return std::nullopt;
    if (made->status == 0) return Answer{Answer::Kind::value, leaves_of(made->output), {}};
    const std::string signal =
        made->status > 128 ? "signal " + std::to_string(made->status - 128) + "\n" : "";
    return Answer{Answer::Kind::program_error, {}, lines_of(signal + made->errors)};
  }
};

}  // namespace

std::unique_ptr<EntryCalls> EntryCalls::of_server(const ir::Program& program,
                                                  std::vector<std::string> command,
                                                  std::string folder) {
  return std::make_unique<ServerCalls>(program, std::move(command), std::move(folder));
}

std::unique_ptr<EntryCalls> EntryCalls::of_interpreter(const CompileOptions& options,
                                                       const std::string& file,
                                                       std::string folder,
                                                       const std::vector<std::string>& arguments) {
  return std::make_unique<InterpreterCalls>(interpreter_command(options, file, arguments),
                                            std::move(folder));
}

Answer EntryCalls::call(const ir::EntryPoint& entry, const std::vector<Leaves>& inputs) {
  const std::string error_file = folder_ + "/errors";
  std::optional<Answer> answer;
  const bool is_new = process_ == nullptr;
  if (is_new) process_ = std::make_unique<Conversation>(command_, error_file);
  process_->set_deadline(deadline_);
  if (!is_new || greet(*process_)) answer = ask(*process_, entry, inputs);
  if (answer) return *answer;
  const bool timed_out = process_->timed_out();
  ProcessResult ended{process_->end(), timed_out, "", read_file(error_file).value_or("")};
  process_.reset();
  return Answer{Answer::Kind::lost, {}, lines_of(describe(ended))};
}

}  // namespace dagaz::driver
