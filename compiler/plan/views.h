// Views as arithmetic on strides, whatever a stride is: a constant or unknown where something is
// planned or memory is decided (plan/layouts), a value of the generated code where that is emitted
// (emit/code/place).  What is no view for one of them is none for the others.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// The permutation that undoes this one.
std::vector<int> inverse(const std::vector<int>& permutation);

/// Whether an operation is a view each of whose strides is one of the array's, or a multiple of it.
bool is_strided_view(const ir::Operation& operation);

/// Whether a slice of an array in row-major order is in row-major order: only the outermost
/// dimension is cut, after fixed ones, by at most one range in unit steps.
bool keeps_order(const std::vector<ir::SliceDimension>& dimensions,
                 const std::vector<ir::Operand>& shape);

/// Whether the part at fixed indices of the `fixed` outermost dimensions is in row-major order, of
/// an array whose dimensions come in `order` in memory: the others outermost there, in their order.
bool leaves_order(const std::vector<int>& order, std::size_t fixed);

/// For each dimension of `to` the number of the one in `from` whose stride it has, -1 where its
/// size is 1, if the shapes agree but for dimensions of constant size 1.
std::optional<std::vector<int>> same_but_for_ones(const std::vector<ir::Operand>& from,
                                                  const std::vector<ir::Operand>& to);

/// The number of the dimension of `from` that is several of `to`, if the shapes agree but for that.
std::optional<std::size_t> split_dimension(const std::vector<ir::Operand>& from,
                                           const std::vector<ir::Operand>& to);

/// The strides of the same elements under another shape; nothing where that needs a copy.  `times`
/// is a stride multiplied by a size.
template <typename Stride, typename Times>
std::optional<std::vector<Stride>> reshaped_strides(const std::vector<Stride>& strides,
                                                    const std::vector<ir::Operand>& from,
                                                    const std::vector<ir::Operand>& to,
                                                    const Stride& one, const Times& times) {
  std::vector<Stride> result(to.size(), one);
  if (const auto kept = same_but_for_ones(from, to)) {
    for (std::size_t k = 0; k < to.size(); ++k) {
      if ((*kept)[k] >= 0) result[k] = strides[static_cast<std::size_t>((*kept)[k])];
    }
    return result;
  }
  const auto split = split_dimension(from, to);
  if (!split) return std::nullopt;
  const std::size_t added = to.size() - from.size();
  for (std::size_t k = 0; k < *split; ++k) result[k] = strides[k];
  for (std::size_t k = *split + 1; k < from.size(); ++k) result[k + added] = strides[k];
  Stride stride = strides[*split];
  for (std::size_t k = *split + added; k > *split; --k) {
    result[k] = stride;
    stride = times(stride, to[k]);
  }
  result[*split] = stride;
  return result;
}

}  // namespace dagaz::plan
