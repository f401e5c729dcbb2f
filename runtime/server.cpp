// The loop of the server, and the commands that are not about the parts of values.
#include "server.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "command_line.h"
#include "profile.h"

namespace dagaz::runtime {

namespace {

// The peer lists bool last.
constexpr int32_t listed_scalars[] = {DZ_I8,  DZ_I16, DZ_I32, DZ_I64, DZ_U8,  DZ_U16,
                                      DZ_U32, DZ_U64, DZ_F16, DZ_F32, DZ_F64, DZ_BOOL};

/// Words between white space; one in double quotes may hold spaces.  An unfinished quote ends
/// the line.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  size_t at = 0;
  const auto is_space = [&](size_t i) {
    return std::isspace(static_cast<unsigned char>(line[i])) != 0;
  };
  while (true) {
    while (at < line.size() && is_space(at)) {
      ++at;
    }
    if (at == line.size()) {
      return words;
    }
    size_t end = at;
    if (line[at] == '"') {
      end = line.find('"', at + 1);
      if (end == std::string::npos) {
        return words;
      }
      words.push_back(line.substr(at + 1, end - at - 1));
      at = end + 1;
      continue;
    }
    while (end < line.size() && !is_space(end)) {
      ++end;
    }
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

}  // namespace

Server::Server(const Options& options, dz_context& context, dz_streams streams)
    : options_(options), context_(context), program_(context.program), streams_(streams) {}

const std::string& Server::word(const Words& words, size_t i) {
  if (i >= words.size()) {
    throw Fatal{"Insufficient command args."};
  }
  return words[i];
}

int32_t Server::find_type(std::string_view name) const {
  for (int32_t i = 0; i < program_.type_count; ++i) {
    if (name == program_.types[i].name) {
      return i;
    }
  }
  const std::optional<int32_t> element = element_named(name);
  return element ? scalar_type(*element) : unknown_type;
}

int32_t Server::type_named(const std::string& name) const {
  const int32_t type = find_type(name);
  if (type == unknown_type) {
    throw Fatal{"Unknown type " + name};
  }
  return type;
}

int Server::entry_named(const std::string& name) const {
  for (int i = 0; i < program_.entry_count; ++i) {
    if (name == program_.entries[i].name) {
      return i;
    }
  }
  throw Failure{"Unknown entry point: " + name};
}

ApiValue& Server::variable(const std::string& name) {
  const auto found = variables_.find(name);
  if (found == variables_.end()) {
    throw Failure{"Unknown variable: " + name};
  }
  return found->second;
}

void Server::check_new(const std::string& name) const {
  if (variables_.contains(name)) {
    throw Failure{"Variable already exists: " + name};
  }
}

void Server::define(const std::string& name, ApiValue value) {
  variables_.emplace(name, std::move(value));
}

void Server::check(int status) {
  if (status != DZ_OK) {
    std::string text = take_error(context_, "");
    // The peer ends every line of a backtrace, so that an empty one follows.
    if (text.find("\nBacktrace:\n") != std::string::npos) {
      text += '\n';
    }
    throw Failure{std::move(text)};
  }
}

void Server::types(const Words&) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < program_.type_count; ++i) {
    if (program_.types[i].kind != DZ_SCALAR_TYPE) {
      names.emplace_back(program_.types[i].name);
    }
  }
  std::sort(names.begin(), names.end());
  for (const int32_t element : listed_scalars) {
    say(element_info(element).name);
  }
  for (const std::string& name : names) {
    say(name);
  }
}

void Server::entry_points(const Words&) {
  for (int i = 0; i < program_.entry_count; ++i) {
    say(program_.entries[i].name);
  }
}

/// The tuple that an entry point returns, if it returns one: clients of older peers know each
/// component as a result of its own.
const dz_type* Server::returned_tuple(const dz_entry& entry) const {
  const dz_type& type = describe(entry.outputs[0].type);
  const bool tuple =
      type.kind == DZ_OPAQUE_TYPE && type.opaque_kind == DZ_RECORD && type.name[0] == '(';
  return tuple ? &type : nullptr;
}

/// call ENTRY OUT IN…, or with a name for each component of a returned tuple.
void Server::call(const Words& words) {
  const int number = entry_named(word(words, 0));
  const dz_entry& entry = program_.entries[number];
  const dz_type* const tuple = returned_tuple(entry);
  const auto inputs = static_cast<size_t>(entry.input_count);
  const size_t components = tuple != nullptr ? static_cast<size_t>(tuple->member_count) : 1;
  const bool apart = components != 1 && words.size() == 1 + components + inputs;
  const size_t results = apart ? components : 1;
  std::vector<const void*> ins;
  for (size_t i = 0; i < inputs; ++i) {
    const ApiValue& value = variable(word(words, 1 + results + i));
    const char* const wanted = describe(entry.inputs[i].type).name;
    if (std::strcmp(value.description().name, wanted) != 0) {
      throw Failure{std::string("Wrong input type.  Expected ") + wanted + ", got " +
                    value.description().name + "."};
    }
    ins.push_back(value.argument());
  }
  for (size_t i = 0; i < results; ++i) {
    check_new(word(words, 1 + i));
  }
  ApiValue result(context_, entry.outputs[0].type);
  void* outs[] = {result.destination()};
  const double start = now_microseconds();
  int status = dzr_call_entry(&context_, number, outs, ins.data());
  if (status == DZ_OK) {
    status = dzr_context_sync(&context_);
  }
  say("runtime: " + std::to_string(static_cast<int64_t>(now_microseconds() - start)));
  check(status);
  if (!apart) {
    define(words[1], std::move(result));
    return;
  }
  for (size_t i = 0; i < components; ++i) {
    ApiValue component(context_, tuple->members[i].types[0]);
    check(dzr_project(&context_, result.type(), static_cast<int>(i), component.destination(),
                      result.object()));
    define(words[1 + i], std::move(component));
  }
}

ApiValue Server::restore_value(ValueReader& reader, int32_t type) {
  ApiValue value(context_, type);
  if (value.description().kind != DZ_OPAQUE_TYPE) {
    std::vector<Value> leaves;
    if (!read_leaves(reader, value.description(), leaves)) {
      throw Failure{reader.error()};
    }
    check(upload(context_, leaves, Reading::all, value));
    return value;
  }
  const std::optional<size_t> bytes = stored_bytes(reader.rest());
  dz_opaque* object = nullptr;
  if (bytes) {
    object = dzr_restore_opaque(&context_, type, reader.rest().data());
  }
  if (object == nullptr) {
    throw Failure{take_error(context_, "these bytes are not a stored value")};
  }
  *static_cast<dz_opaque**>(value.destination()) = object;
  reader.skip(*bytes);
  return value;
}

void Server::restore(const Words& words) {
  const std::string& file = word(words, 0);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                          std::fclose);
  if (in == nullptr) {
    throw Failure{"Failed to open " + file + ": " + std::strerror(errno)};
  }
  const std::optional<std::string> contents = read_everything(in.get());
  if (!contents) {
    throw Failure{"Failed to open " + file + ": " + std::strerror(errno)};
  }
  ValueReader reader(*contents, file);
  int values = 0;
  for (size_t i = 1; i < words.size(); i += 2, ++values) {
    const int32_t type = type_named(word(words, i + 1));
    check_new(words[i]);
    errno = 0;
    try {
      define(words[i], restore_value(reader, type));
    } catch (const Failure& failure) {
      throw Failure{"Failed to restore variable " + words[i] + ".\nPossibly malformed data in " +
                    file + " (errno: " + std::strerror(errno) + ")\n" + failure.message};
    }
  }
  if (!reader.at_end()) {
    throw Failure{"Expected EOF after reading " + std::to_string(values) + " values from " +
                  file};
  }
  check(dzr_context_sync(&context_));
}

std::string Server::store_value(const ApiValue& value) {
  std::string text;
  if (value.description().kind == DZ_OPAQUE_TYPE) {
    void* bytes = nullptr;
    size_t size = 0;
    check(dzr_store_opaque(&context_, value.object(), &bytes, &size));
    text.assign(static_cast<const char*>(bytes), size);
    std::free(bytes);
    return text;
  }
  check(write_leaves(context_, value, ValueFormat::binary, text));
  text.pop_back();  // values in a file stand one right after the other
  return text;
}

void Server::store(const Words& words) {
  const std::string& file = word(words, 0);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wb"),
                                                            std::fclose);
  if (out == nullptr) {
    throw Failure{"Failed to open " + file + ": " + std::strerror(errno)};
  }
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string text = store_value(variable(words[i]));
    if (std::fwrite(text.data(), 1, text.size(), out.get()) != text.size()) {
      throw Failure{"Failed to write " + file + ": " + std::strerror(errno)};
    }
  }
  if (std::fflush(out.get()) != 0) {
    throw Failure{"Failed to write " + file + ": " + std::strerror(errno)};
  }
}

void Server::free(const Words& words) {
  for (const std::string& name : words) {
    variable(name);
    variables_.erase(name);
  }
}

void Server::rename(const Words& words) {
  const std::string& old_name = word(words, 0);
  const std::string& new_name = word(words, 1);
  variable(old_name);
  check_new(new_name);
  auto node = variables_.extract(old_name);
  node.key() = new_name;
  variables_.insert(std::move(node));
}

void Server::inputs(const Words& words) {
  const dz_entry& entry = program_.entries[entry_named(word(words, 0))];
  for (int i = 0; i < entry.input_count; ++i) {
    say((entry.inputs[i].unique != 0 ? "*" : "") +
        std::string(describe(entry.inputs[i].type).name));
  }
}

void Server::output(const Words& words) {
  const dz_parameter& result = program_.entries[entry_named(word(words, 0))].outputs[0];
  say((result.unique != 0 ? "*" : "") + std::string(describe(result.type).name));
}

void Server::outputs(const Words& words) {
  const dz_entry& entry = program_.entries[entry_named(word(words, 0))];
  const dz_type* const tuple = returned_tuple(entry);
  if (tuple == nullptr) {
    output(words);
    return;
  }
  for (int32_t i = 0; i < tuple->member_count; ++i) {
    say((entry.outputs[0].unique != 0 ? "*" : "") +
        std::string(describe(tuple->members[i].types[0]).name));
  }
}

void Server::clear(const Words&) {
  variables_.clear();
  check(dzr_context_clear_caches(&context_));
}

void Server::pause_profiling(const Words&) {
  dzr_context_pause_profiling(&context_);
}

void Server::unpause_profiling(const Words&) {
  dzr_context_unpause_profiling(&context_);
}

void Server::report(const Words&) {
  char* text = dzr_context_report(&context_);
  if (text == nullptr) {
    throw Failure{take_error(context_, "Failed to produce profiling report.\n")};
  }
  say(text);
  std::free(text);
}

void Server::set_tuning_param(const Words& words) {
  const std::string& name = word(words, 0);
  const long value = std::atol(word(words, 1).c_str());
  if (dzr_config_set_tuning_param(options_.config.get(), name.c_str(),
                                  static_cast<size_t>(value)) != DZ_OK) {
    throw Failure{"Failed to set tuning parameter " + name + " to " + std::to_string(value)};
  }
}

// Every entry point may depend on every tuning parameter.
void Server::tuning_params(const Words& words) {
  entry_named(word(words, 0));
  for (int i = 0; i < dzr_tuning_param_count(&program_); ++i) {
    say(dzr_tuning_param_name(&program_, i));
  }
}

void Server::tuning_param_class(const Words& words) {
  const std::string& name = word(words, 0);
  for (int i = 0; i < dzr_tuning_param_count(&program_); ++i) {
    if (name == dzr_tuning_param_name(&program_, i)) {
      say(dzr_tuning_param_class(&program_, i));
      return;
    }
  }
  throw Failure{"Unknown tuning parameter: " + name};
}

// Programs have no recorded attributes.
void Server::attributes(const Words& words) {
  entry_named(word(words, 0));
}

void Server::obey(const std::string& line) {
  static constexpr Command commands[] = {
      {"types", &Server::types},
      {"entry_points", &Server::entry_points},
      {"call", &Server::call},
      {"restore", &Server::restore},
      {"store", &Server::store},
      {"free", &Server::free},
      {"rename", &Server::rename},
      {"inputs", &Server::inputs},
      {"output", &Server::output},
      {"outputs", &Server::outputs},
      {"clear", &Server::clear},
      {"pause_profiling", &Server::pause_profiling},
      {"unpause_profiling", &Server::unpause_profiling},
      {"report", &Server::report},
      {"set_tuning_param", &Server::set_tuning_param},
      {"tuning_params", &Server::tuning_params},
      {"tuning_param_class", &Server::tuning_param_class},
      {"attributes", &Server::attributes},
      {"kind", &Server::kind},
      {"type", &Server::type},
      {"rank", &Server::rank},
      {"elemtype", &Server::elemtype},
      {"new_array", &Server::new_array},
      {"set", &Server::set},
      {"shape", &Server::shape},
      {"index", &Server::index},
      {"zip", &Server::zip},
      {"unzip", &Server::unzip},
      {"fields", &Server::fields},
      {"new", &Server::new_record},
      {"project", &Server::project},
      {"variants", &Server::variants},
      {"construct", &Server::construct},
      {"destruct", &Server::destruct},
      {"variant", &Server::variant},
  };
  Words words = split(line);
  if (words.empty()) {
    throw Failure{"Empty line"};
  }
  const std::string name = words.front();
  words.erase(words.begin());
  for (const Command& command : commands) {
    if (name == command.name) {
      (this->*command.act)(words);
      return;
    }
  }
  throw Fatal{"Unknown command: " + name};
}

int Server::run() {
  char* line = nullptr;
  size_t capacity = 0;
  int status = exit_success;
  say("%%% OK");
  std::fflush(streams_.out);
  while (status == exit_success && getline(&line, &capacity, streams_.in) > 0) {
    try {
      obey(line);
    } catch (const Failure& failure) {
      say("%%% FAILURE");
      if (!failure.message.empty()) {
        say(failure.message);
      }
    } catch (const Fatal& fatal) {
      status = complain(options_, streams_, fatal.message, exit_failure);
      break;
    }
    say("%%% OK");
    std::fflush(streams_.out);
  }
  std::free(line);
  return status;
}

}  // namespace dagaz::runtime

int dz_server_main(const dz_program* program, int argc, char** argv, dz_streams streams) {
  using namespace dagaz::runtime;
  int status = exit_success;
  std::optional<Options> options =
      parse_command_line(*program, DriverKind::server, argc, argv, streams, status);
  if (!options) {
    return status;
  }
  const std::unique_ptr<dz_context, void (*)(dz_context*)> context(
      dzr_context_new(options->config.get()), dzr_context_free);
  if (context == nullptr) {
    return complain(*options, streams, "out of memory", exit_failure);
  }
  // Clients take what stands before "%%% FAILURE" or "%%% OK" as the log of a command.
  dzr_context_set_logging_file(context.get(), streams.out);
  if (!context->usable) {
    return complain(*options, streams, take_error(*context, "the context cannot be used"),
                    exit_failure);
  }
  return Server(*options, *context, streams).run();
}
