// A program as codegen would emit it, written by hand: entry points over scalars, arrays,
// records, sums and arrays of records, for the tests of the runtime.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "api.h"

namespace test {

enum Type {
  i64,
  i64_array,
  f64,
  f64_matrix,
  point,
  shape,
  point_array,
  i64_matrix,
  i64_pair,
  f64_array
};
enum Entry { sum, scale, at, swap, consume, greedy, make_point, lengths };

/// The program on the CPU; its constants are made by `initialise` when a context is made.
const dz_program& cpu_program();

/// A context that is freed at the end of the scope.
struct Context {
  std::unique_ptr<dz_config, void (*)(dz_config*)> config;
  std::unique_ptr<dz_context, void (*)(dz_context*)> context;

  explicit Context(const dz_program& program)
      : config(dzr_config_new(&program), dzr_config_free),
        context(dzr_context_new(config.get()), dzr_context_free) {}
  explicit Context(dz_config* made)
      : config(made, dzr_config_free), context(dzr_context_new(made), dzr_context_free) {}
  operator dz_context*() const { return context.get(); }

  std::string error() const {
    char* text = dzr_context_get_error(context.get());
    std::string result = text != nullptr ? text : "";
    std::free(text);
    return result;
  }
};

inline dz_array* new_i64(dz_context* context, const std::vector<int64_t>& values) {
  const int64_t size = static_cast<int64_t>(values.size());
  return dzr_new_array(context, DZ_I64, 1, values.data(), &size);
}

inline std::vector<int64_t> i64_values(dz_context* context, const dz_array* array) {
  std::vector<int64_t> values(static_cast<size_t>(dzr_array_shape(context, array)[0]));
  dzr_array_values(context, array, values.data());
  return values;
}

}  // namespace test
