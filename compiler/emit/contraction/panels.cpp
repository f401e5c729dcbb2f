// The loops around a block of sums, from the outside (Van Zee and van de Geijn, "BLIS: A framework
// for rapidly instantiating BLAS functionality", TOMS 2015):
//
//   tasks: tiles of the space's rows × points, and what is a batch
//     pieces of the elements that are added, as many as a panel holds
//       points' values go to panels; for so many panels of rows as the second cache holds,
//         rows' values go to panels; for panels of points, for panels of rows:
//           a block of sums in registers takes the piece's elements
//
// The panel of points stays in the first cache while panels of rows meet it.  Between pieces, sums
// wait in memory of the task.  The last panel of a side is moved back to be whole: a few points are
// computed twice.  Where there are few tasks and many elements, tasks share sums, and a second loop
// over the blocks combines their parts.
#include "emit/contraction/panels.h"

#include <algorithm>

#include "emit/lanes/arrays.h"
#include "emit/lanes/map.h"
#include "emit/lanes/remainder.h"
#include "emit/lanes/running.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/memory/homes.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"

namespace dagaz::emit {

ProductPanels::ProductPanels(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                             const ir::Contraction& plan, const std::vector<Destination>& targets)
    : c_(c),
      s_(s),
      e_(e),
      plan_(plan),
      targets_(targets),
      parts_(plan::sum_parts(e, plan::Branches::refused, c.names()).value()) {
  shape_.block_rows = plan.block_rows;
  shape_.columns = plan.columns;
  shape_.width = plan.width;
  plan::ProductSides sides = plan::sides_of(plan, e.space, parts_.elements, c_.names());
  static_cast<plan::ProductSide&>(rows_) = std::move(sides.rows);
  static_cast<plan::ProductSide&>(points_) = std::move(sides.points);
  combined_ = std::move(sides.combined);
  for (const std::size_t d : plan::batch_of(plan, e.space.size())) {
    batch_.push_back(e.space[d].extent);
  }
}

// ---------------------------------------------------------------- tasks

void ProductPanels::run() {
  const Operand cost = cost_of(c_, e_.schedule);
  const Operand depth = ir::i64_operand(plan_.depth);
  pieces_inside_ = c_.divide_up(parts_.levels.back().width, depth);
  length_ = c_.divide_up(parts_.levels.back().width, pieces_inside_);
  pieces_ = pieces_inside_;
  for (std::size_t l = 0; l + 1 < parts_.levels.size(); ++l) {
    pieces_ = c_.mul(pieces_, parts_.levels[l].width);
  }
  const NameId worth = c_.variable("pieces", ScalarType::i64);
  c_.emit(PieceCount{worth, c_.product(extents_of(e_.space)), grain_for(c_, cost)});
  cut_tiles_for(worth);
  const Operand tasks = c_.product(with(with(batch_, rows_.tiles), points_.tiles));
  const Operand enough = ir::i64_operand(std::max(plan_.split / plan_.depth, 1));
  const Operand splits = c_.minimum(c_.divide_up(worth, c_.maximum(tasks, ir::i64_operand(1))),
                                    c_.divide(pieces_, enough));
  if (plan_.split == 0) {
    whole_sums(cost);
    return;
  }
  host_branch(
      c_, c_.less(ir::i64_operand(1), splits), [&] { split_sums(cost, splits); },
      [&] { whole_sums(cost); });
}

/// Tiles as large as may be, but as many as are worth it; where they cannot be that many, threads get
/// as many tasks each.
void ProductPanels::cut_tiles_for(const Operand& worth) {
  const Operand batch = c_.product(batch_);
  const Operand threads = resident_threads(c_);
  const auto alike = [&](const Operand& tiles, const Operand& others) {
    const Operand one = ir::i64_operand(1);
    const Operand each = c_.maximum(c_.divide(c_.mul(tiles, others), threads), one);
    const Operand least = c_.divide(c_.mul(each, threads), c_.maximum(others, one));
    return c_.minimum(tiles, c_.maximum(least, one));
  };
  const auto cut = [&](Side& side, const Operand& others, int most, int least) {
    const Operand fewest = c_.divide_up(side.panels, ir::i64_operand(most));
    const Operand most_tiles = c_.divide(side.panels, ir::i64_operand(least));
    const Operand done = c_.maximum(c_.mul(others, fewest), ir::i64_operand(1));
    const Operand wanted = c_.mul(fewest, c_.divide_up(worth, done));
    const Operand tiles = c_.maximum(fewest, c_.minimum(wanted, alike(most_tiles, others)));
    side.tile = c_.divide_up(side.panels, tiles);
    side.tiles = c_.divide_up(side.panels, side.tile);
  };
  for (Side* side : {&rows_, &points_}) {
    side->panels = c_.divide_up(side->dimension().extent, ir::i64_operand(side->panel));
  }
  const Operand fewest = c_.divide_up(points_.panels, ir::i64_operand(plan_.most_points));
  cut(rows_, c_.mul(batch, fewest), plan_.most_rows, plan_.least_rows);
  cut(points_, c_.mul(batch, rows_.tiles), plan_.most_points, plan_.least_points);
}

ProductPanels::Range ProductPanels::range_of(const Side& side, const Operand& number) {
  const Operand first = c_.mul(number, side.tile);
  return {first, c_.minimum(side.tile, c_.sub(side.panels, first))};
}

// The indices of the batch; `at` may have more numbers.
void ProductPanels::bind_batch(const std::vector<Operand>& at) {
  std::size_t next = 0;
  for (const std::size_t d : plan::batch_of(plan_, e_.space.size())) {
    c_.move(e_.space[d].index.name, at[next++]);
  }
}

/// Room for sums of `count` blocks.
std::vector<Place> ProductPanels::sum_arrays(const Operand& count, std::string_view base) {
  const Operand size = c_.mul(count, ir::i64_operand(rows_.panel * points_.panel));
  std::vector<Place> arrays;
  for (const NameId sum : parts_.sums) {
    arrays.push_back(new_array(c_, ir::array_of(c_.names().type(sum).element, {size}), base));
  }
  return arrays;
}

void ProductPanels::whole_sums(const Operand& cost) {
  const std::vector<Operand> extents = with(with(batch_, rows_.tiles), points_.tiles);
  const Operand blocks = c_.mul(rows_.tile, points_.tile);
  const Operand size = ir::i64_operand(rows_.panel * points_.panel);
  for_blocks(
      c_, c_.product(extents), c_.mul(cost, c_.mul(blocks, size)), [&](const Operand& number) {
        const std::vector<Operand> at = c_.unflatten(number, extents);
        bind_batch(at);
        Task one{range_of(rows_, at[at.size() - 2]),
                 range_of(points_, at.back()),
                 ir::i64_operand(0),
                 pieces_,
                 {},
                 false};
        const Operand several = c_.less(ir::i64_operand(1), pieces_);
        const Operand held =
            c_.scalar(ScalarOp::select, ScalarType::i64,
                      {several, c_.mul(one.rows.count, one.points.count), ir::i64_operand(0)});
        one.sums = sum_arrays(held, "sums");
        task(one);
      });
}

// Parts of sums, [split][task][block], and then the blocks.  A branch of the host owns the parts.
void ProductPanels::split_sums(const Operand& cost, const Operand& splits) {
  std::vector<Operand> extents = {splits};
  extents.insert(extents.end(), batch_.begin(), batch_.end());
  extents.push_back(rows_.tiles);
  extents.push_back(points_.tiles);
  const Operand blocks = c_.mul(rows_.tile, points_.tile);
  const Operand size = ir::i64_operand(rows_.panel * points_.panel);
  const Operand chunk = c_.divide_up(pieces_, splits);
  const Operand share = c_.divide_up(cost, splits);
  const std::vector<Place> parts = sum_arrays(c_.mul(c_.product(extents), blocks), "parts");
  const auto part_of = [&](const Operand& number) {
    std::vector<Place> places = parts;
    for (Place& one : places) one.offset = c_.mul(c_.mul(number, blocks), size);
    return places;
  };
  for_blocks(c_, c_.product(extents), c_.mul(share, c_.mul(blocks, size)),
             [&](const Operand& number) {
               const std::vector<Operand> at = c_.unflatten(number, extents);
               bind_batch({at.begin() + 1, at.end()});
               const Operand first = c_.minimum(c_.mul(at[0], chunk), pieces_);
               task({range_of(rows_, at[at.size() - 2]), range_of(points_, at.back()), first,
                     c_.minimum(chunk, c_.sub(pieces_, first)), part_of(number), true});
             });
  const Operand tasks = c_.product({extents.begin() + 1, extents.end()});
  std::vector<Operand> all = batch_;
  all.insert(all.end(), {rows_.tiles, points_.tiles, rows_.tile, points_.tile});
  for_blocks(c_, c_.product(all), c_.mul(splits, size), [&](const Operand& number) {
    const std::vector<Operand> at = c_.unflatten(number, all);
    bind_batch(at);
    const std::size_t last = at.size();
    const Range rows = range_of(rows_, at[last - 4]);
    const Range points = range_of(points_, at[last - 3]);
    const Operand is_inside =
        c_.both(c_.less(at[last - 2], rows.count), c_.less(at[last - 1], points.count));
    c_.branch(is_inside, [&] {
      Lanes lanes(c_, shape_);
      std::vector<LaneScalar> sums;
      for (const ir::ReduceOperator& one : *parts_.operators) {
        const std::vector<LaneScalar> more = start_running(lanes, one.neutral);
        sums.insert(sums.end(), more.begin(), more.end());
      }
      const Operand of_task = c_.divide(number, blocks);
      const Operand block = c_.add(c_.mul(at[last - 2], points.count), at[last - 1]);
      thread_loop(c_, splits, false, [&](const Operand& split) {
        const Operand part = c_.add(c_.mul(split, tasks), of_task);
        combine_held(lanes, sums, part_of(part), c_.mul(block, size));
      });
      finish(lanes, sums, c_.add(rows.first, at[last - 2]), c_.add(points.first, at[last - 1]));
    });
  });
}

// ---------------------------------------------------------------- inside a task

/// Binds the numbers of an element, `innermost` in the last loop; the others are bound.
void ProductPanels::bind_levels(Lanes& lanes, const LaneScalar& innermost) {
  bind(lanes, parts_.levels.back().element, innermost);
}

ProductPanels::Piece ProductPanels::piece_at(const Task& task, const Operand& number) {
  const Operand piece = c_.add(task.first_piece, number);
  std::vector<Operand> extents;
  for (const plan::SumLevel& level : parts_.levels) extents.push_back(level.width);
  extents.back() = pieces_inside_;
  const std::vector<Operand> at = c_.unflatten(piece, extents);
  for (std::size_t l = 0; l + 1 < at.size(); ++l) c_.move(parts_.levels[l].element, at[l]);
  const Operand width = parts_.levels.back().width;
  const Operand start = c_.minimum(c_.mul(at.back(), length_), width);
  const Operand last = c_.sub(task.pieces, ir::i64_operand(1));
  return {start, c_.minimum(length_, c_.sub(width, start)), c_.equal(number, ir::i64_operand(0)),
          c_.equal(number, last)};
}

void ProductPanels::task(const Task& task) {
  const Operand cached = ir::i64_operand(plan_.cached);
  hold(rows_, c_.minimum(cached, task.rows.count));
  hold(points_, task.points.count);
  thread_loop(c_, task.pieces, false, [&](const Operand& number) {
    const Piece piece = piece_at(task, number);
    pack(points_, task.points, piece);
    thread_loop(c_, c_.divide_up(task.rows.count, cached), false, [&](const Operand& c) {
      const Operand done = c_.mul(c, cached);
      const Range chunk{c_.add(task.rows.first, done),
                        c_.minimum(cached, c_.sub(task.rows.count, done))};
      pack(rows_, chunk, piece);
      thread_loop(c_, task.points.count, false, [&](const Operand& p) {
        thread_loop(c_, chunk.count, false, [&](const Operand& r) {
          block(task, piece, {c_.add(chunk.first, r), r, c_.add(task.points.first, p), p});
        });
      });
    });
  });
}

// The innermost loop: neighbours in the panels, and sums in registers.
std::vector<LaneScalar> ProductPanels::add_products(Lanes& lanes, const Piece& piece,
                                                    const Meeting& at) {
  std::vector<std::vector<LaneScalar>> running;
  for (const ir::ReduceOperator& one : *parts_.operators) {
    running.push_back(start_running(lanes, one.neutral));
  }
  const Operand row_base = start_of_panel(rows_, at.held_row);
  const Operand point_base = start_of_panel(points_, at.held_point);
  c_.loop("k", piece.length, LoopHints{.unroll = plan_.unrolled}, [&](const Operand& k) {
    const auto bind_values = [&](const Side& side, const Operand& base, bool of_points) {
      const Operand first = c_.add(base, c_.mul(k, ir::i64_operand(side.panel)));
      for (std::size_t v = 0; v < side.values.size(); ++v) {
        LaneArray element;
        element.place.block = side.held[v].block;
        element.offset.by_row = !of_points && rows_.panel > 1;
        element.offset.by_point = of_points;
        element.offset.affine =
            Affine{first, ir::i64_operand(of_points ? 0 : 1), ir::i64_operand(of_points ? 1 : 0)};
        const LaneScalar value = load(lanes, element, c_.names().type(side.values[v]).element);
        bind(lanes, side.values[v], value);
      }
    };
    bind_values(rows_, row_base, false);
    bind_values(points_, point_base, true);
    const std::vector<LaneResult> values = emit_body(lanes, combined_, {});
    std::size_t position = 0;
    for (std::size_t r = 0; r < running.size(); ++r) {
      std::vector<LaneScalar> inputs;
      for (std::size_t v = 0; v < running[r].size(); ++v) {
        inputs.push_back(*values[position++].scalar);
      }
      combine(lanes, (*parts_.operators)[r].op, running[r], inputs);
    }
  });
  std::vector<LaneScalar> sums;
  for (const auto& one : running) sums.insert(sums.end(), one.begin(), one.end());
  return sums;
}

namespace {

/// A block of sums in memory, from element `first` on.
LaneArray block_at(const Place& sums, const Operand& first, const LaneBlock& block) {
  LaneArray array;
  array.place.block = sums.block;
  array.offset.by_row = block.rows > 1;
  array.offset.by_point = true;
  array.offset.affine =
      Affine{first, ir::i64_operand(block.rows > 1 ? block.span() : 0), ir::i64_operand(1)};
  return array;
}

}  // namespace

/// Where the sums of a block wait, counted from where those of the task begin.
Operand ProductPanels::sums_at(const Task& task, const Meeting& at) {
  const Operand row = c_.sub(at.row, task.rows.first);
  const Operand number = c_.add(c_.mul(row, task.points.count), at.held_point);
  return c_.mul(number, ir::i64_operand(rows_.panel * points_.panel));
}

void ProductPanels::combine_held(Lanes& lanes, const std::vector<LaneScalar>& sums,
                                 const std::vector<Place>& held, const Operand& first) {
  std::size_t position = 0;
  for (const ir::ReduceOperator& one : *parts_.operators) {
    std::vector<LaneScalar> running;
    std::vector<LaneScalar> waiting;
    for (std::size_t v = 0; v < one.neutral.size(); ++v, ++position) {
      const LaneArray at =
          block_at(held[position], c_.add(held[position].offset, first), lanes.block);
      running.push_back(sums[position]);
      waiting.push_back(load(lanes, at, sums[position].type));
    }
    combine(lanes, one.op, running, waiting);
  }
}

// What a block reads at its end comes while it adds: sums so far, or what results are written over.
void ProductPanels::fetch_ends(const Task& task, const Piece& piece, const Meeting& at,
                               const Operand& first) {
  const auto fetch = [&](const LaneArray& array, ScalarType type) {
    const auto& affine = array.offset.affine;
    if (!affine || !is_constant(affine->point_step, 1)) return;
    for (std::int64_t row = 0; row < shape_.block_rows; ++row) {
      for (std::int64_t column = 0; column < shape_.columns; ++column) {
        const Operand of_row = c_.mul(affine->row_step, ir::i64_operand(row));
        const Operand place = c_.add(affine->base, of_row);
        c_.emit(Fetch{array.place.block, c_.add(place, ir::i64_operand(column * shape_.width)),
                      type});
      }
    }
  };
  Lanes lanes(c_, shape_);
  c_.branch(
      piece.is_first, [] {},
      [&] {
        for (std::size_t v = 0; v < task.sums.size(); ++v) {
          const Place& place = task.sums[v];
          fetch(block_at(place, c_.add(place.offset, first), lanes.block),
                c_.names().type(parts_.sums[v]).element);
        }
      });
  if (task.is_part || !is_over(c_, s_.results[0].name)) return;
  c_.branch(
      piece.is_last,
      [&] {
        const std::vector<NameId> indices = bind_block(lanes, at.row, at.point);
        for (std::size_t k = 0; k < targets_.size(); ++k) {
          fetch(part_at(lanes, *targets_[k], indices), e_.result_types[k].element);
        }
      },
      [] {});
}

void ProductPanels::block(const Task& task, const Piece& piece, const Meeting& at) {
  const Operand first = sums_at(task, at);
  fetch_ends(task, piece, at, first);
  Lanes lanes(c_, shape_);
  const std::vector<LaneScalar> sums = add_products(lanes, piece, at);
  c_.branch(
      piece.is_first, [] {}, [&] { combine_held(lanes, sums, task.sums, first); });
  const auto keep = [&] {
    for (std::size_t v = 0; v < sums.size(); ++v) {
      const Place& place = task.sums[v];
      store(lanes, block_at(place, c_.add(place.offset, first), lanes.block), sums[v]);
    }
  };
  if (task.is_part) {
    keep();
  } else {
    c_.branch(
        piece.is_last, [&] { finish(lanes, sums, at.row, at.point); }, keep);
  }
}

/// Binds the indices of a block, and returns those of the space.
std::vector<NameId> ProductPanels::bind_block(Lanes& lanes, const Operand& row,
                                              const Operand& point) {
  bind_index(lanes, rows_.dimension().index.name, start_of(rows_, row), rows_.panel > 1, false);
  bind_index(lanes, points_.dimension().index.name, start_of(points_, point), false, true);
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& one : e_.space) indices.push_back(one.index.name);
  return indices;
}

/// What the map makes of the sums of a block.
void ProductPanels::finish(Lanes& lanes, const std::vector<LaneScalar>& sums, const Operand& row,
                           const Operand& point) {
  for (std::size_t k = 0; k < sums.size(); ++k) bind(lanes, parts_.sums[k], sums[k]);
  const std::vector<NameId> indices = bind_block(lanes, row, point);
  if (is_over(c_, s_.results[0].name)) {
    const auto again = [&](const Side& side, const Operand& panel) {
      return c_.sub(c_.mul(panel, ir::i64_operand(side.panel)), start_of(side, panel));
    };
    lanes.overlap = {again(rows_, row), again(points_, point)};
  }
  const std::vector<LaneResult> results = emit_body(lanes, parts_.after, {});
  for (std::size_t k = 0; k < results.size(); ++k) {
    const LaneArray target = part_at(lanes, *targets_[k], indices);
    if (lanes.overlap) {
      store_remainder(lanes, target, *results[k].scalar, *lanes.overlap);
    } else {
      put(lanes, target, results[k], e_.result_types[k]);
    }
  }
}

}  // namespace dagaz::emit
