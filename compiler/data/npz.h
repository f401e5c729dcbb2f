// NumPy's .npz: a ZIP archive of .npy arrays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/arrays.h"

namespace dagaz::data {

struct Member {
  std::string name;  // without .npy
  Array array;
};

/// The arrays in the order in which they were put there.  Nothing, with `problem` set, if it is no
/// such archive.
std::optional<std::vector<Member>> read_npz(std::string_view archive, std::string& problem);

bool is_npz(std::string_view text);
/// The arrays one behind the other in the binary format.
std::optional<std::string> unpacked_npz(std::string_view archive, std::string& problem);

/// An archive as `numpy.savez` makes it: nothing is compressed.
std::string write_npz(const std::vector<Member>& members);

}  // namespace dagaz::data
