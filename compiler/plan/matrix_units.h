// Which products a GPU makes in instructions that multiply small matrices (ir/matrix_unit.h), and
// how tiles have to be for them.
//
// Those of one factor of a row and one of a point, summed by +: f16 in either case, f64, and f32
// where factors may be rounded.  Factors that are f16 made f32, as a program writes that wants
// exact sums of them, are taken as the f16 that they were.
//
// How far lines of what is staged lie apart, so that threads that read at once read from different
// banks of shared memory:
//
//   f16               eight threads read eight neighbours of a line each: odd multiples of 16 bytes
//   f32, by elements  32 threads read four neighbours of eight lines: the same
//   f32, by points    eight neighbours of four lines: 32 or 96 bytes beside multiples of 128
//   f64               16 threads read four neighbours of four lines: the same
#pragma once

#include "plan/product_parts.h"
#include "plan/surroundings.h"

namespace dagaz::plan {

/// What makes the product, of which `plan` knows sides and values; these become what is staged.
ir::MatrixUnit matrix_unit(ir::Contraction& plan, const SumParts& parts,
                           const Surroundings& around);
/// Sets the depth of a chunk, one or two matrices, and gaps between lines.
void choose_lines(ir::Contraction& plan);
/// Whether threads have whole matrices of the tile.
bool has_whole_matrices(const ir::Contraction& plan);
/// The most elements more that lines have where each thread multiplies for itself.
inline constexpr int widest_row_gap = 4;
inline constexpr int widest_point_gap = 2;
/// Bytes of the stages of shared memory for values of these sizes, with the gaps of the plan, or
/// with the widest where it has no matrices.
std::int64_t staged_bytes(const ir::Contraction& plan, std::int64_t row_bytes,
                          std::int64_t point_bytes);

}  // namespace dagaz::plan
