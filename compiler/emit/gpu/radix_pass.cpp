// A pass of a radix sort (plan/radix_pass.h) in one kernel (Adinets and Merrill, "Onesweep: a
// faster least significant digit radix sort for GPUs", 2022).
//
// A block takes a tile of elements:
//
//   read     a warp has a stretch of the tile, which its threads read side by side, round by round
//   rank     the threads of a warp with the same digit find each other; what they count for it in
//            shared memory says how many elements of the warp with that digit come before
//   sum      a thread for each digit adds up what the warps have counted, and publishes it
//   order    each element goes to its place within the tile, in shared memory
//   look     a thread for each digit looks back over the tiles before until it knows how many of
//            their elements have its digit (Merrill and Garland, "Single-pass parallel prefix scan
//            with decoupled look-back", 2016), and publishes the sum up to its own tile
//   write    neighbouring threads write neighbours, nearly always: elements of a digit are a run
//
// So each element is read once and written once.  Elements and ranks stay in registers from the
// first step to the fourth; code for them is repeated, not looped over.  What the last tile of all
// lacks counts as elements with the highest digit: they come last, and are not written.
#include "emit/gpu/radix_pass.h"

#include <bit>

#include "emit/gpu/block.h"
#include "emit/gpu/kernels.h"
#include "emit/gpu/shares.h"
#include "emit/gpu/tiles.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/accumulation.h"
#include "plan/radix_pass.h"

namespace dagaz::emit {

using ir::i64_operand;

static constexpr int block_warps = block_threads / warp_threads;
static constexpr std::int64_t state_bits = 2;  // of a word, below a count

namespace {

/// An element while a thread has it.
struct Held {
  NameId digit;               // i32; from `rank` on with its rank in the bits above
  std::vector<Value> values;  // for the accumulators
};

/// What a block has.
struct Tile {
  Lane here;
  Operand number;
  Operand piece;  // of the point's elements
  Operand start;
  Operand length;
  std::vector<Held> held;
  NameId total;   // i32: elements with the thread's digit
  Operand first;  // i32: where these are in the tile
  // In shared memory:
  Place counted;  // by each warp, of each digit; then where the first of these goes
  Place digits;   // of elements in order
  std::vector<Place> values;
  Place places;  // where a digit's elements go, less where they are in the tile
};

class PassKernel {
 public:
  PassKernel(Context& context, const ir::SegmentedMap& e, const plan::RadixPass& pass, int stretch);
  void run();

 private:
  std::int64_t tile_elements() const { return std::int64_t{stretch_} * block_threads; }
  /// The thread's digit in a row of numbers for digits.
  Operand own(const Tile& tile, const Operand& row) {
    return c_.add(c_.mul(row, i64_operand(digits_)), tile.here.thread);
  }
  /// For threads that have one of so many digits.
  void with_digit(const Tile& tile, const std::function<void()>& build) {
    with_one_of(tile, digits_, build);
  }
  void with_one_of(const Tile& tile, std::int64_t digits, const std::function<void()>& build);
  void share(Tile& tile, SharedLayout& layout);

  void sort_tile(const Operand& block, SharedLayout& layout);
  void clear_counts(const Tile& tile);
  void read(Tile& tile);
  void read(const Tile& tile, const Held& one, const Operand& at);
  void rank(const Tile& tile, const Held& one);
  void sum(Tile& tile, SharedLayout& layout);
  void publish(const Tile& tile, std::int64_t state, const Operand& count);
  Operand before_digit(const Tile& tile, SharedLayout& layout);
  void order(const Tile& tile);
  void look_back(const Tile& tile, NameId before);
  void find_places(const Tile& tile);
  void write(const Tile& tile);
  void write(const Tile& tile, const Operand& at);

  Context& c_;
  const ir::SegmentedMap& e_;
  const plan::RadixPass& pass_;
  const int stretch_;
  const int bits_;               // of a digit
  const std::int64_t digits_;    // that so many bits tell apart
  std::vector<ir::Type> types_;  // of an element's values
  std::vector<Operand> extents_;
  Operand count_;  // tiles of a point
  Operand tiles_;
  NameId words_;  // for each tile and digit, and in the end how many tiles have been taken
};

}  // namespace

static Operand of_i32(Context& c, ScalarOp op, const Operand& a, const Operand& b) {
  return c.scalar(op, ScalarType::i32, {a, b});
}

static Operand wide(Context& c, const Operand& value) { return c.to_i64(value, ScalarType::i32); }

PassKernel::PassKernel(Context& context, const ir::SegmentedMap& e, const plan::RadixPass& pass,
                       int stretch)
    : c_(context),
      e_(e),
      pass_(pass),
      stretch_(stretch),
      bits_(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(pass.digits - 1)))),
      digits_(std::int64_t{1} << bits_),
      extents_(extents_of(e.space)) {
  for (const NameId name : pass.accumulators) {
    types_.push_back(ir::scalar_of(c_.names().type(name).element));
  }
  count_ = c_.divide_up(pass.length, i64_operand(tile_elements()));
  tiles_ = c_.mul(c_.product(extents_), count_);
}

void PassKernel::with_one_of(const Tile& tile, std::int64_t digits,
                             const std::function<void()>& build) {
  if (digits == block_threads) {
    build();
  } else {
    c_.branch(c_.less(tile.here.thread, i64_operand(digits)), build);
  }
}

void PassKernel::share(Tile& tile, SharedLayout& layout) {
  const auto array = [&](ScalarType type, std::int64_t count) {
    return shared_arrays(c_, layout, {ir::scalar_of(type)}, count)[0];
  };
  tile.counted = array(ScalarType::i32, block_warps * digits_);
  tile.places = array(ScalarType::i64, digits_);
  tile.digits = array(ScalarType::i8, tile_elements());
  tile.values = shared_arrays(c_, layout, types_, tile_elements());
}

// ---------------------------------------------------------------- read and rank

void PassKernel::clear_counts(const Tile& tile) {
  with_digit(tile, [&] {
    for (int warp = 0; warp < block_warps; ++warp) {
      store(c_, tile.counted, {own(tile, i64_operand(warp))}, i32(0), ScalarType::i32);
    }
  });
}

void PassKernel::read(const Tile& tile, const Held& one, const Operand& at) {
  with_private_scope(c_, [&] {
    c_.move(pass_.element, c_.add(tile.start, at));
    emit_body(c_, pass_.body, {}, [&](const std::vector<Value>& results) {
      c_.move(one.digit, narrow(c_, results[0].operand));
      for (std::size_t k = 0; k < types_.size(); ++k) {
        c_.move(one.values[k].operand.name(), results[k + 1].operand);
      }
    });
  });
}

// Whole tiles, as nearly all are, are read without a condition, so that a thread has many loads on
// their way at once.
void PassKernel::read(Tile& tile) {
  for (int k = 0; k < stretch_; ++k) {
    Held one{c_.mutable_variable("digit", ScalarType::i32, i32(digits_ - 1)), {}};
    for (const ir::Type& type : types_) {
      const NameId value = c_.mutable_variable("value", type.element, ir::zero_of(type.element));
      one.values.push_back({value, type, std::nullopt});
    }
    tile.held.push_back(std::move(one));
  }
  const Operand first =
      c_.add(c_.mul(tile.here.warp, i64_operand(stretch_ * warp_threads)), tile.here.lane);
  const auto each = [&](const std::function<void(const Held&, const Operand&)>& use) {
    std::int64_t distance = 0;
    for (const Held& one : tile.held) {
      use(one, c_.add(first, i64_operand(distance)));
      distance += warp_threads;
    }
  };
  c_.branch(
      c_.equal(tile.length, i64_operand(tile_elements())),
      [&] { each([&](const Held& one, const Operand& at) { read(tile, one, at); }); },
      [&] {
        each([&](const Held& one, const Operand& at) {
          c_.branch(c_.less(at, tile.length), [&] { read(tile, one, at); });
        });
      });
}

// The first of the threads with a digit counts for all of them, and tells them what was counted
// before, together with the digit: as LLVM does not see that it is theirs, they keep only that.
void PassKernel::rank(const Tile& tile, const Held& one) {
  const NameId same = c_.variable("same", ScalarType::i32);
  c_.emit(Match{same, one.digit, bits_});
  const Operand lane = narrow(c_, tile.here.lane);
  const Operand below = of_i32(c_, ScalarOp::sub, of_i32(c_, ScalarOp::shl, i32(1), lane), i32(1));
  const Operand before =
      c_.scalar(ScalarOp::popc, ScalarType::i32, {of_i32(c_, ScalarOp::bit_and, same, below)});
  const NameId known = c_.mutable_variable("known", ScalarType::i32, i32(0));
  c_.branch(of_i32(c_, ScalarOp::eq, before, i32(0)), [&] {
    const NameId counted = c_.variable("counted", ScalarType::i32);
    const Operand at = c_.add(c_.mul(tile.here.warp, i64_operand(digits_)), wide(c_, one.digit));
    const Operand all = c_.scalar(ScalarOp::popc, ScalarType::i32, {same});
    c_.emit(Atomic{counted, AtomicOp::add, tile.counted.block, at, all, ScalarType::i32,
                   Space::shared});
    const Operand above = of_i32(c_, ScalarOp::shl, counted, i32(bits_));
    c_.move(known, of_i32(c_, ScalarOp::bit_or, above, one.digit));
  });
  const NameId told = c_.variable("told", ScalarType::i32);
  const Operand leader = c_.scalar(ScalarOp::ctz, ScalarType::i32, {same});
  c_.emit(Shuffle{told, known, ScalarType::i32, ShuffleMode::index, leader});
  const Operand own = of_i32(c_, ScalarOp::shl, before, i32(bits_));
  c_.move(one.digit, of_i32(c_, ScalarOp::add, told, own));
}

// ---------------------------------------------------------------- sum and order

void PassKernel::publish(const Tile& tile, std::int64_t state, const Operand& count) {
  const Operand shifted =
      c_.scalar(ScalarOp::shl, ScalarType::i64, {count, i64_operand(state_bits)});
  const Operand word = c_.scalar(ScalarOp::bit_or, ScalarType::i64, {shifted, i64_operand(state)});
  c_.emit(Atomic{c_.variable("old", ScalarType::i64), AtomicOp::exchange, words_,
                 own(tile, tile.number), word, ScalarType::i64});
}

// How many elements of the tile have lower digits than the thread's.
Operand PassKernel::before_digit(const Tile& tile, SharedLayout& layout) {
  const Place sums = shared_arrays(c_, layout, {ir::scalar_of(ScalarType::i32)}, block_warps)[0];
  const NameId sum = c_.mutable_variable("sum", ScalarType::i32, tile.total);
  const Operand lane = narrow(c_, tile.here.lane);
  for_distances(c_, warp_threads, [&](const Operand& distance) {
    const NameId other = c_.variable("other", ScalarType::i32);
    c_.emit(Shuffle{other, sum, ScalarType::i32, ShuffleMode::up, distance});
    c_.branch(of_i32(c_, ScalarOp::sle, distance, lane),
              [&] { c_.move(sum, of_i32(c_, ScalarOp::add, sum, other)); });
  });
  c_.branch(c_.equal(tile.here.lane, i64_operand(warp_threads - 1)),
            [&] { store(c_, sums, {tile.here.warp}, sum, ScalarType::i32); });
  c_.emit(Barrier{});
  const NameId before =
      c_.mutable_variable("before", ScalarType::i32, of_i32(c_, ScalarOp::sub, sum, tile.total));
  c_.loop("w", tile.here.warp, {}, [&](const Operand& warp) {
    const Operand others = load(c_, sums, {warp}, ScalarType::i32, "others");
    c_.move(before, of_i32(c_, ScalarOp::add, before, others));
  });
  return before;
}

void PassKernel::sum(Tile& tile, SharedLayout& layout) {
  tile.total = c_.mutable_variable("total", ScalarType::i32, i32(0));
  std::vector<NameId> before;  // in warps with lower numbers
  for (int warp = 0; warp < block_warps; ++warp) {
    before.push_back(c_.mutable_variable("before", ScalarType::i32, i32(0)));
  }
  with_digit(tile, [&] {
    for (int warp = 0; warp < block_warps; ++warp) {
      c_.move(before[static_cast<std::size_t>(warp)], tile.total);
      const Operand counted =
          load(c_, tile.counted, {own(tile, i64_operand(warp))}, ScalarType::i32, "counted");
      c_.move(tile.total, of_i32(c_, ScalarOp::add, tile.total, counted));
    }
    c_.branch(c_.less(i64_operand(1), count_), [&] {
      c_.branch(
          c_.equal(tile.piece, i64_operand(0)),
          [&] { publish(tile, prefix_known, wide(c_, tile.total)); },
          [&] { publish(tile, total_known, wide(c_, tile.total)); });
    });
  });
  tile.first = before_digit(tile, layout);
  with_digit(tile, [&] {
    for (int warp = 0; warp < block_warps; ++warp) {
      const Operand first =
          of_i32(c_, ScalarOp::add, tile.first, before[static_cast<std::size_t>(warp)]);
      store(c_, tile.counted, {own(tile, i64_operand(warp))}, first, ScalarType::i32);
    }
  });
}

void PassKernel::order(const Tile& tile) {
  const Operand row = c_.mul(tile.here.warp, i64_operand(digits_));
  for (const Held& one : tile.held) {
    const Operand digit = of_i32(c_, ScalarOp::bit_and, one.digit, i32(digits_ - 1));
    const Operand rank = of_i32(c_, ScalarOp::lshr, one.digit, i32(bits_));
    const Operand of_warp = c_.add(row, wide(c_, digit));
    const Operand first = load(c_, tile.counted, {of_warp}, ScalarType::i32, "first");
    const Operand at = wide(c_, of_i32(c_, ScalarOp::add, first, rank));
    const NameId narrowed = c_.variable("digit", ScalarType::i8);
    c_.emit(Assign{narrowed, ScalarOp::zero_extend, ScalarType::i32, ScalarType::i8, {digit}});
    store(c_, tile.digits, {at}, narrowed, ScalarType::i8);
    write_all(c_, tile.values, {at}, one.values);
  }
}

// ---------------------------------------------------------------- look back and write

// The threads of a warp go on together until none of them waits.
void PassKernel::look_back(const Tile& tile, NameId before) {
  const NameId other = c_.mutable_variable("tile", ScalarType::i64, tile.number);
  const NameId waits = c_.mutable_variable("waits", ScalarType::i32, i32(0));
  with_digit(tile, [&] { c_.move(waits, i32(1)); });
  const NameId again = c_.mutable_variable("again", ScalarType::boolean, ir::make_bool(true));
  const NameId condition = c_.variable("continue", ScalarType::boolean);
  Code test = c_.collect([&] { c_.move(condition, again); });
  Code body = c_.collect([&] {
    c_.branch(of_i32(c_, ScalarOp::ne, waits, i32(0)), [&] {
      const NameId word = c_.variable("word", ScalarType::i64);
      const Operand nearest = c_.sub(other, i64_operand(1));
      c_.emit(Load{word, words_, own(tile, nearest), ScalarType::i64, Space::global, false, true});
      const Operand state =
          c_.scalar(ScalarOp::bit_and, ScalarType::i64, {word, i64_operand((1 << state_bits) - 1)});
      c_.branch(c_.less(i64_operand(0), state), [&] {
        const Operand count =
            c_.scalar(ScalarOp::lshr, ScalarType::i64, {word, i64_operand(state_bits)});
        c_.move(before, c_.add(before, count));
        c_.move(other, nearest);
        c_.branch(c_.equal(state, i64_operand(prefix_known)), [&] { c_.move(waits, i32(0)); });
      });
    });
    const NameId alike = c_.variable("alike", ScalarType::i32);
    c_.emit(Match{alike, waits, 1});
    // All 32 bits, if nobody waits.
    const Operand others = of_i32(c_, ScalarOp::sub, alike, waits);
    c_.move(again, of_i32(c_, ScalarOp::ne, others, i32(-1)));
  });
  c_.emit(While{std::move(test), condition, std::move(body), true});
}

void PassKernel::find_places(const Tile& tile) {
  const NameId place = c_.mutable_variable("place", ScalarType::i64, i64_operand(0));
  with_one_of(tile, pass_.digits,
              [&] { c_.move(place, element_of(c_, pass_.starts, {tile.here.thread}).operand); });
  c_.branch(c_.less(i64_operand(0), tile.piece), [&] {
    const NameId before = c_.mutable_variable("before", ScalarType::i64, i64_operand(0));
    look_back(tile, before);
    with_digit(tile, [&] { publish(tile, prefix_known, c_.add(before, wide(c_, tile.total))); });
    c_.move(place, c_.add(place, before));
  });
  with_digit(tile, [&] {
    store(c_, tile.places, {tile.here.thread}, c_.sub(place, wide(c_, tile.first)),
          ScalarType::i64);
  });
}

void PassKernel::write(const Tile& tile, const Operand& at) {
  const NameId digit = c_.variable("digit", ScalarType::i64);
  c_.emit(Assign{digit,
                 ScalarOp::zero_extend,
                 ScalarType::i8,
                 ScalarType::i64,
                 {load(c_, tile.digits, {at}, ScalarType::i8, "digit")}});
  const Operand place = c_.add(load(c_, tile.places, {digit}, ScalarType::i64, "place"), at);
  const std::vector<Value> values = values_at(c_, tile.values, types_, {at});
  for (std::size_t k = 0; k < values.size(); ++k) {
    accumulate(c_, {pass_.accumulators[k], {place}, values[k].operand}, values[k]);
  }
}

void PassKernel::write(const Tile& tile) {
  const auto each = [&](const std::function<void(const Operand&)>& use) {
    c_.loop("step", i64_operand(stretch_), {}, [&](const Operand& step) {
      use(c_.add(c_.mul(step, i64_operand(block_threads)), tile.here.thread));
    });
  };
  c_.branch(
      c_.equal(tile.length, i64_operand(tile_elements())),
      [&] { each([&](const Operand& at) { write(tile, at); }); },
      [&] {
        each([&](const Operand& at) {
          c_.branch(c_.less(at, tile.length), [&] { write(tile, at); });
        });
      });
}

// ---------------------------------------------------------------- the kernel

void PassKernel::sort_tile(const Operand& block, SharedLayout& layout) {
  Tile tile;
  tile.here = this_lane(c_);
  share(tile, layout);
  clear_counts(tile);
  const TileTickets tickets{words_, c_.mul(tiles_, i64_operand(digits_)), count_};
  tile.number = take_tile(c_, tickets, block, layout, tile.here);
  tile.piece = c_.remainder(tile.number, count_);
  tile.start = c_.mul(tile.piece, i64_operand(tile_elements()));
  tile.length = c_.minimum(c_.sub(pass_.length, tile.start), i64_operand(tile_elements()));
  set_indices(c_, e_.space, c_.unflatten(c_.divide(tile.number, count_), extents_));
  for (const ir::Statement& one : pass_.before) emit_statement(c_, one);
  read(tile);
  c_.emit(Barrier{});
  for (const Held& one : tile.held) rank(tile, one);
  c_.emit(Barrier{});
  sum(tile, layout);
  c_.emit(Barrier{});
  order(tile);
  find_places(tile);
  c_.emit(Barrier{});
  write(tile);
}

void PassKernel::run() {
  const NameId bytes = c_.mutable_variable("bytes", ScalarType::i64, i64_operand(0));
  c_.branch(c_.less(i64_operand(1), count_), [&] {
    const Operand words = c_.add(c_.mul(tiles_, i64_operand(digits_)), i64_operand(1));
    c_.move(bytes, c_.mul(words, i64_operand(ir::byte_size(ScalarType::i64))));
  });
  words_ = new_block(c_, bytes, "words");
  c_.branch(c_.less(i64_operand(0), bytes), [&] { c_.emit(Fill{words_, i64_operand(0), bytes}); });
  SharedLayout layout;
  BlockKernel kernel =
      kernel_of_blocks(c_, tiles_, [&](const Operand& block) { sort_tile(block, layout); });
  DZ_CHECK(!c_.thread.has_memory(), "a pass that looks back takes memory");
  launch(c_, "radix_pass", kernel.grid, i64_operand(layout.bytes), std::move(kernel.code));
}

void radix_pass(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                const ir::LookBack& plan) {
  const auto pass = plan::radix_pass_of(e, c.names(), block_threads);
  DZ_CHECK(pass, "a map that looks back is no pass of a radix sort");
  PassKernel(c, e, *pass, plan.stretch).run();
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    c.accumulators.continue_as(s.results[k].name, pass->accumulators[k]);
  }
}

}  // namespace dagaz::emit
