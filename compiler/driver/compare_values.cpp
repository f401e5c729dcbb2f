#include "driver/compare_values.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <vector>

#include "data/arrays.h"
#include "half.h"
#include "values.h"

namespace dagaz::driver {

namespace {

using runtime::Value;

// The type in the header of the binary value at `position`.
std::optional<dz_leaf_type> binary_type(const std::string& text, std::size_t position) {
  while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position]))) {
    ++position;
  }
  if (position + 7 > text.size() || text[position] != 'b') return std::nullopt;
  std::string name = text.substr(position + 3, 4);
  name.erase(0, name.find_first_not_of(' '));
  const auto element = runtime::element_named(name);
  if (!element) return std::nullopt;
  return dz_leaf_type{*element, static_cast<unsigned char>(text[position + 2])};
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string out;
  for (const int64_t size : shape) out += "[" + std::to_string(size) + "]";
  return out.empty() ? "no dimensions" : out;
}

bool is_float(int32_t element) { return element >= DZ_F16; }

double float_at(const Value& value, std::size_t index) {
  const char* bytes = value.bytes.data();
  if (value.element == DZ_F64) {
    double x;
    std::memcpy(&x, bytes + 8 * index, 8);
    return x;
  }
  if (value.element == DZ_F32) {
    float x;
    std::memcpy(&x, bytes + 4 * index, 4);
    return static_cast<double>(x);
  }
  uint16_t half;
  std::memcpy(&half, bytes + 2 * index, 2);
  return static_cast<double>(runtime::half_to_float(half));
}

/// As in a program, but truth as the peer's tests spell it.
std::string element_text(const Value& value, std::size_t index) {
  if (value.element == DZ_BOOL) return value.bytes[index] != 0 ? "True" : "False";
  std::string out;
  const auto size = static_cast<std::size_t>(runtime::element_info(value.element).bytes);
  runtime::write_scalar(out, value.element, value.bytes.data() + size * index);
  return out;
}

// "[2][0]" for a flat index.
std::string index_text(const std::vector<int64_t>& shape, std::size_t flat) {
  std::string out;
  for (std::size_t k = shape.size(); k-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[k]);
    out = "[" + std::to_string(flat % size) + "]" + out;
    flat /= size;
  }
  return out;
}

class FloatComparison {
 public:
  FloatComparison(const Value& expected, std::size_t count, Tolerance tolerance)
      : tolerance_(tolerance),
        strict_(expected.element == DZ_F16 ? 5e-3 : 1e-4) {
    double largest = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = std::fabs(float_at(expected, i));
      if (std::isfinite(x)) largest = std::max(largest, x);
    }
    whole_ = 2e-3 * largest;
  }
  bool close(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return a == b;
    const double allowed =
        tolerance_ == Tolerance::peer ? whole_ : strict_ * std::max(1.0, std::fabs(b));
    return std::fabs(a - b) <= allowed;
  }

 private:
  Tolerance tolerance_;
  double strict_;
  double whole_ = 0;
};

/// From behind the value's name on: ` [1][0]: expected 2i32, got 3i32`.
std::optional<std::string> value_difference(const Value& got, const Value& expected,
                                            Tolerance tolerance) {
  if (got.shape != expected.shape) {
    return ": expected shape " + shape_text(expected.shape) + ", got " + shape_text(got.shape);
  }
  std::size_t count = 1;
  for (const int64_t size : got.shape) count *= static_cast<std::size_t>(size);
  const auto size = static_cast<std::size_t>(runtime::element_info(got.element).bytes);
  const FloatComparison floats(is_float(got.element) ? expected : Value{},
                               is_float(got.element) ? count : 0, tolerance);
  std::size_t wrong = 0;
  std::optional<std::string> first;
  for (std::size_t i = 0; i < count; ++i) {
    const bool same =
        is_float(got.element)
            ? floats.close(float_at(got, i), float_at(expected, i))
            : std::memcmp(got.bytes.data() + size * i, expected.bytes.data() + size * i, size) == 0;
    if (same) continue;
    ++wrong;
    if (!first) {
      const std::string place = index_text(got.shape, i);
      first = (place.empty() ? "" : " " + place) + ": expected " + element_text(expected, i) +
              ", got " + element_text(got, i);
    }
  }
  if (wrong > 1)
    *first += " (" + std::to_string(wrong) + " of " + std::to_string(count) + " differ)";
  return first;
}

}  // namespace

std::optional<std::string> difference(const std::string& printed, const std::string& expected,
                                      Tolerance tolerance) {
  runtime::ValueReader got_reader(printed, "output");
  runtime::ValueReader expected_reader(expected, "expected output");
  for (int number = 0;; ++number) {
    const bool got_ended = got_reader.at_end();
    const bool expected_ended = expected_reader.at_end();
    if (got_ended && expected_ended) return std::nullopt;
    if (got_ended) return "the program printed only " + std::to_string(number) + " values";
    if (expected_ended)
      return "the program printed more than " + std::to_string(number) + " values";
    const auto type = binary_type(printed, got_reader.position());
    Value got;
    Value wanted;
    if (!type || !got_reader.read(*type, got)) return "unreadable output: " + got_reader.error();
    const std::string name = "Value #" + std::to_string(number);
    if (!expected_reader.read(*type, wanted)) {
      return name + ": got type " + runtime::value_type_name(*type) + "; " +
             expected_reader.error();
    }
    if (auto found = value_difference(got, wanted, tolerance)) return name + *found;
  }
}

std::optional<std::string> array_difference(const data::Array& got, const data::Array& expected,
                                            Tolerance tolerance) {
  if (got.element != expected.element) {
    return ": expected type " + data::type_name(expected) + ", got " + data::type_name(got);
  }
  const auto view = [](const data::Array& array) {
    return Value{array.element, array.shape, array.bytes, {}};
  };
  return value_difference(view(got), view(expected), tolerance);
}

}  // namespace dagaz::driver
