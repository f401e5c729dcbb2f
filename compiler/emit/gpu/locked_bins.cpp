// Histograms on a GPU whose operators no atomic instruction computes: of tuples, of rows combined
// as a whole.  A thread per element; bins are guarded by locks, several bins by one where there
// are very many (as in Henriksen, Hellfritzsch, Sadayappan and Oancea, "Compiling generalized
// histograms for GPU", 2020).
//
// A thread that has a lock releases it before it tries again, in the same round of one loop, so
// that threads of a warp cannot keep each other waiting.  One that failed would keep its lock:
// plan/ has no locks for operators that may fail.
#include "emit/gpu/locked_bins.h"

#include <utility>

#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/combine.h"
#include "emit/thread/parallel_operations.h"
#include "emit/versions.h"

namespace dagaz::emit {

namespace {

/// One for each bin that needs combining under a lock.
struct Locks {
  NameId block;  // i32 each
  Operand count;
};

}  // namespace

// Runs `code` once, alone among those that hold the same lock.  What the holder before wrote is
// seen, and what this one writes is seen by the next: hence the fences.
static void while_locked(Context& c, NameId locks, const Operand& lock, Code code) {
  const Operand free = ir::make_integer(ScalarType::i32, 0);
  const Operand taken = ir::make_integer(ScalarType::i32, 1);
  const NameId waits = c.mutable_variable("waits", ScalarType::boolean, ir::make_bool(true));
  const NameId condition = c.variable("continue", ScalarType::boolean);
  Code test = c.collect([&] { c.move(condition, waits); });
  Code round = c.collect([&] {
    const NameId found = c.variable("found", ScalarType::i32);
    c.emit(CompareExchange{found, locks, lock, free, taken, ScalarType::i32});
    c.branch(c.scalar(ScalarOp::eq, ScalarType::i32, {found, free}), [&] {
      c.emit(Fence{});
      c.append(std::move(code));
      c.emit(Fence{});
      c.emit(Atomic{c.variable("old", ScalarType::i32), AtomicOp::exchange, locks, lock, free,
                    ScalarType::i32});
      c.move(waits, ir::make_bool(false));
    });
  });
  c.emit(While{std::move(test), condition, std::move(round)});
}

static void combine_locked(Context& c, const ir::HistogramOperator& one,
                           const std::vector<Place>& places, const std::vector<Operand>& segment,
                           const std::vector<Operand>& outer, const std::vector<Value>& given,
                           const Locks& locks) {
  std::vector<Operand> indices;
  for (std::size_t d = 0; d < one.shape.size(); ++d) indices.push_back(given[d].operand);
  const std::vector<Value> values(given.begin() + static_cast<std::ptrdiff_t>(indices.size()),
                                  given.end());
  c.branch(is_inside(c, indices, one.shape), [&] {
    Operand flat = ir::i64_operand(0);
    for (std::size_t d = 0; d < outer.size(); ++d) flat = c.add(c.mul(flat, outer[d]), segment[d]);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      flat = c.add(c.mul(flat, one.shape[d]), indices[d]);
    }
    const Operand lock = c.remainder(flat, locks.count);
    std::vector<Place> parts;
    for (const Place& place : places) parts.push_back(part_at(c, place, segment));
    Code combined = c.collect([&] { combine_at(c, one.op, parts, indices, values); });
    while_locked(c, locks.block, lock, std::move(combined));
  });
}

void histogram_with_locks(Context& c, const ir::SegmentedHistogram& e, const ir::LockedBins& bins,
                          const std::vector<std::vector<Place>>& places) {
  const std::vector<Operand> extents = extents_of(e.space);
  const std::vector<Operand> outer(extents.begin(), extents.end() - 1);
  std::vector<Operand> counts;
  std::vector<NameId> locks;
  for (const ir::HistogramOperator& one : e.operators) {
    const Operand count = c.mul(c.product(outer), c.product(one.shape));
    counts.push_back(c.maximum(c.minimum(count, ir::i64_operand(bins.most)), ir::i64_operand(1)));
    const Operand bytes = c.mul(counts.back(), ir::i64_operand(ir::byte_size(ScalarType::i32)));
    locks.push_back(new_block(c, bytes, "locks"));
    c.emit(Fill{locks.back(), ir::i64_operand(0), bytes});
  }
  for_each_point(
      c, extents, cost_of(c, e.schedule), "hist", [&](const std::vector<Operand>& point) {
        set_indices(c, e.space, point);
        const std::vector<Operand> segment(point.begin(), point.end() - 1);
        emit_body(c, e.body, {}, [&](const std::vector<Value>& values) {
          auto next = values.begin();
          for (std::size_t k = 0; k < e.operators.size(); ++k) {
            const ir::HistogramOperator& one = e.operators[k];
            const auto end = next + std::ssize(one.shape) + std::ssize(places[k]);
            combine_locked(c, one, places[k], segment, outer, {next, end}, {locks[k], counts[k]});
            next = end;
          }
        });
      });
}

}  // namespace dagaz::emit
