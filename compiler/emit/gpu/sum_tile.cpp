// A tile of sums by a block, a part of it by each thread:
//
//   for each chunk of `depth` elements of the sum, and before the first:
//     load the next chunk's values of rows and points into registers
//     for each element of this chunk:
//       read its values of own rows and own points from shared memory
//       add what they make to each of the thread's sums
//     put what has been loaded into the other half of shared memory; meet
//
// Rows and points outside the space are those at its end once more; only what is inside is
// written.  As most tiles are inside and most chunks whole, these have a loop of their own without
// any of that, whose sums over a chunk have a known length.
//
// Where warps multiply matrices (matrix_sums.h), chunks are whole: elements after the end are zeros
// of both sides.  What is staged, and how, is in sum_staging.cpp; what is copied without waiting
// for it, in sum_copies.cpp.
#include "emit/gpu/sum_tile.h"

#include <algorithm>
#include <array>

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

SumTile::SumTile(Context& c, const std::vector<ir::SpaceDimension>& space,
                 const plan::SumParts& parts, const ir::Contraction& plan)
    : Emitter(c), c_(c), parts_(parts), plan_(plan) {
  for (const ir::ReduceOperator& one : *parts.operators) {
    types_.insert(types_.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  plan::ProductSides sides = plan::sides_of(plan, space, parts.elements, c.names());
  static_cast<plan::ProductSide&>(rows_) = std::move(sides.rows);
  static_cast<plan::ProductSide&>(points_) = std::move(sides.points);
  if (plan.unit != ir::MatrixUnit::none) matrices_.emplace(c, plan);
  rows_.width = rows_.panel * plan.most_rows;
  points_.width = points_.panel * plan.most_points;
  for (Side* side : {&rows_, &points_}) {
    const bool by_elements = has_lines_of_elements(*side);
    side->lines = by_elements ? side->width : plan.depth;
    side->pitch =
        (by_elements ? plan.depth : side->width) + (side == &rows_ ? plan.row_gap : plan.point_gap);
    side->copies = side == &rows_ ? plan.row_copies : plan.point_copies;
    side->together = side->copies;
    if (side->copies == 0) side->together = plan.unit == ir::MatrixUnit::f16 ? 2 : 1;
    side->elements = plan::elements_of(side->body, side->values, c.names());
  }
  rows_.own = plan.kept_rows;
  points_.own = plan.kept_points;
  combined_ = std::move(sides.combined);
  for (const plan::SumLevel& level : parts.levels) level_extents_.push_back(level.width);
}

// ---------------------------------------------------------------- the host's side

void SumTile::lay_out() {
  for (Side* side : {&rows_, &points_}) {
    side->extent = product(extents_of(side->dimensions));
    lay_out(*side);
  }
  elements_ = product(level_extents_);
  lay_out_handed();
}

Operand SumTile::row_tiles() { return tiles_of(rows_); }
Operand SumTile::point_tiles() { return tiles_of(points_); }
Operand SumTile::tiles_of(const Side& side) {
  return divide_up(side.extent, ir::i64_operand(side.width));
}

// Where nothing is staged any more: as many rows of every thread as fit there.
void SumTile::lay_out_handed() {
  // The rows of a warp's matrix begin in different banks.
  constexpr std::int64_t gap = 8;
  handed_pitch_ = points_.width + (matrices_ ? gap : 0);
  const auto bytes_of = [&](const ir::Type& type, std::int64_t rows) {
    const std::int64_t sums = rows * plan_.most_rows * handed_pitch_;
    return (sums * ir::byte_size(type.element) + 15) / 16 * 16;
  };
  std::int64_t row = 0;
  for (const ir::Type& type : types_) row += bytes_of(type, 1);
  handed_rows_ = std::clamp(shared_bytes_ / row, std::int64_t{1}, rows_.panel);
  std::int64_t bytes = 0;
  for (const ir::Type& type : types_) {
    handed_offsets_.push_back(bytes);
    bytes += bytes_of(type, handed_rows_);
  }
  shared_bytes_ = std::max(shared_bytes_, bytes);
}

// ---------------------------------------------------------------- a block

// Binds the indices of the row or point of this number.
void SumTile::bind(const Side& side, const Operand& number) {
  const std::vector<Operand> at = unflatten(number, extents_of(side.dimensions));
  for (std::size_t d = 0; d < at.size(); ++d) move(side.dimensions[d].index.name, at[d]);
}

void SumTile::bind_element(const Operand& number) {
  const std::vector<Operand> at = unflatten(number, level_extents_);
  for (std::size_t l = 0; l < at.size(); ++l) move(parts_.levels[l].element, at[l]);
}

// Where in the tile the thread's row or point of this number is.  Its rows lie side by side, so
// that one load brings several, the same for all threads that have them; its points lie apart in
// pairs, so that neighbours read and write neighbours.  Of matrices only points are asked for.
SumTile::OwnPlace SumTile::own_place(const Side& side, std::int64_t own) {
  std::int64_t together = side.panel;
  if (&side == &points_) together = side.panel % 2 == 0 ? 2 : 1;
  const std::int64_t threads = side.width / side.panel;
  return {mul(side.thread, ir::i64_operand(together)),
          ir::i64_operand(own / together * together * threads + own % together)};
}

Operand SumTile::place_of(const Side& side, std::int64_t own) {
  if (matrices_ && &side == &points_) return matrices_->place_of_point(own);
  const OwnPlace place = own_place(side, own);
  return add(place.first, place.further);
}

Operand SumTile::number_of(const Side& side, std::int64_t own) {
  return add(side.first, place_of(side, own));
}

// What is the same for all elements of the thread's rows or points.
void SumTile::keep(Side& side) {
  side.kept.clear();
  if (side.own.empty()) return;
  const Operand last = sub(side.extent, ir::i64_operand(1));
  for (std::int64_t k = 0; k < side.panel; ++k) {
    bind(side, minimum(number_of(side, k), last));
    emit_body(c_, side.body_kept, {}, [&](const std::vector<Value>& values) {
      side.kept.emplace_back();
      for (const Value& value : values) {
        const NameId kept = variable("kept", value.type.element);
        move(kept, value.operand);
        side.kept.back().push_back({kept, value.type, std::nullopt});
      }
    });
  }
}

void SumTile::start_sums() {
  if (matrices_) {
    matrices_->start(rows_.staged[0], points_.staged[0]);
    rows_.thread = matrices_->thread_along_rows();
    points_.thread = matrices_->thread_along_points();
    return;
  }
  sums_.assign(static_cast<std::size_t>(rows_.panel), {});
  for (auto& row : sums_) {
    for (std::int64_t k = 0; k < points_.panel; ++k) {
      const std::vector<Running> sum = start_reductions(c_, *parts_.operators);
      row.insert(row.end(), sum.begin(), sum.end());
    }
  }
}

void SumTile::run(const TilePlace& at, const Operand& begin, const Operand& end,
                  const TilePut& put) {
  const Operand thread = read_special(c_, Special::thread_index);
  rows_.thread = divide(thread, ir::i64_operand(plan_.most_points));
  points_.thread = remainder(thread, ir::i64_operand(plan_.most_points));
  rows_.first = mul(at.row, ir::i64_operand(rows_.width));
  points_.first = mul(at.point, ir::i64_operand(points_.width));
  for (Side* side : {&rows_, &points_}) {
    place(*side);
    keep(*side);
  }
  start_sums();
  begin_ = begin;
  end_ = end;
  has_copies() ? add_chunks_ahead() : add_chunks();
  write(put);
}

SumTile::Chunks SumTile::chunks(std::int64_t ahead) {
  const Operand depth = ir::i64_operand(plan_.depth);
  const Operand left = maximum(sub(end_, begin_), ir::i64_operand(0));
  const Operand all = divide_up(left, depth);
  const Operand zero = ir::i64_operand(0);
  const auto either = [&](const Operand& condition, const Operand& yes, const Operand& no) {
    return scalar(ScalarOp::select, ScalarType::i64, {condition, yes, no});
  };
  const Operand whole = divide(left, depth);
  const Operand followed = maximum(sub(whole, ir::i64_operand(ahead)), zero);
  const Operand inside = both(is_inside(rows_), is_inside(points_));
  return {all, either(inside, either(equal(whole, all), all, followed), zero)};
}

void SumTile::add_chunks() {
  constexpr std::int64_t ahead = 1;
  // The first round only loads the first chunk.
  run_rounds(
      ahead, [&](NameId chunk, Reach reach) { add_chunk(chunk, reach); },
      [](const Side&) { return ahead; });
}

// The first `ahead` rounds are for chunks with numbers below 0; steady ones come after these, and
// begin so many further as `asked` says.  One variable counts them all, so that nothing of the
// steady ones is computed before.
void SumTile::run_rounds(std::int64_t ahead,
                         const std::function<void(NameId chunk, Reach reach)>& step,
                         const std::function<std::int64_t(const Side&)>& asked) {
  const Chunks some = chunks(ahead);
  const Operand one = ir::i64_operand(1);
  const NameId chunk = mutable_variable("chunk", ScalarType::i64, ir::i64_operand(-ahead));
  const auto add_next = [&](Reach reach) {
    step(chunk, reach);
    move(chunk, add(chunk, one));
  };
  const Operand rounds = add(sub(some.all, some.steady), ir::i64_operand(ahead));
  rolled_loop("round", rounds, [&](const Operand& round) {
    add_next(Reach::clamped);
    branch(equal(round, ir::i64_operand(ahead - 1)), [&] {
      for (Side* side : {&rows_, &points_}) {
        begin_steady(*side, start_of(add(chunk, ir::i64_operand(asked(*side)))));
      }
      loop("steady", some.steady, {}, [&](const Operand&) {
        add_next(Reach::inside);
        for (Side* side : {&rows_, &points_}) advance(*side);
      });
    });
  });
}

Operand SumTile::start_of(const Operand& chunk) {
  return add(begin_, mul(chunk, ir::i64_operand(plan_.depth)));
}

Operand SumTile::is_inside(const Side& side) {
  return less(add(side.first, ir::i64_operand(side.width - 1)), side.extent);
}

// Adds the products of a chunk, none of number -1, while the next one is loaded; what of that may
// be outside is put in its place before.
void SumTile::add_chunk(const Operand& chunk, Reach reach) {
  const Operand following = start_of(add(chunk, ir::i64_operand(1)));
  const Operand half = scalar(ScalarOp::bit_and, ScalarType::i64, {chunk, ir::i64_operand(1)});
  const Operand other = sub(ir::i64_operand(1), half);
  const Operand more = less(following, end_);
  if (reach == Reach::clamped) {
    branch(more, [&] {
      fill(rows_, following, other);
      fill(points_, following, other);
    });
    add_products_of(chunk, half, reach);
  } else {
    std::array<Loaded, 2> loaded;
    branch(more, [&] {
      loaded = {load(rows_, following, reach), load(points_, following, reach)};
    });
    add_products_of(chunk, half, reach);
    branch(more, [&] {
      stage(rows_, loaded[0], other);
      stage(points_, loaded[1], other);
    });
  }
  emit(Barrier{});
}

void SumTile::add_products_of(const Operand& chunk, const Operand& half, Reach reach) {
  const Operand depth = ir::i64_operand(plan_.depth);
  if (reach == Reach::inside) {
    add_products(half, depth);
    return;
  }
  const Operand exists = less(ir::i64_operand(-1), chunk);
  if (matrices_) {
    branch(exists, [&] { add_products(half, depth); });
    return;
  }
  const Operand left = minimum(depth, sub(end_, start_of(chunk)));
  add_products(half, scalar(ScalarOp::select, ScalarType::i64, {exists, left, ir::i64_operand(0)}));
}

// The values of the thread's rows or points for an element.
std::vector<std::vector<Value>> SumTile::read(const Side& side, const Operand& half,
                                              const Operand& element) {
  std::vector<std::vector<Value>> all;
  for (std::int64_t k = 0; k < side.panel; ++k) {
    // What is known is added last, so that neighbours are seen to be some.
    const OwnPlace own = own_place(side, k);
    std::vector<Value> values;
    for (std::size_t v = 0; v < side.values.size(); ++v) {
      const ir::Type& type = names().type(side.values[v]);
      const std::vector<Operand> at = {half, element, own.first, own.further};
      const Operand value = emit::load(c_, side.staged[v], at, type.element, "x");
      values.push_back({value, type, std::nullopt});
    }
    all.push_back(std::move(values));
  }
  return all;
}

void SumTile::add_products(const Operand& half, const Operand& count) {
  if (matrices_) {
    matrices_->add_chunk(half);
    return;
  }
  constexpr std::int64_t together = 4;
  if (!plan_.unrolled || !count.is_constant() || plan_.depth % together != 0) {
    loop("k", count, {}, [&](const Operand& element) { add_product(half, element); });
    return;
  }
  // A longer step would load factors long before they are used.
  rolled_loop("k", ir::i64_operand(plan_.depth / together), [&](const Operand& some) {
    const Operand first = mul(some, ir::i64_operand(together));
    for (std::int64_t k = 0; k < together; ++k) add_product(half, add(first, ir::i64_operand(k)));
  });
}

void SumTile::add_product(const Operand& half, const Operand& element) {
  const std::size_t operators = parts_.operators->size();
  const auto of_rows = read(rows_, half, element);
  const auto of_points = read(points_, half, element);
  const auto set = [&](const Side& side, const std::vector<Value>& staged, std::size_t own) {
    for (std::size_t v = 0; v < staged.size(); ++v) move(side.values[v], staged[v].operand);
    for (std::size_t v = 0; v < side.own.size(); ++v) {
      move(side.own[v], side.kept[own][v].operand);
    }
  };
  for (std::size_t r = 0; r < of_rows.size(); ++r) {
    for (std::size_t p = 0; p < of_points.size(); ++p) {
      set(rows_, of_rows[r], r);
      set(points_, of_points[p], p);
      const auto first = sums_[r].begin() + static_cast<std::ptrdiff_t>(p * operators);
      const std::vector<Running> sum(first, first + static_cast<std::ptrdiff_t>(operators));
      emit_body(c_, combined_, {},
                [&](const std::vector<Value>& values) { combine_all(c_, sum, values, 0); });
    }
  }
}

// The sums go through shared memory, some rows of every thread at a time: neighbours write
// neighbours then, and what becomes of a sum is emitted once for all of these.
void SumTile::write(const TilePut& put) {
  std::vector<Place> handed;
  for (const std::int64_t offset : handed_offsets_) {
    const Operand one = ir::i64_operand(1);
    handed.push_back(
        {block_variable("handed"),
         ir::i64_operand(0),
         {ir::i64_operand(plan_.most_rows * handed_pitch_), ir::i64_operand(handed_pitch_), one},
         one,
         Space::shared});
    emit(SharedMemory{handed.back().block, ir::i64_operand(offset)});
  }
  for (std::int64_t first = 0; first < rows_.panel; first += handed_rows_) {
    const std::int64_t rows = std::min(handed_rows_, rows_.panel - first);
    for (std::int64_t r = 0; r < rows; ++r) hand_over(handed, r, first + r);
    emit(Barrier{});
    rolled_loop("handed", ir::i64_operand(rows * points_.panel),
                [&](const Operand& number) { put_handed(handed, number, first, put); });
    emit(Barrier{});
  }
}

// Of the thread's row and point of these numbers.
std::vector<Value> SumTile::sums_at(std::int64_t row, std::int64_t point) {
  if (matrices_) {
    return {{matrices_->sum(row, point, types_[0].element), types_[0], std::nullopt}};
  }
  const auto operators = static_cast<std::ptrdiff_t>(parts_.operators->size());
  const auto first = sums_[static_cast<std::size_t>(row)].begin() + point * operators;
  return running_values({first, first + operators});
}

// Row `own` of every thread, as the `r`-th of those that are handed over together.
void SumTile::hand_over(const std::vector<Place>& handed, std::int64_t r, std::int64_t own) {
  for (std::int64_t p = 0; p < points_.panel; ++p) {
    write_all(c_, handed, {ir::i64_operand(r), rows_.thread, place_of(points_, p)},
              sums_at(own, p));
  }
}

// What the thread writes as its `number`-th, of rows that begin with every thread's `first`.
void SumTile::put_handed(const std::vector<Place>& handed, const Operand& number,
                         std::int64_t first, const TilePut& put) {
  const Operand flat =
      add(mul(number, ir::i64_operand(block_threads)), read_special(c_, Special::thread_index));
  const std::vector<Operand> place =
      unflatten(flat, {ir::i64_operand(handed_rows_), ir::i64_operand(plan_.most_rows),
                       ir::i64_operand(points_.width)});
  const Operand own = add(place[0], ir::i64_operand(first));
  const Operand in_tile = matrices_ ? matrices_->row_of(place[1], own)
                                    : add(mul(place[1], ir::i64_operand(rows_.panel)), own);
  const Operand of_row = add(rows_.first, in_tile);
  const Operand of_point = add(points_.first, place[2]);
  branch(both(less(of_row, rows_.extent), less(of_point, points_.extent)),
         [&] { put(of_row, of_point, values_at(c_, handed, types_, place)); });
}

}  // namespace dagaz::emit
