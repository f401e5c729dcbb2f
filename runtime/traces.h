// What traces print: the values of a program as its own syntax writes them.
//
// A value crosses the interface as its leaves, scalars and dense arrays.  A text says what they
// are:
//
//   type         element@leaf                 a scalar, or what the arrays around it hold
//              | []type
//              | (type, …)                    a tuple
//              | {name: type, …}
//              | sum@leaf(#name type … | …)   the leaf is the number of the constructor
//              | accumulator | function       of which nothing is printed but this word
//
// An array of records is an array for each leaf of the record, likewise one of sums; constructors
// may share leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi.h"

namespace dagaz::runtime {

/// A scalar without sizes, or a row-major array, elements `step` bytes apart.
struct TracedLeaf {
  std::vector<int64_t> shape;
  const char* data;
  int64_t step;
};

/// The rank and the elements of each leaf that a type mentions; sums have i8 for constructors.
std::vector<dz_leaf_type> traced_leaves(std::string_view type);

/// The value of these leaves, without a newline.
std::string traced_text(std::string_view type, std::span<const TracedLeaf> leaves);

/// Prints a line on the context's log, whole whichever thread prints.
void print_trace(dz_context& context, const dz_trace& trace, std::span<const TracedLeaf> leaves);

/// Prints what kernels have left in a buffer, whose words these are, and how much did not fit.
void print_traces(dz_context& context, const dz_trace_buffer& buffer,
                  std::span<const int64_t> words);

/// How many words a device has room for.
constexpr int64_t trace_buffer_words = int64_t{64} << 10;
constexpr int64_t trace_buffer_bytes =
    int64_t{sizeof(dz_trace_buffer)} + trace_buffer_words * int64_t{sizeof(int64_t)};
/// The words that are used.
inline int64_t used_words(const dz_trace_buffer& buffer) {
  return buffer.used < buffer.capacity ? buffer.used : buffer.capacity;
}

}  // namespace dagaz::runtime
