// The sums of a tile that warps make in instructions for small matrices (ir/matrix_unit.h).
//
// A warp has 8 times the rows and 4 times the points of a thread, as whole matrices beside and
// below each other; a chunk's factors are read from shared memory, a matrix's elements at a time.
// The threads of f16 get theirs by load_matrices, which reads lines of eight neighbours and turns
// them over where these are rows or points; others read theirs one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "emit/gpu/tile_sides.h"

namespace dagaz::emit {

class MatrixSums : public Emitter {
 public:
  MatrixSums(Context& c, const ir::Contraction& plan);

  /// In the kernel: numbers threads along the sides as warps have them.
  void go_to(TileSides& sides);
  /// In the kernel: has no products.
  void start();
  /// In the kernel: has those of another.
  void go_on_from(const MatrixSums& other) { sums_ = other.sums_; }
  /// Adds the products of the chunk of this number, none if it is below 0, in this half.
  void add_chunk(const Operand& chunk, const Operand& half, Reach reach);
  /// The sum of a row and a point of the thread, by their numbers.
  std::vector<Value> sums(std::int64_t row, std::int64_t point);

  /// Where in the tile row `own` of a thread is, and point `own` of this one.
  Operand row_of(const Operand& thread, const Operand& own);
  Operand place_of_point(std::int64_t own);

 private:
  struct Factors {
    Place staged;
    bool by_elements = false;  // its lines
    std::int64_t own = 0;      // rows or points of a warp
    Operand first;             // what the thread reads of the first half, or where its line begins
  };
  using Registers = std::vector<Operand>;  // of a matrix

  void multiply(const Operand& half);
  void find_lines(const Operand& lane, const Operand& first_row, const Operand& first_point);
  Operand first_of(const Factors& factors, const Operand& element, const Operand& own);
  Operand further(const Factors& factors, const Operand& start, std::int64_t elements,
                  std::int64_t own);
  Registers load_lines(const Factors& factors, const Operand& index, int count);
  std::vector<Registers> lines_of_rows(const Operand& start, std::int64_t element);
  std::vector<Registers> lines_of_points(const Operand& start, std::int64_t element);
  Operand load_one(const Factors& factors, const Operand& index);
  std::vector<Registers> each_of_rows(const Operand& start, std::int64_t element);
  std::vector<Registers> each_of_points(const Operand& start, std::int64_t element);

  Context& c_;
  const ir::Contraction& plan_;
  const ir::MatrixShape shape_;
  const bool in_lines_;
  Factors rows_;
  Factors points_;
  ir::Type type_;  // of sums, once they are made
  Operand thread_point_;
  std::vector<std::vector<std::vector<NameId>>> sums_;  // of matrices by row and point
};

}  // namespace dagaz::emit
