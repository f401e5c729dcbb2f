// A square has as many rows as a vector has lanes.  Its rows are read as vectors, cross over in
// registers, and are written as vectors: each line of memory is read once and written once, as a
// whole: past the caches where they could not keep it.  Tasks take tiles of some squares, so that
// what they read goes on where the caches expect it.  The last squares along a dimension are moved
// back.
#include "emit/host/squares.h"

#include "emit/host/parallel_for.h"
#include "emit/host/rows.h"
#include "emit/host/strips.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

namespace {

/// What is copied, and in which squares.
struct Crossing {
  const Place& target;
  const Place& source;
  const ir::Type& type;
  const plan::CopySquares& squares;
  Operand lanes;
  Operand streamed;  // whether rows go past the caches
};

NameId vector(Context& c, std::string_view base, const Crossing& crossing) {
  const NameId name = c.names().fresh(
      std::string(base), ir::array_of(crossing.type.element, {crossing.lanes}));
  c.record(name);
  return name;
}

/// The square that begins at `point`.
void cross_over(Context& c, const Crossing& crossing, const std::vector<Operand>& point) {
  const Operand from = element_at(c, crossing.source, point);
  const Operand to = element_at(c, crossing.target, point);
  const Operand next = ir::i64_operand(1);
  const std::int64_t lanes = crossing.squares.lanes;
  TransposeLanes turned;
  for (std::int64_t k = 0; k < lanes; ++k) {
    const NameId row = vector(c, "row", crossing);
    const Operand ahead =
        c.mul(crossing.source.strides[crossing.squares.written], ir::i64_operand(k));
    c.emit(LoadLanes{row, crossing.source.block, c.add(from, ahead), next,
                     crossing.type.element});
    turned.values.push_back(row);
    turned.targets.push_back(vector(c, "column", crossing));
  }
  c.emit(turned);
  const auto store_rows = [&](bool streamed) {
    for (std::int64_t k = 0; k < lanes; ++k) {
      const Operand ahead =
          c.mul(crossing.target.strides[crossing.squares.read], ir::i64_operand(k));
      StoreLanes store{crossing.target.block, c.add(to, ahead), next,
                       turned.targets[static_cast<std::size_t>(k)].name, crossing.type.element};
      store.streamed = streamed;
      c.emit(store);
    }
  };
  c.branch(
      crossing.streamed, [&] { store_rows(true); }, [&] { store_rows(false); });
}

Operand squares_along(Context& c, const Crossing& crossing, std::size_t dimension) {
  return c.divide_up(crossing.type.shape[dimension], crossing.lanes);
}

Operand squares_of_tile(const Crossing& crossing, std::size_t dimension) {
  return ir::i64_operand(dimension == crossing.squares.written ? crossing.squares.rows
                                                               : crossing.squares.columns);
}

/// body(first element) for the squares of a tile along a dimension.
void for_squares(Context& c, const Crossing& crossing, std::size_t dimension, const Operand& tile,
                 const std::function<void(Operand)>& body) {
  const Operand most = squares_of_tile(crossing, dimension);
  const Operand first = c.mul(tile, most);
  const Operand left = c.sub(squares_along(c, crossing, dimension), first);
  const Operand last = c.sub(crossing.type.shape[dimension], crossing.lanes);
  thread_loop(c, c.minimum(most, left), false, [&](const Operand& square) {
    body(c.minimum(c.mul(c.add(first, square), crossing.lanes), last));
  });
}

void copy_tiles(Context& c, const Crossing& crossing) {
  std::vector<Operand> extents;
  Operand elements = ir::i64_operand(1);
  for (std::size_t k = 0; k < crossing.type.shape.size(); ++k) {
    if (k != crossing.squares.written && k != crossing.squares.read) {
      extents.push_back(crossing.type.shape[k]);
      continue;
    }
    const Operand squares = squares_of_tile(crossing, k);
    extents.push_back(c.divide_up(squares_along(c, crossing, k), squares));
    elements = c.mul(elements, c.mul(squares, crossing.lanes));
  }
  const Operand cost = c.mul(little_work(c, extents.size()).cost, elements);
  parallel_for(c, c.product(extents), cost, [&](const Operand& begin, const Operand& end) {
    thread_loop(c, c.sub(end, begin), false, [&](const Operand& number) {
      std::vector<Operand> point = c.unflatten(c.add(begin, number), extents);
      const std::vector<Operand> tile = point;
      for_squares(c, crossing, crossing.squares.written, tile[crossing.squares.written],
                  [&](const Operand& row) {
                    for_squares(c, crossing, crossing.squares.read, tile[crossing.squares.read],
                                [&](const Operand& column) {
                                  point[crossing.squares.written] = row;
                                  point[crossing.squares.read] = column;
                                  cross_over(c, crossing, point);
                                });
                  });
    });
  });
}

/// Fewer elements than a square has are neighbours in what is copied: for each of them a stretch
/// along what is written, all of which read the same lines while a cache has these.
void copy_stretches(Context& c, const Crossing& crossing) {
  const std::size_t written = crossing.squares.written;
  const std::size_t read = crossing.squares.read;
  std::vector<Operand> extents;
  for (std::size_t k = 0; k < crossing.type.shape.size(); ++k) {
    if (k != written && k != read) extents.push_back(crossing.type.shape[k]);
  }
  extents.push_back(crossing.type.shape[written]);
  const Operand few = crossing.type.shape[read];
  const Operand cost = c.mul(little_work(c, extents.size()).cost, few);
  const Operand most = ir::i64_operand(crossing.squares.stretch);
  const auto point_at = [&](const std::vector<Operand>& outer, const Operand& at,
                            const Operand& neighbour) {
    std::vector<Operand> point;
    for (std::size_t k = 0, next = 0; k < crossing.type.shape.size(); ++k) {
      point.push_back(k == written ? at : k == read ? neighbour : outer[next++]);
    }
    return point;
  };
  parallel_rows(c, extents, cost, [&](const std::vector<Operand>& outer, const Operand& low,
                                      const Operand& high) {
    thread_loop(c, c.divide_up(c.sub(high, low), most), false, [&](const Operand& number) {
      const Operand first = c.add(low, c.mul(number, most));
      const Operand length = c.minimum(most, c.sub(high, first));
      thread_loop(c, few, false, [&](const Operand& neighbour) {
        thread_loop(c, length, true, [&](const Operand& i) {
          const auto point = point_at(outer, c.add(first, i), neighbour);
          const ScalarType type = crossing.type.element;
          store(c, crossing.target, point, load(c, crossing.source, point, type, "x"), type);
        });
      });
    });
  });
}

}  // namespace

void copy_in_squares(Context& c, const Place& target, const Place& source, const ir::Type& type,
                     const plan::CopySquares& plan, const std::function<void()>& one_by_one) {
  const Operand bytes =
      c.mul(c.product(type.shape), ir::i64_operand(ir::byte_size(type.element)));
  const Crossing crossing{target, source, type, plan, ir::i64_operand(plan.lanes),
                          are_large(c, bytes)};
  const auto has_squares = [&](std::size_t dimension) {
    return c.less(c.sub(crossing.lanes, ir::i64_operand(1)), type.shape[dimension]);
  };
  host_branch(
      c, has_squares(plan.written),
      [&] {
        host_branch(
            c, has_squares(plan.read), [&] { copy_tiles(c, crossing); },
            [&] { copy_stretches(c, crossing); });
      },
      one_by_one);
}

}  // namespace dagaz::emit
