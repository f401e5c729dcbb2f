// How threads bring a side of a tile to shared memory by way of their registers, where values may
// be whatever a program computes of its arrays.
#pragma once

#include <vector>

#include "emit/gpu/steady_places.h"

namespace dagaz::emit {

class SideLoads : public Emitter {
 public:
  /// Of what a thread stages at once, the values.
  using Loaded = std::vector<std::vector<Value>>;

  SideLoads(Context& c, TileSides& sides, const TileSide& side, SideShares& shares,
            SteadyPlaces& steady)
      : Emitter(c), c_(c), sides_(sides), side_(side), shares_(shares), steady_(steady) {}

  /// What begins with this element of the sum, into registers.
  Loaded load(const Operand& chunk, Reach reach);
  /// Puts that into a half of shared memory.
  void store(const Loaded& loaded, const Operand& half);
  /// Both, for what may be outside: a few at a time.
  void fill(const Operand& chunk, const Operand& half);

 private:
  ir::MatrixUnit unit() const { return sides_.plan().unit; }
  bool is_of_matrices() const { return unit() != ir::MatrixUnit::none; }
  std::vector<Value> load_share(const StagedShare& at, const Operand& chunk, Reach reach);
  std::vector<Operand> load_values(const Operand& element, const Operand& own, bool clamps);
  std::vector<Operand> load_steady(const StagedShare& at);
  std::vector<Value> as_values(const std::vector<Operand>& values);
  void store_share(const StagedShare& at, const std::vector<Value>& values, const Operand& half);
  Operand factor(const Operand& value, const Operand& element, bool clamps);
  Operand paired(const Operand& first, const Operand& second);

  Context& c_;
  TileSides& sides_;
  const TileSide& side_;
  SideShares& shares_;
  SteadyPlaces& steady_;
};

}  // namespace dagaz::emit
