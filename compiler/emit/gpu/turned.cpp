// A block has a square of points.  Its threads lie along one side, in as many lines as there are
// threads for, and take lines in turn: what a warp reads lies side by side in global memory, and so
// does what it writes, along another dimension.  In between values lie in shared memory, in lines
// of an element more than a square has, so that elements along either side are in different banks
// (Ruetsch and Micikevicius, "Optimizing matrix transpose in CUDA", 2009).
#include "emit/gpu/turned.h"

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/pieces.h"

namespace dagaz::emit {

namespace {

/// A square, as one of the threads of its block sees it.
class Square {
 public:
  Square(Context& c, const TurnedSpace& space, std::vector<Operand> corner)
      : c_(c), space_(space), corner_(std::move(corner)) {
    const Operand thread = read_special(c, Special::thread_index);
    along_ = c.remainder(thread, side());
    line_ = c.divide(thread, side());
    std::int64_t offset = 0;
    for (const ir::Type& type : space.types) {
      const NameId block = c.block_variable("turned");
      c.emit(SharedMemory{block, ir::i64_operand(offset)});
      const Operand line = ir::i64_operand(space.side + 1);
      staged_.push_back({block, ir::i64_operand(0), {line, ir::i64_operand(1)},
                         ir::i64_operand(1), Space::shared});
      offset += bytes_of(space, type);
    }
  }

  static std::int64_t bytes_of(const TurnedSpace& space, const ir::Type& type) {
    return (space.side * (space.side + 1) * ir::byte_size(type.element) + 7) / 8 * 8;
  }

  void read(const ReadPoint& read) {
    for_lines(space_.read, space_.written, [&](const std::vector<Operand>& points) {
      return read(points);
    }, [&](const Operand& line, const std::vector<Operand>&, const std::vector<Value>& values) {
      write_all(c_, staged_, {line, along_}, values);
    });
  }

  void write(const WritePoint& write) {
    for_lines(space_.written, space_.read, [](const auto&) { return std::vector<Value>(); },
              [&](const Operand& line, const std::vector<Operand>& point, const auto&) {
                write(point, values_at(c_, staged_, space_.types, {along_, line}));
              });
  }

 private:
  using TakePoint = std::function<void(const Operand& line, const std::vector<Operand>& point,
                                       const std::vector<Value>& values)>;

  Operand side() const { return ir::i64_operand(space_.side); }

  // For each of the thread's points, which lie along dimension `along`, in lines along the other;
  // `first` for all of them before `then`, where the square is inside the space.
  void for_lines(std::size_t along, std::size_t lines, const ReadPoint& first,
                 const TakePoint& then) {
    const std::int64_t apart = block_threads / space_.side;
    const std::int64_t own = (space_.side + apart - 1) / apart;
    const auto ends = [&](std::size_t d) { return c_.add(corner_[d], side()); };
    const auto is_whole = [&](std::size_t d) {
      return c_.less(c_.sub(ends(d), ir::i64_operand(1)), space_.extents[d]);
    };
    const auto line_of = [&](const Operand& number) {
      return c_.add(line_, c_.mul(number, ir::i64_operand(apart)));
    };
    const auto point_of = [&](const Operand& line) {
      std::vector<Operand> point = corner_;
      point[along] = c_.add(point[along], along_);
      point[lines] = c_.add(point[lines], line);
      return point;
    };
    c_.branch(
        c_.both(is_whole(along), is_whole(lines)),
        [&] {
          std::vector<std::vector<Value>> values;
          for (std::int64_t k = 0; k < own; ++k) {
            values.push_back(kept(first(point_of(line_of(ir::i64_operand(k))))));
          }
          for (std::int64_t k = 0; k < own; ++k) {
            const Operand line = line_of(ir::i64_operand(k));
            then(line, point_of(line), values[static_cast<std::size_t>(k)]);
          }
        },
        [&] {
          const Operand inside = c_.less(c_.add(corner_[along], along_), space_.extents[along]);
          c_.loop("line", ir::i64_operand(own), {}, [&](const Operand& number) {
            const Operand line = line_of(number);
            const std::vector<Operand> point = point_of(line);
            c_.branch(c_.both(inside, c_.less(point[lines], space_.extents[lines])),
                      [&] { then(line, point, first(point)); });
          });
        });
  }

  std::vector<Value> kept(std::vector<Value> values) {
    for (Value& value : values) {
      const NameId name = c_.variable("kept", value.type.element);
      c_.move(name, value.operand);
      value.operand = name;
    }
    return values;
  }

  Context& c_;
  const TurnedSpace& space_;
  std::vector<Operand> corner_;
  Operand along_;
  Operand line_;
  std::vector<Place> staged_;
};

}  // namespace

void launch_turned(Context& c, const TurnedSpace& space, std::string_view kernel,
                   const ReadPoint& read, const WritePoint& write) {
  const Operand side = ir::i64_operand(space.side);
  std::vector<Operand> grid = space.extents;
  for (const std::size_t d : {space.read, space.written}) grid[d] = c.divide_up(grid[d], side);
  BlockKernel blocks = kernel_of_blocks(c, c.product(grid), [&](const Operand& block) {
    std::vector<Operand> corner = c.unflatten(block, grid);
    for (const std::size_t d : {space.read, space.written}) corner[d] = c.mul(corner[d], side);
    Square square(c, space, std::move(corner));
    square.read(read);
    c.emit(Barrier{});
    square.write(write);
  });
  std::int64_t bytes = 0;
  for (const ir::Type& type : space.types) bytes += Square::bytes_of(space, type);
  launch(c, kernel, blocks.grid, ir::i64_operand(bytes), std::move(blocks.code));
}

void copy_turned(Context& c, const Place& target, const Place& source, const ir::Type& type,
                 const plan::CopyTurned& plan, const std::function<void()>& one_by_one) {
  const ir::Type element = ir::scalar_of(type.element);
  const TurnedSpace space{type.shape, plan.read, plan.written, plan.side, {element}};
  const Operand below = ir::i64_operand(plan.least - 1);
  const Operand fits =
      c.both(c.less(below, type.shape[plan.written]), c.less(below, type.shape[plan.read]));
  const auto turn = [&] {
    launch_turned(
        c, space, "turn",
        [&](const std::vector<Operand>& point) {
          return std::vector{
              Value{load(c, source, point, type.element, "x"), element, std::nullopt}};
        },
        [&](const std::vector<Operand>& point, const std::vector<Value>& values) {
          store(c, target, point, values[0].operand, type.element);
        });
  };
  host_branch(c, fits, turn, one_by_one);
}

}  // namespace dagaz::emit
