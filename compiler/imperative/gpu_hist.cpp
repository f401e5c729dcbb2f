// Histograms on a GPU whose operators no atomic instruction computes: of tuples, of rows combined
// as a whole.  A thread per element; bins are guarded by locks, several bins by one where there
// are very many (as in Henriksen, Hellfritzsch, Sadayappan and Oancea, "Compiling generalized
// histograms for GPU", 2020).
//
// A thread that has a lock releases it before it tries again, in the same round of one loop, so
// that threads of a warp cannot keep each other waiting.  One that failed would keep its lock:
// operators that may fail are refused.
#include "imperative/gpu.h"

#include <algorithm>

namespace dagaz::imperative {

static constexpr std::int64_t most_locks = std::int64_t{1} << 20;

bool Gpu::may_fail(const Code& code) {
  return std::any_of(code.begin(), code.end(), [](const Instruction& instruction) {
    const Node& node = instruction.node;
    if (as<Fail>(node) || as<Call>(node)) return true;
    if (const auto* loop = as<For>(node)) return may_fail(loop->body);
    if (const auto* repeat = as<While>(node)) {
      return may_fail(repeat->test) || may_fail(repeat->body);
    }
    if (const auto* one = as<If>(node)) return may_fail(one->then_code) || may_fail(one->else_code);
    return false;
  });
}

// False, having emitted nothing, where an operator may fail.
bool Gpu::histogram_with_locks(const ir::SegmentedHistogram& e,
                               const std::vector<std::vector<Place>>& places) {
  bool possible = true;
  return attempt([&] {
    const std::vector<Operand> extents = extents_of(e.space);
    const std::vector<Operand> outer(extents.begin(), extents.end() - 1);
    std::vector<Operand> counts;
    std::vector<NameId> locks;
    for (const ir::HistogramOperator& one : e.operators) {
      const Operand bins = mul(product(outer), product(one.shape));
      counts.push_back(maximum(minimum(bins, ir::i64_operand(most_locks)), ir::i64_operand(1)));
      const Operand bytes =
          mul(counts.back(), ir::i64_operand(ir::byte_size(ScalarType::i32)));
      locks.push_back(low_.new_block(bytes, "locks"));
      emit(Clear{locks.back(), ir::i64_operand(0), bytes});
    }
    const auto combine = [&](const std::vector<Operand>& point) {
      low_.set_indices(e.space, point);
      const std::vector<Operand> segment(point.begin(), point.end() - 1);
      low_.lower_body(e.body, {}, [&](const std::vector<Value>& values) {
        std::size_t position = 0;
        for (std::size_t k = 0; k < e.operators.size(); ++k) {
          const ir::HistogramOperator& one = e.operators[k];
          const std::size_t arity = one.shape.size() + places[k].size();
          const auto from = values.begin() + static_cast<std::ptrdiff_t>(position);
          const std::vector<Value> given(from, from + static_cast<std::ptrdiff_t>(arity));
          position += arity;
          possible = combine_locked(one, places[k], segment, outer, given,
                                    {locks[k], counts[k]}) && possible;
        }
      });
    };
    low_.for_each_point(extents, low_.cost_of(e.body), "hist", combine);
    return possible;
  });
}

bool Gpu::combine_locked(const ir::HistogramOperator& one, const std::vector<Place>& places,
                         const std::vector<Operand>& segment, const std::vector<Operand>& outer,
                         const std::vector<Value>& given, const Locks& locks) {
  std::vector<Operand> indices;
  for (std::size_t d = 0; d < one.shape.size(); ++d) indices.push_back(given[d].operand);
  const std::vector<Value> values(given.begin() + static_cast<std::ptrdiff_t>(indices.size()),
                                  given.end());
  bool possible = true;
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
    possible = !may_fail(combined);
    while_locked(locks.block, lock, std::move(combined));
  });
  return possible;
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
