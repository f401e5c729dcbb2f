// dagaz data: values made at random or taken from standard input, in one of the forms that programs
// read; dagaz datacmp: whether two files hold the same values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/random_values.h"

namespace dagaz::driver {

enum class DataFormat { text, binary, type, npy, npz, csv };

struct DataOptions {
  /// A value to make, with what was said before it on the command line.
  struct Order {
    std::string type;  // or a value
    data::Bounds bounds;
    DataFormat format;
  };
  std::vector<Order> orders;  // none: values come from standard input
  data::Bounds bounds;        // of orders to come
  DataFormat format = DataFormat::text;
  uint64_t seed = 1;  // of the first order; each further one has the next
};

int data_command(const DataOptions& options);

struct DatacmpOptions {
  std::string got;
  std::string expected;
};

int datacmp_command(const DatacmpOptions& options);

}  // namespace dagaz::driver
