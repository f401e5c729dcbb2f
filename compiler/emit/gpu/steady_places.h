// Where what a thread stages of steady chunks lies.
//
// Elements of memory that rows or points, and elements of the sum, number directly lie in equal
// steps: what a thread stages of a chunk after the first one, and the same of the next chunk.  One
// place then goes through the chunks, and steps are the same for all threads.  Computed anew for
// each chunk, all places but for the number of the chunk would wait in registers of every thread.
#pragma once

#include <vector>

#include "emit/gpu/side_shares.h"

namespace dagaz::emit {

class SteadyPlaces : public Emitter {
 public:
  SteadyPlaces(Context& c, TileSides& sides, const TileSide& side, SideShares& shares)
      : Emitter(c), c_(c), sides_(sides), side_(side), shares_(shares) {}

  /// Takes the steps from this chunk on, if there are such.
  void begin(const Operand& chunk);
  /// Goes to the next chunk.
  void advance();
  bool exist() const { return !steps_.empty(); }
  /// Of a value, by number: the array that it is read from, and where in its memory a share begins.
  const Place& array_of(std::size_t value) const { return steps_[value].from; }
  Operand index(std::size_t value, const StagedShare& at);
  /// Where that of the neighbour on its line is.
  Operand next(std::size_t value, const Operand& index);

 private:
  /// Where what a thread stages first of a chunk lies, and how far from there what it stages
  /// further, by an element of the sum and by a row or point.
  struct Steps {
    Place from;
    NameId first;
    Operand element;
    Operand own;
  };

  bool are_possible() const;

  Context& c_;
  TileSides& sides_;
  const TileSide& side_;
  SideShares& shares_;
  std::vector<Steps> steps_;  // of each value
};

}  // namespace dagaz::emit
