// Reductions that take elements from several places in one loop (plan/streams.h): of pieces of
// neighbouring segments; and those of a segment that is left in parts of its piece, whose values
// are combined in their order, with what does not fill the parts at the end.
#include "emit/host/streams.h"

#include <optional>

#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

namespace {

/// Elements of a segment from `start` on.
struct Stream {
  std::vector<Operand> segment;
  Operand start;
};

class StreamReduction {
 public:
  StreamReduction(Context& c, const ir::SegmentedReduce& e, const ir::InPieces& plan,
                  const Pieces& pieces, const Operand& cost, const std::vector<Place>& partial)
      : c_(c), e_(e), plan_(plan), pieces_(pieces), cost_(cost), partial_(partial),
        streams_(ir::i64_operand(plan.streams)) {}

  void run() {
    if (pieces_.outer.empty()) {
      reduce_in_parts(pieces_, {});
      return;
    }
    const Operand segments = pieces_.outer.back();
    const Operand blocks = c_.divide(segments, streams_);
    const Operand done = c_.mul(blocks, streams_);
    reduce_neighbours(with_last(blocks));
    reduce_in_parts(with_last(c_.sub(segments, done)), done);
  }

 private:
  Pieces with_last(const Operand& segments) const {
    Pieces some = pieces_;
    some.outer.back() = segments;
    return some;
  }

  void reduce_neighbours(const Pieces& blocks) {
    for_each_piece(c_, blocks, c_.mul(cost_, streams_),
                   [&](const std::vector<Operand>& block, const Operand& piece,
                       const Operand& start, const Operand& length) {
                     const Operand first = c_.mul(block.back(), streams_);
                     std::vector<Stream> streams(static_cast<std::size_t>(plan_.streams),
                                                 {block, start});
                     for (int k = 0; k < plan_.streams; ++k) {
                       streams[static_cast<std::size_t>(k)].segment.back() =
                           c_.add(first, ir::i64_operand(k));
                     }
                     const auto values = reduced(streams, length);
                     for (std::size_t k = 0; k < streams.size(); ++k) {
                       write_all(c_, partial_, with(streams[k].segment, piece),
                                 running_values(values[k]));
                     }
                   });
  }

  /// The segments from number `first` on.
  void reduce_in_parts(const Pieces& segments, const std::optional<Operand>& first) {
    for_each_piece(c_, segments, cost_,
                   [&](std::vector<Operand> segment, const Operand& piece, const Operand& start,
                       const Operand& length) {
                     if (first) segment.back() = c_.add(*first, segment.back());
                     write_all(c_, partial_, with(segment, piece),
                               running_values(reduced_in_parts({segment, start}, length)));
                   });
  }

  std::vector<Running> reduced_in_parts(const Stream& whole, const Operand& length) {
    const Operand part = length_of_part(c_, length, plan_.streams, plan_.line);
    std::vector<Stream> parts;
    for (int k = 0; k < plan_.streams; ++k) {
      parts.push_back({whole.segment, c_.add(whole.start, c_.mul(part, ir::i64_operand(k)))});
    }
    const auto values = reduced(parts, part);
    for (std::size_t k = 1; k < values.size(); ++k) {
      combine_all(c_, values[0], running_values(values[k]), 0);
    }
    const Operand done = c_.mul(part, streams_);
    add_all(values[0], {whole.segment, c_.add(whole.start, done)}, c_.sub(length, done));
    return values[0];
  }

  /// What `length` elements of each stream come to.
  std::vector<std::vector<Running>> reduced(const std::vector<Stream>& streams,
                                            const Operand& length) {
    std::vector<std::vector<Running>> running;
    for (std::size_t k = 0; k < streams.size(); ++k) {
      running.push_back(start_reductions(c_, e_.operators));
    }
    thread_loop(c_, length, true, [&](const Operand& i) {
      for (std::size_t k = 0; k < streams.size(); ++k) add(running[k], streams[k], i);
    });
    return running;
  }

  void add_all(const std::vector<Running>& running, const Stream& stream, const Operand& length) {
    thread_loop(c_, length, true, [&](const Operand& i) { add(running, stream, i); });
  }

  /// Each element has names of its own.
  void add(const std::vector<Running>& running, const Stream& stream, const Operand& i) {
    const ir::Statement copied = copy_of(c_, ir::Operation(e_));
    const auto& fresh = *as<ir::SegmentedReduce>(copied.operation);
    set_indices(c_, fresh.space, with(stream.segment, c_.add(stream.start, i)));
    emit_body(c_, fresh.body, {}, [&](const std::vector<Value>& values) {
      combine_all(c_, running, values, 0);
    });
  }

  Context& c_;
  const ir::SegmentedReduce& e_;
  const ir::InPieces& plan_;
  const Pieces& pieces_;
  const Operand& cost_;
  const std::vector<Place>& partial_;
  Operand streams_;
};

}  // namespace

void reduce_pieces_in_streams(Context& c, const ir::SegmentedReduce& e, const ir::InPieces& plan,
                              const Pieces& pieces, const Operand& cost,
                              const std::vector<Place>& partial) {
  StreamReduction(c, e, plan, pieces, cost, partial).run();
}

}  // namespace dagaz::emit
