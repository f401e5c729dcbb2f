// A block first copies boxes of the arrays around to shared memory, then runs its points, for which
// these arrays lie there.  Elements that need not pass through registers are all asked for before a
// thread waits.
#include "emit/gpu/staged_tiles.h"

#include <algorithm>
#include <optional>

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "plan/operators.h"

namespace dagaz::emit {

namespace {

constexpr std::int64_t widest_copy = 16;  // bytes

/// A box as host and kernel know it.
struct Staged {
  plan::Box box;
  ScalarType type;
  Place around;                  // the whole array
  std::vector<Operand> extents;  // of that
  std::vector<Operand> widths;   // of the box
  std::vector<Operand> strides;
  Operand offset;           // where the box lies, in bytes
  bool is_copied;           // while nobody waits
  std::int64_t neighbours;  // of a line, that one copy takes
};

class StagedTiles : public Emitter {
 public:
  StagedTiles(Context& c, const plan::PointCode& code, const ir::StagedTiles& plan)
      : Emitter(c), c_(c), code_(code), sizes_(code.space.size(), 1) {
    sizes_.back() = plan.points;
    if (sizes_.size() > 1) sizes_[sizes_.size() - 2] = plan.rows;
    find(plan);
  }

  void run(std::string_view name, const PointFunction& body) {
    lay_out();
    const std::vector<Operand> extents = extents_of(code_.space);
    std::vector<Operand> grid;
    for (std::size_t d = 0; d < extents.size(); ++d) grid.push_back(divide_up(extents[d], size(d)));
    BlockKernel kernel = kernel_of_blocks(c_, product(grid), [&](const Operand& block) {
      corner_ = unflatten(block, grid);
      for (std::size_t d = 0; d < corner_.size(); ++d) corner_[d] = mul(corner_[d], size(d));
      for (const Staged& one : staged_) stage(one);
      if (std::ranges::any_of(staged_, &Staged::is_copied)) {
        emit(CommitCopies{});
        emit(AwaitCopies{0});
      }
      emit(Barrier{});
      run_points(extents, body);
    });
    for (const Staged& one : staged_) c_.arrays.bind(one.box.array, one.around);
    launch(c_, name, kernel.grid, shared_bytes_, std::move(kernel.code));
  }

 private:
  Operand size(std::size_t d) const { return ir::i64_operand(sizes_[d]); }

  void find(const ir::StagedTiles& plan) {
    const auto count = [&](NameId array) -> std::optional<Operand> {
      const VirtualArray* const known = c_.arrays.virtual_array(array);
      const bool counts = known != nullptr && known->element == ScalarType::i64 && known->stride &&
                          plan::is_constant(*known->stride, 1);
      return counts ? std::optional(known->start) : std::nullopt;
    };
    const auto is_memory = [&](NameId array) { return c_.arrays.has_place(array); };
    // Which are edges was known when the plan was made.
    const auto is_edge = [](const plan::BoxTerm&, NameId, std::size_t) { return true; };
    for (plan::Box& box : plan::boxes_of(code_, {count, is_memory, is_edge}, names())) {
      if (std::ranges::count(plan.staged, box.array) == 0) continue;
      const bool is_copied = std::ranges::count(plan.copied, box.array) > 0;
      const ir::Type& type = names().type(box.array);
      const Place around = c_.arrays.place_of(box.array);
      const bool is_wide =
          std::ranges::count(plan.wide, box.array) > 0 && is_constant(around.strides.back(), 1);
      const std::int64_t neighbours = is_wide ? widest_copy / ir::byte_size(type.element) : 1;
      staged_.push_back(
          {std::move(box), type.element, around, type.shape, {}, {}, {}, is_copied, neighbours});
    }
    DZ_CHECK(staged_.size() == plan.staged.size(), "a staged array that is not read in a box");
  }

  // ---------------------------------------------------------------- the host's side

  void lay_out() {
    shared_bytes_ = ir::i64_operand(0);
    for (Staged& one : staged_) {
      for (const plan::BoxSide& side : one.box.sides) one.widths.push_back(width_of(side));
      const std::size_t rank = one.widths.size();
      one.strides.assign(rank, ir::i64_operand(1));
      Operand line = whole_copies(one);
      if (one.box.crosses) {
        line = scalar(ScalarOp::bit_or, ScalarType::i64, {line, ir::i64_operand(1)});
      }
      for (std::size_t d = rank - 1; d > 0; --d) {
        one.strides[d - 1] = d == rank - 1 ? line : mul(one.strides[d], one.widths[d]);
      }
      const Operand elements = rank == 1 ? line : mul(one.strides[0], one.widths[0]);
      const Operand bytes = mul(elements, ir::i64_operand(ir::byte_size(one.type)));
      const Operand alignment = ir::i64_operand(widest_copy);
      one.offset = shared_bytes_;
      shared_bytes_ = add(shared_bytes_, mul(divide_up(bytes, alignment), alignment));
    }
  }

  // Elements of a line that begins where a copy does, at most so many earlier as a copy takes less
  // one, and ends where one ends.
  Operand whole_copies(const Staged& one) {
    const Operand number = ir::i64_operand(one.neighbours);
    const Operand longer = add(one.widths.back(), ir::i64_operand(one.neighbours - 1));
    return mul(divide_up(longer, number), number);
  }

  std::int64_t tile_size(const Operand& index) const {
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      if (index == Operand(code_.space[d].index.name)) return sizes_[d];
    }
    DZ_UNREACHABLE("no index of the space");
  }

  Operand width_of(const plan::BoxSide& side) {
    std::int64_t number = side.most - side.least + 1;
    for (const plan::BoxTerm& one : side.points) {
      number += std::abs(one.factor) * (tile_size(one.value) - 1);
    }
    Operand width = ir::i64_operand(number);
    for (const plan::BoxTerm& one : side.loops) {
      width = add(width, mul(steps_of(one), ir::i64_operand(std::abs(one.factor))));
    }
    return width;
  }

  // What the loop counts at last; it may count nothing.
  Operand steps_of(const plan::BoxTerm& loop) {
    return maximum(sub(loop.value, ir::i64_operand(1)), ir::i64_operand(0));
  }

  // ---------------------------------------------------------------- a block

  // The first element of the box along a side, which the array need not have.
  Operand start_of(const plan::BoxSide& side) {
    Operand start = ir::i64_operand(side.least);
    for (const plan::BoxTerm& one : side.around) {
      start = add(start, mul(one.value, ir::i64_operand(one.factor)));
    }
    for (const plan::BoxTerm& one : side.points) {
      const std::int64_t last = one.factor < 0 ? one.factor * (tile_size(one.value) - 1) : 0;
      const Operand corner = corner_of(one.value);
      start = add(start, add(mul(corner, ir::i64_operand(one.factor)), ir::i64_operand(last)));
    }
    for (const plan::BoxTerm& one : side.loops) {
      if (one.factor > 0) continue;
      start = add(start, mul(steps_of(one), ir::i64_operand(one.factor)));
    }
    return start;
  }
  const Operand& corner_of(const Operand& index) const {
    for (std::size_t d = 0; d < corner_.size(); ++d) {
      if (index == Operand(code_.space[d].index.name)) return corner_[d];
    }
    DZ_UNREACHABLE("no index of the space");
  }

  void stage(const Staged& one) {
    const NameId block = block_variable("box");
    emit(SharedMemory{block, one.offset});
    std::vector<Operand> starts;
    for (const plan::BoxSide& side : one.box.sides) starts.push_back(start_of(side));
    const Place copy{block, ir::i64_operand(0), one.strides, std::nullopt, Space::shared};
    if (one.neighbours == 1) {
      copy_box(one, starts, copy, 1);
    } else {
      const Operand are_aligned = has_aligned_lines(one);
      const Operand earlier = scalar(ScalarOp::bit_and, ScalarType::i64,
                                     {starts.back(), ir::i64_operand(-one.neighbours)});
      starts.back() =
          scalar(ScalarOp::select, ScalarType::i64, {are_aligned, earlier, starts.back()});
      branch(
          are_aligned, [&] { copy_box(one, starts, copy, one.neighbours); },
          [&] { copy_box(one, starts, copy, 1); });
    }
    Operand origin = ir::i64_operand(0);
    for (std::size_t d = 0; d < starts.size(); ++d) {
      origin = sub(origin, mul(starts[d], one.strides[d]));
    }
    c_.arrays.bind(one.box.array, {block, origin, one.strides, std::nullopt, Space::shared});
  }

  // Whether lines of the array begin where the widest copies do, if its block does.
  Operand has_aligned_lines(const Staged& one) {
    Operand bits = one.around.offset;
    for (std::size_t d = 0; d + 1 < one.around.strides.size(); ++d) {
      bits = scalar(ScalarOp::bit_or, ScalarType::i64, {bits, one.around.strides[d]});
    }
    const Operand low =
        scalar(ScalarOp::bit_and, ScalarType::i64, {bits, ir::i64_operand(one.neighbours - 1)});
    return equal(low, ir::i64_operand(0));
  }

  // Neighbouring threads copy neighbours, so many each.  Each copy has conditions and divisions of
  // its own, so that unrolling would bring code and nothing else.
  void copy_box(const Staged& one, const std::vector<Operand>& starts, const Place& copy,
                std::int64_t neighbours) {
    std::vector<Operand> counts = one.widths;
    if (neighbours > 1) counts.back() = divide(whole_copies(one), ir::i64_operand(neighbours));
    const Operand total = product(counts);
    const Operand thread = read_special(c_, Special::thread_index);
    const Operand threads = ir::i64_operand(block_threads);
    rolled_loop("line", divide_up(total, threads), [&](const Operand& round) {
      const Operand number = add(mul(round, threads), thread);
      branch(less(number, total), [&] {
        std::vector<Operand> at = unflatten(number, counts);
        at.back() = mul(at.back(), ir::i64_operand(neighbours));
        std::vector<Operand> from;
        Operand inside = ir::Constant(ir::make_bool(true));
        for (std::size_t d = 0; d < at.size(); ++d) {
          from.push_back(add(starts[d], at[d]));
          const Operand within =
              both(less(ir::i64_operand(-1), from[d]), less(from[d], one.extents[d]));
          inside = d == 0 ? within : both(inside, within);
        }
        branch(inside, [&] { copy_elements(one, from, copy, at, neighbours); });
      });
    });
  }

  void copy_elements(const Staged& one, const std::vector<Operand>& from, const Place& copy,
                     const std::vector<Operand>& at, std::int64_t neighbours) {
    if (!one.is_copied) {
      store(c_, copy, at, load(c_, one.around, from, one.type, "x"), one.type);
      return;
    }
    DZ_CHECK(one.around.space == Space::global, "a copy from memory of a block");
    const Operand all = ir::i64_operand(neighbours);
    const Operand present =
        neighbours == 1 ? all : minimum(all, sub(one.extents.back(), from.back()));
    emit(CopyAsync{copy.block, element_at(*this, copy, at), one.around.block,
                   element_at(*this, one.around, from), one.type, static_cast<int>(neighbours),
                   present});
  }

  void run_points(const std::vector<Operand>& extents, const PointFunction& body) {
    std::int64_t all = 1;
    std::vector<Operand> sizes;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      all *= sizes_[d];
      sizes.push_back(size(d));
    }
    const Operand thread = read_special(c_, Special::thread_index);
    const Operand rounds = ir::i64_operand((all + block_threads - 1) / block_threads);
    loop("round", rounds, {}, [&](const Operand& round) {
      const Operand number = add(mul(round, ir::i64_operand(block_threads)), thread);
      std::vector<Operand> point = unflatten(number, sizes);
      Operand inside = less(number, ir::i64_operand(all));
      for (std::size_t d = 0; d < point.size(); ++d) {
        point[d] = add(point[d], corner_[d]);
        inside = both(inside, less(point[d], extents[d]));
      }
      branch(inside, [&] { element_scope(c_, [&] { body(point); }); });
    });
  }

  Context& c_;
  const plan::PointCode& code_;
  std::vector<std::int64_t> sizes_;  // of a tile
  std::vector<Staged> staged_;
  Operand shared_bytes_;
  std::vector<Operand> corner_;  // the first point of the block's tile
};

}  // namespace

void launch_staged_tiles(Context& c, const plan::PointCode& code, const ir::StagedTiles& plan,
                         std::string_view kernel, const PointFunction& body) {
  StagedTiles(c, code, plan).run(kernel, body);
}

}  // namespace dagaz::emit
