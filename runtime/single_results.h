// A program as the server protocol sees it: every entry point has exactly one result.  An entry
// point that returns a tuple has one result per component in a dz_program; since the leaves of a
// tuple are those of its components one after another, calling it is the same, and only its
// description changes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "abi.h"

namespace dagaz::runtime {

class SingleResultProgram {
 public:
  /// `original` must outlive this.
  explicit SingleResultProgram(const dz_program& original);
  SingleResultProgram(const SingleResultProgram&) = delete;
  SingleResultProgram& operator=(const SingleResultProgram&) = delete;

  const dz_program& program() const { return program_; }

 private:
  int32_t tuple_of(const dz_parameter* components, int32_t count);
  void append_tuple(const std::string& name, const dz_parameter* components, int32_t count);
  const char* keep(std::string text);

  dz_program program_;
  std::vector<dz_type> types_;
  std::vector<dz_entry> entries_;
  // What the new types point to; the elements of a deque never move.
  std::deque<std::string> texts_;
  std::deque<int32_t> member_types_;
  std::deque<std::vector<dz_member>> members_;
  std::deque<std::vector<dz_leaf_type>> leaves_;
  std::deque<dz_parameter> results_;
};

}  // namespace dagaz::runtime
