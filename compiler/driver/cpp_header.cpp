// The classes of NAME.hpp: one for each type of the interface, which owns its value, and one
// function for each entry point.  All that is said about the program comes from its manifest, so
// this file knows no rule by which C names are made.
#include "driver/cpp_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "support/text_writer.h"

namespace dagaz::driver {

namespace {

using Json = nlohmann::ordered_json;

/// What every such header begins with, for a program whose names begin with `@`.
constexpr std::string_view preamble = R"(
namespace @ {

/// A call that failed; `status()` is what the C function returned.
class error : public std::runtime_error {
 public:
  error(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};
/// The program stopped: an index out of bounds, a failed assertion, sizes that differ.
class program_error : public error { using error::error; };
class out_of_memory : public error { using error::error; };

/// Elements that lie one after another and belong to somebody else.
template <typename T>
class span {
 public:
  span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <typename Container, typename = decltype(std::declval<Container&>().data())>
  span(Container&& container) : data_(container.data()), size_(container.size()) {}
  template <std::size_t n>
  span(T (&array)[n]) : data_(array), size_(n) {}
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_;
  std::size_t size_;
};

struct options {
  int num_threads = 0;          // of the cpu target; 0: one per core
  std::string device;           // part of a GPU's name, or "#k"
  std::int64_t memory_cap = 0;  // bytes; 0: no limit but the device's
  bool profiling = false;
  bool logging = false;
};

/// A device with its memory.  Copies are the same context; values keep theirs alive.
class context {
 public:
  explicit context(const options& chosen = {}) : state_(std::make_shared<state>(chosen)) {
    if (char* text = @_context_get_error(get())) fail(1, text);
  }
  struct ::@_context* get() const { return state_->context; }
  void sync() const { check(@_context_sync(get())); }
  /// What profiling has counted: JSON.
  std::string report() const { return taken(@_context_report(get())); }
  void clear_caches() const { check(@_context_clear_caches(get())); }
  /// Throws unless a call succeeded.
  void check(int status) const {
    if (status != 0) fail(status, @_context_get_error(get()));
  }
  /// The same for calls that return a value.
  template <typename T>
  T* check(T* value) const {
    if (value == nullptr) fail(1, @_context_get_error(get()));
    return value;
  }

 private:
  struct state {
    explicit state(const options& chosen) : config(@_context_config_new()) {
      @_context_config_set_num_threads(config, chosen.num_threads);
      if (!chosen.device.empty()) @_context_config_set_device(config, chosen.device.c_str());
      @_context_config_set_memory_cap(config, chosen.memory_cap);
      @_context_config_set_profiling(config, chosen.profiling);
      @_context_config_set_logging(config, chosen.logging);
      context = @_context_new(config);
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
      @_context_free(context);
      @_context_config_free(config);
    }
    struct ::@_context_config* config;
    struct ::@_context* context;
  };
  static std::string taken(char* text) {
    std::string copy = text == nullptr ? "the call failed" : text;
    std::free(text);
    return copy;
  }
  [[noreturn]] static void fail(int status, char* text) {
    if (status == 2) throw program_error(status, taken(text));
    if (status == 3) throw out_of_memory(status, taken(text));
    throw error(status, taken(text));
  }
  std::shared_ptr<state> state_;
};

/// Owns a value of the program.
template <typename Handle, int (*release)(struct ::@_context*, Handle*)>
class value {
 public:
  value(context where, Handle* owned) : context_(std::move(where)), handle_(owned) {}
  value(value&& other) noexcept
      : context_(other.context_), handle_(std::exchange(other.handle_, nullptr)) {}
  value& operator=(value&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~value() {
    if (handle_ != nullptr) release(context_.get(), handle_);
  }
  Handle* get() const { return handle_; }
  const context& where() const { return context_; }

 private:
  context context_;
  Handle* handle_;
};
)";

struct Element {
  const char* name;
  const char* type;
};
constexpr Element elements[] = {
    {"bool", "bool"},           {"i8", "std::int8_t"},      {"i16", "std::int16_t"},
    {"i32", "std::int32_t"},    {"i64", "std::int64_t"},    {"u8", "std::uint8_t"},
    {"u16", "std::uint16_t"},   {"u32", "std::uint32_t"},   {"u64", "std::uint64_t"},
    {"f16", "std::uint16_t"},   {"f32", "float"},           {"f64", "double"}};

/// The C++ type of a scalar, or null.
const char* scalar_type(const std::string& name) {
  const auto* found = std::find_if(std::begin(elements), std::end(elements),
                                   [&](const Element& each) { return name == each.name; });
  return found == std::end(elements) ? nullptr : found->type;
}

constexpr std::array reserved = {
    "and", "array", "auto", "bool", "break", "case", "catch", "char", "class", "compl", "const",
    "context", "continue", "default", "delete", "do", "double", "else", "enum", "error",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "not", "operator", "options",
    "or", "out_of_memory", "private", "program_error", "protected", "public", "register",
    "return", "short", "signed", "sizeof", "span", "static", "std", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union",
    "unsigned", "using", "value", "virtual", "void", "volatile", "while", "xor"};

/// `name` as C++ may write it.
std::string cpp_name(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "m" + name;
  const bool taken = std::find(reserved.begin(), reserved.end(), name) != reserved.end();
  return taken ? name + "_" : name;
}

/// The same for a member of a class, whose own members have names too.
std::string member_name(const std::string& name) {
  constexpr std::array own = {"at",      "get",   "make",    "restore", "shape",
                              "store",   "tag",   "variant", "where"};
  const bool taken = std::find(own.begin(), own.end(), name) != own.end();
  return cpp_name(taken ? name + "_" : name);
}

std::string text(const Json& json) { return json.get<std::string>(); }

/// Writes the header of one program.
class HeaderWriter {
 public:
  HeaderWriter(const Json& manifest, std::string prefix)
      : manifest_(manifest), prefix_(std::move(prefix)) {}

  std::string write(const std::string& c_header);

 private:
  struct Parameter {
    std::string name;
    std::string type;  // as the manifest names it
  };

  std::string cpp_type(const std::string& type) const;
  std::string handle(const std::string& type) const;
  std::string parameter_list(const std::vector<Parameter>& parameters) const;
  std::string passed(const Parameter& parameter) const;
  void write_class_head(const std::string& type);
  void write_array(const std::string& name, const Json& type);
  void write_opaque(const std::string& name, const Json& type);
  void write_members(const std::string& name, const Json& type);
  void write_record(const std::string& name, const Json& record);
  void write_record_members(const std::string& name, const Json& record);
  void write_variant_members(const std::string& name, const Json& variant);
  void write_sum(const std::string& name, const Json& sum);
  void write_opaque_array(const Json& array);
  void write_call(const std::string& indent, const std::string& function,
                  const std::vector<std::string>& outputs, const std::string& arguments,
                  const std::string& where);
  void write_entry(const std::string& name, const Json& entry);

  const Json& manifest_;
  std::string prefix_;
  TextWriter out_;
};

std::string HeaderWriter::handle(const std::string& type) const {
  // "struct p_f64_1d *"
  const std::string c_type = text(manifest_["types"][type]["ctype"]);
  const std::size_t begin = std::string_view("struct ").size();
  return c_type.substr(begin, c_type.find_last_not_of(" *") + 1 - begin);
}

std::string HeaderWriter::cpp_type(const std::string& type) const {
  if (const char* scalar = scalar_type(type)) return scalar;
  return cpp_name(handle(type).substr(prefix_.size() + 1));
}

std::string HeaderWriter::parameter_list(const std::vector<Parameter>& parameters) const {
  std::string list;
  for (const Parameter& parameter : parameters) {
    list += ", ";
    list += scalar_type(parameter.type) != nullptr ? cpp_type(parameter.type) + " "
                                                   : "const " + cpp_type(parameter.type) + "& ";
    list += parameter.name;
  }
  return list;
}

std::string HeaderWriter::passed(const Parameter& parameter) const {
  return parameter.name + (scalar_type(parameter.type) != nullptr ? "" : ".get()");
}

void HeaderWriter::write_class_head(const std::string& type) {
  const std::string name = cpp_type(type);
  const std::string base = "value<struct ::" + handle(type) + ", " +
                           text(manifest_["types"][type]["ops"]["free"]) + ">";
  out_ << "\n/// " << type << "\nclass " << name << " : public " << base << " {\n public:\n"
       << "  using value::value;\n";
}

void HeaderWriter::write_array(const std::string& name, const Json& type) {
  const std::string element = text(type["elemtype"]);
  const std::string c_element = scalar_type(element);
  const Json& ops = type["ops"];
  const int rank = type["rank"].get<int>();
  const std::string sizes = "std::array<std::int64_t, " + std::to_string(rank) + ">";
  std::string indices;
  for (int i = 0; i < rank; ++i) indices += ", sizes[" + std::to_string(i) + "]";
  const std::string own = cpp_type(name);
  write_class_head(name);
  out_ << "  /// A copy of `elements`, row by row; as many as the product of `sizes`.\n"
       << "  " << own << "(const context& where, span<const " << c_element << "> elements, "
       << sizes << " sizes)\n      : value(where, where.check(" << text(ops["new"])
       << "(where.get(), checked(elements, sizes)" << indices << "))) {}\n"
       << "  " << sizes << " shape() const {\n    const std::int64_t* sizes = "
       << text(ops["shape"]) << "(where().get(), get());\n    " << sizes
       << " copy;\n    std::copy(sizes, sizes + " << std::to_string(rank)
       << ", copy.begin());\n    return copy;\n  }\n"
       << "  std::size_t size() const {\n    std::size_t product = 1;\n"
       << "    for (const std::int64_t size : shape()) product *= static_cast<std::size_t>(size);\n"
       << "    return product;\n  }\n"
       << "  /// Copies the elements; `out` has room for exactly size() of them.\n"
       << "  void values(span<" << c_element << "> out) const {\n"
       << "    if (out.size() != size()) throw std::length_error(\"the span has another size\");\n"
       << "    where().check(" << text(ops["values"]) << "(where().get(), get(), out.data()));\n"
       << "    where().sync();\n  }\n";
  if (element != "bool") {
    out_ << "  std::vector<" << c_element << "> values() const {\n    std::vector<" << c_element
         << "> copy(size());\n    values(copy);\n    return copy;\n  }\n";
  }
  out_ << "\n private:\n  static const " << c_element << "* checked(span<const " << c_element
       << "> elements, const " << sizes << "& sizes) {\n    std::size_t product = 1;\n"
       << "    for (const std::int64_t size : sizes) product *= static_cast<std::size_t>(size);\n"
       << "    if (product != elements.size()) throw std::length_error(\"the sizes do not fit\");\n"
       << "    return elements.data();\n  }\n};\n";
}

/// Calls `function` and returns what it puts into `outputs`, as one value or a tuple.
void HeaderWriter::write_call(const std::string& indent, const std::string& function,
                              const std::vector<std::string>& outputs,
                              const std::string& arguments, const std::string& where) {
  std::string places;
  std::string values;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string variable = "out" + std::to_string(i);
    const bool scalar = scalar_type(outputs[i]) != nullptr;
    out_ << indent
         << (scalar ? cpp_type(outputs[i]) + " " : "struct ::" + handle(outputs[i]) + "* ")
         << variable << (scalar ? " = {};\n" : " = nullptr;\n");
    places += ", &" + variable;
    values += (i == 0 ? "" : ", ") +
              (scalar ? variable : cpp_type(outputs[i]) + "(" + where + ", " + variable + ")");
  }
  out_ << indent << where << ".check(" << function << "(" << where << ".get()" << places
       << arguments << "));\n";
  // Programs may run asynchronously; what a function returns is there.
  const bool has_scalars = std::any_of(outputs.begin(), outputs.end(), [](const auto& type) {
    return scalar_type(type) != nullptr;
  });
  if (has_scalars) out_ << indent << where << ".sync();\n";
  if (outputs.empty()) return;
  out_ << indent << "return "
       << (outputs.size() == 1 ? values : "std::make_tuple(" + values + ")") << ";\n";
}

void HeaderWriter::write_record(const std::string& name, const Json& record) {
  std::vector<Parameter> fields;
  for (const Json& field : record["fields"]) {
    fields.push_back({member_name(text(field["name"])), text(field["type"])});
  }
  out_ << "  static " << cpp_type(name) << " make(const context& where" << parameter_list(fields)
       << ");\n";
  for (const Parameter& field : fields) {
    out_ << "  " << cpp_type(field.type) << " " << field.name << "() const;\n";
  }
}

void HeaderWriter::write_sum(const std::string& name, const Json& sum) {
  out_ << "  enum class tag {";
  for (const Json& variant : sum["variants"]) {
    out_ << (&variant == &sum["variants"].front() ? " " : ", ")
         << member_name(text(variant["name"]));
  }
  out_ << " };\n  tag variant() const {\n    return static_cast<tag>(" << text(sum["variant"])
       << "(where().get(), get()));\n  }\n";
  for (const Json& variant : sum["variants"]) {
    std::vector<Parameter> payload;
    std::string types;
    for (const Json& type : variant["payload"]) {
      payload.push_back({"v" + std::to_string(payload.size()), text(type)});
      types += (types.empty() ? "" : ", ") + cpp_type(text(type));
    }
    const std::string constructor = member_name(text(variant["name"]));
    out_ << "  static " << cpp_type(name) << " make_" << constructor << "(const context& where"
         << parameter_list(payload) << ");\n";
    if (payload.empty()) continue;
    out_ << "  /// The payload, if that is the variant.\n  "
         << (payload.size() == 1 ? types : "std::tuple<" + types + ">") << " " << constructor
         << "() const;\n";
  }
}

void HeaderWriter::write_opaque_array(const Json& array) {
  const int rank = array["rank"].get<int>();
  const std::string sizes = "std::array<std::int64_t, " + std::to_string(rank) + ">";
  const std::string element = text(array["elemtype"]);
  out_ << "  " << sizes << " shape() const {\n    const std::int64_t* sizes = "
       << text(array["shape"]) << "(where().get(), get());\n    " << sizes
       << " copy;\n    std::copy(sizes, sizes + " << std::to_string(rank)
       << ", copy.begin());\n    return copy;\n  }\n"
       << "  " << cpp_type(element) << " at(" << sizes << " indices) const;\n";
}

/// The class without the bodies that need other classes.
void HeaderWriter::write_opaque(const std::string& name, const Json& type) {
  write_class_head(name);
  if (type.contains("record")) write_record(name, type["record"]);
  if (type.contains("sum")) write_sum(name, type["sum"]);
  for (const char* kind : {"opaque_array", "record_array"}) {
    if (type.contains(kind)) write_opaque_array(type[kind]);
  }
  const Json& ops = type["ops"];
  const std::string own = cpp_type(name);
  out_ << "  std::vector<char> store() const {\n    std::size_t size = 0;\n"
       << "    where().check(" << text(ops["store"]) << "(where().get(), get(), nullptr, &size));\n"
       << "    std::vector<char> bytes(size);\n    void* place = bytes.data();\n"
       << "    where().check(" << text(ops["store"])
       << "(where().get(), get(), &place, &size));\n    return bytes;\n  }\n"
       << "  static " << own << " restore(const context& where, span<const char> bytes) {\n"
       << "    return " << own << "(where, where.check(" << text(ops["restore"])
       << "(where.get(), bytes.data())));\n  }\n};\n";
}

void HeaderWriter::write_record_members(const std::string& name, const Json& record) {
  const std::string own = cpp_type(name);
  std::vector<Parameter> fields;
  std::string arguments;
  for (const Json& field : record["fields"]) {
    fields.push_back({member_name(text(field["name"])), text(field["type"])});
    arguments += ", " + passed(fields.back());
  }
  out_ << "\ninline " << own << " " << own << "::make(const context& where"
       << parameter_list(fields) << ") {\n";
  write_call("  ", text(record["new"]), {name}, arguments, "where");
  out_ << "}\n";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out_ << "inline " << cpp_type(fields[i].type) << " " << own << "::" << fields[i].name
         << "() const {\n";
    write_call("  ", text(record["fields"][i]["project"]), {fields[i].type}, ", get()", "where()");
    out_ << "}\n";
  }
}

void HeaderWriter::write_variant_members(const std::string& name, const Json& variant) {
  const std::string own = cpp_type(name);
  std::vector<Parameter> payload;
  std::vector<std::string> types;
  std::string arguments;
  std::string cpp_types;
  for (const Json& part : variant["payload"]) {
    types.push_back(text(part));
    payload.push_back({"v" + std::to_string(payload.size()), text(part)});
    arguments += ", " + passed(payload.back());
    cpp_types += (cpp_types.empty() ? "" : ", ") + cpp_type(text(part));
  }
  const std::string constructor = member_name(text(variant["name"]));
  out_ << "\ninline " << own << " " << own << "::make_" << constructor << "(const context& where"
       << parameter_list(payload) << ") {\n";
  write_call("  ", text(variant["construct"]), {name}, arguments, "where");
  out_ << "}\n";
  if (payload.empty()) return;
  out_ << "inline " << (types.size() == 1 ? cpp_types : "std::tuple<" + cpp_types + ">") << " "
       << own << "::" << constructor << "() const {\n  if (variant() != tag::" << constructor
       << ") throw std::logic_error(\"the value has another variant\");\n";
  write_call("  ", text(variant["destruct"]), types, ", get()", "where()");
  out_ << "}\n";
}

/// The bodies that write_opaque left out.
void HeaderWriter::write_members(const std::string& name, const Json& type) {
  if (type.contains("record")) write_record_members(name, type["record"]);
  if (type.contains("sum")) {
    for (const Json& variant : type["sum"]["variants"]) write_variant_members(name, variant);
  }
  for (const char* kind : {"opaque_array", "record_array"}) {
    if (!type.contains(kind)) continue;
    const int rank = type[kind]["rank"].get<int>();
    const std::string element = text(type[kind]["elemtype"]);
    std::string arguments = ", get()";
    for (int i = 0; i < rank; ++i) arguments += ", indices[" + std::to_string(i) + "]";
    out_ << "\ninline " << cpp_type(element) << " " << cpp_type(name)
         << "::at(std::array<std::int64_t, " << std::to_string(rank) << "> indices) const {\n";
    write_call("  ", text(type[kind]["index"]), {element}, arguments, "where()");
    out_ << "}\n";
  }
}

void HeaderWriter::write_entry(const std::string& name, const Json& entry) {
  std::vector<Parameter> parameters;
  std::string arguments;
  std::map<std::string, int> seen;
  for (const Json& input : entry["inputs"]) {
    std::string given = cpp_name(text(input["name"]));
    if (text(input["name"]).empty()) given = "in" + std::to_string(parameters.size());
    if (const int before = seen[given]++; before > 0) given += "_" + std::to_string(before);
    parameters.push_back({given, text(input["type"])});
    arguments += ", " + passed(parameters.back());
  }
  std::vector<std::string> outputs;
  std::string types;
  const Json listed = entry.contains("outputs") ? entry["outputs"] : Json::array({entry["output"]});
  for (const Json& output : listed) {
    outputs.push_back(text(output["type"]));
    types += (types.empty() ? "" : ", ") + cpp_type(outputs.back());
  }
  out_ << '\n';
  if (entry.contains("doc")) {
    std::string comment = text(entry["doc"]);
    for (std::size_t at = comment.find('\n'); at != std::string::npos;
         at = comment.find('\n', at + 1)) {
      comment.replace(at, 1, "\n/// ");
    }
    out_ << "/// " << comment << '\n';
  }
  out_ << "inline " << (outputs.size() == 1 ? types : "std::tuple<" + types + ">") << " "
       << cpp_name(name) << "(const context& program" << parameter_list(parameters) << ") {\n";
  write_call("  ", text(entry["cfun"]), outputs, arguments, "program");
  out_ << "}\n";
}

std::string HeaderWriter::write(const std::string& c_header) {
  out_ << "// The program `" << prefix_ << "` for C++17, over its C interface.  Made by Dagaz.\n"
       << "#pragma once\n\n#include \"" << c_header << "\"\n";
  for (const char* header : {"algorithm", "array", "cstddef", "cstdint", "cstdlib", "memory",
                             "stdexcept", "string", "tuple", "utility", "vector"}) {
    out_ << "#include <" << header << ">\n";
  }
  for (const char c : preamble) {
    if (c == '@') {
      out_ << prefix_;
    } else {
      out_ << c;
    }
  }
  const Json& types = manifest_["types"];
  for (const auto& [name, type] : types.items()) {
    if (text(type["kind"]) != "array") out_ << "class " << cpp_type(name) << ";\n";
  }
  for (const auto& [name, type] : types.items()) {
    if (text(type["kind"]) == "array") write_array(name, type);
  }
  for (const auto& [name, type] : types.items()) {
    if (text(type["kind"]) != "array") write_opaque(name, type);
  }
  for (const auto& [name, type] : types.items()) {
    if (text(type["kind"]) != "array") write_members(name, type);
  }
  for (const auto& [name, entry] : manifest_["entry_points"].items()) write_entry(name, entry);
  out_ << "\n}  // namespace " << prefix_ << '\n';
  return out_.take();
}

}  // namespace

std::string cpp_header(const std::string& manifest, const std::string& prefix,
                       const std::string& c_header) {
  const Json parsed = Json::parse(manifest);
  return HeaderWriter(parsed, prefix).write(c_header);
}

}  // namespace dagaz::driver
