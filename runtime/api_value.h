// A value as an application holds it, owned: what executables read, pass and print, and what the
// server keeps in its variables.
#pragma once

#include <string>
#include <vector>

#include "api.h"
#include "values.h"

namespace dagaz::runtime {

class ApiValue {
 public:
  /// No value yet; destination() is where a call of the API puts one.
  ApiValue(dz_context& context, int32_t type) : context_(&context), type_(type) {}
  ~ApiValue() { reset(); }
  ApiValue(ApiValue&& other) noexcept;
  ApiValue& operator=(ApiValue&& other) noexcept;

  int32_t type() const { return type_; }
  const dz_type& description() const;

  /// What the API's functions take as an argument, and where they put a result.
  const void* argument() const;
  void* destination();
  dz_array* array() const { return content_.array; }
  dz_opaque* object() const { return content_.object; }

  void reset();

 private:
  union Content {
    uint64_t bits;
    dz_array* array;
    dz_opaque* object;
  };
  dz_context* context_;
  int32_t type_;
  Content content_ = {0};
};

/// Whether values of the type can be read and printed: scalars, arrays, and records of these,
/// which are written field by field.
bool has_value_form(const dz_program& program, int32_t type);

/// Reads the leaves of one argument; false with reader.error() set.
bool read_leaves(ValueReader& reader, const dz_type& type, std::vector<Value>& leaves);
/// Whether each of several ranks has all of what was read, or looks at its own rows alone.
enum class Reading { all, own_rows };
/// Makes a device value of leaves that were read.
int32_t upload(dz_context& context, const std::vector<Value>& leaves, Reading reading,
               ApiValue& out);
/// Appends the value, a leaf a line.
int32_t write_leaves(dz_context& context, const ApiValue& value, ValueFormat format,
                     std::string& out);

}  // namespace dagaz::runtime
