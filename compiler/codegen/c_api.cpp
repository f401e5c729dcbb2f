// The function families, as in the peer's C interface, with the program's prefix.
#include "codegen/c_api.h"

#include <algorithm>

#include "ir/globals.h"

namespace dagaz::codegen {

namespace {

using Kind = CArgument::Kind;

const CType status_type{"int", 'i'};
const CType no_value{"void", 'v'};
const CType size_type{"int64_t", 'l'};
const CType shape_type{"const int64_t *", 'p'};
const CType text_type{"char *", 'p'};
const CType constant_text_type{"const char *", 'p'};
const CType address_type{"unsigned char *", 'p'};

CArgument parameter(int number) { return {Kind::parameter, number}; }
CArgument number(int value) { return {Kind::number, value}; }

/// Builds the description.
class Api {
 public:
  Api(const tree::Program& program, const Options& options)
      : program_(program), options_(options) {}

  CSection configuration();
  CSection context();
  CSection arrays();
  CSection opaques();
  CSection entries();

 private:
  std::string name(const std::string& rest) const { return options_.prefix + "_" + rest; }
  CType pointer(const std::string& structure, bool constant = false) const {
    return {(constant ? "const struct " : "struct ") + name(structure) + " *", 'p'};
  }
  CType config() const { return pointer("context_config"); }
  CParameter context_parameter() const { return {pointer("context"), "ctx"}; }
  const ir::ExternalType& type(int index) const {
    return program_.external_types[static_cast<std::size_t>(index)];
  }
  /// A value going in: scalars by value, others by const pointer.
  CParameter input(int type_index, const std::string& parameter_name) const;
  /// Where a value comes out.
  static CParameter output(const CType& value, const std::string& parameter_name) {
    return {{value.text + (value.text.back() == '*' ? "*" : " *"), 'p'}, parameter_name};
  }
  /// A function whose parameters are passed on as they are.
  static CFunction forward(CType result, std::string function_name,
                           std::vector<CParameter> parameters, std::string callee);

  void add_array(CSection& section, const CArray& array) const;
  void add_record(CSection& section, int index) const;
  void add_sum(CSection& section, int index) const;
  void add_opaque_array(CSection& section, int index) const;
  void add_record_array(CSection& section, int index) const;
  static void add_indices(CFunction& function, const char* parameter_name, int rank, Kind kind);

  const tree::Program& program_;
  const Options& options_;
};

CParameter Api::input(int type_index, const std::string& parameter_name) const {
  return {c_input_type(type(type_index), options_), parameter_name};
}

CFunction Api::forward(CType result, std::string function_name,
                       std::vector<CParameter> parameters, std::string callee) {
  CFunction function{std::move(result), std::move(function_name), std::move(parameters),
                     std::move(callee), {}};
  for (int i = 0; i < static_cast<int>(function.parameters.size()); ++i) {
    function.arguments.push_back(parameter(i));
  }
  return function;
}

CSection Api::configuration() {
  CSection section{"Configuration: made before a context, freed after it",
                   {name("context_config"), name("context")},
                   {}};
  auto& functions = section.functions;
  functions.push_back({config(), name("context_config_new"), {}, "dzr_config_new",
                       {{Kind::program}}});
  const CParameter cfg{config(), "cfg"};
  const auto setter = [&](const char* suffix, const CType& type, const char* parameter_name) {
    functions.push_back(forward(no_value, name("context_config_" + std::string(suffix)),
                                {cfg, {type, parameter_name}},
                                "dzr_config_" + std::string(suffix)));
  };
  functions.push_back(forward(no_value, name("context_config_free"), {cfg}, "dzr_config_free"));
  setter("set_debugging", status_type, "flag");
  setter("set_profiling", status_type, "flag");
  setter("set_logging", status_type, "flag");
  setter("set_cache_file", constant_text_type, "file");
  setter("set_num_threads", status_type, "threads");
  setter("set_device", constant_text_type, "name");
  setter("set_unified_memory", status_type, "flag");
  setter("set_memory_cap", size_type, "bytes");
  setter("set_stream", {"void *", 'p'}, "stream");
  if (options_.ranks) {
    setter("set_check_ranks", status_type, "seconds");
    // The address of an MPI_Comm: this header needs no other.
    functions.push_back(forward(status_type, name("context_config_set_communicator"),
                                {cfg, {{"const void *", 'p'}, "communicator"}},
                                "dzr_config_set_communicator"));
  }
  functions.push_back(forward(constant_text_type, name("context_config_get_program"), {cfg},
                              "dzr_config_get_program"));
  setter("set_program", constant_text_type, "program");
  for (const auto& [suffix, which] : std::vector<std::pair<const char*, const char*>>{
           {"thread_block_size", "thread_block_size"}, {"group_size", "thread_block_size"},
           {"grid_size", "grid_size"}, {"num_groups", "grid_size"}, {"tile_size", "tile_size"},
           {"reg_tile_size", "reg_tile_size"}, {"registers", "registers"}, {"cache", "cache"},
           {"threshold", "threshold"}}) {
    functions.push_back({no_value,
                         name("context_config_set_default_" + std::string(suffix)),
                         {cfg, {status_type, "value"}},
                         "dzr_config_set_default",
                         {parameter(0), {Kind::text, 0, which}, parameter(1)}});
  }
  functions.push_back(forward(status_type, name("context_config_set_tuning_param"),
                              {cfg, {constant_text_type, "name"}, {{"size_t", 'l'}, "value"}},
                              "dzr_config_set_tuning_param"));
  functions.push_back({status_type,
                       name("get_tuning_param_count"),
                       {},
                       "dzr_tuning_param_count",
                       {{Kind::program}}});
  for (const char* what : {"name", "class"}) {
    functions.push_back({constant_text_type,
                         name("get_tuning_param_" + std::string(what)),
                         {{status_type, "index"}},
                         "dzr_tuning_param_" + std::string(what),
                         {{Kind::program}, parameter(0)}});
  }
  return section;
}

CSection Api::context() {
  CSection section{"Contexts: one device, its memory and its errors", {}, {}};
  auto& functions = section.functions;
  const CParameter ctx = context_parameter();
  functions.push_back(forward(pointer("context"), name("context_new"), {{config(), "cfg"}},
                              "dzr_context_new"));
  const auto simple = [&](const CType& result, const char* suffix) {
    functions.push_back(forward(result, name("context_" + std::string(suffix)), {ctx},
                                "dzr_context_" + std::string(suffix)));
  };
  simple(no_value, "free");
  simple(status_type, "sync");
  simple(text_type, "get_error");
  functions.push_back(forward(no_value, name("context_set_logging_file"),
                              {ctx, {{"FILE *", 'p'}, "file"}}, "dzr_context_set_logging_file"));
  simple(no_value, "pause_profiling");
  simple(no_value, "unpause_profiling");
  simple(text_type, "report");
  simple(status_type, "clear_caches");
  if (options_.ranks) {
    const CType place{"int64_t *", 'p'};
    functions.push_back(forward(no_value, name("context_rows"),
                                {ctx, {size_type, "rows"}, {place, "first"}, {place, "count"}},
                                "dzr_context_rows"));
  }
  return section;
}

void Api::add_indices(CFunction& function, const char* parameter_name, int rank, Kind kind) {
  CArgument list{kind};
  for (int i = 0; i < rank; ++i) {
    list.list.push_back(static_cast<int>(function.parameters.size()));
    function.parameters.push_back({size_type, parameter_name + std::to_string(i)});
  }
  function.arguments.push_back(list);
}

void Api::add_array(CSection& section, const CArray& array) const {
  const std::string suffix = array_name(array);
  const ir::ExternalType scalar{"", "", ir::ExternalKind::scalar, {{array.element, 0}}, {}};
  const std::string element = c_type(scalar, options_).text;
  const CParameter ctx = context_parameter();
  const CParameter read{pointer(suffix, true), "arr"};
  const auto maker = [&](const std::string& title, const CParameter& data, const char* callee) {
    CFunction function{pointer(suffix), name(title), {ctx, data}, callee,
                       {parameter(0), number(static_cast<int>(array.element)),
                        number(array.rank), parameter(1)}};
    add_indices(function, "dim", array.rank, Kind::sizes);
    section.functions.push_back(function);
  };
  section.structs.push_back(name(suffix));
  maker("new_" + suffix, {{"const " + element + " *", 'p'}, "data"}, "dzr_new_array");
  maker("new_raw_" + suffix, {address_type, "data"}, "dzr_new_raw_array");
  section.functions.push_back(forward(status_type, name("free_" + suffix),
                                      {ctx, {pointer(suffix), "arr"}}, "dzr_free_array"));
  section.functions.push_back(forward(status_type, name("values_" + suffix),
                                      {ctx, read, {{element + " *", 'p'}, "data"}},
                                      "dzr_array_values"));
  CFunction index{status_type,
                  name("index_" + suffix),
                  {ctx, {{element + " *", 'p'}, "out"}, read},
                  "dzr_array_index",
                  {parameter(0), parameter(1), parameter(2)}};
  add_indices(index, "i", array.rank, Kind::sizes);
  section.functions.push_back(index);
  section.functions.push_back(
      forward(address_type, name("values_raw_" + suffix), {ctx, read}, "dzr_array_values_raw"));
  section.functions.push_back(
      forward(shape_type, name("shape_" + suffix), {ctx, read}, "dzr_array_shape"));
  if (!options_.ranks) return;
  maker("new_" + suffix + "_part", {{"const " + element + " *", 'p'}, "rows"},
        "dzr_new_array_part");
  section.functions.push_back(forward(status_type, name("values_" + suffix + "_part"),
                                      {ctx, read, {{element + " *", 'p'}, "rows"}},
                                      "dzr_array_values_part"));
}

CSection Api::arrays() {
  CSection section{"Arrays", {}, {}};
  for (const CArray& array : c_arrays(program_)) add_array(section, array);
  return section;
}

void Api::add_record(CSection& section, int index) const {
  const ir::ExternalType& record = type(index);
  const std::string suffix = opaque_name(record);
  const CParameter ctx = context_parameter();
  const CParameter object{pointer(suffix, true), "obj"};
  for (int i = 0; i < static_cast<int>(record.members.size()); ++i) {
    const ir::ExternalMember& member = record.members[static_cast<std::size_t>(i)];
    const CType field = c_type(type(member.types[0]), options_);
    section.functions.push_back(
        {status_type,
         name("project_" + suffix + "_" + c_identifier(member.name)),
         {ctx, output(field, "out"), object},
         "dzr_project",
         {parameter(0), number(index), number(i), parameter(1), parameter(2)}});
  }
  CFunction make{status_type,
                 name("new_" + suffix),
                 {ctx, output(pointer(suffix), "out")},
                 "dzr_new_record",
                 {parameter(0), number(index), parameter(1)}};
  CArgument fields{Kind::values};
  for (const ir::ExternalMember& member : record.members) {
    fields.list.push_back(static_cast<int>(make.parameters.size()));
    make.parameters.push_back(input(member.types[0], "f_" + c_identifier(member.name)));
  }
  make.arguments.push_back(fields);
  section.functions.push_back(make);
}

void Api::add_sum(CSection& section, int index) const {
  const ir::ExternalType& sum = type(index);
  const std::string suffix = opaque_name(sum);
  const CParameter ctx = context_parameter();
  for (int i = 0; i < static_cast<int>(sum.members.size()); ++i) {
    const ir::ExternalMember& variant = sum.members[static_cast<std::size_t>(i)];
    const std::string variant_suffix = suffix + "_" + c_identifier(variant.name);
    CFunction make{status_type,
                   name("new_" + variant_suffix),
                   {ctx, output(pointer(suffix), "out")},
                   "dzr_new_sum",
                   {parameter(0), number(index), number(i), parameter(1)}};
    CFunction destruct{status_type,
                       name("destruct_" + variant_suffix),
                       {ctx},
                       "dzr_destruct",
                       {parameter(0), number(index), number(i)}};
    CArgument payload{Kind::values};
    CArgument outs{Kind::values};
    for (std::size_t k = 0; k < variant.types.size(); ++k) {
      const std::string place = "v" + std::to_string(k);
      payload.list.push_back(static_cast<int>(make.parameters.size()));
      make.parameters.push_back(input(variant.types[k], place));
      outs.list.push_back(static_cast<int>(destruct.parameters.size()));
      destruct.parameters.push_back(output(c_type(type(variant.types[k]), options_), place));
    }
    make.arguments.push_back(payload);
    destruct.arguments.push_back(outs);
    destruct.arguments.push_back(parameter(static_cast<int>(destruct.parameters.size())));
    destruct.parameters.push_back({pointer(suffix, true), "obj"});
    section.functions.push_back(make);
    section.functions.push_back(destruct);
  }
  section.functions.push_back(forward(status_type, name("variant_" + suffix),
                                      {ctx, {pointer(suffix, true), "obj"}}, "dzr_variant"));
}

void Api::add_opaque_array(CSection& section, int index) const {
  const ir::ExternalType& array = type(index);
  if (array.element_type < 0) return;
  const std::string suffix = opaque_name(array);
  const std::string element = opaque_name(type(array.element_type));
  const CParameter ctx = context_parameter();
  const CParameter read{pointer(suffix, true), "arr"};
  // Not a pointer to pointers to const, to which C converts no array of pointers.
  CFunction make{status_type,
                 name("new_" + suffix),
                 {ctx,
                  output(pointer(suffix), "out"),
                  {{"struct " + name(element) + " *const *", 'p'}, "elems"}},
                 "dzr_new_opaque_array",
                 {parameter(0), number(index), parameter(1), parameter(2)}};
  add_indices(make, "dim", array.rank, Kind::sizes);
  CFunction get{status_type,
                name("index_" + suffix),
                {ctx, output(pointer(element), "out"), read},
                "dzr_opaque_array_index",
                {parameter(0), number(index), parameter(1), parameter(2)}};
  add_indices(get, "i", array.rank, Kind::sizes);
  CFunction set{status_type,
                name("set_" + suffix),
                {ctx, {pointer(suffix), "arr"}, {pointer(element, true), "elem"}},
                "dzr_opaque_array_set",
                {parameter(0), number(index), parameter(1), parameter(2)}};
  add_indices(set, "i", array.rank, Kind::sizes);
  section.functions.insert(section.functions.end(), {make, get, set});
  section.functions.push_back(
      forward(shape_type, name("shape_" + suffix), {ctx, read}, "dzr_opaque_array_shape"));
  if (!array.members.empty()) add_record_array(section, index);
}

void Api::add_record_array(CSection& section, int index) const {
  const ir::ExternalType& array = type(index);
  const std::string suffix = opaque_name(array);
  const CParameter ctx = context_parameter();
  CFunction zip{status_type,
                name("zip_" + suffix),
                {ctx, output(pointer(suffix), "out")},
                "dzr_zip",
                {parameter(0), number(index), parameter(1)}};
  CArgument arrays{Kind::values};
  for (int i = 0; i < static_cast<int>(array.members.size()); ++i) {
    const ir::ExternalMember& member = array.members[static_cast<std::size_t>(i)];
    const std::string field = c_identifier(member.name);
    const CType projected = c_type(type(member.types[0]), options_);
    arrays.list.push_back(static_cast<int>(zip.parameters.size()));
    zip.parameters.push_back(input(member.types[0], "f_" + field));
    section.functions.push_back(
        {status_type,
         name("project_" + suffix + "_" + field),
         {ctx, output(projected, "out"), {pointer(suffix, true), "obj"}},
         "dzr_opaque_array_project",
         {parameter(0), number(index), number(i), parameter(1), parameter(2)}});
  }
  zip.arguments.push_back(arrays);
  section.functions.push_back(zip);
}

CSection Api::opaques() {
  CSection section{"Records, sums, and arrays of them", {}, {}};
  const CParameter ctx = context_parameter();
  for (int i = 0; i < static_cast<int>(program_.external_types.size()); ++i) {
    const ir::ExternalType& opaque = type(i);
    if (!is_opaque(opaque)) continue;
    const std::string suffix = opaque_name(opaque);
    section.structs.push_back(name(suffix));
    section.functions.push_back(forward(status_type, name("free_" + suffix),
                                        {ctx, {pointer(suffix), "obj"}}, "dzr_free_opaque"));
    section.functions.push_back(forward(
        status_type, name("store_" + suffix),
        {ctx, {pointer(suffix, true), "obj"}, {{"void **", 'p'}, "p"}, {{"size_t *", 'p'}, "n"}},
        "dzr_store_opaque"));
    section.functions.push_back({pointer(suffix), name("restore_" + suffix),
                                 {ctx, {{"const void *", 'p'}, "p"}}, "dzr_restore_opaque",
                                 {parameter(0), number(i), parameter(1)}});
    if (opaque.kind == ir::ExternalKind::record) add_record(section, i);
    if (opaque.kind == ir::ExternalKind::sum) add_sum(section, i);
    if (opaque.kind == ir::ExternalKind::opaque_array) add_opaque_array(section, i);
  }
  return section;
}

/// The parameter's name in the source; its number where it has none or another one has the same.
std::string input_name(const ir::EntryPoint& entry, std::size_t number) {
  const std::string name = c_parameter_name(entry.inputs[number].name);
  const auto taken =
      std::count_if(entry.inputs.begin(), entry.inputs.end(),
                    [&](const auto& other) { return c_parameter_name(other.name) == name; });
  return name.empty() || taken > 1 ? "in" + std::to_string(number) : name;
}

CSection Api::entries() {
  CSection section{"Entry points", {}, {}};
  for (int i = 0; i < static_cast<int>(program_.entries.size()); ++i) {
    const ir::EntryPoint& entry = program_.entries[static_cast<std::size_t>(i)];
    if (ir::computes_globals(entry)) continue;
    CFunction function{status_type,
                       name("entry_" + c_identifier(entry.name)),
                       {context_parameter()},
                       "dzr_call_entry",
                       {parameter(0), number(i)},
                       entry.documentation};
    CArgument outs{Kind::values};
    CArgument ins{Kind::values};
    for (std::size_t k = 0; k < entry.outputs.size(); ++k) {
      outs.list.push_back(static_cast<int>(function.parameters.size()));
      function.parameters.push_back(
          output(c_type(type(entry.outputs[k].type), options_),
                 entry.outputs.size() == 1 ? "out" : "out" + std::to_string(k)));
    }
    for (std::size_t k = 0; k < entry.inputs.size(); ++k) {
      ins.list.push_back(static_cast<int>(function.parameters.size()));
      function.parameters.push_back(input(entry.inputs[k].type, input_name(entry, k)));
    }
    function.arguments.insert(function.arguments.end(), {outs, ins});
    section.functions.push_back(function);
  }
  return section;
}

}  // namespace

std::vector<CSection> c_api(const tree::Program& program, const Options& options) {
  Api api(program, options);
  return {api.configuration(), api.context(), api.arrays(), api.opaques(), api.entries()};
}

}  // namespace dagaz::codegen
