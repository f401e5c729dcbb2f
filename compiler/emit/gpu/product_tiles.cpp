// Products in tiles of a block and of a thread:
//
//   for each chunk of `depth` elements of the sum:
//     load the next chunk's values of rows and points into registers
//     for each element of this chunk:
//       read its values of own rows and own points from shared memory
//       add what they make to each of the thread's sums
//     put what has been loaded into the other half of shared memory; meet
//
// A thread's rows and points lie apart by as many as there are threads along a side, so that
// threads next to each other read words next to each other.  Rows and points outside the space are
// those at its end once more; only what is inside is written.
#include "emit/gpu/product_tiles.h"

#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

ProductTiles::ProductTiles(Context& c, TiledSums sums, const ir::Contraction& plan)
    : Emitter(c),
      c_(c),
      sums_of_(std::move(sums)),
      plan_(plan),
      batch_(plan::batch_of(plan, sums_of_.space.size())) {
  const plan::SumParts& parts = sums_of_.parts;
  for (const ir::ReduceOperator& one : *parts.operators) {
    types_.insert(types_.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  plan::ProductSides sides = plan::sides_of(plan, sums_of_.space, parts.elements, c.names());
  static_cast<plan::ProductSide&>(rows_) = std::move(sides.rows);
  static_cast<plan::ProductSide&>(points_) = std::move(sides.points);
  rows_.width = rows_.panel * plan.most_rows;
  rows_.pitch = rows_.width + plan.row_gap;
  points_.width = points_.panel * plan.most_points;
  points_.pitch = points_.width + plan.point_gap;
  rows_.own = plan.kept_rows;
  points_.own = plan.kept_points;
  combined_ = std::move(sides.combined);
  for (const std::size_t d : batch_) batch_extents_.push_back(sums_of_.space[d].extent);
  for (const plan::SumLevel& level : parts.levels) level_extents_.push_back(level.width);
}

// ---------------------------------------------------------------- the host's side

void ProductTiles::run() {
  for (Side* side : {&rows_, &points_}) {
    side->extent = product(extents_of(side->dimensions));
    side->tiles = divide_up(side->extent, ir::i64_operand(side->width));
    lay_out(*side);
  }
  const Operand tiles = mul(product(batch_extents_), mul(rows_.tiles, points_.tiles));
  const Operand one = ir::i64_operand(1);
  elements_ = product(level_extents_);
  parts_ = one;
  if (plan_.split > 0) {
    const Operand blocks = divide(resident_threads(c_), ir::i64_operand(block_threads));
    const Operand fill = divide(blocks, maximum(tiles, one));
    const Operand most = divide(elements_, ir::i64_operand(plan_.split));
    parts_ = maximum(one, minimum(fill, most));
  }
  // Whole chunks.
  const Operand depth = ir::i64_operand(plan_.depth);
  length_ = mul(divide_up(divide_up(elements_, parts_), depth), depth);
  if (plan_.split > 0) {
    const NameId shared = mutable_variable("parts", ScalarType::i64, ir::i64_operand(0));
    branch(less(one, parts_), [&] { move(shared, parts_); });
    for (const ir::Type& type : types_) {
      std::vector<Operand> shape = {shared};
      for (const ir::SpaceDimension& d : sums_of_.space) shape.push_back(d.extent);
      partial_.push_back(new_array(c_, ir::array_of(type.element, shape), "partial"));
    }
  }
  std::vector<Operand> grid = {parts_};
  grid.insert(grid.end(), batch_extents_.begin(), batch_extents_.end());
  grid.push_back(rows_.tiles);
  grid.push_back(points_.tiles);
  BlockKernel kernel = kernel_of_blocks(c_, product(grid), [&](const Operand& block) {
    std::vector<Operand> at = unflatten(block, grid);
    const Operand part = at.front();
    at.erase(at.begin());
    multiply(at, part);
  });
  launch(c_, "tiles", kernel.grid, ir::i64_operand(shared_bytes_), std::move(kernel.code),
         plan_.together);
  if (plan_.split > 0) host_branch(c_, less(one, parts_), [&] { combine_parts(); });
}

void ProductTiles::lay_out(Side& side) {
  for (const NameId value : side.values) {
    offsets_.push_back(shared_bytes_);
    const std::int64_t bytes =
        2 * plan_.depth * side.pitch * ir::byte_size(names().type(value).element);
    shared_bytes_ += (bytes + 15) / 16 * 16;
  }
}

void ProductTiles::combine_parts() {
  const std::vector<Operand> extents = extents_of(sums_of_.space);
  const PointWork work = little_work(c_, extents.size());
  for_each_point(c_, extents, work, "combine", [&](const std::vector<Operand>& at) {
    const std::vector<Running> running = start_reductions(c_, *sums_of_.parts.operators);
    thread_loop(c_, parts_, true, [&](const Operand& part) {
      std::vector<Operand> point = {part};
      point.insert(point.end(), at.begin(), at.end());
      combine_all(c_, running, values_at(c_, partial_, types_, point), 0);
    });
    sums_of_.put(at, running_values(running));
  });
}

// ---------------------------------------------------------------- a block

void ProductTiles::place(Side& side) {
  side.staged.clear();
  for (std::size_t k = 0; k < side.values.size(); ++k) {
    const NameId block = block_variable("staged");
    const std::size_t before = &side == &points_ ? rows_.values.size() : 0;
    emit(SharedMemory{block, ir::i64_operand(offsets_[before + k])});
    const Operand line = ir::i64_operand(side.pitch);
    side.staged.push_back({block,
                           ir::i64_operand(0),
                           {mul(line, ir::i64_operand(plan_.depth)), line, ir::i64_operand(1)},
                           ir::i64_operand(1),
                           Space::shared});
  }
}

void ProductTiles::bind_batch(const std::vector<Operand>& at) {
  std::size_t next = 0;
  for (const std::size_t d : batch_) move(sums_of_.space[d].index.name, at[next++]);
}

// Binds the indices of the row or point of this number.
void ProductTiles::bind(const Side& side, const Operand& number) {
  const std::vector<Operand> at = unflatten(number, extents_of(side.dimensions));
  for (std::size_t d = 0; d < at.size(); ++d) move(side.dimensions[d].index.name, at[d]);
}

void ProductTiles::bind_element(const Operand& number) {
  const std::vector<Operand> at = unflatten(number, level_extents_);
  for (std::size_t l = 0; l < at.size(); ++l) move(sums_of_.parts.levels[l].element, at[l]);
}

// Where in the tile the thread's row or point of this number is.  Its rows lie side by side, so that
// one load brings several, the same for all threads that have them; its points lie apart, so that
// neighbours read and write neighbours.
Operand ProductTiles::place_of(const Side& side, std::int64_t own) {
  if (&side == &rows_) {
    return add(mul(side.thread, ir::i64_operand(side.panel)), ir::i64_operand(own));
  }
  return add(side.thread, ir::i64_operand(own * (side.width / side.panel)));
}

Operand ProductTiles::number_of(const Side& side, std::int64_t own) {
  return add(side.first, place_of(side, own));
}

// What is the same for all elements of the thread's rows or points.
void ProductTiles::keep(Side& side) {
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

// `at`: the batch, and the tile's row and column.
void ProductTiles::multiply(const std::vector<Operand>& at, const Operand& part) {
  const Operand thread = read_special(c_, Special::thread_index);
  rows_.thread = divide(thread, ir::i64_operand(plan_.most_points));
  points_.thread = remainder(thread, ir::i64_operand(plan_.most_points));
  rows_.first = mul(at[at.size() - 2], ir::i64_operand(rows_.width));
  points_.first = mul(at.back(), ir::i64_operand(points_.width));
  bind_batch(at);
  for (Side* side : {&rows_, &points_}) {
    place(*side);
    keep(*side);
  }
  sums_.assign(static_cast<std::size_t>(rows_.panel), {});
  for (auto& row : sums_) {
    for (std::int64_t k = 0; k < points_.panel; ++k) {
      const std::vector<Running> sum = start_reductions(c_, *sums_of_.parts.operators);
      row.insert(row.end(), sum.begin(), sum.end());
    }
  }
  begin_ = mul(part, length_);
  end_ = minimum(add(begin_, length_), elements_);
  const Operand depth = ir::i64_operand(plan_.depth);
  const Operand left = maximum(sub(end_, begin_), ir::i64_operand(0));
  const Operand chunks = divide_up(left, depth);
  const Operand first_half = ir::i64_operand(0);
  branch(less(ir::i64_operand(0), chunks), [&] {
    for (Side* side : {&rows_, &points_}) stage(*side, load(*side, begin_), first_half);
  });
  emit(Barrier{});
  loop("chunk", chunks, {}, [&](const Operand& chunk) {
    const Operand start = add(begin_, mul(chunk, depth));
    const Operand following = add(start, depth);
    const Operand half = scalar(ScalarOp::bit_and, ScalarType::i64, {chunk, ir::i64_operand(1)});
    const Operand more = less(following, end_);
    std::vector<Loaded> loaded;
    branch(more, [&] {
      for (Side* side : {&rows_, &points_}) loaded.push_back(load(*side, following));
    });
    add_products(start, half);
    branch(more, [&] {
      stage(rows_, loaded[0], sub(ir::i64_operand(1), half));
      stage(points_, loaded[1], sub(ir::i64_operand(1), half));
    });
    emit(Barrier{});
  });
  write(at, part);
}

// Which element of the chunk, and which row or point of the tile, the thread stages as its
// `number`-th: so that neighbouring threads read what lies side by side.
std::pair<Operand, Operand> ProductTiles::staged_at(const Side& side, std::int64_t number) {
  const Operand thread = read_special(c_, Special::thread_index);
  const Operand flat = add(thread, ir::i64_operand(number * block_threads));
  if (side.packing == ir::Packing::by_elements) {
    const Operand depth = ir::i64_operand(plan_.depth);
    return {remainder(flat, depth), divide(flat, depth)};
  }
  const Operand width = ir::i64_operand(side.width);
  return {divide(flat, width), remainder(flat, width)};
}

ProductTiles::Loaded ProductTiles::load(const Side& side, const Operand& chunk) {
  if (side.values.empty()) return {};
  const std::int64_t count = (side.width * plan_.depth + block_threads - 1) / block_threads;
  const auto last = [&](const Operand& size) { return sub(size, ir::i64_operand(1)); };
  Loaded loaded;
  for (std::int64_t number = 0; number < count; ++number) {
    const auto [element, own] = staged_at(side, number);
    bind_element(minimum(add(chunk, element), last(end_)));
    bind(side, minimum(add(side.first, own), last(side.extent)));
    emit_body(c_, side.body, {}, [&](const std::vector<Value>& values) {
      loaded.emplace_back();
      for (const Value& value : values) {
        const NameId kept = variable("loaded", value.type.element);
        move(kept, value.operand);
        loaded.back().push_back({kept, value.type, std::nullopt});
      }
    });
  }
  return loaded;
}

void ProductTiles::stage(const Side& side, const Loaded& loaded, const Operand& half) {
  const std::int64_t all = side.width * plan_.depth;
  for (std::size_t number = 0; number < loaded.size(); ++number) {
    const auto [element, own] = staged_at(side, static_cast<std::int64_t>(number));
    const std::vector<Operand> at = {half, element, own};
    const auto put = [&] {
      for (std::size_t k = 0; k < loaded[number].size(); ++k) {
        emit::write(c_, side.staged[k], at, loaded[number][k]);
      }
    };
    if (static_cast<std::int64_t>(number + 1) * block_threads <= all) {
      put();
    } else {
      const Operand inside =
          both(less(element, ir::i64_operand(plan_.depth)), less(own, ir::i64_operand(side.width)));
      branch(inside, put);
    }
  }
}

// The values of the thread's rows or points for an element.
std::vector<std::vector<Value>> ProductTiles::read(const Side& side, const Operand& half,
                                                   const Operand& element) {
  std::vector<std::vector<Value>> all;
  for (std::int64_t k = 0; k < side.panel; ++k) {
    const Operand own = place_of(side, k);
    std::vector<Value> values;
    for (std::size_t v = 0; v < side.values.size(); ++v) {
      const ir::Type& type = names().type(side.values[v]);
      const Operand value =
          emit::load(c_, side.staged[v], {half, element, own}, type.element, "x");
      values.push_back({value, type, std::nullopt});
    }
    all.push_back(std::move(values));
  }
  return all;
}

void ProductTiles::add_products(const Operand& chunk, const Operand& half) {
  const Operand count = minimum(ir::i64_operand(plan_.depth), sub(end_, chunk));
  const std::size_t operators = sums_of_.parts.operators->size();
  loop("k", count, LoopHints{.unroll = plan_.unrolled}, [&](const Operand& element) {
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
  });
}

void ProductTiles::write(const std::vector<Operand>& at, const Operand& part) {
  const std::size_t operators = sums_of_.parts.operators->size();
  const auto put_at = [&](const Side& side, const Operand& number,
                          std::vector<Operand>& point, const std::vector<std::size_t>& to) {
    const std::vector<Operand> indices = unflatten(number, extents_of(side.dimensions));
    for (std::size_t d = 0; d < to.size(); ++d) point[to[d]] = indices[d];
  };
  for (std::int64_t r = 0; r < rows_.panel; ++r) {
    for (std::int64_t p = 0; p < points_.panel; ++p) {
      const Operand row = number_of(rows_, r);
      const Operand point = number_of(points_, p);
      const auto first = sums_[static_cast<std::size_t>(r)].begin() +
                         static_cast<std::ptrdiff_t>(static_cast<std::size_t>(p) * operators);
      const std::vector<Running> sum(first, first + static_cast<std::ptrdiff_t>(operators));
      branch(both(less(row, rows_.extent), less(point, points_.extent)), [&] {
        std::vector<Operand> where(sums_of_.space.size());
        for (std::size_t b = 0; b < batch_.size(); ++b) where[batch_[b]] = at[b];
        put_at(rows_, row, where, plan::dimensions_of(plan_.rows, plan_.joined_rows));
        put_at(points_, point, where, plan::dimensions_of(plan_.points, plan_.joined_points));
        const auto whole = [&] { sums_of_.put(where, running_values(sum)); };
        if (plan_.split == 0) {
          whole();
          return;
        }
        branch(
            less(ir::i64_operand(1), parts_),
            [&] {
              std::vector<Operand> own = {part};
              own.insert(own.end(), where.begin(), where.end());
              write_all(c_, partial_, own, running_values(sum));
            },
            whole);
      });
    }
  }
}

}  // namespace dagaz::emit
