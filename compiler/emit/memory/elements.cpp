#include "emit/memory/elements.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "emit/gpu/arena.h"
#include "emit/gpu/turned.h"
#include "emit/host/squares.h"
#include "emit/memory/allocation.h"
#include "emit/memory/virtual_arrays.h"
#include "emit/points.h"
#include "plan/copies.h"
#include "support/match.h"

namespace dagaz::emit {

Operand load(Context& c, const Place& place, const std::vector<Operand>& indices, ScalarType type,
             std::string_view base) {
  const NameId target = c.variable(base, type);
  load_into(c, target, place, indices, type);
  return target;
}

void load_into(Context& c, NameId target, const Place& place, const std::vector<Operand>& indices,
               ScalarType type) {
  const Operand index = element_at(c, place, indices);
  if (c.transfers()) {
    c.emit(ReadElement{target, place.block, index, type});
  } else {
    c.emit(Load{target, place.block, index, type, place.space});
  }
}

void store(Context& c, const Place& place, const std::vector<Operand>& indices,
           const Operand& value, ScalarType type, std::optional<int> ahead) {
  const Operand index = element_at(c, place, indices);
  if (c.transfers()) {
    c.emit(WriteElement{place.block, index, value, type});
  } else {
    c.emit(Store{place.block, index, value, type, place.space, ahead});
  }
}

void fetch(Context& c, const Place& place, const std::vector<Operand>& indices, ScalarType type,
           int ahead) {
  const Operand behind = ir::i64_operand(ahead / ir::byte_size(type));
  c.emit(Fetch{place.block, c.add(element_at(c, place, indices), behind), type});
}

static plan::CopyAt facts_of_copy(const Context& c, const Place& target, const Place& source,
                                  const ir::Type& type) {
  const auto neighbours = [](const Place& place) {
    std::vector<bool> along;
    for (const Operand& stride : place.strides) along.push_back(is_constant(stride, 1));
    return along;
  };
  const auto by = c.mode == Mode::host   ? plan::CopiedBy::host
                  : c.mode == Mode::task ? plan::CopiedBy::task
                                         : plan::CopiedBy::kernel;
  return {by,
          type,
          target.is_dense() && source.is_dense(),
          target.block == source.block,
          neighbours(target),
          neighbours(source)};
}

static void copy_elements(Context& c, const Place& target, const Place& source,
                          const ir::Type& type, const plan::CopyElements& plan) {
  const auto innermost = static_cast<std::ptrdiff_t>(plan.innermost);
  std::vector<Operand> extents = type.shape;
  std::rotate(extents.begin() + innermost, extents.begin() + innermost + 1, extents.end());
  const PointWork work = little_work(c, extents.size());
  for_each_point(c, extents, work, "copy", [&](std::vector<Operand> point) {
    std::rotate(point.begin() + innermost, point.end() - 1, point.end());
    store(c, target, point, load(c, source, point, type.element, "x"), type.element);
  });
}

void copy(Context& c, const Place& target, const Place& source, const ir::Type& type) {
  if (target == source) return;
  if (type.shape.empty()) {
    store(c, target, {}, load(c, source, {}, type.element, "x"), type.element);
    return;
  }
  match(
      plan::plan_of_copy(c.settings, facts_of_copy(c, target, source, type)),
      [&](const plan::CopyWhole&) {
        c.emit(CopyElements{target.block, target.offset, source.block, source.offset,
                            c.product(type.shape), type.element});
      },
      [&](const plan::CopyElements& plan) { copy_elements(c, target, source, type, plan); },
      [&](const plan::CopySquares& plan) {
        copy_in_squares(c, target, source, type, plan,
                        [&] { copy_elements(c, target, source, type, plan.otherwise); });
      },
      [&](const plan::CopyTurned& plan) {
        copy_turned(c, target, source, type, plan,
                    [&] { copy_elements(c, target, source, type, plan.otherwise); });
      });
}

/// The least part of 1, 2 or 4 bytes which the element is again and again; none if that is longer.
static std::optional<std::pair<std::int64_t, int>> pattern_of(const ir::Constant& element) {
  const auto size = static_cast<int>(ir::byte_size(element.type));
  for (const int bytes : {1, 2, 4}) {
    if (bytes > size) break;
    const std::uint64_t mask = (std::uint64_t{1} << (8 * bytes)) - 1;
    const std::uint64_t part = element.bits & mask;
    bool repeats = true;
    for (int at = bytes; at < size; at += bytes) {
      repeats = repeats && (element.bits >> (8 * at) & mask) == part;
    }
    if (repeats) return std::pair{static_cast<std::int64_t>(part), bytes};
  }
  return std::nullopt;
}

bool fill(Context& c, const Place& target, const ir::Type& type, const Operand& value) {
  if (!value.is_constant() || !c.transfers() || !target.is_dense()) return false;
  const auto pattern = pattern_of(value.constant());
  if (!pattern) return false;
  const Operand size = ir::i64_operand(ir::byte_size(type.element));
  c.emit(Fill{target.block, c.mul(target.offset, size), byte_count(c, type), pattern->first,
              pattern->second});
  return true;
}

void write(Context& c, const Place& target, const std::vector<Operand>& indices, const Value& value,
           std::optional<int> ahead) {
  if (value.place) {
    copy(c, part_at(c, target, indices), *value.place, value.type);
  } else {
    store(c, target, indices, value.operand, value.type.element, ahead);
  }
}

std::optional<int> ahead_of(const Context& c, NameId result) {
  if (c.map == nullptr) return std::nullopt;
  for (const ir::Append& one : c.map->schedule.appends) {
    if (one.write == result) return one.ahead;
  }
  return std::nullopt;
}

Place dense(Context& c, const Place& place, const ir::Type& type) {
  // Whoever asks hands on a block and an offset, which do not say that a kernel's array is the
  // thread's own: it must lie in the device's memory.
  if (place.is_dense() && place.space == Space::global) return place;
  Place copied = c.mode == Mode::kernel ? arena_array(c, type) : new_array(c, type, "dense");
  copy(c, copied, place, type);
  return copied;
}

Value value_of(Context& c, const Operand& operand) {
  Value value{operand, c.names().type(operand), std::nullopt};
  if (value.type.is_array()) value.place = c.arrays.place_of(operand.name());
  return value;
}

Value element_of(Context& c, NameId array, const std::vector<Operand>& indices) {
  const ir::Type type = c.names().type(array);
  if (type.kind == ir::TypeKind::accumulator) return Value{array, type, std::nullopt};
  if (const VirtualArray* values = c.arrays.virtual_array(array)) {
    return Value{virtual_element(c, *values, indices[0]), ir::scalar_of(type.element),
                 std::nullopt};
  }
  ir::Type part = type;
  part.shape.erase(part.shape.begin(),
                   part.shape.begin() + static_cast<std::ptrdiff_t>(indices.size()));
  if (part.is_scalar()) {
    return Value{load(c, c.arrays.place_of(array), indices, part.element, c.names().base(array)),
                 part, std::nullopt};
  }
  return Value{Operand(), part, part_at(c, c.arrays.place_of(array), indices)};
}

void assign(Context& c, NameId to, const Value& value) {
  if (value.place) {
    c.arrays.bind(to, *value.place);
  } else if (value.type.kind == ir::TypeKind::accumulator) {
    c.accumulators.continue_as(to, value.operand.name());
  } else if (value.type.kind == ir::TypeKind::value && value.operand != Operand(to)) {
    c.move(to, value.operand);
  }
}

}  // namespace dagaz::emit
