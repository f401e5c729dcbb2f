// The value format that programs read and print: text such as `[[1i32, 2i32], [3i32, 4i32]]`, and
// a binary form (`b`, version, rank, element type, sizes, elements).  Both, and NumPy's arrays, may
// be mixed in one input, value by value; a CSV table is an input of its own.  Text that is printed
// reads back as exactly the same value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi.h"

namespace dagaz::runtime {

/// Name ("f64") and size in bytes of an element type.
struct ElementInfo {
  const char* name;
  int64_t bytes;
};
const ElementInfo& element_info(int32_t element);
constexpr int32_t element_count = DZ_F64 + 1;
/// The enum dz_element of that name.
std::optional<int32_t> element_named(std::string_view name);
/// "[][]f64".
std::string value_type_name(dz_leaf_type type);

/// The product of sizes; nothing when it, times `element_bytes`, exceeds the address space.
std::optional<int64_t> checked_count(const std::vector<int64_t>& shape, int64_t element_bytes);

/// A scalar (no sizes) or a dense row-major array.  `bytes` views the input or `storage`.
struct Value {
  int32_t element = DZ_I32;
  std::vector<int64_t> shape;
  std::string_view bytes;
  std::vector<char> storage;
};

/// Reads values one after another.  After an error nothing more can be read.
class ValueReader {
 public:
  /// `source` names the input in messages; both must outlive the reader and what it reads.
  ValueReader(std::string_view input, std::string_view source)
      : input_(input), source_(source) {}

  /// Whether only white space and comments are left.
  bool at_end();
  /// Reads one value of that type; false, with error() set, when there is none.
  bool read(dz_leaf_type type, Value& out);
  const std::string& error() const { return error_; }
  /// Bytes consumed so far.
  size_t position() const { return position_; }
  /// What is left, for data of another form in the same input, and passing over it.
  std::string_view rest() const { return input_.substr(position_); }
  void skip(size_t bytes) { position_ += bytes; }

 private:
  // In values_text.cpp.
  bool read_text(dz_leaf_type type, Value& out);
  bool read_array(Value& out, size_t level);
  bool read_elements(Value& out, size_t level);
  bool read_item(Value& out, size_t level);
  bool read_empty(Value& out, size_t level);
  bool read_empty_sizes(Value& out, size_t level);
  bool read_string(Value& out, size_t level);
  bool read_escape(std::vector<char>& out);
  bool read_scalar(Value& out);
  bool fix_size(Value& out, size_t level, int64_t size, size_t where);
  bool skip_space();
  bool expect(char c, const char* what);
  char peek() const { return position_ < input_.size() ? input_[position_] : '\0'; }
  std::string_view token();
  std::string found_here();
  bool fail_at(size_t where, const std::string& message);
  // In values_binary.cpp.
  bool read_binary(dz_leaf_type type, Value& out);
  bool fail_at_byte(size_t where, const std::string& message);
  // In values_npy.cpp and values_csv.cpp.
  bool read_npy_value(dz_leaf_type type, Value& out);
  bool read_csv_value(dz_leaf_type type, Value& out);

  std::string_view input_;
  std::string_view source_;
  size_t position_ = 0;
  std::string error_;
};

/// Reads a scalar in text form into the little-endian bytes at `out`; false when `text` is not
/// a scalar of that type.
bool parse_scalar(std::string_view text, int32_t element, void* out);

enum class ValueFormat { text, binary, npy, csv };
constexpr size_t most_csv_dimensions = 2;
std::optional<ValueFormat> format_named(std::string_view name);

/// Appends a value in one of the forms; text without a newline.
void write_value(std::string& out, ValueFormat format, int32_t element,
                 const std::vector<int64_t>& shape, const void* bytes);
/// Appends what comes before the elements, in a binary form or NumPy's.
void write_header(std::string& out, ValueFormat format, int32_t element,
                  const std::vector<int64_t>& shape);
/// Appends one scalar as text: "1i32", "2.5f64", "f32.nan", "true".
void write_scalar(std::string& out, int32_t element, const void* bytes);

/// What an array in NumPy's format begins with, and an archive of several.
inline constexpr std::string_view npy_magic = "\x93NUMPY";
inline constexpr std::string_view npz_magic = "PK\x03\x04";
/// Reads the array at the start of `text`, whatever its type; `used` becomes its bytes.  Returns
/// what is wrong with it, or nothing.
std::string read_npy(std::string_view text, Value& out, size_t& used);
void write_npy(std::string& out, int32_t element, const std::vector<int64_t>& shape,
               const char* bytes);
void write_npy_header(std::string& out, int32_t element, const std::vector<int64_t>& shape);

/// Whether `text` begins with a row of cells rather than with a value.
bool looks_like_csv(std::string_view text);
/// Whether it begins with two lines of one number each, where no scalars are expected.
bool looks_like_column(std::string_view text);
/// Reads a table.  Returns what is wrong with it, or nothing.
std::string read_csv(std::string_view text, int32_t element, Value& out);
/// At most two dimensions.
void write_csv(std::string& out, int32_t element, const std::vector<int64_t>& shape,
               const char* bytes);

/// A value that dzr_store_opaque wrote begins with this word and the number of bytes after the two
/// words; then follows every leaf in the binary format.
inline constexpr std::string_view stored_magic = "dagazv01";
inline constexpr size_t stored_header = 2 * sizeof(int64_t);
/// How many bytes at the front of `bytes` are such a value, with its header; nothing when they are
/// not one, or not all of one.
std::optional<size_t> stored_bytes(std::string_view bytes);

/// Everything a stream holds; nothing when reading fails.
std::optional<std::string> read_everything(std::FILE* stream);

}  // namespace dagaz::runtime
