// A scan by tasks in one traversal of memory (Merrill and Garland, "Single-pass parallel prefix
// scan with decoupled look-back", 2016, for the blocks of a GPU).
//
// Tasks take links in their order.  Each tells what its link comes to, waits until it is told what
// stands before, tells what stands behind, and only then scans the link, which its cache still has.
// By then it knows which link it takes next, so that this one's elements can be fetched meanwhile.
//
// Whoever is waited for has started, but may have been stopped, by other programs, say.  So nobody
// waits long: a task then finds out itself what the links come to that are not told of ("decoupled
// fallback": Smith, Levien and Owens, SPAA 2025).  That neither needs nor disturbs the others, and
// gives the same bits.
//
// Where there is a link for each segment tasks have ranges of these instead, as of other points.
#include "emit/segmented/links.h"

#include "emit/host/parallel_for.h"
#include "emit/lanes/scan.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"
#include "plan/operators.h"

namespace dagaz::emit {

using ir::i64_operand;

// Words between those that tell of links and the one that counts them.
static constexpr std::int64_t words_apart = 16;

namespace {

struct Links {
  const ir::SegmentedScan& e;
  const ir::LaneBlocks* lanes;
  std::vector<ir::Type> types;
  Pieces pieces;  // whose `count` is that of a segment's links
  Operand whole;  // whether that is one
  Operand all;
  Operand tasks;
  Operand share;              // links that a task takes
  Operand looks;              // before it gives up waiting
  std::vector<Place> before;  // what stands before each link
  NameId told;                // words: whether `before` has it; how many are taken
};

/// A link that a task works on, and the next.
struct Turn {
  NameId next;
  NameId at;
  NameId segment;
  NameId number;  // of the link in its segment
};

}  // namespace

std::vector<Running> total_of(Context& c, const ir::SegmentedScan& e, const ir::LaneBlocks* lanes,
                              const std::vector<Operand>& outer, const Operand& start,
                              const Operand& length) {
  const std::vector<Running> running = start_scans(c, e.operators);
  const Operand end = c.add(start, length);
  const auto combine = [&](const ScannedBlocks& blocks) {
    combine_blocks(c, e, *lanes, blocks, running);
  };
  const Operand first = for_blocks(c, lanes, outer, start, end, combine);
  thread_loop(c, c.sub(end, first), !has_arrays(running), [&](const Operand& i) {
    set_indices(c, e.space, with(outer, c.add(first, i)));
    emit_body(c, e.body, {},
              [&](const std::vector<Value>& values) { combine_all(c, running, values, 0); });
  });
  return running;
}

void start_behind(Context& c, const ir::SegmentedScan& e, const std::vector<Running>& running,
                  const std::vector<Value>& initial) {
  auto next = initial.begin();
  for (std::size_t k = 0; k < running.size(); ++k) {
    const auto end = next + static_cast<std::ptrdiff_t>(running[k].values.size());
    if (plan::starts_as_a_number(e.operators[k].op)) {
      combine_all(c, {running[k]}, {next, end}, 0);
    } else {
      set_running(c, running[k], {next, end});
    }
    next = end;
  }
}

static Links cut(Context& c, const ir::SegmentedScan& e, const Operand& cost,
                 const ir::LaneBlocks* lanes) {
  Links links{e, lanes, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  for (const ir::ScanOperator& one : e.operators) {
    links.types.insert(links.types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  Pieces& pieces = links.pieces = cut_segments(c, e.space, cost, {});
  const Operand one = i64_operand(1);
  const auto if_whole = [&](const Operand& yes, const Operand& no) {
    return c.scalar(ScalarOp::select, ScalarType::i64, {links.whole, yes, no});
  };
  const Operand segments = c.product(pieces.outer);
  links.whole = c.equal(pieces.count, one);
  links.tasks = c.mul(segments, pieces.count);
  if (e.schedule.link != 0) {
    const Operand longest = c.minimum(pieces.chunk, i64_operand(e.schedule.link));
    pieces.chunk = if_whole(pieces.chunk, c.maximum(longest, one));
    pieces.count = if_whole(one, c.divide_up(pieces.width, c.maximum(pieces.chunk, one)));
  }
  links.all = c.mul(segments, pieces.count);
  links.share = if_whole(one, c.divide_up(links.all, c.maximum(links.tasks, one)));
  links.looks = c.divide(c.mul(cost, pieces.chunk), i64_operand(c.settings.look));
  const Operand told = if_whole(i64_operand(0), pieces.count);
  links.before = partial_arrays(c, links.types, {pieces.outer, pieces.width, told, pieces.chunk});
  const Operand words = if_whole(i64_operand(0), c.add(links.all, i64_operand(words_apart + 1)));
  ir::Type word = ir::scalar_of(ScalarType::i64);
  word.shape = {words};
  links.told = new_array(c, word, "told").block;
  c.loop("word", words, {.independent = true}, [&](const Operand& at) {
    c.emit(Store{links.told, at, i64_operand(0), ScalarType::i64});
  });
  return links;
}

static Operand take_link(Context& c, const Links& links) {
  const NameId taken = c.variable("taken", ScalarType::i64);
  const Operand at = c.add(links.all, i64_operand(words_apart));
  c.emit(Atomic{taken, AtomicOp::add, links.told, at, i64_operand(1), ScalarType::i64});
  return taken;
}

// Whether it is told what stands before the link with this number in the segment of `turn`.
static Operand is_told(Context& c, const Links& links, const Turn& turn, const Operand& number) {
  const NameId told = c.mutable_variable("told", ScalarType::i64, i64_operand(1));
  c.branch(c.less(i64_operand(0), number), [&] {
    const Operand at = c.add(c.sub(turn.at, turn.number), number);
    Load load{told, links.told, at, ScalarType::i64};
    load.atomic = true;
    c.emit(load);
  });
  return c.equal(told, i64_operand(1));
}

static void wait_for_word(Context& c, const Links& links, const Turn& turn) {
  const NameId looks = c.mutable_variable("looks", ScalarType::i64, i64_operand(0));
  const NameId waits = c.variable("waits", ScalarType::boolean);
  Code test = c.collect([&] {
    const Operand told = is_told(c, links, turn, turn.number);
    c.move(waits, c.scalar(ScalarOp::select, ScalarType::boolean,
                           {told, ir::make_bool(false), c.less(looks, links.looks)}));
  });
  Code body = c.collect([&] {
    c.emit(Fence{});  // which takes a while
    c.move(looks, c.add(looks, i64_operand(1)));
  });
  c.emit(While{std::move(test), waits, std::move(body), true});
}

// The last link up to this one of which it is told.
static NameId last_told(Context& c, const Links& links, const Turn& turn) {
  const NameId last = c.mutable_variable("last", ScalarType::i64, turn.number);
  const NameId goes_on = c.variable("goes_on", ScalarType::boolean);
  Code test = c.collect([&] {
    c.move(goes_on,
           c.scalar(ScalarOp::select, ScalarType::boolean,
                    {is_told(c, links, turn, last), ir::make_bool(false), ir::make_bool(true)}));
  });
  Code body = c.collect([&] { c.move(last, c.sub(last, i64_operand(1))); });
  c.emit(While{std::move(test), goes_on, std::move(body), true});
  return last;
}

static void set_all(Context& c, const std::vector<Running>& running,
                    const std::vector<Running>& to) {
  for (std::size_t k = 0; k < running.size(); ++k) set_running(c, running[k], to[k].values);
}

static Operand length_of(Context& c, const Links& links, const Operand& start) {
  return c.minimum(links.pieces.chunk, c.sub(links.pieces.width, start));
}

// What the link comes to, and what stands before it.  First its own total; then those of links
// before it of which it is not told.
static void find_before(Context& c, const Links& links, const Turn& turn, const Link& link,
                        const std::vector<Running>& own) {
  const Operand one = i64_operand(1);
  const NameId reduced = c.mutable_variable("reduced", ScalarType::i64, turn.number);
  const NameId goes_on = c.variable("goes_on", ScalarType::boolean);
  const ir::Statement copied = copy_of(c, links.e);
  const auto& fresh = *as<ir::SegmentedScan>(copied.operation);
  Code round = c.collect([&] {
    with_private_scope(c, [&] {
      const Operand start = c.mul(reduced, links.pieces.chunk);
      const std::vector<Running> total =
          total_of(c, fresh, links.lanes, link.outer, start, length_of(c, links, start));
      c.branch(
          c.equal(reduced, turn.number),
          [&] {
            set_all(c, own, total);
            wait_for_word(c, links, turn);
            const NameId last = last_told(c, links, turn);
            c.emit(Fence{});
            c.branch(c.less(i64_operand(0), last), [&] {
              start_behind(c, links.e, link.before,
                           values_at(c, links.before, links.types, with(link.outer, last)));
            });
            c.move(reduced, last);
          },
          [&] {
            combine_all(c, link.before, running_values(total), 0);
            c.move(reduced, c.add(reduced, one));
          });
    });
    c.move(goes_on, c.less(reduced, turn.number));
  });
  c.emit(While{std::move(round), goes_on, {}, true});
}

static void tell(Context& c, const Links& links, const Turn& turn, const Link& link) {
  const Operand one = i64_operand(1);
  write_all(c, links.before, with(link.outer, c.add(turn.number, one)),
            running_values(link.behind));
  c.emit(Fence{});
  const NameId old = c.variable("old", ScalarType::i64);
  c.emit(Atomic{old, AtomicOp::exchange, links.told, c.add(turn.at, one), one, ScalarType::i64});
}

// What stands before the link and behind it; the task's next.
static void hand_on(Context& c, const Links& links, const Turn& turn, const Link& link,
                    const Operand& takes_more) {
  const std::vector<Running> own = start_scans(c, links.e.operators);
  find_before(c, links, turn, link, own);
  c.branch(
      link.is_last, [] {},
      [&] {
        set_all(c, link.behind, link.before);
        combine_all(c, link.behind, running_values(own), 0);
        tell(c, links, turn, link);
      });
  c.move(turn.next, links.all);
  c.branch(takes_more, [&] { c.move(turn.next, take_link(c, links)); });
}

static void run_link(Context& c, const Links& links, const Turn& turn, const Operand& takes_more,
                     const LinkFunction& use) {
  const Operand one = i64_operand(1);
  c.branch(
      links.whole, [] {},
      [&] {
        c.move(turn.segment, c.divide(turn.at, links.pieces.count));
        c.move(turn.number, c.remainder(turn.at, links.pieces.count));
      });
  Link link{c.unflatten(turn.segment, links.pieces.outer), {}, {}, {}, {}, {}, {}};
  link.start = c.mul(turn.number, links.pieces.chunk);
  link.length = length_of(c, links, link.start);
  link.is_last = c.equal(c.add(turn.number, one), links.pieces.count);
  link.before = start_scans(c, links.e.operators);
  link.behind = start_scans(c, links.e.operators);
  const NameId ahead = c.mutable_variable("ahead", ScalarType::i64, i64_operand(0));
  c.branch(
      links.whole, [&] { c.move(turn.next, c.add(turn.at, one)); },
      [&] {
        hand_on(c, links, turn, link, takes_more);
        c.branch(c.less(turn.next, links.all),
                 [&] { c.move(ahead, c.mul(c.sub(turn.next, turn.at), links.pieces.chunk)); });
      });
  link.ahead = ahead;
  use(link);
}

void for_each_link(Context& c, const ir::SegmentedScan& e, const Operand& cost,
                   const ir::LaneBlocks* lanes, const LinkFunction& use) {
  const Links links = cut(c, e, cost, lanes);
  const Operand work = c.mul(cost, c.mul(links.pieces.chunk, links.share));
  parallel_for(c, links.tasks, work, [&](const Operand& first, const Operand& last) {
    const Operand none = i64_operand(0);
    Turn turn{c.mutable_variable("next", ScalarType::i64, first),
              c.mutable_variable("at", ScalarType::i64, none),
              c.mutable_variable("segment", ScalarType::i64, none),
              c.mutable_variable("number", ScalarType::i64, none)};
    c.branch(
        links.whole, [] {}, [&] { c.move(turn.next, take_link(c, links)); });
    const Operand steps = c.mul(c.sub(last, first), links.share);
    thread_loop(c, steps, false, [&](const Operand& step) {
      c.move(turn.at, turn.next);
      c.branch(links.whole, [&] { c.move(turn.segment, turn.at); });
      const Operand takes_more = c.less(c.add(step, i64_operand(1)), steps);
      c.branch(c.less(turn.at, links.all), [&] { run_link(c, links, turn, takes_more, use); });
    });
  });
}

}  // namespace dagaz::emit
