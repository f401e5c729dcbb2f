// Vectors of neighbours in what is read cross over, as many as rows have elements, and give as many
// rows as vectors have lanes.  Each row is written as a vector, whose rest the next row covers: not
// where it goes, for another task writes behind it, but to memory that the first cache keeps.  From
// there it goes on some KiB at a time, past the caches where they could not keep it.  Rows of one
// element are copied as they are.
#include "emit/host/interleaved.h"

#include "emit/host/parallel_for.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

namespace {

/// Rows that one task makes at a time: `count` of them from `first` on.
struct Rows {
  std::vector<Operand> outer;
  Operand first;
  Operand count;
};

class Interleaving {
 public:
  Interleaving(Context& c, const Crossing& crossing)
      : c_(c), crossing_(crossing), few_(crossing.type.shape[crossing.squares.written]) {}

  /// As many rows at a time as fit what is kept in the first cache.
  Operand most() const {
    return c_.mul(c_.divide(crossing_.lanes, few_), ir::i64_operand(crossing_.squares.stretch));
  }
  Operand few() const { return few_; }

  void copy_as_they_are(const Rows& rows) const {
    const std::vector<Operand> point = point_at(rows, rows.first, ir::i64_operand(0));
    go_on(point, crossing_.source.block, element_at(c_, crossing_.source, point), rows.count);
  }

  void copy(const Rows& rows) const {
    const std::int64_t lanes = crossing_.squares.lanes;
    const NameId made = c_.block_variable("rows");
    const std::int64_t elements = lanes * crossing_.squares.stretch + lanes;
    c_.emit(AllocateLocal{made, elements * ir::byte_size(crossing_.type.element)});
    const Operand vectors = c_.divide(rows.count, crossing_.lanes);
    thread_loop(c_, vectors, false, [&](const Operand& vector) {
      make_rows(rows, made, c_.mul(vector, crossing_.lanes));
    });
    const Operand done = c_.mul(vectors, crossing_.lanes);
    thread_loop(c_, c_.sub(rows.count, done), false, [&](const Operand& i) {
      const Operand row = c_.add(done, i);
      thread_loop(c_, few_, false, [&](const Operand& k) {
        const std::vector<Operand> point = point_at(rows, c_.add(rows.first, row), k);
        const Operand element = load(c_, crossing_.source, point, crossing_.type.element, "x");
        c_.emit(Store{made, c_.add(c_.mul(row, few_), k), element, crossing_.type.element});
      });
    });
    go_on(point_at(rows, rows.first, ir::i64_operand(0)), made, ir::i64_operand(0),
          c_.mul(rows.count, few_));
  }

 private:
  std::vector<Operand> point_at(const Rows& rows, const Operand& row, const Operand& k) const {
    return emit::point_at(crossing_, rows.outer, k, row);
  }

  // As many rows as vectors have lanes.  Lanes behind the last element of a row are covered: any
  // values do, those of the last vector.
  void make_rows(const Rows& rows, NameId made, const Operand& from) const {
    const Operand next = ir::i64_operand(1);
    const Operand last = c_.sub(few_, next);
    TransposeLanes turned;
    for (std::int64_t k = 0; k < crossing_.squares.lanes; ++k) {
      const NameId read = row_variable(c_, "column", crossing_);
      const std::vector<Operand> point =
          point_at(rows, c_.add(rows.first, from), c_.minimum(ir::i64_operand(k), last));
      c_.emit(LoadLanes{read, crossing_.source.block, element_at(c_, crossing_.source, point), next,
                        crossing_.type.element});
      turned.values.push_back(read);
      turned.targets.push_back(row_variable(c_, "row", crossing_));
    }
    c_.emit(turned);
    for (std::int64_t k = 0; k < crossing_.squares.lanes; ++k) {
      const Operand at = c_.mul(c_.add(from, ir::i64_operand(k)), few_);
      c_.emit(StoreLanes{made, at, next, turned.targets[static_cast<std::size_t>(k)].name,
                         crossing_.type.element});
    }
  }

  void go_on(const std::vector<Operand>& point, NameId block, const Operand& from,
             const Operand& count) const {
    const auto emit = [&](bool streamed) {
      c_.emit(CopyElements{crossing_.target.block, element_at(c_, crossing_.target, point), block,
                           from, count, crossing_.type.element, streamed});
    };
    c_.branch(
        crossing_.streamed, [&] { emit(true); }, [&] { emit(false); });
  }

  Context& c_;
  const Crossing& crossing_;
  Operand few_;
};

}  // namespace

static void copy_all(Context& c, const Crossing& crossing) {
  const Interleaving rows(c, crossing);
  const Operand length = crossing.type.shape[crossing.squares.read];
  const Operand most = rows.most();
  std::vector<Operand> extents = outer_extents(crossing);
  extents.push_back(c.divide_up(length, most));
  const Operand cost = c.mul(c.mul(little_work(c, extents.size()).cost, rows.few()), most);
  parallel_for(c, c.product(extents), cost, [&](const Operand& begin, const Operand& end) {
    thread_loop(c, c.sub(end, begin), false, [&](const Operand& number) {
      std::vector<Operand> outer = c.unflatten(c.add(begin, number), extents);
      const Operand first = c.mul(outer.back(), most);
      outer.pop_back();
      const Rows these{outer, first, c.minimum(most, c.sub(length, first))};
      c.branch(
          c.equal(rows.few(), ir::i64_operand(1)), [&] { rows.copy_as_they_are(these); },
          [&] { rows.copy(these); });
    });
  });
}

void copy_interleaved(Context& c, const Crossing& crossing,
                      const std::function<void()>& one_by_one) {
  const Operand apart = crossing.target.strides[crossing.squares.read];
  const Operand few = crossing.type.shape[crossing.squares.written];
  const Operand has_rows = c.both(c.equal(apart, few), c.less(ir::i64_operand(0), few));
  host_branch(
      c, has_rows, [&] { copy_all(c, crossing); }, one_by_one);
}

}  // namespace dagaz::emit
