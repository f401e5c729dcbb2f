// A square has as many rows as a vector has lanes.  Its rows are read as vectors, cross over in
// registers, and are written as vectors: each line of memory is read once and written once, as a
// whole: past the caches where they could not keep it.
//
// Tasks take tiles of some squares, and tiles that read neighbours follow one another: what is read
// goes on in as many rows as a tile has, few enough that the processor follows all of them and
// fetches what comes next.  Where no cache holds it, a few columns of squares ahead are fetched as
// well: with each square the lines of its rows, or where several squares share these, its share of
// them (on software prefetching: Lee, Kim and Vuduc, "When prefetching works, when it doesn't, and
// why", TACO 2012).
// In a tile, squares that write neighbours follow one another, so that a few lines are written
// together wherever something is.
//
// Where vectors of small elements fill no lines, or rows begin within lines, a column of more
// squares crosses over to memory that the first cache keeps, and goes on from there by rows that
// are long enough.  The last squares along a dimension are moved back.
#include "emit/host/squares.h"

#include "emit/host/interleaved.h"
#include "emit/host/narrow_squares.h"
#include "emit/host/parallel_for.h"
#include "emit/host/strips.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

namespace {

/// A tile's place, and how many squares it has.
struct Tile {
  std::vector<Operand> point;
  Operand rows;
  Operand columns;
};

/// Copies tiles, column by column, and fetches what lies ahead if `fetched`.  Where they are
/// `staged`, a column of squares is made in memory that the first cache keeps, and copied past the
/// caches.
struct Tiles {
  const Crossing& crossing;
  const plan::SquaresOfTile& most;
  bool fetched = false;
  bool staged = false;
};

}  // namespace

NameId row_variable(Context& c, std::string_view base, const Crossing& crossing) {
  const NameId name =
      c.names().fresh(std::string(base), ir::array_of(crossing.type.element, {crossing.lanes}));
  c.record(name);
  return name;
}

std::vector<Operand> point_at(const Crossing& crossing, const std::vector<Operand>& outer,
                              const Operand& written, const Operand& read) {
  std::vector<Operand> point;
  for (std::size_t k = 0, next = 0; k < crossing.type.shape.size(); ++k) {
    const bool is_read = k == crossing.squares.read;
    point.push_back(k == crossing.squares.written ? written : is_read ? read : outer[next++]);
  }
  return point;
}

void cross_over(Context& c, const Crossing& crossing, const std::vector<Operand>& point,
                const Operand& columns) {
  const Operand from = element_at(c, crossing.source, point);
  const Operand to = element_at(c, crossing.target, point);
  const Operand next = ir::i64_operand(1);
  const std::int64_t lanes = crossing.squares.lanes;
  TransposeLanes turned;
  for (std::int64_t k = 0; k < lanes; ++k) {
    const NameId row = row_variable(c, "row", crossing);
    const Operand ahead =
        c.mul(crossing.source.strides[crossing.squares.written], ir::i64_operand(k));
    c.emit(LoadLanes{row, crossing.source.block, c.add(from, ahead), next, crossing.type.element});
    turned.values.push_back(row);
    turned.targets.push_back(row_variable(c, "column", crossing));
  }
  c.emit(turned);
  const auto store_columns = [&](bool streamed) {
    for (std::int64_t k = 0; k < lanes; ++k) {
      c.branch(c.less(ir::i64_operand(k), columns), [&] {
        const Operand ahead =
            c.mul(crossing.target.strides[crossing.squares.read], ir::i64_operand(k));
        StoreLanes store{crossing.target.block, c.add(to, ahead), next,
                         turned.targets[static_cast<std::size_t>(k)].name, crossing.type.element};
        store.streamed = streamed;
        c.emit(store);
      });
    }
  };
  c.branch(
      crossing.streamed, [&] { store_columns(true); }, [&] { store_columns(false); });
}

static Operand squares_along(Context& c, const Crossing& crossing, std::size_t dimension) {
  return c.divide_up(crossing.type.shape[dimension], crossing.lanes);
}

// The tile with a number; tiles that read neighbours follow one another.
static Tile tile_at(Context& c, const Tiles& tiles, const std::vector<Operand>& extents,
                    const Operand& number) {
  const Crossing& crossing = tiles.crossing;
  std::vector<Operand> at = c.unflatten(number, extents);
  Tile tile;
  std::size_t next = 0;
  for (std::size_t k = 0; k < crossing.type.shape.size(); ++k) {
    const bool is_outer = k != crossing.squares.written && k != crossing.squares.read;
    tile.point.push_back(is_outer ? at[next++] : ir::i64_operand(0));
  }
  const auto place = [&](std::size_t dimension, const Operand& index, std::int64_t most) {
    const Operand first = c.mul(index, ir::i64_operand(most));
    tile.point[dimension] = c.mul(first, crossing.lanes);
    return c.minimum(ir::i64_operand(most), c.sub(squares_along(c, crossing, dimension), first));
  };
  tile.rows = place(crossing.squares.written, at[next], tiles.most.rows);
  tile.columns = place(crossing.squares.read, at[next + 1], tiles.most.columns);
  return tile;
}

static Operand first_of(Context& c, const Crossing& crossing, const Tile& tile,
                        std::size_t dimension, const Operand& square) {
  const Operand last = c.sub(crossing.type.shape[dimension], crossing.lanes);
  return c.minimum(c.add(tile.point[dimension], c.mul(square, crossing.lanes)), last);
}

// Of the lines that lie ahead of a square of this column, those that it fetches.
static void fetch_ahead(Context& c, const Tiles& tiles, const std::vector<Operand>& point,
                        const Operand& column) {
  const Crossing& crossing = tiles.crossing;
  const Operand ahead = ir::i64_operand(tiles.most.ahead * crossing.squares.lanes);
  const Operand from = c.add(element_at(c, crossing.source, point), ahead);
  const std::int64_t fetched = crossing.squares.lanes / crossing.squares.sharing;
  const Operand share = c.remainder(column, ir::i64_operand(crossing.squares.sharing));
  const Operand first = c.mul(share, ir::i64_operand(fetched));
  for (std::int64_t k = 0; k < fetched; ++k) {
    const Operand row =
        c.mul(c.add(first, ir::i64_operand(k)), crossing.source.strides[crossing.squares.written]);
    c.emit(Fetch{crossing.source.block, c.add(from, row), crossing.type.element});
  }
}

// Where the squares of a tile are made whose first begins at `first`, a row after the other. The
// last square may begin before the tile does.
static Place staged_column(Context& c, const Tiles& tiles, const std::vector<Operand>& first) {
  const plan::CopySquares& squares = tiles.crossing.squares;
  const std::int64_t row = (tiles.most.rows + 1) * squares.lanes;
  const NameId block = c.block_variable("staged");
  c.emit(AllocateLocal{block, squares.lanes * row * ir::byte_size(tiles.crossing.type.element)});
  Place made{block, ir::i64_operand(0), {}, {}};
  made.strides.assign(first.size(), ir::i64_operand(0));
  made.strides[squares.read] = ir::i64_operand(row);
  made.strides[squares.written] = ir::i64_operand(1);
  made.offset = c.sub(ir::i64_operand(squares.lanes), element_at(c, made, first));
  return made;
}

static void stream_column(Context& c, const Tiles& tiles, const Place& made,
                          const std::vector<Operand>& first) {
  const Crossing& crossing = tiles.crossing;
  const std::size_t written = crossing.squares.written;
  const Operand most = ir::i64_operand(tiles.most.rows * crossing.squares.lanes);
  const Operand count = c.minimum(most, c.sub(crossing.type.shape[written], first[written]));
  thread_loop(c, crossing.lanes, false, [&](const Operand& k) {
    std::vector<Operand> point = first;
    point[crossing.squares.read] = c.add(point[crossing.squares.read], k);
    c.emit(CopyElements{crossing.target.block, element_at(c, crossing.target, point), made.block,
                        element_at(c, made, point), count, crossing.type.element, true});
  });
}

// Squares that write neighbours, one after another, for each column of the tile.
static void copy_tile(Context& c, const Tiles& tiles, const Tile& tile) {
  const Crossing& crossing = tiles.crossing;
  thread_loop(c, tile.columns, false, [&](const Operand& column) {
    std::vector<Operand> first = tile.point;
    first[crossing.squares.read] = first_of(c, crossing, tile, crossing.squares.read, column);
    const Place made = tiles.staged ? staged_column(c, tiles, first) : crossing.target;
    const Crossing here{made,           crossing.source,  crossing.type, crossing.squares,
                        crossing.lanes, crossing.streamed};
    thread_loop(c, tile.rows, false, [&](const Operand& row) {
      std::vector<Operand> point = first;
      point[crossing.squares.written] = first_of(c, crossing, tile, crossing.squares.written, row);
      if (tiles.fetched) fetch_ahead(c, tiles, point, column);
      cross_over(c, here, point, crossing.lanes);
    });
    if (tiles.staged) stream_column(c, tiles, made, first);
  });
}

static void copy_tiles(Context& c, const Tiles& tiles) {
  const Crossing& crossing = tiles.crossing;
  std::vector<Operand> extents = outer_extents(crossing);
  const auto add_tiles = [&](std::size_t dimension, std::int64_t most) {
    extents.push_back(c.divide_up(squares_along(c, crossing, dimension), ir::i64_operand(most)));
  };
  add_tiles(crossing.squares.written, tiles.most.rows);
  add_tiles(crossing.squares.read, tiles.most.columns);
  const std::int64_t elements =
      tiles.most.rows * tiles.most.columns * crossing.squares.lanes * crossing.squares.lanes;
  const Operand cost = c.mul(little_work(c, extents.size()).cost, ir::i64_operand(elements));
  parallel_for(c, c.product(extents), cost, [&](const Operand& begin, const Operand& end) {
    thread_loop(c, c.sub(end, begin), false, [&](const Operand& number) {
      copy_tile(c, tiles, tile_at(c, tiles, extents, c.add(begin, number)));
    });
  });
}

std::vector<Operand> outer_extents(const Crossing& crossing) {
  std::vector<Operand> extents;
  for (std::size_t k = 0; k < crossing.type.shape.size(); ++k) {
    if (k == crossing.squares.written || k == crossing.squares.read) continue;
    extents.push_back(crossing.type.shape[k]);
  }
  return extents;
}

// Numbers of as many bits, where vectors of the elements are something else.
static ir::Type as_numbers(const ir::Type& type) {
  ir::Type numbers = type;
  if (ir::byte_size(type.element) == 1) numbers.element = ScalarType::i8;
  if (ir::byte_size(type.element) == 2) numbers.element = ScalarType::i16;
  return numbers;
}

void copy_in_squares(Context& c, const Place& target, const Place& source, const ir::Type& type,
                     const plan::CopySquares& plan, const std::function<void()>& one_by_one) {
  const Operand bytes = c.mul(c.product(type.shape), ir::i64_operand(plan.moved));
  const Operand lanes = ir::i64_operand(plan.lanes);
  const Operand large = are_large(c, bytes);
  const Operand yes = ir::make_bool(true);
  const Operand no = ir::make_bool(false);
  const auto crossing = [&](const Operand& streamed) {
    return Crossing{target, source, as_numbers(type), plan, lanes, streamed};
  };
  const auto in_caches = [&] { copy_tiles(c, {crossing(no), plan.tile}); };
  // A tile has whole rows where these are short: what is written goes on from one to the next.
  const auto staged = [&] {
    const Operand most = ir::i64_operand(plan.staged.rows * plan.lanes);
    host_branch(
        c, c.less(type.shape[plan.written], most),
        [&] {
          copy_tiles(c, {crossing(no), plan.staged, true});
        },
        [&] {
          copy_tiles(c, {crossing(no), plan.staged, true, true});
        });
  };
  const auto large_tiles = [&] {
    if (!plan.fill_lines()) {
      staged();
      return;
    }
    // Rows begin with lines, or none could be written as a whole.
    const Operand part = c.remainder(target.strides[plan.read], lanes);
    host_branch(
        c, c.equal(part, ir::i64_operand(0)),
        [&] {
          copy_tiles(c, {crossing(yes), plan.tile, true});
        },
        staged);
  };
  const auto all_tiles = [&] { host_branch(c, large, large_tiles, in_caches); };
  const auto has_squares = [&](std::size_t dimension) {
    return c.less(c.sub(lanes, ir::i64_operand(1)), type.shape[dimension]);
  };
  host_branch(
      c, has_squares(plan.written),
      [&] {
        host_branch(c, has_squares(plan.read), all_tiles,
                    [&] { copy_narrow(c, crossing(plan.fill_lines() ? large : no), large); });
      },
      [&] {
        host_branch(
            c, has_squares(plan.read), [&] { copy_interleaved(c, crossing(large), one_by_one); },
            one_by_one);
      });
}

}  // namespace dagaz::emit
