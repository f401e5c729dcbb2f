// The schema is that of the peer's release 0.26, where an entry point has one output; `outputs`
// lists it too, as older releases had it, so that bindings written for either can read this.
#include "codegen/manifest.h"

#include <nlohmann/json.hpp>

#include "codegen/c_api.h"
#include "ir/globals.h"
#include "support/check.h"

namespace dagaz::codegen {

namespace {

using Json = nlohmann::ordered_json;

const char* backend(tree::Target target) {
  switch (target) {
    case tree::Target::cpu: return "multicore";
    case tree::Target::cuda: return "cuda";
    case tree::Target::sim: return "sim";
  }
  DZ_UNREACHABLE("target");
}

/// Writes the parts of a manifest for one program.
class ManifestWriter {
 public:
  ManifestWriter(const tree::Program& program, const Options& options)
      : program_(program), options_(options) {}

  Json entry_points() const;
  Json types() const;

 private:
  std::string name(const std::string& rest) const { return options_.prefix + "_" + rest; }
  const ir::ExternalType& type(int index) const {
    return program_.external_types[static_cast<std::size_t>(index)];
  }
  Json array(const CArray& array) const;
  Json opaque(const ir::ExternalType& type) const;
  Json fields(const ir::ExternalType& type) const;
  Json record(const ir::ExternalType& type) const;
  Json sum(const ir::ExternalType& type) const;
  Json opaque_array(const ir::ExternalType& type) const;

  const tree::Program& program_;
  const Options& options_;
};

Json ManifestWriter::entry_points() const {
  Json entries = Json::object();
  Json tuning = Json::array();
  for (const ir::EntryPoint& entry : program_.entries) {
    if (!ir::computes_globals(entry)) continue;
    for (const ir::ExternalValue& parameter : entry.inputs) tuning.push_back(parameter.name);
  }
  for (const ir::EntryPoint& entry : program_.entries) {
    if (ir::computes_globals(entry)) continue;
    Json inputs = Json::array();
    for (const ir::ExternalValue& value : entry.inputs) {
      inputs.push_back(
          {{"name", value.name}, {"type", type(value.type).name}, {"unique", value.unique}});
    }
    Json outputs = Json::array();
    for (const ir::ExternalValue& value : entry.outputs) {
      outputs.push_back({{"type", type(value.type).name}, {"unique", value.unique}});
    }
    Json& described = entries[entry.name];
    described["cfun"] = name("entry_" + c_identifier(entry.name));
    described["tuning_params"] = tuning;
    described["attributes"] = Json::array();
    if (outputs.size() == 1) described["output"] = outputs[0];
    described["outputs"] = outputs;
    described["inputs"] = inputs;
    if (!entry.documentation.empty()) described["doc"] = entry.documentation;
  }
  return entries;
}

Json ManifestWriter::array(const CArray& array) const {
  const std::string suffix = array_name(array);
  Json ops;
  for (const char* op : {"free", "shape", "values", "values_raw", "new", "new_raw", "index"}) {
    ops[op] = name(op + ("_" + suffix));
  }
  return {{"kind", "array"},
          {"ctype", "struct " + name(suffix) + " *"},
          {"rank", array.rank},
          {"elemtype", element_name(array.element)},
          {"ops", ops}};
}

/// The fields of a record or of an array of records.
Json ManifestWriter::fields(const ir::ExternalType& record) const {
  const std::string suffix = opaque_name(record);
  Json fields = Json::array();
  for (const ir::ExternalMember& member : record.members) {
    fields.push_back({{"name", member.name},
                      {"type", type(member.types[0]).name},
                      {"project", name("project_" + suffix + "_" + c_identifier(member.name))}});
  }
  return fields;
}

Json ManifestWriter::record(const ir::ExternalType& record) const {
  return {{"new", name("new_" + opaque_name(record))}, {"fields", fields(record)}};
}

Json ManifestWriter::sum(const ir::ExternalType& sum) const {
  const std::string suffix = opaque_name(sum);
  Json variants = Json::array();
  for (const ir::ExternalMember& member : sum.members) {
    const std::string variant = suffix + "_" + c_identifier(member.name);
    Json payload = Json::array();
    for (const int index : member.types) payload.push_back(type(index).name);
    variants.push_back({{"name", member.name},
                        {"construct", name("new_" + variant)},
                        {"destruct", name("destruct_" + variant)},
                        {"payload", payload}});
  }
  return {{"variant", name("variant_" + suffix)}, {"variants", variants}};
}

Json ManifestWriter::opaque_array(const ir::ExternalType& array) const {
  const std::string suffix = opaque_name(array);
  Json described = {{"rank", array.rank}, {"elemtype", type(array.element_type).name}};
  for (const char* op : {"index", "shape", "new", "set"}) {
    described[op] = name(op + ("_" + suffix));
  }
  if (!array.members.empty()) {
    described["zip"] = name("zip_" + suffix);
    described["fields"] = fields(array);
  }
  return described;
}

Json ManifestWriter::opaque(const ir::ExternalType& opaque) const {
  const std::string suffix = opaque_name(opaque);
  Json ops;
  for (const char* op : {"free", "store", "restore"}) ops[op] = name(op + ("_" + suffix));
  Json described = {{"kind", "opaque"}, {"ctype", "struct " + name(suffix) + " *"}, {"ops", ops}};
  switch (opaque.kind) {
    case ir::ExternalKind::record: described["record"] = record(opaque); break;
    case ir::ExternalKind::sum: described["sum"] = sum(opaque); break;
    case ir::ExternalKind::opaque_array:
      if (opaque.element_type >= 0) {
        described[opaque.members.empty() ? "opaque_array" : "record_array"] = opaque_array(opaque);
      }
      break;
    case ir::ExternalKind::opaque:
    case ir::ExternalKind::scalar:
    case ir::ExternalKind::array: break;
  }
  return described;
}

Json ManifestWriter::types() const {
  Json types = Json::object();
  for (const CArray& each : c_arrays(program_)) types[array_type_name(each)] = array(each);
  for (const ir::ExternalType& type : program_.external_types) {
    if (is_opaque(type)) types[type.name] = opaque(type);
  }
  return types;
}

}  // namespace

std::string manifest(const tree::Program& program, const Options& options) {
  const ManifestWriter writer(program, options);
  const Json document = {{"backend", backend(program.target)},
                         {"version", "dagaz"},
                         {"entry_points", writer.entry_points()},
                         {"types", writer.types()}};
  return document.dump(2) + "\n";
}

}  // namespace dagaz::codegen
