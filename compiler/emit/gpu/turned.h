// Squares of points that a block of threads turns over in shared memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "emit/context/context.h"
#include "emit/points.h"
#include "plan/copies.h"

namespace dagaz::emit {

/// A space in squares of `side` by `side` points along two of its dimensions.
struct TurnedSpace {
  std::vector<Operand> extents;
  std::size_t read = 0;
  std::size_t written = 0;
  std::int64_t side = 0;
  std::vector<ir::Type> types;  // of the scalars that are read at a point
};
using ReadPoint = std::function<std::vector<Value>(const std::vector<Operand>& point)>;
using WritePoint =
    std::function<void(const std::vector<Operand>& point, const std::vector<Value>& values)>;

/// Emits a kernel that reads scalars for each point, when points side by side along dimension
/// `read` are those of threads side by side, and then gives them to `write`, when those along
/// `written` are.
void launch_turned(Context& c, const TurnedSpace& space, std::string_view kernel,
                   const ReadPoint& read, const WritePoint& write);

/// Copies an array so, or where it is too small for that by `one_by_one`.
void copy_turned(Context& c, const Place& target, const Place& source, const ir::Type& type,
                 const plan::CopyTurned& plan, const std::function<void()>& one_by_one);

}  // namespace dagaz::emit
