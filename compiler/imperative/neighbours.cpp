// Maps whose points accumulate near themselves: stencils and rotations, on the CPU.
//
//   for i < n: acc[i + c₁] += …; acc[i + c₂] += …; …
//
// Two points meet in an element only if they are less than max c - min c + 1 apart.  So pieces of
// at least that many points do not meet if one lies between them, and every second piece runs at
// the same time: no atomic instruction, and no copies.  On a ring, where i + c is taken modulo n,
// the first and the last piece are neighbours, too, and run at different times since pieces are
// even in number.  (Hückelheim et al. 2019 turn the adjoint of a stencil into one that gathers;
// that would compute a point's derivative once for each of its neighbours.)
#include "imperative/lowering.h"

namespace dagaz::imperative {

// Every second piece, then the others; each is at least `distance` long.  Points that never meet
// need no turns.
void Lowering::accumulate_apart(const std::vector<std::size_t>& shared, const Operand& count,
                                const Operand& cost, const Operand& distance,
                                const RangeFunction& body) {
  const std::vector<Accumulator> opened = opened_;
  for (const std::size_t one : shared) opened_[one].opened = Mode::task;
  if (is_constant(distance, 1)) {
    parallel_loop(count, grain_for(cost), body);
    opened_ = opened;
    return;
  }
  const NameId wanted = variable("pieces", ScalarType::i64);
  emit(PieceCount{wanted, count, grain_for(cost)});
  const Operand one = ir::i64_operand(1);
  const Operand two = ir::i64_operand(2);
  const Operand room = divide(count, maximum(distance, one));
  const Operand pieces = maximum(mul(divide(minimum(wanted, room), two), two), one);
  const Operand length = divide(count, pieces);
  const Operand longer = remainder(count, pieces);  // so many have one more
  const auto start = [&](const Operand& piece) {
    return add(mul(piece, length), minimum(piece, longer));
  };
  loop("turn", minimum(pieces, two), {}, [&](const Operand& turn) {
    const Operand together = divide(sub(add(pieces, one), turn), two);
    parallel_loop(together, one, [&](const Operand& first, const Operand& last) {
      thread_loop(sub(last, first), false, [&](const Operand& k) {
        const Operand piece = add(mul(add(first, k), two), turn);
        body(start(piece), start(add(piece, one)));
      });
    });
  });
  opened_ = opened;
}

}  // namespace dagaz::imperative
