// Products of small matrices of which each thread of a warp has a part, as in PTX's mma.sync for
// m16n8k16 with f16, m16n8k8 with tf32 and m8n8k4 with f64: d := a·b + c.
//
// Who has what (PTX ISA, "Matrix fragments for mma"): of the thread with lane 4·g + t,
//
//          element i of a              of b                         of c and d
//   f16    row g + 8·(i/2 mod 2),      column g,                    row g + 8·(i/2),
//          column 2t + i%2 + 8·(i/4)   row 2t + i%2 + 8·(i/2)       column 2t + i%2
//   tf32   row g + 8·(i mod 2),        column g,                    the same
//          column t + 4·(i/2)          row t + 4·i
//   f64    row g, column t             column g, row t              row g, column 2t + i
#pragma once

#include <array>
#include <cstdint>

namespace dagaz::runtime::sim {

/// Numbers as in dz_sim_multiply.
enum class MatrixUnit : int32_t { f16 = 1, tf32 = 2, f64 = 3 };

/// A thread's elements of the three matrices, in the order of its registers.
struct MatrixParts {
  const void* rows;    // of a
  const void* points;  // of b
  void* sums;          // of c, then of d
};

/// Of f16 and of f32, whose lower 13 bits count as 0, products are exact in effect, and sums
/// rounded to f32 each; of f64, both are f64.
void multiply_matrices(MatrixUnit unit, const std::array<MatrixParts, 32>& warp);

}  // namespace dagaz::runtime::sim
