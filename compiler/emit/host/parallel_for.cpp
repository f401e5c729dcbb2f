// Parallel loops of the CPU, and what their pieces accumulate.
//
// Pieces of a loop that combine values into one array would need an atomic instruction for every
// value.  Where a piece is more work than the array is large, it combines into a copy of its own,
// which starts neutral, and the copies are combined at the end; the first piece combines into the
// array itself.  Else the threads add with atomic instructions, or there is one piece.  The runtime
// says which when the program runs (dz_addition_pieces), unless the schedule says that a piece of
// any length is worth a copy.  Points that accumulate near themselves have a way of their own
// (neighbours.cpp).
#include "emit/host/parallel_for.h"

#include <algorithm>

#include "emit/host/neighbours.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/combine.h"
#include "emit/thread/loops.h"
#include "emit/traffic.h"
#include "emit/versions.h"

namespace dagaz::emit {

// How far apart the points of the map must be to add to different elements.
static std::optional<Operand> distance_of_additions(Context& c) {
  if (c.map == nullptr || c.map->schedule.apart == 0) return std::nullopt;
  std::vector<Operand> inner = extents_of(c.map->space);
  inner.erase(inner.begin());
  return c.mul(ir::i64_operand(c.map->schedule.apart), c.product(inner));
}

static void accumulate_alone(Context& c, const std::vector<std::size_t>& shared,
                             const Operand& count, const RangeFunction& body) {
  c.accumulators.instead(shared, owned_by_tasks(c, shared),
                         [&] { parallel_loop(c, count, count, body); });
}

static Operand size_of(Context& c, const Accumulator& accumulator) {
  return c.product(type_of(accumulator).shape);
}

static void fill_neutral(Context& c, const Accumulator& accumulator) {
  const Value neutral = value_of(c, (*accumulator.neutral)[0]);
  nested_loops(c, accumulator.shape,
               [&](const std::vector<Operand>& at) { write(c, accumulator.place, at, neutral); });
}

namespace {

/// Several pieces add to arrays: the first to these themselves, each of the others to a copy.
struct PieceCopies {
  std::vector<Accumulator> wholes;
  std::vector<Place> copies;  // one block of each, a copy after the other
  Operand several;            // whether there are any
  Operand count;
};

}  // namespace

static Place copy_at(Context& c, const PieceCopies& all, std::size_t k, const Operand& number) {
  Place place = all.copies[k];
  place.offset = c.mul(number, size_of(c, all.wholes[k]));
  return place;
}

static PieceCopies new_copies(Context& c, const std::vector<std::size_t>& shared,
                              const Operand& pieces) {
  const Operand one = ir::i64_operand(1);
  PieceCopies all;
  all.several = c.less(one, pieces);
  all.count = c.sub(pieces, one);
  for (const std::size_t number : shared) {
    const Accumulator& whole = all.wholes.emplace_back(c.accumulators.numbered(number));
    const ir::Type type = type_of(whole);
    const NameId block = c.block_variable("copies");
    c.branch(
        all.several,
        [&] {
          c.emit(Allocate{block, c.mul(all.count, byte_count(c, type))});
        },
        [&] {
          c.emit(Share{block, whole.place.block});
        });
    c.scopes.own(block);
    all.copies.push_back(row_major(c, block, ir::i64_operand(0), type.shape));
  }
  return all;
}

// Where `piece` combines what the whole would get.
static Accumulator own_of(Context& c, const PieceCopies& all, std::size_t k, const Operand& piece) {
  Accumulator own = all.wholes[k];
  const NameId block = c.block_variable("own");
  const Operand bytes = ir::i64_operand(ir::byte_size(own.row.element));
  const auto start_at = [&](const Place& place) {
    c.emit(Share{block, place.block, c.mul(place.offset, bytes)});
  };
  own.place = row_major(c, block, ir::i64_operand(0), type_of(own).shape);
  own.opened = Mode::task;
  c.branch(
      c.equal(piece, ir::i64_operand(0)), [&] { start_at(all.wholes[k].place); },
      [&] {
        start_at(copy_at(c, all, k, c.sub(piece, ir::i64_operand(1))));
        fill_neutral(c, own);
      });
  return own;
}

static void combine_copies(Context& c, const PieceCopies& all) {
  for (std::size_t k = 0; k < all.wholes.size(); ++k) {
    const Accumulator& whole = all.wholes[k];
    const Operand cost = cost_of_combining(c, all.count);
    for_each_point(c, whole.shape, cost, "accumulate", [&](const std::vector<Operand>& at) {
      thread_loop(c, all.count, false, [&](const Operand& number) {
        combine_at(c, *whole.op, {whole.place}, at,
                   values_at(c, {copy_at(c, all, k, number)}, {whole.row}, at));
      });
    });
  }
}

static void accumulate_by_pieces(Context& c, const std::vector<std::size_t>& shared,
                                 const Operand& count, const Pieces& pieces,
                                 const RangeFunction& body) {
  const PieceCopies all = new_copies(c, shared, pieces.count);
  parallel_loop(
      c, pieces.count, ir::i64_operand(1), [&](const Operand& first, const Operand& last) {
        thread_loop(c, c.sub(last, first), false, [&](const Operand& p) {
          const Operand piece = c.add(first, p);
          std::vector<Accumulator> own;
          for (std::size_t k = 0; k < shared.size(); ++k) own.push_back(own_of(c, all, k, piece));
          const Operand begin = c.mul(piece, pieces.chunk);
          const Operand end = c.minimum(count, c.add(begin, pieces.chunk));
          c.accumulators.instead(shared, own,
                                 [&] { c.branch(c.less(begin, end), [&] { body(begin, end); }); });
        });
      });
  host_branch(c, all.several, [&] { combine_copies(c, all); });
}

void parallel_for(Context& c, const Operand& count, const Operand& cost,
                  const RangeFunction& body) {
  Code together;
  const std::vector<std::size_t> shared = c.accumulators.shared_by(
      [&] { together = c.collect([&] { parallel_loop(c, count, grain_for(c, cost), body); }); });
  if (shared.empty()) {
    c.append(std::move(together));
    return;
  }
  if (const auto distance = distance_of_additions(c)) {
    accumulate_apart(c, shared, count, cost, *distance, body);
    return;
  }
  if (is_constant(count, 1)) {
    accumulate_alone(c, shared, count, body);
    return;
  }
  const bool are_dense = std::all_of(shared.begin(), shared.end(), [&](std::size_t one) {
    return c.accumulators.numbered(one).place.is_dense();
  });
  Operand size = ir::i64_operand(are_dense ? 0 : -1);
  for (const std::size_t one : shared) {
    if (are_dense) size = c.add(size, size_of(c, c.accumulators.numbered(one)));
  }
  const Operand operations = c.schedule ? sum_of(c, c.schedule->operations) : cost;
  const bool always_copied = are_dense && c.schedule && !c.schedule->least_piece.empty();
  const Operand additions =
      always_copied ? ir::i64_operand(-1)
                    : sum_of(c, c.schedule ? c.schedule->additions : std::vector<ir::Product>{});
  const NameId pieces = c.variable("pieces", ScalarType::i64);
  c.emit(AdditionPieces{pieces, count, grain_for(c, cost), cost, operations, additions, size});
  const auto by_pieces = [&] {
    accumulate_by_pieces(c, shared, count, Pieces{{}, count, pieces, c.divide_up(count, pieces)},
                         body);
  };
  if (always_copied) {
    by_pieces();
    return;
  }
  host_branch(
      c, c.equal(pieces, ir::i64_operand(0)), [&] { c.append(std::move(together)); },
      [&] {
        if (are_dense) {
          by_pieces();
        } else {
          accumulate_alone(c, shared, count, body);
        }
      });
}

void parallel_loop(Context& c, const Operand& count, const Operand& grain,
                   const RangeFunction& body) {
  const NameId begin = c.variable("begin", ScalarType::i64);
  const NameId end = c.variable("end", ScalarType::i64);
  Code code = c.in_mode(Mode::task, [&] { with_private_scope(c, [&] { body(begin, end); }); });
  const std::optional<Operand> moved = bytes_moved(c, code);
  c.emit(ParallelFor{count, grain, begin, end, std::move(code), moved, c.location});
}

std::vector<Accumulator> owned_by_tasks(const Context& c,
                                        const std::vector<std::size_t>& accumulators) {
  std::vector<Accumulator> owned;
  for (const std::size_t one : accumulators) {
    owned.push_back(c.accumulators.numbered(one));
    owned.back().opened = Mode::task;
  }
  return owned;
}

}  // namespace dagaz::emit
