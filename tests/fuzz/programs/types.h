// Types of generated programs, as far as the generator has to know them.
#pragma once

#include <string>
#include <vector>

namespace dagaz::fuzz {

enum class Scalar { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, boolean };

const char* name_of(Scalar type);
bool is_integer(Scalar type);
bool is_signed(Scalar type);
bool is_real(Scalar type);
int bits_of(Scalar type);

enum class TypeKind { scalar, tuple, record, sum };

/// An array of `sizes` (outermost first; none: not an array) of scalars or composed values.
struct Type {
  std::vector<std::string> sizes;   // names of i64, or literals
  TypeKind kind = TypeKind::scalar;
  Scalar scalar = Scalar::i32;
  std::vector<Type> parts;          // of a tuple or record; payloads of a sum, one a constructor
  bool operator==(const Type&) const = default;

  bool is_array() const { return !sizes.empty(); }
  bool is_scalar() const { return sizes.empty() && kind == TypeKind::scalar; }
  std::size_t rank() const { return sizes.size(); }
};

Type scalar_type(Scalar scalar);
Type array_of(std::vector<std::string> sizes, Type element);
Type tuple_of(std::vector<Type> parts);
/// What one index into an array gives.
Type row_of(const Type& array);
Type element_of(const Type& array);

/// "a", "b", …: fields of records and constructors of sums.
std::string part_name(std::size_t number);
/// The type as the language writes it.
std::string text_of(const Type& type);
/// A value of the type that needs nothing but its sizes.
std::string plainest(const Type& type);

}  // namespace dagaz::fuzz
