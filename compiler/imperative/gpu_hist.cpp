// Histograms on a GPU whose operators no atomic instruction computes: of tuples, of rows combined
// as a whole.  A thread per element; bins are guarded by locks, several bins by one where there
// are very many (as in Henriksen, Hellfritzsch, Sadayappan and Oancea, "Compiling generalized
// histograms for GPU", 2020).
//
// A thread that has a lock releases it before it tries again, in the same round of one loop, so
// that threads of a warp cannot keep each other waiting.  One that failed would keep its lock:
// plan/ has no locks for operators that may fail.
#include "imperative/gpu.h"

#include <algorithm>

namespace dagaz::imperative {

void Gpu::histogram_with_locks(const ir::SegmentedHistogram& e, const ir::LockedBins& bins,
                               const std::vector<std::vector<Place>>& places) {
  const std::vector<Operand> extents = extents_of(e.space);
  const std::vector<Operand> outer(extents.begin(), extents.end() - 1);
  std::vector<Operand> counts;
  std::vector<NameId> locks;
  for (const ir::HistogramOperator& one : e.operators) {
    const Operand count = mul(product(outer), product(one.shape));
    counts.push_back(maximum(minimum(count, ir::i64_operand(bins.most)), ir::i64_operand(1)));
    const Operand bytes = mul(counts.back(), ir::i64_operand(ir::byte_size(ScalarType::i32)));
    locks.push_back(low_.new_block(bytes, "locks"));
    emit(Clear{locks.back(), ir::i64_operand(0), bytes});
  }
  low_.for_each_point(
      extents, low_.cost_of(e.schedule), "hist", [&](const std::vector<Operand>& point) {
        low_.set_indices(e.space, point);
        const std::vector<Operand> segment(point.begin(), point.end() - 1);
        low_.lower_body(e.body, {}, [&](const std::vector<Value>& values) {
          auto next = values.begin();
          for (std::size_t k = 0; k < e.operators.size(); ++k) {
            const ir::HistogramOperator& one = e.operators[k];
            const auto end = next + std::ssize(one.shape) + std::ssize(places[k]);
            combine_locked(one, places[k], segment, outer, {next, end}, {locks[k], counts[k]});
            next = end;
          }
        });
      });
}

void Gpu::combine_locked(const ir::HistogramOperator& one, const std::vector<Place>& places,
                         const std::vector<Operand>& segment, const std::vector<Operand>& outer,
                         const std::vector<Value>& given, const Locks& locks) {
  std::vector<Operand> indices;
  for (std::size_t d = 0; d < one.shape.size(); ++d) indices.push_back(given[d].operand);
  const std::vector<Value> values(given.begin() + static_cast<std::ptrdiff_t>(indices.size()),
                                  given.end());
  branch(low_.is_inside(indices, one.shape), [&] {
    Operand flat = ir::i64_operand(0);
    for (std::size_t d = 0; d < outer.size(); ++d) flat = add(mul(flat, outer[d]), segment[d]);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      flat = add(mul(flat, one.shape[d]), indices[d]);
    }
    const Operand lock = remainder(flat, locks.count);
    std::vector<Place> parts;
    for (const Place& place : places) parts.push_back(part_at(*this, place, segment));
    Code combined = collect([&] { low_.combine_at(one.op, parts, indices, values); });
    while_locked(locks.block, lock, std::move(combined));
  });
}

// Runs `code` once, alone among those that hold the same lock.  What the holder before wrote is
// seen, and what this one writes is seen by the next: hence the fences.
void Gpu::while_locked(NameId locks, const Operand& lock, Code code) {
  const Operand free = ir::make_integer(ScalarType::i32, 0);
  const Operand taken = ir::make_integer(ScalarType::i32, 1);
  const NameId waits = mutable_variable("waits", ScalarType::boolean, ir::make_bool(true));
  const NameId condition = variable("continue", ScalarType::boolean);
  Code test = collect([&] { move(condition, waits); });
  Code round = collect([&] {
    const NameId found = variable("found", ScalarType::i32);
    emit(CompareExchange{found, locks, lock, free, taken, ScalarType::i32});
    branch(scalar(ScalarOp::eq, ScalarType::i32, {found, free}), [&] {
      emit(Fence{});
      append(std::move(code));
      emit(Fence{});
      emit(Atomic{variable("old", ScalarType::i32), AtomicOp::exchange, locks, lock, free,
                  ScalarType::i32});
      move(waits, ir::make_bool(false));
    });
  });
  emit(While{std::move(test), condition, std::move(round)});
}

}  // namespace dagaz::imperative
