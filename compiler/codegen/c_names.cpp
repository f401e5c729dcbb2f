// Names and C types of the values that cross the C interface.
#include <algorithm>
#include <set>

#include "codegen/c_api.h"
#include "support/check.h"

namespace dagaz::codegen {

namespace {

struct ElementRow {
  const char* name;
  const char* c_type;
  char code;
};

/// In the order of ir::ExternalElement.
constexpr ElementRow elements[] = {
    {"bool", "bool", 'b'},      {"i8", "int8_t", 'b'},     {"i16", "int16_t", 's'},
    {"i32", "int32_t", 'i'},    {"i64", "int64_t", 'l'},   {"u8", "uint8_t", 'b'},
    {"u16", "uint16_t", 's'},   {"u32", "uint32_t", 'i'},  {"u64", "uint64_t", 'l'},
    {"f16", "uint16_t", 's'},   {"f32", "float", 'f'},     {"f64", "double", 'd'}};

const ElementRow& row(ir::ExternalElement element) {
  return elements[static_cast<std::size_t>(element)];
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string element_name(ir::ExternalElement element) { return row(element).name; }

std::string array_name(const CArray& array) {
  return element_name(array.element) + "_" + std::to_string(array.rank) + "d";
}

std::string array_type_name(const CArray& array) {
  std::string name;
  for (int i = 0; i < array.rank; ++i) name += "[]";
  return name + element_name(array.element);
}

bool is_opaque(const ir::ExternalType& type) {
  return type.kind != ir::ExternalKind::scalar && type.kind != ir::ExternalKind::array;
}

std::string opaque_name(const ir::ExternalType& type) {
  return "opaque_" + c_identifier(type.c_name);
}

std::string c_identifier(const std::string& name) {
  const bool valid = std::all_of(name.begin(), name.end(),
                                 [](char c) { return is_letter(c) || is_digit(c); });
  if (valid) return name;
  std::string spelled;
  constexpr const char* digits = "0123456789abcdef";
  for (const char c : name) {
    if (c == '\'') {
      spelled += "zq";
    } else if (c == 'z') {
      spelled += "zz";
    } else if (is_letter(c) || is_digit(c)) {
      spelled += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      spelled += 'z';
      spelled += digits[byte >> 4];
      spelled += digits[byte & 15];
    }
  }
  return spelled;
}

CType c_type(const ir::ExternalType& type, const Options& options) {
  if (type.kind == ir::ExternalKind::scalar) {
    const ElementRow& element = row(type.leaves[0].element);
    return {element.c_type, element.code};
  }
  const std::string name = type.kind == ir::ExternalKind::array
                               ? array_name({type.leaves[0].element, type.rank})
                               : opaque_name(type);
  return {"struct " + options.prefix + "_" + name + " *", 'p'};
}

std::optional<ProjectedType> projected_type(const imperative::Program& program,
                                            const Options& options,
                                            const ir::ExternalType& array, std::size_t member) {
  const auto& types = program.external_types;
  const ir::ExternalType& record = types[static_cast<std::size_t>(array.element_type)];
  const int field_index = record.members[member].types[0];
  const ir::ExternalType& field = types[static_cast<std::size_t>(field_index)];
  if (!is_opaque(field)) {
    const CArray projected{field.leaves[0].element, array.rank + field.rank};
    return ProjectedType{
        array_type_name(projected),
        {"struct " + options.prefix + "_" + array_name(projected) + " *", 'p'}};
  }
  for (const ir::ExternalType& type : types) {
    if (type.kind == ir::ExternalKind::opaque_array && type.element_type == field_index &&
        type.rank == array.rank) {
      return ProjectedType{type.name, c_type(type, options)};
    }
  }
  return std::nullopt;
}

bool is_record_array(const imperative::Program& program, const Options& options,
                     const ir::ExternalType& type) {
  if (type.kind != ir::ExternalKind::opaque_array || type.element_type < 0) return false;
  const auto& record = program.external_types[static_cast<std::size_t>(type.element_type)];
  if (record.kind != ir::ExternalKind::record) return false;
  for (std::size_t i = 0; i < record.members.size(); ++i) {
    if (!projected_type(program, options, type, i)) return false;
  }
  return true;
}

std::vector<CArray> c_arrays(const imperative::Program& program) {
  std::set<CArray> arrays;
  for (const ir::ExternalType& type : program.external_types) {
    if (type.kind == ir::ExternalKind::array) arrays.insert({type.leaves[0].element, type.rank});
    if (type.kind != ir::ExternalKind::opaque_array || type.element_type < 0) continue;
    // Projections of arrays of records.
    const auto& record = program.external_types[static_cast<std::size_t>(type.element_type)];
    if (record.kind != ir::ExternalKind::record) continue;
    for (const ir::ExternalMember& member : record.members) {
      const auto& field = program.external_types[static_cast<std::size_t>(member.types[0])];
      if (!is_opaque(field)) arrays.insert({field.leaves[0].element, type.rank + field.rank});
    }
  }
  return {arrays.begin(), arrays.end()};
}

}  // namespace dagaz::codegen
