// Values outside of a program: scalars and dense arrays that know their types, and the forms in
// which they are read and written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dagaz::data {

struct Array {
  int32_t element = 0;         // enum dz_element
  std::vector<int64_t> shape;  // none: a scalar
  std::string bytes;           // row by row
  std::string literal = {};    // as it was written, where that leaves the type of numbers open
};

/// `[3][2]f32`.
std::string type_text(const Array& array);
/// `[][]f32`.
std::string type_name(const Array& array);
std::string text_of(const Array& array);
/// The binary format of runtime/values.h.
std::string binary_of(const Array& array);
/// What that holds; `bytes` must be one value.
Array array_of(std::string_view bytes);

/// The values in `text`, each with a type of its own: text, binary, .npy and .npz, or a CSV table.
/// Numbers without suffixes are i32, or f64 where one has a point or an exponent.  Nothing, with
/// `problem` set, if it is none of these; `source` names it there.
std::optional<std::vector<Array>> read_values(std::string_view text, const std::string& source,
                                              std::string& problem);

/// `literal`, whose type is open, as elements of another type; nothing if it is no such value.
std::optional<Array> literal_as(const std::string& literal, int32_t element, std::size_t rank);

}  // namespace dagaz::data
