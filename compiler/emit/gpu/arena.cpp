// The arena: memory for arrays of a kernel's threads whose size only the thread knows.
//
// It has levels of equal size.  On the first one every thread has a part of its own; on each of the
// others there are `arena_ratio` times fewer parts than on the one before, as much larger, and each
// belongs to whoever holds its lock; the last level is one part.  A thread whose part is too small
// takes one of the first level where what it needs fits, and gives it back when it is done with its
// point: where much is needed fewer threads work at a time.  Threads wait only for parts of levels
// above those that they hold, so the holder of the last level's part waits for nobody, and all come
// to an end.  A thread that fails keeps its parts; those that wait look for failures.
//
// A kernel that needs more than a whole level fails, and the runtime makes the call again with a
// larger arena (runtime/api_entries.cpp).
//
// The block holds locks (i32), a record for each thread, and the levels.  What a thread has taken
// of a part is a stack: a private scope gives back what was taken in it.  The part that it had
// before goes on then, and the larger one waits for the next time.
#include "emit/gpu/arena.h"

#include <algorithm>

#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "tree/walk.h"

namespace dagaz::emit {

namespace {

constexpr std::int64_t most_locked_levels = 4;  // enough for 64^4 threads, and no ratio is less
constexpr std::int64_t arena_alignment = 16;

// A record: where the part of the highest level that the thread holds begins and ends, that level,
// and for each level one more than the number of the part held.  All i64; 0 where there is none.
constexpr std::int64_t record_words = 8;
constexpr std::int64_t record_level = 2;
constexpr std::int64_t record_parts = 3;
static_assert(record_parts + most_locked_levels < record_words + 1);

constexpr const char* take_part_function = "arena.take_part";
constexpr const char* give_back_function = "arena.give_back";

constexpr ScalarType arena_word = ScalarType::i64;
constexpr ScalarType i32 = ScalarType::i32;

Operand number(std::int64_t value) { return ir::i64_operand(value); }

Operand aligned(Emitter& emitter, const Operand& bytes) {
  return emitter.mul(emitter.divide(bytes, number(arena_alignment)), number(arena_alignment));
}

// Enough for threads/ratio + threads/ratio² + …, each rounded up, where the ratio is 64 or more.
Operand lock_bytes(Emitter& emitter, const Operand& threads) {
  return emitter.mul(emitter.add(emitter.divide(threads, number(128)), number(2)), number(16));
}

Operand first_level(Emitter& emitter, const Operand& threads) {
  return emitter.add(lock_bytes(emitter, threads), emitter.mul(threads, number(8 * record_words)));
}

/// The functions of a kernel's thread; what they share.
class ArenaFunctions : Emitter {
 public:
  ArenaFunctions(Emission& emission, std::int64_t ratio)
      : Emitter(emission), ratio_(number(ratio)) {}

  Function take_part() {
    limit_ = variable("limit", arena_word);
    bytes_ = variable("bytes", arena_word);
    const NameId start = variable("start", arena_word);
    const NameId end = variable("end", arena_word);
    Code body = collect([&] {
      const Operand held = load(word(0));
      const Operand held_end = load(word(1));
      const Operand fits = scalar(ScalarOp::sle, arena_word, {bytes_, sub(held_end, held)});
      const Operand idle = scalar(ScalarOp::ne, arena_word, {held_end, limit_});
      move(start, held);
      move(end, held_end);
      branch(
          both(fits, idle), [] {}, [&] { take_higher(start, end); });
    });
    return {take_part_function,
            true,
            {arena_, threads_, level_bytes_, thread_, limit_, bytes_},
            {start, end},
            std::move(body)};
  }

  Function give_back() {
    Code body = collect([&] {
      const Operand highest = load(word(record_level));
      branch(less(number(0), highest), [&] {
        emit(Fence{});
        const NameId parts = mutable_variable("parts", arena_word, threads_);
        const NameId locks = mutable_variable("locks", arena_word, number(0));
        loop("level", highest, {}, [&](const Operand& below) {
          move(parts, divide_up(parts, ratio_));
          const Operand place = word(record_parts, below);
          const Operand held = load(place);
          branch(less(number(0), held), [&] {
            emit(Atomic{variable("old", i32), AtomicOp::exchange, arena_,
                        add(locks, sub(held, number(1))), ir::make_integer(i32, 0), i32});
            store(place, number(0));
          });
          move(locks, add(locks, parts));
        });
        for (std::int64_t k = 0; k < record_parts; ++k) store(word(k), number(0));
      });
    });
    return {give_back_function, true, {arena_, threads_, thread_}, {}, std::move(body)};
  }

 private:
  Operand word(std::int64_t which, const Operand& more = number(0)) {
    const Operand records = divide(lock_bytes(*this, threads_), number(8));
    return add(add(records, mul(thread_, number(record_words))), add(number(which), more));
  }
  Operand load(const Operand& index) {
    const NameId value = variable("held", arena_word);
    emit(Load{value, arena_, index, arena_word});
    return value;
  }
  void store(const Operand& index, const Operand& value) {
    emit(Store{arena_, index, value, arena_word});
  }

  /// A level above all that are held, and there a part that nobody holds.
  void take_higher(NameId start, NameId end) {
    const Operand highest = load(word(record_level));
    const NameId level = mutable_variable("level", arena_word, number(0));
    const NameId parts = mutable_variable("parts", arena_word, threads_);
    const NameId locks = mutable_variable("locks", arena_word, number(0));  // of the levels before
    const NameId size = mutable_variable("size", arena_word, number(0));
    const NameId searches = variable("searches", ScalarType::boolean);
    Code test = collect([&] {
      const Operand low = scalar(ScalarOp::sle, arena_word, {level, highest});
      const Operand small = less(size, bytes_);
      emit(Assign{
          searches, ScalarOp::bit_or, ScalarType::boolean, ScalarType::boolean, {low, small}});
    });
    Code next = collect([&] {
      branch(equal(parts, number(1)), [&] { emit(Fail{tree::arena_exhausted, {bytes_}}); });
      branch(less(number(0), level), [&] { move(locks, add(locks, parts)); });
      move(level, add(level, number(1)));
      move(parts, divide_up(parts, ratio_));
      move(size, aligned(*this, divide(level_bytes_, parts)));
    });
    emit(While{std::move(test), searches, std::move(next), true});
    const NameId part = mutable_variable("part", arena_word, remainder(thread_, parts));
    lock_one(locks, parts, part);
    move(start, add(add(first_level(*this, threads_), mul(level, level_bytes_)), mul(part, size)));
    move(end, add(start, size));
    store(word(0), start);
    store(word(1), end);
    store(word(record_level), level);
    store(word(record_parts, sub(level, number(1))), add(part, number(1)));
  }

  /// The holder before has written to the part: hence the fence.
  void lock_one(NameId locks, NameId parts, NameId part) {
    const NameId waits = mutable_variable("waits", ScalarType::boolean, ir::make_bool(true));
    const NameId condition = variable("continue", ScalarType::boolean);
    Code test = collect([&] { move(condition, waits); });
    Code round = collect([&] {
      const Operand free = ir::make_integer(i32, 0);
      const NameId found = variable("found", i32);
      emit(CompareExchange{found, arena_, add(locks, part), free, ir::make_integer(i32, 1), i32});
      branch(
          scalar(ScalarOp::eq, i32, {found, free}), [&] { move(waits, ir::make_bool(false)); },
          [&] {
            const NameId failed = variable("failed", i32);
            emit(ReadSpecial{failed, Special::failed});
            branch(scalar(ScalarOp::ne, i32, {failed, free}), [&] {
              emit(Fail{tree::arena_exhausted, {bytes_}});
            });
            move(part, remainder(add(part, number(1)), parts));
          });
    });
    emit(While{std::move(test), condition, std::move(round), true});
    emit(Fence{});
  }

  Operand ratio_;
  NameId arena_ = block_variable("arena");
  NameId threads_ = variable("threads", arena_word);
  NameId level_bytes_ = variable("level_bytes", arena_word);
  NameId thread_ = variable("thread", arena_word);
  NameId limit_;
  NameId bytes_;
};

}  // namespace

void add_arena_functions(Context& c) {
  const auto is_called = [&](const Function& function) {
    bool found = false;
    tree::for_each_instruction(function.body, [&](const Instruction& one) {
      const auto* call = as<emit::Call>(one.node);
      found = found || (call != nullptr && call->function == give_back_function);
    });
    return found;
  };
  if (std::none_of(c.program.functions.begin(), c.program.functions.end(), is_called)) return;
  Emission emission{c.names()};
  const std::int64_t ratio = c.settings.arena_ratio;
  c.program.functions.push_back(ArenaFunctions(emission, ratio).take_part());
  c.program.functions.push_back(ArenaFunctions(emission, ratio).give_back());
}

// ---------------------------------------------------------------- in a kernel

Place arena_array(Context& c, const ir::Type& type) {
  c.thread.arena.is_used = true;
  c.thread.uses_scratch = true;
  const Operand size = number(ir::byte_size(type.element));
  const Operand bytes = aligned(c, c.add(byte_count(c, type), number(arena_alignment - 1)));
  const NameId start = c.mutable_variable("start", arena_word, c.thread.arena.used);
  c.move(c.thread.arena.used, c.add(start, bytes));
  c.branch(c.less(c.thread.arena.limit, c.thread.arena.used), [&] {
    c.emit(emit::Call{take_part_function,
                            {c.thread.arena.block, c.thread.count, c.thread.arena.level_bytes,
                             c.thread.number, c.thread.arena.limit, bytes},
                            {start, c.thread.arena.limit}});
    c.move(c.thread.arena.used, c.add(start, bytes));
  });
  return row_major(c, c.thread.arena.block, c.divide(start, size), type.shape);
}

void enter_arena(Context& c) {
  const Operand size = aligned(c, c.divide(c.thread.arena.level_bytes, c.thread.count));
  const Operand levels = first_level(c, c.thread.count);
  c.move(c.thread.arena.used, c.add(levels, c.mul(c.thread.number, size)));
  c.move(c.thread.arena.limit, c.add(c.thread.arena.used, size));
}

void leave_arena(Context& c) {
  c.emit(emit::Call{
      give_back_function, {c.thread.arena.block, c.thread.count, c.thread.number}, {}});
}

void allocate_arena(Context& c, const Operand& threads) {
  const NameId levels = c.mutable_variable("levels", arena_word, number(2));
  std::int64_t most = 1;
  for (std::int64_t level = 1; level < most_locked_levels; ++level) {
    most *= c.settings.arena_ratio;
    c.branch(c.less(number(most), threads), [&] { c.move(levels, c.add(levels, number(1))); });
  }
  const Operand wanted = aligned(c, c.divide(arena_bytes(c), levels));
  c.move(c.thread.arena.level_bytes, c.maximum(wanted, c.mul(threads, number(arena_alignment))));
  const Operand before = first_level(c, threads);
  c.emit(Allocate{c.thread.arena.block, c.add(before, c.mul(levels, c.thread.arena.level_bytes))});
  c.scopes.own(c.thread.arena.block);
  c.emit(Fill{c.thread.arena.block, number(0), before});
}

Operand arena_bytes(Context& c) {
  const NameId bytes = c.variable("arena_bytes", arena_word);
  c.emit(DeviceProperty{bytes, Property::arena_bytes});
  return bytes;
}

// ---------------------------------------------------------------- in functions that kernels call

void receive_arena(Context& c, Function& function) {
  c.thread.arena.block = c.block_variable("arena");
  const NameId threads = c.variable("threads", arena_word);
  const NameId level_bytes = c.variable("level_bytes", arena_word);
  const NameId thread = c.variable("thread", arena_word);
  const NameId used = c.variable("used", arena_word);
  const NameId limit = c.variable("limit", arena_word);
  c.thread.count = threads;
  c.thread.arena.level_bytes = level_bytes;
  c.thread.number = thread;
  c.thread.arena.used = c.mutable_variable("used", arena_word, used);
  c.thread.arena.limit = c.mutable_variable("limit", arena_word, limit);
  function.parameters = {c.thread.arena.block, threads, level_bytes, thread, used, limit};
}

void hand_on_arena(Context& c, emit::Call& call) {
  c.thread.arena.is_used = true;
  call.arguments = {c.thread.arena.block, c.thread.count,      c.thread.arena.level_bytes,
                    c.thread.number,      c.thread.arena.used, c.thread.arena.limit};
}

}  // namespace dagaz::emit
