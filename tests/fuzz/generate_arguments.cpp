// Small sizes, among them zero, and small numbers: what goes wrong at edges is found soon.
#include "generate_ir.h"

namespace dagaz::fuzz {

using namespace ir;

std::vector<Value> generate_arguments(std::mt19937_64& random) {
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(limit));
  };
  const std::int64_t n = below(5);
  const std::int64_t m = below(4);
  const auto integers = [&](std::vector<std::int64_t> shape) {
    Value value{ScalarType::i64, std::move(shape), {}};
    std::size_t count = 1;
    for (const std::int64_t size : value.shape) count *= static_cast<std::size_t>(size);
    for (std::size_t i = 0; i < count; ++i) {
      value.elements.push_back(make_i64(below(11) - 5).bits);
    }
    return value;
  };
  Value floats = integers({m});
  floats.element = ScalarType::f64;
  for (std::uint64_t& bits : floats.elements) {
    bits = make_float(ScalarType::f64, static_cast<double>(below(9)) / 4 - 1).bits;
  }
  return {Value{ScalarType::i64, {}, {make_i64(n).bits}},
          Value{ScalarType::i64, {}, {make_i64(m).bits}},
          integers({}),
          Value{ScalarType::boolean, {}, {static_cast<std::uint64_t>(below(2))}},
          Value{ScalarType::f64, {}, {make_float(ScalarType::f64, below(5) - 2).bits}},
          integers({n}),
          integers({n}),
          integers({n, m}),
          floats};
}

}  // namespace dagaz::fuzz
