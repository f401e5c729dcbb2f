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
#include "emit/host/neighbours.h"

#include "emit/host/parallel_for.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"

namespace dagaz::emit {

void accumulate_apart(Context& c, const std::vector<std::size_t>& shared, const Operand& count,
                      const Operand& cost, const Operand& distance, const RangeFunction& body) {
  const RangeFunction alone = [&](const Operand& begin, const Operand& end) {
    c.accumulators.instead(shared, owned_by_tasks(c, shared), [&] { body(begin, end); });
  };
  if (is_constant(distance, 1)) {
    parallel_loop(c, count, grain_for(c, cost), alone);
    return;
  }
  const NameId wanted = c.variable("pieces", ScalarType::i64);
  c.emit(PieceCount{wanted, count, grain_for(c, cost)});
  const Operand one = ir::i64_operand(1);
  const Operand two = ir::i64_operand(2);
  const Operand room = c.divide(count, c.maximum(distance, one));
  const Operand pieces = c.maximum(c.mul(c.divide(c.minimum(wanted, room), two), two), one);
  const Operand length = c.divide(count, pieces);
  const Operand longer = c.remainder(count, pieces);  // so many have one more
  const auto start = [&](const Operand& piece) {
    return c.add(c.mul(piece, length), c.minimum(piece, longer));
  };
  // Where there are no points, inner dimensions may have no elements to count them by.
  c.loop("turn", c.minimum(c.minimum(pieces, two), count), {}, [&](const Operand& turn) {
    const Operand together = c.divide(c.sub(c.add(pieces, one), turn), two);
    parallel_loop(c, together, one, [&](const Operand& first, const Operand& last) {
      thread_loop(c, c.sub(last, first), false, [&](const Operand& k) {
        const Operand piece = c.add(c.mul(c.add(first, k), two), turn);
        alone(start(piece), start(c.add(piece, one)));
      });
    });
  });
}

}  // namespace dagaz::emit
