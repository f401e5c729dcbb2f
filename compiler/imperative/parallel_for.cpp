// Parallel loops of the CPU, and what their pieces accumulate.
//
// Pieces of a loop that combine values into one array would need an atomic instruction for every
// value.  Where a piece is more work than the array is large, it combines into a copy of its own,
// which starts neutral, and the copies are combined at the end; the first piece combines into the
// array itself.  Else the threads add with atomic instructions, or there is one piece.  The runtime
// says which when the program runs (dz_addition_pieces).  Points that accumulate near themselves
// have a way of their own (neighbours.cpp).
#include "imperative/lowering.h"

#include <algorithm>

namespace dagaz::imperative {

void Lowering::parallel_for(const Operand& count, const Operand& cost, const RangeFunction& body) {
  const auto outer = std::exchange(shared_, {});
  Code together = collect([&] { parallel_loop(count, grain_for(cost), body); });
  const std::set<std::size_t> found = std::exchange(shared_, outer);
  const std::vector<std::size_t> shared(found.begin(), found.end());
  if (shared.empty()) {
    append(std::move(together));
    return;
  }
  if (const auto distance = distance_of_additions()) {
    accumulate_apart(shared, count, cost, *distance, body);
    return;
  }
  if (is_constant(count, 1)) {
    accumulate_alone(shared, count, body);
    return;
  }
  const bool are_dense = std::all_of(shared.begin(), shared.end(), [&](std::size_t one) {
    return opened_[one].place.is_dense();
  });
  Operand size = ir::i64_operand(are_dense ? 0 : -1);
  for (const std::size_t one : shared) {
    if (are_dense) size = add(size, size_of(opened_[one]));
  }
  const Operand operations = accumulating_ ? sum_of(accumulating_->schedule.operations) : cost;
  const Operand additions = sum_of(accumulating_ ? accumulating_->schedule.additions
                                                 : std::vector<ir::Product>{});
  const NameId pieces = variable("pieces", ScalarType::i64);
  emit(AdditionPieces{pieces, count, grain_for(cost), cost, operations, additions, size});
  host_branch(equal(pieces, ir::i64_operand(0)), [&] { append(std::move(together)); }, [&] {
    if (!are_dense) {
      accumulate_alone(shared, count, body);
      return;
    }
    accumulate_by_pieces(shared, count, Pieces{{}, count, pieces, divide_up(count, pieces)}, body);
  });
}

// How far apart the points of the map must be to add to different elements.
std::optional<Operand> Lowering::distance_of_additions() {
  if (accumulating_ == nullptr || accumulating_->schedule.apart == 0) return std::nullopt;
  std::vector<Operand> inner = extents_of(accumulating_->space);
  inner.erase(inner.begin());
  return mul(ir::i64_operand(accumulating_->schedule.apart), product(inner));
}

void Lowering::parallel_loop(const Operand& count, const Operand& grain,
                             const RangeFunction& body) {
  const NameId begin = variable("begin", ScalarType::i64);
  const NameId end = variable("end", ScalarType::i64);
  const Mode outer = std::exchange(mode_, Mode::task);
  Code code = collect([&] { with_private_scope([&] { body(begin, end); }); });
  mode_ = outer;
  emit(ParallelFor{count, grain, begin, end, std::move(code)});
}

void Lowering::accumulate_alone(const std::vector<std::size_t>& shared, const Operand& count,
                                const RangeFunction& body) {
  const std::vector<Accumulator> opened = opened_;
  for (const std::size_t one : shared) opened_[one].opened = Mode::task;
  parallel_loop(count, count, body);
  opened_ = opened;
}

ir::Type Lowering::type_of(const Accumulator& accumulator) {
  ir::Type type = accumulator.row;
  type.shape.insert(type.shape.begin(), accumulator.shape.begin(), accumulator.shape.end());
  return type;
}

Operand Lowering::size_of(const Accumulator& accumulator) {
  return product(type_of(accumulator).shape);
}

void Lowering::accumulate_by_pieces(const std::vector<std::size_t>& shared, const Operand& count,
                                    const Pieces& pieces, const RangeFunction& body) {
  const std::vector<Accumulator> opened = opened_;
  const Operand one = ir::i64_operand(1);
  const Operand several = less(one, pieces.count);
  // One block with a copy for every piece but the first.
  const Operand count_of_copies = sub(pieces.count, one);
  std::vector<Place> copies;
  for (const std::size_t k : shared) {
    const NameId block = block_variable("copies");
    branch(several,
           [&] { emit(Allocate{block, mul(count_of_copies, byte_count(type_of(opened[k])))}); },
           [&] { emit(Share{block, opened[k].place.block}); });
    own(block);
    copies.push_back(row_major(*this, block, ir::i64_operand(0), type_of(opened[k]).shape));
  }
  const auto copy_of = [&](std::size_t k, const Operand& number) {
    Place place = copies[k];
    place.offset = mul(number, size_of(opened[shared[k]]));
    return place;
  };
  parallel_loop(pieces.count, one, [&](const Operand& first, const Operand& last) {
    thread_loop(sub(last, first), false, [&](const Operand& p) {
      const Operand piece = add(first, p);
      for (std::size_t k = 0; k < shared.size(); ++k) {
        Accumulator& own = opened_[shared[k]];
        const Place whole = opened[shared[k]].place;
        const NameId block = block_variable("own");
        const Operand bytes = ir::i64_operand(ir::byte_size(own.row.element));
        const auto start_at = [&](const Place& place) {
          emit(Share{block, place.block, mul(place.offset, bytes)});
        };
        own.place = row_major(*this, block, ir::i64_operand(0), type_of(own).shape);
        own.opened = Mode::task;
        branch(equal(piece, ir::i64_operand(0)), [&] {
          start_at(whole);
        }, [&] {
          start_at(copy_of(k, sub(piece, one)));
          fill_neutral(own);
        });
      }
      const Operand begin = mul(piece, pieces.chunk);
      const Operand end = minimum(count, add(begin, pieces.chunk));
      branch(less(begin, end), [&] { body(begin, end); });
    });
  });
  opened_ = opened;
  host_branch(several, [&] {
    for (std::size_t k = 0; k < shared.size(); ++k) {
      const Accumulator& whole = opened[shared[k]];
      const Operand cost = cost_of_combining(count_of_copies);
      for_each_point(whole.shape, cost, "accumulate", [&](const std::vector<Operand>& at) {
        thread_loop(count_of_copies, false, [&](const Operand& number) {
          combine_at(*whole.op, {whole.place}, at,
                     values_at({copy_of(k, number)}, {whole.row}, at));
        });
      });
    }
  });
}

void Lowering::fill_neutral(const Accumulator& accumulator) {
  const Value neutral = value_of((*accumulator.neutral)[0]);
  nested_loops(accumulator.shape, [&](const std::vector<Operand>& at) {
    write(accumulator.place, at, neutral);
  });
}

}  // namespace dagaz::imperative
