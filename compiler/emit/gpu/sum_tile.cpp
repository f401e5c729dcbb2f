// A tile of sums by a block, a part of it by each thread:
//
//   for each chunk of `depth` elements of the sum, and before the first:
//     load the next chunk's values of rows and points into registers (side_loads.h)
//     add this chunk's products (thread_sums.h, matrix_sums.h)
//     put what has been loaded into the other half of shared memory; meet
//
// Where chunks are copied to shared memory while others are multiplied (side_copies.h), those
// stages there that are behind the chunk that is multiplied are on their way:
//
//   ask for the first chunks, one less than there are stages
//   for each chunk:
//     await its copies; meet
//     ask for a later one, where the one before this has been multiplied
//     add this one's products
//
// Every chunk is a group of copies, also where there is none any more, so that the number of groups
// after a chunk's is always the same.  One meeting is enough: whoever passes it knows that all have
// awaited this chunk, and multiplied the one before.  A side that goes through registers is loaded
// before the products and stored after them, a chunk ahead, as above.
//
// Rows and points outside the space are those at its end once more; only what is inside is
// written (handed_sums.h).  As most tiles are inside and most chunks whole, these have a loop of
// their own without any of that, whose sums over a chunk have a known length.
#include "emit/gpu/sum_tile.h"

#include <array>

#include "emit/gpu/kernels.h"
#include "support/match.h"

namespace dagaz::emit {

static std::vector<ir::Type> types_of(const plan::SumParts& parts) {
  std::vector<ir::Type> types;
  for (const ir::ReduceOperator& one : *parts.operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  return types;
}

static TileSums makers(Context& c, TileSides& sides, const ir::Contraction& plan) {
  if (plan.unit != ir::MatrixUnit::none) return MatrixSums(c, plan);
  return ThreadSums(c, sides);
}

SumTile::SumTile(Context& c, const std::vector<ir::SpaceDimension>& space,
                 const plan::SumParts& parts, const ir::Contraction& plan)
    : Emitter(c),
      c_(c),
      plan_(plan),
      types_(types_of(parts)),
      sides_(c, space, parts, plan),
      rows_(c, sides_, sides_.rows()),
      points_(c, sides_, sides_.points()),
      sums_(makers(c, sides_, plan)),
      handed_(c, sides_, types_) {}

void SumTile::add_elements(const TilePlace& at, const Operand& begin, const Operand& end) {
  go_to(at, begin, end);
  match(sums_, [](auto& maker) { maker.start(); });
  add_all_chunks();
}

void SumTile::add_elements_to(const SumTile& other, const TilePlace& at, const Operand& begin,
                              const Operand& end) {
  go_to(at, begin, end);
  match(sums_, [&]<typename Maker>(Maker& maker) {
    maker.go_on_from(std::get<Maker>(other.sums_));
  });
  add_all_chunks();
}

void SumTile::go_to(const TilePlace& at, const Operand& begin, const Operand& end) {
  sides_.start(at, begin, end);
  auto* const threads = as<ThreadSums>(sums_);
  for (TileSide* side : {&sides_.rows(), &sides_.points()}) {
    sides_.place(*side);
    if (threads != nullptr) threads->keep(*side);
  }
  if (auto* const warps = as<MatrixSums>(sums_)) warps->go_to(sides_);
}

void SumTile::add_all_chunks() {
  rows_.has_copies() || points_.has_copies() ? add_chunks_ahead() : add_chunks();
}

void SumTile::for_each_sum(
    const std::function<void(const Operand& row, const Operand& point)>& body) {
  const TileSide& rows = sides_.rows();
  const TileSide& points = sides_.points();
  const Operand width = ir::i64_operand(points.width);
  rolled_loop("sum", ir::i64_operand(rows.width * points.width / block_threads),
              [&](const Operand& number) {
                const Operand flat = add(mul(number, ir::i64_operand(block_threads)),
                                         read_special(c_, Special::thread_index));
                const Operand row = add(rows.first, divide(flat, width));
                const Operand point = add(points.first, remainder(flat, width));
                branch(both(less(row, rows.extent), less(point, points.extent)),
                       [&] { body(row, point); });
              });
}

void SumTile::add_products(const Operand& chunk, const Operand& half, Reach reach) {
  match(sums_, [&](auto& maker) { maker.add_chunk(chunk, half, reach); });
}

// ---------------------------------------------------------------- rounds

SumTile::Chunks SumTile::chunks(std::int64_t ahead) {
  const Operand depth = ir::i64_operand(plan_.depth);
  const Operand left = maximum(sub(sides_.end(), sides_.begin()), ir::i64_operand(0));
  const Operand all = divide_up(left, depth);
  const Operand zero = ir::i64_operand(0);
  const auto either = [&](const Operand& condition, const Operand& yes, const Operand& no) {
    return scalar(ScalarOp::select, ScalarType::i64, {condition, yes, no});
  };
  const Operand whole = divide(left, depth);
  const Operand followed = maximum(sub(whole, ir::i64_operand(ahead)), zero);
  const Operand inside = both(sides_.is_inside(sides_.rows()), sides_.is_inside(sides_.points()));
  return {all, either(inside, either(equal(whole, all), all, followed), zero)};
}

// The first `ahead` rounds are for chunks with numbers below 0; steady ones come after these, and
// begin so many further as `asked` says.  One variable counts them all, so that nothing of the
// steady ones is computed before.
void SumTile::run_rounds(std::int64_t ahead,
                         const std::function<void(NameId chunk, Reach reach)>& step,
                         const std::function<std::int64_t(const Staging&)>& asked) {
  const Chunks some = chunks(ahead);
  const Operand one = ir::i64_operand(1);
  const NameId chunk = mutable_variable("chunk", ScalarType::i64, ir::i64_operand(-ahead));
  const auto add_next = [&](Reach reach) {
    step(chunk, reach);
    move(chunk, add(chunk, one));
  };
  const Operand rounds = add(sub(some.all, some.steady), ir::i64_operand(ahead));
  rolled_loop("round", rounds, [&](const Operand& round) {
    add_next(Reach::clamped);
    branch(equal(round, ir::i64_operand(ahead - 1)), [&] {
      for (Staging* side : {&rows_, &points_}) {
        side->steady.begin(sides_.start_of(add(chunk, ir::i64_operand(asked(*side)))));
      }
      loop("steady", some.steady, {}, [&](const Operand&) {
        add_next(Reach::inside);
        for (Staging* side : {&rows_, &points_}) side->steady.advance();
      });
    });
  });
}

// ---------------------------------------------------------------- through registers

void SumTile::add_chunks() {
  constexpr std::int64_t ahead = 1;
  // The first round only loads the first chunk.
  run_rounds(
      ahead, [&](NameId chunk, Reach reach) { add_chunk(chunk, reach); },
      [](const Staging&) { return ahead; });
}

// Adds the products of a chunk, none of number -1, while the next one is loaded; what of that may
// be outside is put in its place before.
void SumTile::add_chunk(const Operand& chunk, Reach reach) {
  const Operand following = sides_.start_of(add(chunk, ir::i64_operand(1)));
  const Operand half = scalar(ScalarOp::bit_and, ScalarType::i64, {chunk, ir::i64_operand(1)});
  const Operand other = sub(ir::i64_operand(1), half);
  const Operand more = less(following, sides_.end());
  if (reach == Reach::clamped) {
    branch(more, [&] {
      rows_.loads.fill(following, other);
      points_.loads.fill(following, other);
    });
    add_products(chunk, half, reach);
  } else {
    std::array<SideLoads::Loaded, 2> loaded;
    branch(more, [&] {
      loaded = {rows_.loads.load(following, reach), points_.loads.load(following, reach)};
    });
    add_products(chunk, half, reach);
    branch(more, [&] {
      rows_.loads.store(loaded[0], other);
      points_.loads.store(loaded[1], other);
    });
  }
  emit(Barrier{});
}

// ---------------------------------------------------------------- ahead

void SumTile::add_chunks_ahead() {
  const std::int64_t ahead = plan_.stages - 1;
  // Of the first number below 0.
  const NameId stage = mutable_variable("stage", ScalarType::i64, ir::i64_operand(1));
  run_rounds(
      ahead, [&](NameId chunk, Reach reach) { add_chunk_ahead(chunk, stage, reach); },
      [&](const Staging& side) { return side.has_copies() ? ahead : 1; });
  emit(Barrier{});
}

void SumTile::add_chunk_ahead(const Operand& chunk, NameId stage, Reach reach) {
  const int ahead = plan_.stages - 1;
  const Operand zero = ir::i64_operand(0);
  const Operand one = ir::i64_operand(1);
  const Operand last = ir::i64_operand(ahead);
  const auto either = [&](const Operand& condition, const Operand& yes, const Operand& no) {
    return scalar(ScalarOp::select, ScalarType::i64, {condition, yes, no});
  };
  const Operand later = sides_.start_of(add(chunk, last));
  const Operand before = either(equal(stage, zero), last, sub(stage, one));
  const Operand after = either(equal(stage, last), zero, add(stage, one));
  emit(AwaitCopies{ahead - 1});
  emit(Barrier{});
  branch(less(later, sides_.end()), [&] {
    for (Staging* side : {&rows_, &points_}) {
      if (side->has_copies()) side->copies.ask_for(later, before, reach);
    }
  });
  emit(CommitCopies{});
  load_ahead(chunk, after, reach, [&] { add_products(chunk, stage, reach); });
  move(stage, after);
}

// Loads what goes through registers before the products are added, and stores it after them; what
// may be outside is put there at once.
void SumTile::load_ahead(const Operand& chunk, const Operand& stage, Reach reach,
                         const std::function<void()>& add_products) {
  const Operand following = sides_.start_of(add(chunk, ir::i64_operand(1)));
  Staging& other = rows_.has_copies() ? points_ : rows_;
  if (other.has_copies() || other.side.values.empty()) return add_products();
  const Operand more = both(less(ir::i64_operand(-2), chunk), less(following, sides_.end()));
  SideLoads::Loaded loaded;
  branch(more, [&] {
    if (reach == Reach::clamped) {
      other.loads.fill(following, stage);
    } else {
      loaded = other.loads.load(following, reach);
    }
  });
  add_products();
  if (reach == Reach::inside) branch(more, [&] { other.loads.store(loaded, stage); });
}

}  // namespace dagaz::emit
