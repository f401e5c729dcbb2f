// Names and C types of the values that cross the C interface.
//
// An opaque type without a readable name has the MD5 digest of its name in the source, as at the
// peer, so that a client finds it under the same name.
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MD5.h>

#include <algorithm>
#include <set>
#include <unordered_set>

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

std::string identifier_part(const ir::ExternalType& type) {
  if (!type.c_name.empty()) return type.c_name;
  return std::string(llvm::MD5::hash(llvm::arrayRefFromStringRef(type.name)).digest());
}

std::string opaque_name(const ir::ExternalType& type) {
  return "opaque_" + identifier_part(type);
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

std::string c_parameter_name(const std::string& name) {
  // Words of C and C++, and the other parameters of entry points.
  static const std::unordered_set<std::string> reserved{
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "co_await", "co_return",
      "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "ctx", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else",
      "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "linux", "long", "mutable", "namespace", "new", "noexcept", "not",
      "not_eq", "nullptr", "operator", "or", "or_eq", "out", "private", "protected", "public",
      "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed",
      "sizeof", "static", "static_assert", "static_cast", "stderr", "stdin", "stdout", "struct",
      "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
      "typename", "typeof", "union", "unix", "unsigned", "using", "virtual", "void", "volatile",
      "wchar_t", "while", "xor", "xor_eq", "NULL", "EOF", "FILE"};
  const std::string spelled = c_identifier(name);
  const auto numbered = [&](const std::string& start) {
    return spelled.starts_with(start) &&
           spelled.find_first_not_of("0123456789", start.size()) == std::string::npos;
  };
  // What starts with an underscore belongs to the compiler.
  const bool usable = !spelled.empty() && spelled.front() != '_' && !reserved.contains(spelled) &&
                      !numbered("in") && !numbered("out");
  return usable ? spelled : std::string();
}

CType c_input_type(const ir::ExternalType& type, const Options& options) {
  CType result = c_type(type, options);
  if (result.code == 'p') result.text = "const " + result.text;
  return result;
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

std::vector<CArray> c_arrays(const tree::Program& program) {
  std::set<CArray> arrays;
  for (const ir::ExternalType& type : program.external_types) {
    if (type.kind == ir::ExternalKind::array) arrays.insert({type.leaves[0].element, type.rank});
  }
  return {arrays.begin(), arrays.end()};
}

}  // namespace dagaz::codegen
