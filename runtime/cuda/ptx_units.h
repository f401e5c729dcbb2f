// A program's PTX, cut into units that are compiled when one of their kernels is first launched: a
// program holds several versions of most of what it does, and an application calls few of its entry
// points, so most kernels are never needed.  A unit is a kernel with the variables that it names;
// kernels that call the same functions are one unit, so that no function is compiled twice.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dagaz::runtime::cuda {

class PtxUnits {
 public:
  /// Text that is not in the form in which LLVM writes PTX is one unit.
  explicit PtxUnits(std::string_view ptx);
  /// All of it as one unit.
  static PtxUnits whole(std::string_view ptx);

  size_t count() const { return texts_.size(); }
  const std::string& text(size_t unit) const { return texts_[unit]; }
  /// The unit that has the kernel; the first where none does.
  size_t unit_of(std::string_view kernel) const;

 private:
  PtxUnits() = default;

  std::vector<std::string> texts_;
  std::unordered_map<std::string, size_t> unit_of_;
};

}  // namespace dagaz::runtime::cuda
