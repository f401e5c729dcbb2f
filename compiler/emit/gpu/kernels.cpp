// Kernels over a space of points, and the private memory of their threads.
//
// One thread per point, or per four where a point is little work; of several dimensions, these are
// neighbours in the last but one, so that a thread finds its place once, threads side by side have
// points side by side, and what a column reads is read for all four rows.  Arrays that are too
// large for a thread's stack and whose size the host knows lie in one global block per array,
// thread by thread next to each other so that neighbours' accesses coalesce.  Arrays whose size
// only the thread knows come from an arena (arena.cpp).  A kernel that has either starts no more
// threads than the device holds, and fewer where their arrays are large, and strides over the
// points.
#include "emit/gpu/kernels.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "emit/gpu/arena.h"
#include "emit/memory/allocation.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/traffic.h"
#include "emit/versions.h"
#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::emit {

Operand block_bytes(Context& c) {
  const NameId bytes = c.variable("bytes", ScalarType::i64);
  c.emit(DeviceProperty{bytes, Property::max_shared_bytes});
  return c.sub(bytes, ir::i64_operand(ir::staged_bytes));
}

static Operand read_special(Context& c, Special which, bool anew) {
  const NameId value = c.variable("special", ScalarType::i32);
  c.emit(ReadSpecial{value, which, anew});
  const NameId wide = c.variable("special", ScalarType::i64);
  c.emit(Assign{wide, ScalarOp::zero_extend, ScalarType::i32, ScalarType::i64, {value}});
  return wide;
}

Operand read_special(Context& c, Special which) { return read_special(c, which, false); }
Operand read_thread_anew(Context& c) { return read_special(c, Special::thread_index, true); }

static Code kernel_body(Context& c, const std::function<void()>& build) {
  c.thread.expansions.clear();
  c.thread.uses_scratch = false;
  c.thread.arena = {c.block_variable("arena"), c.variable("level_bytes", ScalarType::i64), {}, {}};
  c.start_recording();
  c.thread.arena.used = c.variable("used", ScalarType::i64);
  c.thread.arena.limit = c.variable("limit", ScalarType::i64);
  Code code = c.in_mode(Mode::kernel, build);
  c.stop_recording();
  return code;
}

// ---------------------------------------------------------------- launches

void launch(Context& c, std::string_view kernel, const Operand& grid, const Operand& shared_bytes,
            Code code, int together) {
  const std::string& name = c.kernels.name_of(code, c.function, kernel);
  const std::optional<Operand> moved = bytes_moved(c, code);
  c.emit(Launch{name, grid, block_threads, shared_bytes, std::move(code), c.location, moved,
                together});
}

// How many threads may have their arrays of known sizes at a time.
static Operand threads_with_room(Context& c) {
  Operand bytes = ir::i64_operand(1);
  for (const Expansion& one : c.thread.expansions) bytes = c.add(bytes, byte_count(c, one.type));
  const Operand room = c.mul(arena_bytes(c), ir::i64_operand(c.settings.arena_expansions));
  return c.maximum(c.divide(room, bytes), ir::i64_operand(1));
}

static void allocate_private_memory(Context& c, const Operand& threads) {
  for (const Expansion& one : c.thread.expansions) {
    c.emit(Allocate{one.block, c.size_mul(byte_count(c, one.type), threads)});
    c.scopes.own(one.block);
  }
  if (c.thread.arena.is_used) allocate_arena(c, threads);
}

// A block does `several` runs of as many points as it has threads, so that neighbours stay side by
// side; all at once where every thread has all of its points.
static void emit_several(Emitter& emitter, std::int64_t several, NameId point, const Operand& first,
                         const Operand& step, const Operand& total, const Code& points) {
  const auto nth = [&](const Operand& k) { return emitter.add(first, emitter.mul(k, step)); };
  const Operand last = nth(ir::i64_operand(several - 1));
  emitter.branch(
      emitter.less(last, total),
      [&] {
        for (std::int64_t k = 0; k < several; ++k) {
          emitter.move(point, nth(ir::i64_operand(k)));
          emitter.append(points);
        }
      },
      [&] {
        emitter.loop("k", ir::i64_operand(several), {}, [&](const Operand& k) {
          emitter.move(point, nth(k));
          emitter.branch(emitter.less(point, total), [&] { emitter.append(points); });
        });
      });
}

// Takes from the code of a point what it computes and loads whatever its row is.
static Code take_steady(Code& points, NameId row) {
  std::unordered_map<NameId, int> times_set;
  std::unordered_set<NameId> stored;
  bool only_stores = true;
  tree::for_each_instruction(points, [&](const Instruction& one) {
    if (const auto* store = as<Store>(one.node)) stored.insert(store->block);
    only_stores = only_stores && !(as<Atomic>(one.node) || as<CompareExchange>(one.node) ||
                                   as<CopyElements>(one.node) || as<Call>(one.node));
    tree::visit(one,
                {[](const Operand&) {}, [&](NameId set) { ++times_set[set]; }, [](const Code&) {}});
  });
  const auto keeps = [&](NameId block) { return only_stores && !stored.contains(block); };
  std::unordered_set<NameId> varying = {row};
  const auto is_steady = [&](const Instruction& one, const std::vector<NameId>& set) {
    const auto* load = as<Load>(one.node);
    const bool computes = as<Assign>(one.node) || as<Move>(one.node);
    if (!computes && (load == nullptr || !keeps(load->block))) return false;
    bool steady = times_set.at(set[0]) == 1;
    tree::visit(one, {[&](const Operand& used) {
                        steady = steady && !(used.is_name() && varying.contains(used.name()));
                      },
                      [](NameId) {}, [](const Code&) {}});
    return steady;
  };
  Code taken;
  Code left;
  for (Instruction& one : points) {
    std::vector<NameId> set;
    tree::for_each_instruction({one}, [&](const Instruction& each) {
      tree::visit(each, {[](const Operand&) {}, [&](NameId name) { set.push_back(name); },
                         [](const Code&) {}});
    });
    const bool steady = is_steady(one, set);
    if (!steady) varying.insert(set.begin(), set.end());
    (steady ? taken : left).push_back(std::move(one));
  }
  points = std::move(left);
  return taken;
}

// Threads that do `several` rows of one column each; rows are the last dimension but one.
static void launch_rows(Context& c, const std::vector<Operand>& extents, std::string_view kernel,
                        int several, const PointFunction& body) {
  const std::size_t rows = extents.size() - 2;
  std::vector<Operand> columns = extents;
  columns[rows] = c.divide_up(extents[rows], ir::i64_operand(several));
  const Operand threads = c.product(columns);
  const Operand block = ir::i64_operand(block_threads);
  Code code = kernel_body(c, [&] {
    const NameId row = c.variable("row", ScalarType::i64);
    const Operand thread = read_special(c, Special::thread_index);
    const Operand own = c.add(c.mul(read_special(c, Special::block_index), block), thread);
    c.branch(c.less(own, threads), [&] {
      std::vector<Operand> point = c.unflatten(own, columns);
      const Operand first = c.mul(point[rows], ir::i64_operand(several));
      point[rows] = row;
      Code points = c.collect([&] { with_private_scope(c, [&] { body(point); }); });
      DZ_CHECK(!c.thread.has_memory(), "several points with memory of their own");
      c.append(take_steady(points, row));
      emit_several(c, several, row, first, ir::i64_operand(1), extents[rows], points);
    });
  });
  launch(c, kernel, c.divide_up(threads, block), ir::i64_operand(0), std::move(code));
}

void launch_points(Context& c, const std::vector<Operand>& extents, std::string_view kernel,
                   int several, const PointFunction& body) {
  if (several > 1 && extents.size() > 1) {
    launch_rows(c, extents, kernel, several, body);
    return;
  }
  const Operand total = c.product(extents);
  const Operand block = ir::i64_operand(block_threads);
  const NameId threads = c.variable("threads", ScalarType::i64);
  c.thread.count = threads;
  Code code = kernel_body(c, [&] {
    const NameId own = c.variable("thread", ScalarType::i64);
    c.thread.number = own;
    const NameId point = c.variable("point", ScalarType::i64);
    Code points =
        c.collect([&] { with_private_scope(c, [&] { body(c.unflatten(point, extents)); }); });
    const Operand thread = read_special(c, Special::thread_index);
    const Operand group = read_special(c, Special::block_index);
    if (several > 1) {
      DZ_CHECK(!c.thread.has_memory(), "several points with memory of their own");
      const Operand first = c.add(c.mul(group, ir::i64_operand(several * block_threads)), thread);
      emit_several(c, several, point, first, block, total, points);
      return;
    }
    c.move(own, c.add(c.mul(group, block), thread));
    c.move(point, own);
    if (!c.thread.has_memory()) {
      c.emit(If{c.less(point, total), std::move(points), {}});
      return;
    }
    c.branch(
        c.less(own, threads), [] {}, [&] { c.move(point, total); });
    if (c.thread.arena.is_used) enter_arena(c);
    const NameId more = c.variable("more", ScalarType::boolean);
    Code test = c.collect([&] {
      c.emit(Assign{more, ScalarOp::slt, ScalarType::i64, ScalarType::boolean, {point, total}});
    });
    Code round = c.collect([&] {
      c.append(std::move(points));
      if (c.thread.arena.is_used) leave_arena(c);
      c.move(point, c.add(point, threads));
    });
    c.emit(While{std::move(test), more, std::move(round)});
  });
  Operand grid = c.divide_up(total, ir::i64_operand(several * block_threads));
  if (c.thread.has_memory()) {
    const Operand most = c.maximum(c.divide(resident_threads(c), block), ir::i64_operand(1));
    grid = c.maximum(c.minimum(grid, most), ir::i64_operand(1));
    c.move(threads, c.minimum(c.mul(grid, block), threads_with_room(c)));
    grid = c.minimum(c.divide_up(threads, block), total);
    allocate_private_memory(c, threads);
    c.thread.expansions.clear();
    c.thread.arena.is_used = false;
  }
  launch(c, kernel, grid, ir::i64_operand(0), std::move(code));
}

BlockKernel kernel_of_blocks(Context& c, const Operand& parts, const BlockFunction& body) {
  const NameId threads = c.variable("threads", ScalarType::i64);
  const NameId grid = c.variable("grid", ScalarType::i64);
  c.thread.count = threads;
  Code code = kernel_body(c, [&] {
    const NameId own = c.variable("thread", ScalarType::i64);
    c.thread.number = own;
    const NameId part = c.variable("part", ScalarType::i64);
    Code round = c.collect([&] { body(part); });
    const Operand block = read_special(c, Special::block_index);
    c.move(part, block);
    if (!c.thread.has_memory()) {
      c.append(std::move(round));
      return;
    }
    const Operand thread = read_special(c, Special::thread_index);
    c.move(own, c.add(c.mul(block, ir::i64_operand(block_threads)), thread));
    if (c.thread.arena.is_used) enter_arena(c);
    const NameId more = c.variable("more", ScalarType::boolean);
    Code test = c.collect([&] {
      c.emit(Assign{more, ScalarOp::slt, ScalarType::i64, ScalarType::boolean, {part, parts}});
    });
    Code rounds = c.collect([&] {
      c.append(std::move(round));
      c.emit(Barrier{});  // shared memory is free again
      c.move(part, c.add(part, grid));
    });
    c.emit(While{std::move(test), more, std::move(rounds)});
  });
  if (!c.thread.has_memory()) return {parts, std::move(code)};
  const Operand block = ir::i64_operand(block_threads);
  const Operand most = c.maximum(c.divide(resident_threads(c), block), ir::i64_operand(1));
  const Operand room = c.maximum(c.divide(threads_with_room(c), block), ir::i64_operand(1));
  c.move(grid, c.minimum(parts, c.minimum(most, room)));
  c.move(threads, c.mul(grid, block));
  allocate_private_memory(c, threads);
  c.thread.expansions.clear();
  c.thread.arena.is_used = false;
  return {grid, std::move(code)};
}

void element_scope(Context& c, const std::function<void()>& build) {
  const bool outer = std::exchange(c.thread.arena.is_used, false);
  with_private_scope(c, build);
  if (c.thread.arena.is_used) leave_arena(c);
  c.thread.arena.is_used = c.thread.arena.is_used || outer;
}

// ---------------------------------------------------------------- private memory

Place kernel_array(Context& c, const ir::Type& type, NameId block) {
  if (c.thread.in_function) return arena_array(c, type);
  const bool known = std::none_of(type.shape.begin(), type.shape.end(), [&](const Operand& size) {
    return size.is_name() && c.was_recorded(size.name());
  });
  if (!known) return arena_array(c, type);
  c.thread.expansions.push_back({block, type});
  return row_major(c, block, c.thread.number, type.shape, c.thread.count);
}

}  // namespace dagaz::emit
