#include "types.h"

#include "support/check.h"

namespace dagaz::fuzz {

const char* name_of(Scalar type) {
  switch (type) {
    case Scalar::i8: return "i8";
    case Scalar::i16: return "i16";
    case Scalar::i32: return "i32";
    case Scalar::i64: return "i64";
    case Scalar::u8: return "u8";
    case Scalar::u16: return "u16";
    case Scalar::u32: return "u32";
    case Scalar::u64: return "u64";
    case Scalar::f32: return "f32";
    case Scalar::f64: return "f64";
    case Scalar::boolean: return "bool";
  }
  DZ_UNREACHABLE("scalar");
}

bool is_real(Scalar type) { return type == Scalar::f32 || type == Scalar::f64; }
bool is_integer(Scalar type) { return !is_real(type) && type != Scalar::boolean; }
bool is_signed(Scalar type) { return type <= Scalar::i64; }

int bits_of(Scalar type) {
  switch (type) {
    case Scalar::i8:
    case Scalar::u8:
    case Scalar::boolean: return 8;
    case Scalar::i16:
    case Scalar::u16: return 16;
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::f32: return 32;
    case Scalar::i64:
    case Scalar::u64:
    case Scalar::f64: return 64;
  }
  DZ_UNREACHABLE("scalar");
}

Type scalar_type(Scalar scalar) {
  Type type;
  type.scalar = scalar;
  return type;
}

Type array_of(std::vector<std::string> sizes, Type element) {
  sizes.insert(sizes.end(), element.sizes.begin(), element.sizes.end());
  element.sizes = std::move(sizes);
  return element;
}

Type tuple_of(std::vector<Type> parts) {
  Type type;
  type.kind = TypeKind::tuple;
  type.parts = std::move(parts);
  return type;
}

Type row_of(const Type& array) {
  Type row = array;
  row.sizes.erase(row.sizes.begin());
  return row;
}

Type element_of(const Type& array) {
  Type element = array;
  element.sizes.clear();
  return element;
}

std::string part_name(std::size_t number) {
  return std::string(1, static_cast<char>('a' + static_cast<char>(number)));
}

std::string text_of(const Type& type) {
  std::string text;
  for (const std::string& size : type.sizes) text += "[" + size + "]";
  if (type.kind == TypeKind::scalar) return text + name_of(type.scalar);
  const bool record = type.kind == TypeKind::record;
  const bool sum = type.kind == TypeKind::sum;
  text += record ? "{" : "(";
  for (std::size_t i = 0; i < type.parts.size(); ++i) {
    if (i > 0) text += sum ? " | " : ", ";
    if (record) text += part_name(i) + ": ";
    if (sum) text += "#" + part_name(i) + " ";
    text += text_of(type.parts[i]);
  }
  return text + (record ? "}" : ")");
}

std::string plainest(const Type& type) {
  if (type.is_array()) {
    return "(replicate " + type.sizes[0] + " " + plainest(row_of(type)) + ")";
  }
  switch (type.kind) {
    case TypeKind::scalar:
      return type.scalar == Scalar::boolean ? "false" : std::string("0") + name_of(type.scalar);
    case TypeKind::sum: return "(#a " + plainest(type.parts[0]) + " : " + text_of(type) + ")";
    case TypeKind::tuple:
    case TypeKind::record: break;
  }
  const bool record = type.kind == TypeKind::record;
  std::string text = record ? "{" : "(";
  for (std::size_t i = 0; i < type.parts.size(); ++i) {
    if (i > 0) text += ", ";
    if (record) text += part_name(i) + " = ";
    text += plainest(type.parts[i]);
  }
  return text + (record ? "}" : ")");
}

}  // namespace dagaz::fuzz
