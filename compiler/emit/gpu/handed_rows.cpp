// A thread a point.  Those beyond the last point compute it again and add nothing.
//
//   while any thread of the warp has an iteration left:
//     for those that have one: clear the rows; compute, and add to them; find where they lie
//     for each row: turn what groups of threads hold, so that the k-th one gets the k-th element
//       of each; for each thread of a group: all of them add to neighbours in its row
//
// Groups turn in steps, as a square matrix is transposed by exchanging halves, then halves of
// these (Eklundh, "A fast computer method for matrix transposing", 1972).  A thread that fails
// leaves its warp, and what it says means nothing.
#include "emit/gpu/handed_rows.h"

#include <algorithm>

#include "emit/context/location_scope.h"
#include "emit/gpu/kernels.h"
#include "emit/gpu/tiles.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/atomics.h"
#include "emit/thread/combine.h"

namespace dagaz::emit {

static std::int64_t elements_of(const Accumulator& whole) {
  return ir::integer_value(whole.shape.back().constant());
}

Operand HandedRows::of_i32(ScalarOp op, const Operand& a, const Operand& b) {
  return scalar(op, ScalarType::i32, {a, b});
}

void HandedRows::run() {
  const std::vector<Operand> extents = extents_of(e_.space);
  const Operand parts = divide_up(c_.product(extents), ir::i64_operand(block_threads));
  BlockKernel kernel = kernel_of_blocks(c_, parts, [&](const Operand& block) { point(block); });
  launch(c_, "handed_rows", kernel.grid, ir::i64_operand(0), std::move(kernel.code));
}

void HandedRows::point(const Operand& block) {
  const std::vector<Operand> extents = extents_of(e_.space);
  const Operand points = product(extents);
  const Operand thread = read_special(c_, Special::thread_index);
  const NameId narrow = variable("lane", ScalarType::i32);
  emit(Assign{narrow, ScalarOp::sign_extend, ScalarType::i64, ScalarType::i32, {thread}});
  lane_ = of_i32(ScalarOp::bit_and, narrow, i32(warp_threads - 1));
  const Operand own = add(mul(block, ir::i64_operand(block_threads)), thread);
  here_ = less(own, points);
  set_indices(c_, e_.space, unflatten(minimum(own, sub(points, ir::i64_operand(1))), extents));
  for (const ir::Statement& one : e_.body.statements) c_.arrays.forget(one);
  for (const ir::Statement& one : e_.body.statements) {
    if (adds_rows(one)) {
      go_together(one, *as<ir::Loop>(one.operation));
    } else if (as<ir::Accumulate>(one.operation)) {
      branch(here_, [&] { emit_statement(c_, one); });
    } else {
      emit_statement(c_, one);
    }
  }
  for (std::size_t k = 0; k < s_.results.size(); ++k) {
    assign(c_, s_.results[k].name, value_of(c_, e_.body.results[k]));
  }
}

bool HandedRows::adds_rows(const ir::Statement& s) const {
  return !s.results.empty() && std::ranges::any_of(added_, [&](const ir::AddedRow& row) {
    return row.loop == s.results[0].name;
  });
}

void HandedRows::go_together(const ir::Statement& s, const ir::Loop& loop) {
  const LocationScope here(c_, s.location);
  const auto& form = *as<ir::ForForm>(loop.form);
  const ir::LoopValue& carried = loop.values[0];
  assign(c_, carried.parameter.name, value_of(c_, carried.initial));
  const Operand bound =
      scalar(ScalarOp::select, ScalarType::i64, {here_, form.bound, ir::i64_operand(0)});
  move(form.index.name, ir::i64_operand(0));
  const NameId takes_part = variable("takes_part", ScalarType::boolean);
  const NameId more = variable("more", ScalarType::boolean);
  Code test = collect([&] {
    move(takes_part, less(form.index.name, bound));
    move(more, any(takes_part));
  });
  Code body = collect([&] {
    with_private_scope(c_, [&] { iterate(s, loop, takes_part); });
    move(form.index.name, add(form.index.name, ir::i64_operand(1)));
  });
  emit(While{std::move(test), more, std::move(body)});
  assign(c_, s.results[0].name, value_of(c_, carried.parameter.name));
}

void HandedRows::iterate(const ir::Statement& s, const ir::Loop& loop, const Operand& takes_part) {
  const NameId accumulator = loop.values[0].parameter.name;
  const std::size_t number = c_.accumulators.number_of(accumulator);
  std::vector<Row> rows;
  std::vector<HeldRow> those;
  for (const ir::AddedRow& added : added_) {
    if (added.loop != s.results[0].name) continue;
    rows.push_back(new_row(c_.accumulators.numbered(number), added.indices));
    those.push_back(held(number, rows.back()));
  }
  branch(takes_part, [&] {
    c_.accumulators.holding(those, [&] {
      emit_body(c_, loop.body, {},
                [&](const std::vector<Value>& values) { assign(c_, accumulator, values[0]); });
    });
    for (const Row& row : rows) find(row);
  });
  const Operand present = which(i32(1));
  for (const Row& row : rows) hand(row, present);
}

HandedRows::Row HandedRows::new_row(const Accumulator& whole, const std::vector<Operand>& indices) {
  const ScalarType type = whole.row.element;
  const Place sums = private_array(c_, ir::array_of(type, {whole.shape.back()}), "row");
  for (std::int64_t k = 0; k < elements_of(whole); ++k) {
    store(c_, sums, {ir::i64_operand(k)}, whole.neutral->front(), type);
  }
  return {whole, indices, sums, mutable_variable("first", ScalarType::i64, ir::i64_operand(-1))};
}

HeldRow HandedRows::held(std::size_t number, const Row& row) const {
  Accumulator held = row.whole;
  held.place = row.sums;
  held.place.unit = std::nullopt;
  held.place.strides.assign(held.shape.size(), ir::i64_operand(0));
  held.place.strides.back() = ir::i64_operand(1);
  held.opened = c_.mode;
  return {number, row.indices, held};
}

void HandedRows::find(const Row& row) {
  const std::vector<Operand> shape(row.whole.shape.begin(), row.whole.shape.end() - 1);
  branch(is_inside(c_, row.indices, shape), [&] {
    move(row.first, element_at(*this, row.whole.place, with(row.indices, ir::i64_operand(0))));
  });
}

// The thread's element of the row of each thread of its group.
std::vector<Operand> HandedRows::turned(const Row& row) {
  const ScalarType type = row.whole.row.element;
  const auto lanes = static_cast<std::size_t>(lanes_);
  std::vector<Operand> parts(lanes, row.whole.neutral->front());
  for (std::int64_t k = 0; k < elements_of(row.whole); ++k) {
    parts[static_cast<std::size_t>(k)] = load(c_, row.sums, {ir::i64_operand(k)}, type, "part");
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    const Operand distance = i32(static_cast<std::int64_t>(half));
    const Operand is_upper =
        of_i32(ScalarOp::ne, of_i32(ScalarOp::bit_and, lane_, distance), i32(0));
    const auto either = [&](const Operand& upper, const Operand& lower) {
      return scalar(ScalarOp::select, type, {is_upper, upper, lower});
    };
    for (std::size_t k = 0; k < lanes; ++k) {
      if ((k & half) != 0) continue;
      Operand& low = parts[k];
      Operand& high = parts[k + half];
      const NameId got = variable("part", type);
      emit(Shuffle{got, either(low, high), type, ShuffleMode::exclusive_or, distance});
      const Operand kept = either(high, low);
      low = either(got, kept);
      high = either(kept, got);
    }
  }
  return parts;
}

void HandedRows::hand(const Row& row, const Operand& present) {
  const std::vector<Operand> parts = turned(row);
  const Operand own = of_i32(ScalarOp::bit_and, lane_, i32(lanes_ - 1));
  const Operand group = of_i32(ScalarOp::sub, lane_, own);
  const Operand element = to_i64(own, ScalarType::i32);
  const Operand is_element = less(element, row.whole.shape.back());
  for (int k = 0; k < lanes_; ++k) {
    const Operand source = of_i32(ScalarOp::add, group, i32(k));
    const NameId first = variable("first", ScalarType::i64);
    emit(Shuffle{first, row.first, ScalarType::i64, ShuffleMode::index, source});
    const Operand bit = of_i32(ScalarOp::bit_and, of_i32(ScalarOp::lshr, present, source), i32(1));
    const Operand is_row =
        both(less(ir::i64_operand(-1), first), of_i32(ScalarOp::ne, bit, i32(0)));
    branch(both(is_element, is_row), [&] {
      const Place place{row.whole.place.block,
                        first,
                        {row.whole.place.strides.back()},
                        std::nullopt,
                        row.whole.place.space};
      combine_scalar_atomically(c_, *row.whole.op, row.whole.row.element, place, {element},
                                parts[static_cast<std::size_t>(k)]);
    });
  }
}

// The threads of the warp with the same bit, a bit each.
Operand HandedRows::which(const Operand& value) {
  const NameId same = variable("same", ScalarType::i32);
  emit(Match{same, value, 1});
  return same;
}

// Those that say no are all that are there.
Operand HandedRows::any(const Operand& condition) {
  const NameId says = mutable_variable("says", ScalarType::i32, i32(0));
  branch(condition, [&] { move(says, i32(1)); });
  const Operand all = which(i32(1));
  const Operand alike = of_i32(ScalarOp::bit_and, which(says), all);
  return scalar(ScalarOp::bit_or, ScalarType::boolean,
                {condition, of_i32(ScalarOp::ne, alike, all)});
}

}  // namespace dagaz::emit
