// How threads ask for a side of a tile, whose values are elements of memory, to be copied to shared
// memory while they do something else (plan/async_copies.h).
#pragma once

#include "emit/gpu/steady_places.h"

namespace dagaz::emit {

class SideCopies : public Emitter {
 public:
  SideCopies(Context& c, TileSides& sides, const TileSide& side, SideShares& shares,
             SteadyPlaces& steady)
      : Emitter(c), c_(c), sides_(sides), side_(side), shares_(shares), steady_(steady) {}

  /// Asks for what begins with this element of the sum.
  void ask_for(const Operand& chunk, const Operand& stage, Reach reach);

 private:
  void copy_share(const StagedShare& at, const Operand& chunk, const Operand& stage, Reach reach);
  void copy_steady(const StagedShare& at, const Operand& stage);
  Operand target_of(std::size_t value, const StagedShare& at, const Operand& stage);
  Operand present(const SideShares::Source& from);
  void copy_value(std::size_t value, const Operand& to, Operand count);
  void emit_copy(std::size_t value, const Place& from, const Operand& to, const Operand& index,
                 const Operand& count);
  void copy_each(const CopyAsync& all, const Operand& stride);

  Context& c_;
  TileSides& sides_;
  const TileSide& side_;
  SideShares& shares_;
  SteadyPlaces& steady_;
};

}  // namespace dagaz::emit
