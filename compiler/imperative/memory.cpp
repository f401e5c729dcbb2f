// Arrays as memory: making them, reading and writing elements, copying.
#include "imperative/lowering.h"

#include <algorithm>

#include "plan/thread_code.h"

namespace dagaz::imperative {

const Place& Lowering::place_of(NameId array) const {
  const auto found = places_.find(array);
  DZ_CHECK(found != places_.end(), names().text(array) + " has no place");
  return found->second;
}

void Lowering::bind(NameId array, Place place) {
  places_.insert_or_assign(array, std::move(place));
}

Operand Lowering::byte_count(const ir::Type& type) {
  Operand bytes = ir::i64_operand(ir::byte_size(type.element));
  for (const Operand& size : type.shape) bytes = size_mul(size, bytes);
  return bytes;
}

NameId Lowering::new_block(const Operand& bytes, std::string_view base) {
  const NameId block = block_variable(base);
  emit(Allocate{block, bytes});
  own(block);
  return block;
}

Place Lowering::private_array(const ir::Type& type, std::string_view base) {
  uses_private_memory_ = true;
  const Operand bytes = byte_count(type);
  const NameId block = block_variable(base);
  if (plan::fits_stack(type)) {
    emit(AllocateLocal{block, ir::integer_value(bytes.constant())});
    Place place = row_major(*this, block, ir::i64_operand(0), type.shape);
    if (mode_ == Mode::kernel) place.space = Space::local;
    return place;
  }
  if (mode_ == Mode::kernel) return kernel_array(type, block);
  uses_scratch_ = true;
  emit(AllocateScratch{block, bytes});
  return row_major(*this, block, ir::i64_operand(0), type.shape);
}

Place Lowering::new_array(const ir::Type& type, std::string_view base) {
  if (mode_ != Mode::host) return private_array(type, base);
  return row_major(*this, new_block(byte_count(type), base), ir::i64_operand(0), type.shape);
}

Place Lowering::result_array(NameId name) {
  const Destination wanted = destination_of(name);
  Place place = wanted                  ? *wanted
                : mode_ == Mode::host ? at_home(name)
                                      : private_array(names().type(name), names().base(name));
  bind(name, place);
  return place;
}

Operand Lowering::load(const Place& place, const std::vector<Operand>& indices, ScalarType type,
                       std::string_view base) {
  const NameId target = variable(base, type);
  load_into(target, place, indices, type);
  return target;
}

void Lowering::load_into(NameId target, const Place& place, const std::vector<Operand>& indices,
                         ScalarType type) {
  const Operand index = element_at(*this, place, indices);
  if (mode_ == Mode::host && is_gpu()) {
    emit(ReadElement{target, place.block, index, type});
  } else {
    emit(Load{target, place.block, index, type, place.space});
  }
}

void Lowering::store(const Place& place, const std::vector<Operand>& indices, const Operand& value,
                     ScalarType type) {
  const Operand index = element_at(*this, place, indices);
  if (mode_ == Mode::host && is_gpu()) {
    emit(WriteElement{place.block, index, value, type});
  } else {
    emit(Store{place.block, index, value, type, place.space});
  }
}

// The dimension along which both arrays, or else one of them, have neighbours; the last one where
// that is as good as any.
static std::size_t innermost_dimension(const Place& target, const Place& source) {
  const auto neighbours = [&](std::size_t k) {
    return (is_constant(target.strides[k], 1) ? 1 : 0) +
           (is_constant(source.strides[k], 1) ? 1 : 0);
  };
  std::size_t best = target.strides.size() - 1;
  for (std::size_t k = best; k-- > 0;) {
    if (neighbours(k) > neighbours(best)) best = k;
  }
  return best;
}

void Lowering::copy(const Place& target, const Place& source, const ir::Type& type) {
  if (target == source) return;
  if (type.shape.empty()) {
    store(target, {}, load(source, {}, type.element, "x"), type.element);
    return;
  }
  const Operand count = product(type.shape);
  const bool few = count.is_constant() && ir::integer_value(count.constant()) <= settings_.short_array;
  if (target.is_dense() && source.is_dense() && mode_ != Mode::kernel &&
      !(few && mode_ == Mode::task)) {
    emit(CopyElements{target.block, target.offset, source.block, source.offset, count,
                      type.element});
    return;
  }
  const auto innermost = static_cast<std::ptrdiff_t>(innermost_dimension(target, source));
  std::vector<Operand> extents = type.shape;
  std::rotate(extents.begin() + innermost, extents.begin() + innermost + 1, extents.end());
  for_each_point(extents, little_work(), "copy", [&](std::vector<Operand> point) {
    std::rotate(point.begin() + innermost, point.end() - 1, point.end());
    store(target, point, load(source, point, type.element, "x"), type.element);
  });
}

// On a GPU memory is cleared without a kernel.
bool Lowering::clear(const Place& target, const ir::Type& type, const Operand& value) {
  const bool zero = value.is_constant() && value.constant().bits == 0;
  if (!zero || !is_gpu() || mode_ != Mode::host || !target.is_dense()) return false;
  const Operand size = ir::i64_operand(ir::byte_size(type.element));
  emit(Clear{target.block, mul(target.offset, size), byte_count(type)});
  return true;
}

void Lowering::write(const Place& target, const std::vector<Operand>& indices,
                     const Value& value) {
  if (value.place) {
    copy(part_at(*this, target, indices), *value.place, value.type);
  } else {
    store(target, indices, value.operand, value.type.element);
  }
}

Place Lowering::dense(const Place& place, const ir::Type& type) {
  // Whoever asks hands on a block and an offset, which do not say that a kernel's array is the
  // thread's own: it must lie in the device's memory.
  if (place.is_dense() && place.space == Space::global) return place;
  Place copied = mode_ == Mode::kernel ? arena_array(type) : new_array(type, "dense");
  copy(copied, place, type);
  return copied;
}

Value Lowering::value_of(const Operand& operand) {
  Value value{operand, names().type(operand), std::nullopt};
  if (value.type.is_array()) value.place = place_of(operand.name());
  return value;
}

Value Lowering::element_of(NameId array, const std::vector<Operand>& indices) {
  const ir::Type type = names().type(array);
  if (type.kind == ir::TypeKind::accumulator) return Value{array, type, std::nullopt};
  if (const auto found = virtual_arrays_.find(array); found != virtual_arrays_.end()) {
    return Value{virtual_element(found->second, indices[0]), ir::scalar_of(type.element),
                 std::nullopt};
  }
  ir::Type part = type;
  part.shape.erase(part.shape.begin(),
                   part.shape.begin() + static_cast<std::ptrdiff_t>(indices.size()));
  if (part.is_scalar()) {
    return Value{load(place_of(array), indices, part.element, names().base(array)), part,
                 std::nullopt};
  }
  return Value{Operand(), part, part_at(*this, place_of(array), indices)};
}

void Lowering::assign(NameId to, const Value& value) {
  if (value.place) {
    bind(to, *value.place);
  } else if (value.type.kind == ir::TypeKind::accumulator) {
    continue_accumulator(to, value.operand.name());
  } else if (value.type.kind == ir::TypeKind::value && value.operand != Operand(to)) {
    move(to, value.operand);
  }
}

const Accumulator& Lowering::accumulator_of(NameId name) const {
  const auto found = accumulators_.find(name);
  DZ_CHECK(found != accumulators_.end(), names().text(name) + " is not an open accumulator");
  return opened_[found->second];
}

void Lowering::open(NameId name, Accumulator accumulator) {
  accumulators_.insert_or_assign(name, opened_.size());
  opened_.push_back(std::move(accumulator));
}

void Lowering::continue_accumulator(NameId to, NameId from) {
  const std::size_t position = accumulators_.at(from);
  accumulators_.insert_or_assign(to, position);
}

bool Lowering::with_private_scope(const std::function<void()>& build) {
  const bool outer_scratch = std::exchange(uses_scratch_, false);
  const bool outer_private = std::exchange(uses_private_memory_, false);
  Code inner = collect(build);
  const bool used = uses_private_memory_;
  if (uses_scratch_ && mode_ == Mode::kernel) {
    const NameId reached = mutable_variable("used_before", ScalarType::i64, arena_used_);
    const NameId limit = mutable_variable("limit_before", ScalarType::i64, arena_limit_);
    append(std::move(inner));
    move(arena_used_, reached);
    move(arena_limit_, limit);
  } else if (uses_scratch_) {
    emit(ScratchScope{std::move(inner)});
  } else {
    append(std::move(inner));
  }
  uses_scratch_ = outer_scratch;
  uses_private_memory_ = outer_private || used;
  return used;
}

}  // namespace dagaz::imperative
