// What expressions of scripts denote.  Everything lies outside of the program: the results of entry
// points are taken from it and given back to it in the binary format.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/arrays.h"

namespace dagaz::script {

struct Value {
  enum class Kind {
    array,     // or a scalar
    opaque,    // of a type that only the program can look into
    record,    // with named fields; of a tuple they are 0, 1, …
    function,  // an entry point with some of its arguments
  };
  // Out of line: pairs with a type want it to be complete.
  Value();
  explicit Value(Kind its_kind, std::string its_type = {});
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  Kind kind = Kind::record;
  /// As the program calls the type; empty for records that the script made.
  std::string type;
  data::Array array;
  bool is_constant = false;            // arrays: takes the type that is asked for
  std::vector<std::string> leaves;     // opaque: in the binary format
  std::vector<std::pair<std::string, Value>> fields;
  std::vector<Value> arguments;        // function: `type` is its name
  std::vector<std::string> signature;  // function: types of all parameters and the result
};

Value array_value(data::Array array, bool is_constant);
Value bytes_value(const std::string& bytes);
/// One value as it is.
Value tuple_value(std::vector<Value> parts);

/// Whether the fields of a record are 0, 1, …
bool is_tuple(const Value& value);

/// The type, as in messages.
std::string type_of(const Value& value);
/// The value as text: `(1i32, {x=[2.0f64]})`; nothing, with `problem` set, where it has none.
std::optional<std::string> text_of(const Value& value, std::string& problem);
/// Adds the value as input for a program, leaf by leaf.
void append_input(const Value& value, std::string& out);

}  // namespace dagaz::script
