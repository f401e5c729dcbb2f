// Copies of arrays whose neighbours lie along another dimension than those of what they are copied
// from: a transposition.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "emit/context/context.h"
#include "plan/copies.h"

namespace dagaz::emit {

/// What is copied, and in which squares.
struct Crossing {
  const Place& target;
  const Place& source;
  ir::Type type;  // of small elements, numbers of as many bits
  const plan::CopySquares& squares;
  Operand lanes;
  Operand streamed;  // whether rows go past the caches
};

/// Copies in squares of vectors, in parallel, or where the arrays are too small for that by
/// `one_by_one`.
void copy_in_squares(Context& c, const Place& target, const Place& source, const ir::Type& type,
                     const plan::CopySquares& plan, const std::function<void()>& one_by_one);

/// The square that begins at `point`, of which so many `columns` are written.
void cross_over(Context& c, const Crossing& crossing, const std::vector<Operand>& point,
                const Operand& columns);
/// Of the dimensions that squares do not have.
std::vector<Operand> outer_extents(const Crossing& crossing);
/// The point at `outer` indices of these, and at those of the dimensions of squares.
std::vector<Operand> point_at(const Crossing& crossing, const std::vector<Operand>& outer,
                              const Operand& written, const Operand& read);
/// A variable for as many elements as a square has in a row.
NameId row_variable(Context& c, std::string_view base, const Crossing& crossing);

}  // namespace dagaz::emit
