#include "driver/interpret.h"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>

#include "driver/line_counts.h"
#include "ir/globals.h"
#include "ir/interpret.h"
#include "support/check.h"
#include "support/match.h"
#include "support/spelling.h"
#include "support/whole_range.h"
#include "traces.h"
#include "values.h"

namespace dagaz::driver {

namespace {

struct Request {
  std::string entry = "main";
  runtime::ValueFormat format = runtime::ValueFormat::text;
  std::string count_file;  // for how often lines are executed; empty: not wanted
  bool bad = false;
};

Request parse_arguments(const std::vector<std::string>& arguments) {
  Request request;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--any-type") continue;  // they all are taken apart
    if (word == "-b" || word == "--binary-output") {
      request.format = runtime::ValueFormat::binary;
    } else if (word == "--output-format" && i + 1 < arguments.size() &&
               runtime::format_named(arguments[i + 1])) {
      request.format = *runtime::format_named(arguments[++i]);
    } else if (word == count_lines_option && i + 1 < arguments.size()) {
      request.count_file = arguments[++i];
    } else if ((word == "-e" || word == "--entry-point") && i + 1 < arguments.size()) {
      request.entry = arguments[++i];
    } else if (word.rfind("--entry-point=", 0) == 0) {
      request.entry = word.substr(std::strlen("--entry-point="));
    } else {
      std::cerr << "dagaz: the interpreter does not know the option `" << word << "`\n";
      request.bad = true;
    }
  }
  return request;
}

dz_leaf_type leaf_type(const ir::ExternalLeaf& leaf) {
  // ExternalElement and dz_element list the same types in the same order.
  return dz_leaf_type{static_cast<int32_t>(leaf.element), leaf.rank};
}

ir::Value to_ir(const runtime::Value& value, ir::ScalarType element) {
  ir::Value out;
  out.element = element;
  out.shape = value.shape;
  const auto size = static_cast<std::size_t>(runtime::element_info(value.element).bytes);
  out.elements.resize(value.bytes.size() / size);
  for (std::size_t i = 0; i < out.elements.size(); ++i) {
    std::memcpy(&out.elements[i], value.bytes.data() + i * size, size);
  }
  return out;
}

bool print_value(const ir::Value& value, const ir::ExternalLeaf& leaf,
                 runtime::ValueFormat format) {
  const dz_leaf_type type = leaf_type(leaf);
  const auto size = static_cast<std::size_t>(runtime::element_info(type.element).bytes);
  std::string bytes(value.elements.size() * size, '\0');
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    std::memcpy(&bytes[i * size], &value.elements[i], size);
  }
  std::string text;
  if (format == runtime::ValueFormat::csv && value.shape.size() > runtime::most_csv_dimensions) {
    std::cerr << "dagaz: a CSV table has at most two dimensions\n";
    return false;
  }
  runtime::write_value(text, format, type.element, value.shape, bytes.data());
  if (format == runtime::ValueFormat::text) text += '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
  return true;
}

// The elements of a traced leaf, as compiled programs keep them.
std::string bytes_of(const ir::Value& value) {
  const auto size = static_cast<std::size_t>(ir::byte_size(value.element));
  std::string bytes(value.elements.size() * size, '\0');
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    std::memcpy(&bytes[i * size], &value.elements[i], size);
  }
  return bytes;
}

void print_trace(const ir::Traced& traced, const std::vector<ir::Value>& values) {
  std::vector<std::string> data;
  for (const ir::Value& value : values) data.push_back(bytes_of(value));
  std::vector<runtime::TracedLeaf> leaves;
  for (std::size_t i = 0; i < values.size(); ++i) {
    leaves.push_back({values[i].shape, data[i].data(), ir::byte_size(values[i].element)});
  }
  std::cerr << traced.label + ": " + runtime::traced_text(traced.type, leaves) + "\n";
}

const ir::EntryPoint* find_entry(const ir::Program& program, const std::string& name) {
  for (const ir::EntryPoint& entry : program.entries) {
    if (entry.name == name && !ir::computes_globals(entry)) return &entry;
  }
  std::cerr << "dagaz: there is no entry point `" << name << "`; there are:";
  std::vector<std::string_view> names;
  for (const ir::EntryPoint& entry : program.entries) {
    if (!ir::computes_globals(entry)) names.push_back(entry.name);
  }
  for (const std::string_view each : names) std::cerr << " " << each;
  std::cerr << did_you_mean(name, names) << "\n";
  return nullptr;
}

const ir::Function& function_named(const ir::Program& program, const std::string& name) {
  for (const ir::Function& function : program.functions) {
    if (function.name == name) return function;
  }
  DZ_UNREACHABLE("an entry point without function");
}

// The leaves of the inputs, read from stdin; false after an error.
bool read_inputs(const ir::Program& program, const ir::EntryPoint& entry,
                 const ir::Function& function, std::vector<ir::Value>& leaves) {
  const auto text = runtime::read_everything(stdin);
  if (!text) {
    std::cerr << "dagaz: cannot read standard input\n";
    return false;
  }
  runtime::ValueReader reader(*text, "<stdin>");
  auto parameter = static_cast<std::size_t>(entry.size_parameters);
  for (const ir::ExternalValue& input : entry.inputs) {
    const auto& type = program.external_types[static_cast<std::size_t>(input.type)];
    for (const ir::ExternalLeaf& leaf : type.leaves) {
      runtime::Value value;
      if (!reader.read(leaf_type(leaf), value)) {
        std::cerr << "dagaz: " << reader.error() << "\n";
        return false;
      }
      const ir::Type& expected = program.names.type(function.parameters[parameter++].name);
      leaves.push_back(to_ir(value, expected.element));
    }
  }
  if (!reader.at_end()) {
    std::cerr << "dagaz: there are more values on standard input than `" << entry.name
              << "` takes\n";
    return false;
  }
  return true;
}

// Size parameters from the shapes of the leaves; false if two shapes disagree.
bool bind_sizes(const ir::Program& program, const ir::EntryPoint& entry,
                const ir::Function& function, const std::vector<ir::Value>& leaves,
                std::vector<ir::Value>& arguments) {
  const auto sizes = static_cast<std::size_t>(entry.size_parameters);
  std::map<ir::NameId, int64_t> known;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const ir::Type& type = program.names.type(function.parameters[sizes + i].name);
    for (std::size_t k = 0; k < type.shape.size(); ++k) {
      const int64_t actual = leaves[i].shape[k];
      const ir::Operand& size = type.shape[k];
      const int64_t expected =
          size.is_constant() ? ir::integer_value(size.constant())
                             : known.emplace(size.name(), actual).first->second;
      if (expected != actual) {
        std::cerr << "dagaz: the arguments of `" << entry.name << "` do not fit together: value "
                  << i << " has size " << actual << " in dimension " << k << " where " << expected
                  << " is needed\n";
        return false;
      }
    }
  }
  for (std::size_t i = 0; i < sizes; ++i) {
    const auto found = known.find(function.parameters[i].name);
    DZ_CHECK(found != known.end(), "a size parameter without a dimension");
    arguments.push_back(ir::Value{ir::ScalarType::i64, {}, {static_cast<uint64_t>(found->second)}});
  }
  return true;
}

// The tuning parameters and the globals; or an error.
std::variant<std::vector<ir::Value>, ir::RuntimeError> globals_of(const ir::Program& program,
                                                                  const TunedParameters& tuned,
                                                                  const ir::OnTrace& on_trace) {
  if (program.entries.empty() || !ir::computes_globals(program.entries.back())) {
    return std::vector<ir::Value>{};
  }
  const ir::EntryPoint& entry = program.entries.back();
  std::vector<ir::Value> values;
  for (const ir::ExternalValue& parameter : entry.inputs) {
    const auto found = tuned.find(parameter.name);
    const bool is_set = found != tuned.end();
    const auto value = is_set ? static_cast<std::uint64_t>(found->second) : 0;
    values.push_back(ir::Value{ir::ScalarType::boolean, {}, {is_set ? 1ULL : 0ULL}});
    values.push_back(ir::Value{ir::ScalarType::i64, {}, {value}});
  }
  auto outcome = ir::interpret(program, entry.function, values, on_trace);
  if (auto* error = as<ir::RuntimeError>(outcome)) return std::move(*error);
  auto& results = std::get<std::vector<ir::Value>>(outcome);
  values.insert(values.end(), results.begin() + entry.size_results, results.end());
  return values;
}

void print_error(const ir::Program& program, const SourceFiles& files,
                 const ir::RuntimeError& error) {
  std::cerr << "Error: " << error.message << "\n\nBacktrace:\n";
  int number = 0;
  for (ir::LocationId at = error.location; at.valid();) {
    const ir::Location& location = program.locations[at.index];
    std::cerr << (number == 0 ? "-> #" : "   #") << number << "  "
              << describe_whole(location.range, files) << "\n";
    ++number;
    at = location.inlined_at;
  }
}

}  // namespace

static int interpret_request(const ir::Program& program, const SourceFiles& files,
                             const TunedParameters& tuned, const Request& request,
                             const ir::OnTrace& on_trace) {
  const ir::EntryPoint* entry = find_entry(program, request.entry);
  if (entry == nullptr) return 2;
  const ir::Function& function = function_named(program, entry->function);
  std::vector<ir::Value> leaves;
  std::vector<ir::Value> values;
  if (!read_inputs(program, *entry, function, leaves)) return 1;
  auto globals = globals_of(program, tuned, on_trace);
  if (const auto* error = as<ir::RuntimeError>(globals)) {
    print_error(program, files, *error);
    return 1;
  }
  for (ir::Value& value : std::get<std::vector<ir::Value>>(globals)) {
    leaves.push_back(std::move(value));
  }
  if (!bind_sizes(program, *entry, function, leaves, values)) {
    return 1;
  }
  for (ir::Value& leaf : leaves) values.push_back(std::move(leaf));
  const auto outcome = ir::interpret(program, entry->function, std::move(values), on_trace);
  if (const auto* error = as<ir::RuntimeError>(outcome)) {
    print_error(program, files, *error);
    return 1;
  }
  const auto& results = std::get<std::vector<ir::Value>>(outcome);
  auto next = static_cast<std::size_t>(entry->size_results);
  for (const ir::ExternalValue& output : entry->outputs) {
    for (const ir::ExternalLeaf& leaf :
         program.external_types[static_cast<std::size_t>(output.type)].leaves) {
      if (!print_value(results[next++], leaf, request.format)) return 1;
    }
  }
  return 0;
}

int interpret_program(const ir::Program& program, const SourceFiles& files,
                      const TunedParameters& tuned, const std::vector<std::string>& arguments) {
  const Request request = parse_arguments(arguments);
  if (request.bad) return 2;
  if (request.count_file.empty()) {
    return interpret_request(program, files, tuned, request, print_trace);
  }
  LineCounts counts;
  const auto count = [&](const ir::Traced& traced, const std::vector<ir::Value>& values) {
    if (!count_line(counts, files, traced.label)) print_trace(traced, values);
  };
  const int status = interpret_request(program, files, tuned, request, count);
  if (append_counts(request.count_file, counts)) return status;
  std::cerr << "dagaz: cannot write `" << request.count_file << "`\n";
  return 1;
}

}  // namespace dagaz::driver
