#include "outputs.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

namespace dagaz::fuzz {

namespace {

using runtime::Value;

// The values of a binary output, which every program prints.
std::vector<Value> read_values(const std::string& output) {
  std::vector<Value> values;
  runtime::ValueReader reader(output, "output");
  while (!reader.at_end()) {
    const std::size_t at = reader.position();
    if (at + 7 > output.size()) break;
    std::string name = output.substr(at + 3, 4);
    name.erase(0, name.find_first_not_of(' '));
    const auto element = runtime::element_named(name);
    Value value;
    if (!element ||
        !reader.read(dz_leaf_type{*element, static_cast<unsigned char>(output[at + 2])}, value)) {
      break;
    }
    values.push_back(std::move(value));
  }
  return values;
}

bool is_real(const Value& value) { return value.element == DZ_F32 || value.element == DZ_F64; }

std::size_t element_bytes(const Value& value) {
  return static_cast<std::size_t>(runtime::element_info(value.element).bytes);
}

double real_at(const Value& value, std::size_t index) {
  if (value.element == DZ_F64) {
    double x;
    std::memcpy(&x, value.bytes.data() + 8 * index, 8);
    return x;
  }
  float x;
  std::memcpy(&x, value.bytes.data() + 4 * index, 4);
  return static_cast<double>(x);
}

std::string element_text(const Value& value, std::size_t index) {
  std::string out;
  runtime::write_scalar(out, value.element, value.bytes.data() + element_bytes(value) * index);
  return out;
}

bool same_bytes(const Value& a, const Value& b, std::size_t index) {
  const std::size_t size = element_bytes(a);
  return std::memcmp(a.bytes.data() + size * index, b.bytes.data() + size * index, size) == 0;
}

double largest(const Value& value, std::size_t count) {
  double result = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = std::fabs(real_at(value, i));
    if (std::isfinite(x)) result = std::max(result, x);
  }
  return result;
}

class Comparison {
 public:
  explicit Comparison(const Precision& precision) : precision_(precision) {
    for (const Output& each : precision.perturbed) perturbed_.push_back(read_values(each.values));
  }

  std::optional<std::string> compare(const Value& got, const Value& expected,
                                     std::size_t number) const {
    if (got.element != expected.element || got.shape != expected.shape) {
      if (unsteady_shape(expected, number)) return std::nullopt;
      return "has another shape";
    }
    const std::size_t count = expected.bytes.size() / element_bytes(expected);
    const double scale = is_real(expected) ? largest(expected, count) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool same = is_real(expected)
                            ? close(got, expected, number, i, scale)
                            : same_bytes(got, expected, i) || unsteady(expected, number, i);
      if (!same) {
        return "element " + std::to_string(i) + " of " + std::to_string(count) + " is " +
               element_text(got, i) + ", expected " + element_text(expected, i);
      }
    }
    return std::nullopt;
  }

 private:
  const Value* other(std::size_t run, std::size_t number) const {
    return number < perturbed_[run].size() ? &perturbed_[run][number] : nullptr;
  }

  bool unsteady_shape(const Value& expected, std::size_t number) const {
    for (std::size_t run = 0; run < perturbed_.size(); ++run) {
      const Value* value = other(run, number);
      if (value == nullptr || value->shape != expected.shape) return true;
    }
    return false;
  }

  // Whether a discrete result depends on reals that are hardly different.
  bool unsteady(const Value& expected, std::size_t number, std::size_t index) const {
    if (unsteady_shape(expected, number)) return true;
    for (std::size_t run = 0; run < perturbed_.size(); ++run) {
      if (!same_bytes(*other(run, number), expected, index)) return true;
    }
    return false;
  }

  // Whether inputs that are hardly different avoid the pole: one product may be rounded and another
  // not, where it meets the sum that it is subtracted from.
  bool finite_nearby(std::size_t number, std::size_t index) const {
    for (std::size_t run = 0; run < perturbed_.size(); ++run) {
      const Value* value = other(run, number);
      if (value == nullptr || index * element_bytes(*value) >= value->bytes.size()) return true;
      if (std::isfinite(real_at(*value, index))) return true;
    }
    return false;
  }

  bool close(const Value& got, const Value& expected, std::size_t number, std::size_t index,
             double scale) const {
    const double a = real_at(got, index);
    const double b = real_at(expected, index);
    // Sums that overflow do so in any order.
    if (!std::isfinite(b) || std::fabs(b) > 1e30) {
      return !std::isfinite(a) || std::fabs(a) > 1e20 || finite_nearby(number, index);
    }
    if (!std::isfinite(a)) return false;
    const double roundings = std::max(512.0, static_cast<double>(precision_.terms) / 16);
    double allowed = roundings * precision_.unit * scale;
    if (std::fabs(a - b) <= allowed) return true;
    if (perturbed_.empty()) return false;
    if (unsteady_shape(expected, number)) return true;
    double moved = 0;
    for (std::size_t run = 0; run < perturbed_.size(); ++run) {
      const double c = real_at(*other(run, number), index);
      if (!std::isfinite(c)) return true;
      moved = std::max(moved, std::fabs(c - b));
    }
    allowed = std::max(allowed, 2048 * precision_.unit * moved / precision_.amount);
    // What moves by far more than the input is no line that could be followed back to where
    // rounding is: it jumps, as the place of the greatest of nearly equal values does, or is
    // chaotic.
    if (moved > std::sqrt(precision_.amount) * std::fabs(b)) allowed = std::max(allowed, 4 * moved);
    return std::fabs(a - b) <= allowed;
  }

  const Precision& precision_;
  std::vector<std::vector<Value>> perturbed_;
};

}  // namespace

std::string error_kind(const std::string& errors) {
  const std::size_t start = errors.find("Error: ");
  std::string line = errors.substr(start == std::string::npos ? 0 : start);
  line = line.substr(0, line.find('\n'));
  std::string kind;
  for (const char c : line) {
    if (c == '-') continue;
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      kind += c;
    } else if (kind.empty() || kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

// A program that has several errors may end with any of them: passes and threads find another one
// first.  So errors of one kind are those that generated programs can have, however they are told.
static bool is_of_program(const std::string& kind) {
  static constexpr std::string_view own[] = {"Error: Index [", "Error: division by zero"};
  return std::any_of(std::begin(own), std::end(own),
                     [&](std::string_view one) { return kind.starts_with(one); });
}

std::optional<std::string> difference(const Output& got, const Output& expected,
                                      const Precision& precision) {
  if (got.status != expected.status || got.status != 0) {
    const std::string found = got.status == 0 ? "success" : error_kind(got.errors);
    const std::string wanted = expected.status == 0 ? "success" : error_kind(expected.errors);
    if (found == wanted || (is_of_program(found) && is_of_program(wanted))) return std::nullopt;
    for (const Output& each : precision.perturbed) {
      if (each.status != expected.status) return std::nullopt;
    }
    return "ended with " + found + ", expected " + wanted;
  }
  const std::vector<Value> values = read_values(got.values);
  const std::vector<Value> wanted = read_values(expected.values);
  if (values.size() != wanted.size()) return "has another number of values";
  const Comparison comparison(precision);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (const auto found = comparison.compare(values[i], wanted[i], i)) {
      return "value " + std::to_string(i) + ": " + *found;
    }
  }
  return std::nullopt;
}

}  // namespace dagaz::fuzz
