// When and how blocks of points run in lanes.
//
// LLVM vectorises innermost loops.  In a nest whose innermost loops are short, or run along a
// dimension with large steps, the points of an outer dimension are the better lanes: then all
// loops of a point's body stay scalar loops, and each scalar operation works on a vector of
// points.  A product of matrices, Σₖ a[i][k]·b[k][j], gets lanes along j, where b is read in
// unit steps, and a few rows i, which share what they read of b: a block of accumulators in
// registers (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS
// 2008).  No such form is looked for: the dimension is the first along which the innermost loops
// read memory in unit steps or not at all.
//
// A block that would cross the end of a dimension is moved back, so that a few points are computed
// twice; where results lie in the place of what points read, they are stored once.  Where points
// accumulate, or write over arrays of their own, the last ones go one by one instead.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

// ---------------------------------------------------------------- shapes

namespace {

constexpr std::int64_t vector_bytes = 64;
constexpr std::int64_t many_operations = 24;  // more than registers hold for several vectors
constexpr std::int64_t row_blocks_per_chunk = 64;  // of one parallel iteration

std::int64_t operations_in(const ir::Body& body);

/// The largest number of scalar operations in a stretch of code without loops.
std::int64_t operations_in(const ir::Operation& operation) {
  if (as<ir::Scalar>(operation)) return 1;
  if (const auto* branch = as<ir::Branch>(operation)) {
    return operations_in(branch->then_body) + operations_in(branch->else_body);
  }
  return 0;
}

std::int64_t operations_in(const ir::Body& body) {
  std::int64_t straight = 0;
  std::int64_t nested = 0;
  for (const ir::Statement& one : body.statements) {
    straight += operations_in(one.operation);
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) {
      nested = std::max(nested, operations_in(map->map.body));
    } else if (const auto* loop = as<ir::Loop>(one.operation)) {
      nested = std::max(nested, operations_in(loop->body));
    }
  }
  return std::max(straight, nested);
}

/// The largest number of sums that a loop carries.
std::int64_t sums_in(const ir::Body& body) {
  std::int64_t most = 0;
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map) continue;
    std::int64_t sums = 0;
    for (const ir::ReduceOperator& each : map->reductions) {
      sums += static_cast<std::int64_t>(each.neutral.size());
    }
    most = std::max({most, sums, sums_in(map->map.body)});
  }
  return most;
}

// Inside a task sizes tend to be smaller: blocks are, too.  The sums of a block stay in registers.
LaneBlock block_for(const ir::Body& body, const ir::Names& names, bool has_rows, bool inside) {
  std::int64_t largest = 4;
  for (const NameId name : ir::bound_names(body)) {
    if (names.type(name).element == ScalarType::f64) largest = 8;
  }
  const std::int64_t width = vector_bytes / largest;
  if (operations_in(body) > many_operations) return {1, 1, width};
  LaneBlock block = inside ? has_rows ? LaneBlock{8, 1, width} : LaneBlock{1, 2, width}
                    : has_rows ? LaneBlock{4, 2, width} : LaneBlock{1, 4, width};
  const std::int64_t sums = sums_in(body);
  while (sums * block.rows * block.columns > most_sums && block.rows * block.columns > 1) {
    (block.rows > 1 ? block.rows : block.columns) /= 2;
  }
  return block;
}

bool has_loops(const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    return as<ir::MapScanReduce>(one.operation) || as<ir::Loop>(one.operation);
  });
}

bool is_known_below(const Operand& extent, std::int64_t least) {
  return extent.is_constant() && ir::integer_value(extent.constant()) < least;
}

bool is_commutative(const ir::ReduceOperator& one) {
  return one.commutative || is_simple(one.op);
}

}  // namespace

// ---------------------------------------------------------------- trying

std::optional<Code> Lanes::attempt(Lowering& low, const std::function<void()>& build) {
  Code* const code = low.code();
  const Mode mode = low.mode_;
  const std::size_t scopes = low.scopes_.size();
  const bool uses_scratch = low.uses_scratch_;
  const bool uses_private_memory = low.uses_private_memory_;
  std::optional<Code> result;
  try {
    result = low.collect(build);
  } catch (const NotInLanes&) {
    low.set_code(code);
    low.mode_ = mode;
    low.scopes_.resize(scopes);
    low.uses_scratch_ = uses_scratch;
    low.uses_private_memory_ = uses_private_memory;
  }
  return result;
}

/// body(block) for `count` blocks, in parallel where this is host code.
void Lanes::for_blocks(Lowering& low, const Operand& count, const Operand& cost,
                       const std::function<void(Operand)>& body) {
  if (low.mode_ != Mode::host) {
    low.thread_loop(count, false, body);
    return;
  }
  low.parallel_for(count, cost, [&](const Operand& begin, const Operand& end) {
    low.thread_loop(low.sub(end, begin), false,
                    [&](const Operand& b) { body(low.add(begin, b)); });
  });
}

// ---------------------------------------------------------------- maps

// The body at a block of points, whose indices are bound, and its results to where they go.
void Lanes::map_point(const ir::Statement& s, const ir::SegmentedMap& e,
                      const std::vector<Wish>& targets) {
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& dimension : e.space) indices.push_back(dimension.index.name);
  std::vector<std::optional<LaneArray>> parts;
  std::vector<std::optional<LaneArray>> rows;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    parts.push_back(targets[k] ? std::optional(part(*targets[k], indices)) : std::nullopt);
    const bool is_row = parts.back() && !parts.back()->place.strides.empty() &&
                        !is_collected(*parts.back(), e.result_types[k]);
    rows.push_back(is_row ? parts.back() : std::nullopt);
  }
  const std::vector<Result> results = body(e.body, rows);
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (parts[k] && shared_) {
      store_rest(*parts[k], *results[k].scalar, *shared_);
    } else if (parts[k]) {
      put(*parts[k], results[k], e.result_types[k]);
    } else {
      low_.continue_accumulator(s.results[k].name, e.body.results[k].name());
    }
  }
  if (!is_worthwhile()) throw NotInLanes{};
}

std::optional<Lanes::Blocks> Lanes::map_blocks(Lowering& low, const ir::Statement& s,
                                               const ir::SegmentedMap& e,
                                               const std::vector<Wish>& targets,
                                               const Dimensions& dimensions,
                                               const Reading& reading) {
  const bool may_pack = reading.may_pack || e.space.size() == 1;
  const LaneBlock block = block_for(e.body, low.names(), dimensions.rows.has_value(),
                                    low.mode_ != Mode::host);
  const Operand span = ir::i64_operand(block.span());
  const Operand rows = ir::i64_operand(block.rows);
  const ir::SpaceDimension& along = e.space[dimensions.points];
  if (is_known_below(along.extent, block.span())) return std::nullopt;
  std::vector<Operand> packed;
  const bool host = low.mode_ == Mode::host;
  // What each point of a row needs is laid out again where other rows need it, too.
  const std::vector<NameId> apart = host && dimensions.rows
                                        ? arrays_apart(low, e.body, along.index.name)
                                        : std::vector<NameId>();
  // The first point of block `number`, and how many of its points the block before has, too.
  const auto start = [&](const Operand& number, const Operand& extent, const Operand& size) {
    return low.minimum(low.mul(number, size), low.sub(extent, size));
  };
  const auto again = [&](const Operand& number, const Operand& extent, const Operand& size) {
    return low.sub(low.mul(number, size), start(number, extent, size));
  };
  const bool in_place = low.in_place_.contains(s.results[0].name);
  std::optional<Code> code = attempt(low, [&] {
    // Blocks of the same points run one after another: they share what is packed.  A chunk of rows
    // meets all points before the next: what is read and written for a row lies together.
    const Operand extent = dimensions.rows ? e.space[*dimensions.rows].extent : rows;
    const Operand row_blocks = low.divide_up(extent, rows);
    const Operand chunk = ir::i64_operand(row_blocks_per_chunk);
    std::vector<Operand> extents = {low.divide_up(row_blocks, chunk)};
    std::vector<NameId> others;
    for (std::size_t d = 0; d < e.space.size(); ++d) {
      if (d == dimensions.points || d == dimensions.rows) continue;
      extents.push_back(e.space[d].extent);
      others.push_back(e.space[d].index.name);
    }
    extents.push_back(low.divide_up(along.extent, span));
    const Operand points = low.mul(low.mul(span, rows), low.minimum(chunk, row_blocks));
    const Operand cost = host ? low.mul(low.cost_of(e.body), points) : points;
    std::unordered_map<NameId, LaneArray> arrays;
    if (host) low.scopes_.push_back({});
    for (const NameId array : apart) arrays.emplace(array, laid_out(low, array));
    for_blocks(low, low.product(extents), cost, [&](const Operand& b) {
      const std::vector<Operand> at = low.unflatten(b, extents);
      Lanes lanes(low, block);
      lanes.known_.arrays = arrays;
      for (std::size_t k = 0; k < others.size(); ++k) {
        lanes.bind_index(others[k], at[k + 1], false, false);
      }
      lanes.bind_index(along.index.name, start(at.back(), along.extent, span), false, true);
      if (in_place) lanes.shared_ = {lanes.zero(), again(at.back(), along.extent, span)};
      if (!dimensions.rows) {
        if (may_pack) lanes.prepare(e.body, std::nullopt);
        lanes.map_point(s, e, targets);
        if (!reading.may_gather && lanes.work_.gathers > 0) throw NotInLanes{};
        packed = lanes.packed();
        return;
      }
      const NameId row = e.space[*dimensions.rows].index.name;
      if (may_pack) lanes.prepare(e.body, row);
      const Operand first = low.mul(at[0], chunk);
      low.thread_loop(low.minimum(chunk, low.sub(row_blocks, first)), false,
                      [&](const Operand& r) {
        const Operand number = low.add(first, r);
        lanes.bind_index(row, start(number, extent, rows), true, false);
        if (in_place) lanes.shared_->rows = again(number, extent, rows);
        lanes.map_point(s, e, targets);
      });
      if (!reading.may_gather && lanes.work_.gathers > 0) throw NotInLanes{};
      packed = lanes.packed();
    });
    if (host) low.leave_host_scope();
  });
  if (!code) return std::nullopt;
  const std::size_t copies = packed.size() + apart.size();
  Operand fits = low.less(ir::i64_operand(block.span() - 1), along.extent);
  if (dimensions.rows) {
    const Operand& extent = e.space[*dimensions.rows].extent;
    if (is_known_below(extent, block.rows)) return std::nullopt;
    fits = low.both(fits, low.less(ir::i64_operand(block.rows - 1), extent));
    if (!packed.empty()) packed = {extent};  // rows read what is packed again
    if (!apart.empty()) packed.push_back(extent);
  }
  const std::optional<Operand> worth = worth_packing(low, e.body, packed);
  if (!worth) return std::nullopt;
  return Blocks{std::move(*code), low.both(fits, *worth), copies};
}

// Only whole blocks in lanes, the last points of the space one by one.
std::optional<Lanes::Blocks> Lanes::map_whole_blocks(Lowering& low, const ir::Statement& s,
                                                     const ir::SegmentedMap& e,
                                                     const std::vector<Wish>& targets) {
  if (e.space.size() != 1) return std::nullopt;
  const LaneBlock block = block_for(e.body, low.names(), false, false);
  const Operand span = ir::i64_operand(block.span());
  const ir::SpaceDimension& dimension = e.space[0];
  std::vector<Operand> packed;
  std::optional<Code> code = attempt(low, [&] {
    const Operand count = low.divide(dimension.extent, span);
    const Operand cost = low.cost_of(e.body);
    for_blocks(low, count, low.mul(cost, span), [&](const Operand& b) {
      Lanes lanes(low, block);
      lanes.bind_index(dimension.index.name, low.mul(b, span), false, true);
      lanes.prepare(e.body, std::nullopt);
      lanes.map_point(s, e, targets);
      packed = lanes.packed();
    });
    const Operand done = low.mul(count, span);
    low.parallel_points({low.sub(dimension.extent, done)}, cost,
                        [&](const std::vector<Operand>& point) {
      const std::vector<Operand> at = {low.add(point[0], done)};
      low.set_indices(e.space, at);
      const PointTargets parts = low.at_point(targets, at);
      low.lower_body(e.body, parts.rows, [&](const std::vector<Value>& values) {
        low.put_point(s, 0, parts, values);
      });
    });
  });
  const std::optional<Operand> worth = worth_packing(low, e.body, packed);
  if (!code || !worth) return std::nullopt;
  return Blocks{std::move(*code), *worth, packed.size()};
}

// The first of `candidates` that copies least.
std::optional<Lanes::Blocks> Lanes::best_blocks(Lowering& low, const ir::Statement& s,
                                                const ir::SegmentedMap& e,
                                                const std::vector<Wish>& targets,
                                                const std::vector<Dimensions>& candidates,
                                                const Reading& reading) {
  std::optional<Blocks> best;
  for (const Dimensions& dimensions : candidates) {
    std::optional<Blocks> blocks = map_blocks(low, s, e, targets, dimensions, reading);
    if (!blocks || (best && best->copies <= blocks->copies)) continue;
    best = std::move(blocks);
    if (best->copies == 0) break;
  }
  return best;
}

bool Lanes::lower_map(Lowering& low, const ir::Statement& s, const ir::SegmentedMap& e,
                      const std::vector<Wish>& targets, const std::function<void()>& otherwise) {
  if (low.is_gpu() || e.space.empty()) return false;
  const bool host = low.mode_ == Mode::host;
  const bool accumulates =
      std::any_of(targets.begin(), targets.end(), [](const Wish& one) { return !one; });
  const bool overwrites = std::any_of(
      e.body.results.begin(), e.body.results.end(), [&](const Operand& one) {
        return one.is_name() && low.overwritten_.contains(one.name());
      });
  if (accumulates || overwrites) {
    if (!host) return false;
    std::optional<Blocks> blocks = map_whole_blocks(low, s, e, targets);
    if (!blocks) return false;
    low.host_branch(blocks->fits, [&] { low.append(std::move(blocks->code)); }, otherwise);
    return true;
  }
  const std::size_t last = e.space.size() - 1;
  std::vector<Dimensions> candidates = {{last, std::nullopt}};
  if (last > 0) {
    candidates = {{last, last - 1}, {last - 1, last}};
    if (last > 1) candidates.push_back({last, 0});
    candidates.push_back({last, std::nullopt});
    candidates.push_back({last - 1, std::nullopt});
  }
  // Vectors that are read as a whole are best, copies that make them so next; where sizes do not
  // allow for these, a vector may be gathered.
  std::vector<Blocks> ways;
  const auto add = [&](const Reading& reading) {
    std::optional<Blocks> blocks = best_blocks(low, s, e, targets, candidates, reading);
    if (blocks) ways.push_back(std::move(*blocks));
    return blocks.has_value();
  };
  if (!add({.may_pack = false, .may_gather = false})) {
    add({.may_pack = true, .may_gather = false});
    if (!add({.may_pack = false, .may_gather = true}) && ways.empty()) {
      add({.may_pack = true, .may_gather = true});
    }
  }
  if (ways.empty()) return false;
  std::function<void(std::size_t)> take = [&](std::size_t k) {
    if (k == ways.size()) {
      otherwise();
      return;
    }
    const auto in_lanes = [&] { low.append(std::move(ways[k].code)); };
    if (host) {
      low.host_branch(ways[k].fits, in_lanes, [&] { take(k + 1); });
    } else {
      low.branch(ways[k].fits, in_lanes, [&] { take(k + 1); });
    }
  };
  take(0);
  return true;
}

// ---------------------------------------------------------------- maps inside a task

namespace {

bool is_plain_map(const ir::MapScanReduce& e, const ir::Names& names) {
  const bool has_arrays = std::all_of(e.arrays.begin(), e.arrays.end(), [&](NameId array) {
    return names.type(array).kind == ir::TypeKind::value;
  });
  return has_arrays && e.scans.empty() && e.reductions.empty() && !e.post;
}

/// The map that alone makes the results of a body whose other statements are views.
const ir::MapScanReduce* sole_map(const ir::Body& body, const ir::Names& names) {
  if (body.statements.empty()) return nullptr;
  const ir::Statement& last = body.statements.back();
  const auto* map = as<ir::MapScanReduce>(last.operation);
  if (!map || !is_plain_map(*map, names) || !last.tokens.empty()) return nullptr;
  if (last.results.size() != body.results.size()) return nullptr;
  for (std::size_t k = 0; k < last.results.size(); ++k) {
    if (body.results[k] != Operand(last.results[k].name)) return nullptr;
  }
  for (std::size_t k = 0; k + 1 < body.statements.size(); ++k) {
    const ir::Operation& one = body.statements[k].operation;
    if (!as<ir::Index>(one) && !as<ir::Slice>(one) && !as<ir::Permute>(one)) return nullptr;
  }
  return map;
}

/// A map, and a map that is all it does, as one map over a space.
ir::SegmentedMap as_space(const ir::MapScanReduce& outer, ir::Names& names) {
  ir::SegmentedMap result;
  const ir::MapScanReduce* map = &outer;
  const ir::MapScanReduce* next = nullptr;
  for (;; map = next) {
    const NameId index = names.fresh("i", ir::scalar_of(ScalarType::i64));
    result.space.push_back({ir::Binder{index}, map->width});
    for (std::size_t k = 0; k < map->arrays.size(); ++k) {
      result.body.statements.push_back(
          {{map->map.parameters[k]}, ir::Index{map->arrays[k], {index}}});
    }
    next = result.space.size() < 2 ? sole_map(map->map.body, names) : nullptr;
    const auto& inner = map->map.body.statements;
    result.body.statements.insert(result.body.statements.end(), inner.begin(),
                                  next ? inner.end() - 1 : inner.end());
    if (!next) break;
  }
  result.body.results = map->map.body.results;
  result.result_types = map->map.result_types;
  return result;
}

}  // namespace

bool Lanes::lower_nest(Lowering& low, const ir::Statement& s, const ir::MapScanReduce& e,
                       const std::function<void()>& otherwise) {
  if (low.is_gpu() || low.mode_ != Mode::task || !is_plain_map(e, low.names())) return false;
  if (!has_loops(e.map.body) || s.results.empty()) return false;
  // Blocks may share points, which must not be computed twice.
  const bool overwrites = std::any_of(s.results.begin(), s.results.end(), [&](const auto& one) {
    return low.overwritten_.contains(one.name);
  });
  if (overwrites) return false;
  const ir::SegmentedMap map = as_space(e, low.names());
  if (!has_loops(map.body)) return false;
  std::vector<Wish> targets;
  for (const ir::Binder& result : s.results) {
    // Both ways of lowering write to the same place.
    targets.push_back(low.result_array(result.name));
    low.wishes_.insert_or_assign(result.name, *targets.back());
  }
  return lower_map(low, s, map, targets, otherwise);
}

// ---------------------------------------------------------------- reductions

// `count` blocks of points from `start` on, combined into `totals`.
void Lanes::reduce_blocks(Lowering& low, const ir::SegmentedReduce& e, const LaneBlock& block,
                          const std::vector<Wish>& mapped, const std::vector<Operand>& outer,
                          const Operand& start, const Operand& count,
                          const std::vector<Running>& totals, std::vector<Operand>& packed) {
  const Operand span = ir::i64_operand(block.span());
  std::size_t reduced = 0;
  for (const ir::ReduceOperator& one : e.operators) reduced += one.neutral.size();
  Lanes lanes(low, block);
  std::vector<std::vector<LaneScalar>> running;
  for (const ir::ReduceOperator& one : e.operators) running.push_back(lanes.start(one.neutral));
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& dimension : e.space) indices.push_back(dimension.index.name);
  for (std::size_t d = 0; d < outer.size(); ++d) {
    lanes.bind_index(indices[d], outer[d], false, false);
  }
  low.thread_loop(count, false, [&](const Operand& b) {
    lanes.bind_index(indices.back(), low.add(start, low.mul(b, span)), false, true);
    std::vector<std::optional<LaneArray>> parts(reduced);
    for (const Wish& target : mapped) {
      if (!target) throw NotInLanes{};
      parts.push_back(lanes.part(*target, indices));
    }
    std::vector<std::optional<LaneArray>> rows = parts;
    for (auto& row : rows) {
      if (row && row->place.strides.empty()) row.reset();
    }
    lanes.prepare(e.body, std::nullopt);
    const std::vector<Result> results = lanes.body(e.body, rows);
    std::size_t position = 0;
    for (std::size_t k = 0; k < e.operators.size(); ++k) {
      std::vector<LaneScalar> values;
      for (std::size_t v = 0; v < running[k].size(); ++v) {
        values.push_back(*results[position++].scalar);
      }
      lanes.combine(e.operators[k].op, running[k], values);
    }
    for (std::size_t k = reduced; k < results.size(); ++k) {
      lanes.put(*parts[k], results[k], e.result_types[k]);
    }
    if (!lanes.is_worthwhile()) throw NotInLanes{};
  });
  packed = lanes.packed();
  for (std::size_t k = 0; k < totals.size(); ++k) lanes.finish(running[k], totals[k]);
}

bool Lanes::reduce_pieces(Lowering& low, const ir::Statement& s, const ir::SegmentedReduce& e,
                          const Pieces& pieces, const Operand& cost,
                          const std::vector<Wish>& mapped, const std::vector<Place>& partial,
                          const std::function<void()>& otherwise) {
  if (low.is_gpu() || low.mode_ != Mode::host) return false;
  for (const ir::ReduceOperator& one : e.operators) {
    if (!is_commutative(one) || !are_scalars(one.op.result_types)) return false;
  }
  const LaneBlock block = block_for(e.body, low.names(), false, false);
  const Operand span = ir::i64_operand(block.span());
  std::vector<Operand> packed;
  std::optional<Code> code = attempt(low, [&] {
    low.for_each_piece(pieces, cost, [&](const std::vector<Operand>& outer, const Operand& piece,
                                         const Operand& start, const Operand& length) {
      const std::vector<Running> totals = low.start_reductions(e.operators);
      const Operand blocks = low.divide(length, span);
      reduce_blocks(low, e, block, mapped, outer, start, blocks, totals, packed);
      const Operand done = low.mul(blocks, span);
      low.thread_loop(low.sub(length, done), false, [&](const Operand& i) {
        low.reduce_point(s, e, totals, mapped, with(outer, low.add(start, low.add(done, i))));
      });
      low.write_all(partial, with(outer, piece), running_values(totals));
    });
  });
  const std::optional<Operand> worth = worth_packing(low, e.body, packed);
  if (!code || !worth) return false;
  low.host_branch(*worth, [&] { low.append(std::move(*code)); }, otherwise);
  return true;
}

}  // namespace dagaz::imperative
