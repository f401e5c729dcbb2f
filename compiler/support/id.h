// Typed 32-bit identifiers, and vectors indexed by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace dagaz {

/// An index into some table; `Tag` keeps the ids of different tables apart.
template <typename Tag>
struct Id {
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};
  std::uint32_t index = no_index;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  /// Whether this id names something.
  constexpr bool valid() const { return index != no_index; }
  constexpr auto operator<=>(const Id&) const = default;
};

/// A table indexed by `I`, an instance of `Id`.
template <typename I, typename T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, T value = T()) : items_(size, std::move(value)) {}

  T& operator[](I id) { return items_[id.index]; }
  const T& operator[](I id) const { return items_[id.index]; }
  /// Appends `item` and returns its id.
  I add(T item) {
    items_.push_back(std::move(item));
    return I(items_.size() - 1);
  }
  /// Grows the table so that `id` is a valid index.
  void cover(I id, const T& value = T()) {
    if (id.index >= items_.size()) items_.resize(id.index + 1, value);
  }
  std::size_t size() const { return items_.size(); }
  bool contains(I id) const { return id.index < items_.size(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace dagaz

template <typename Tag>
struct std::hash<dagaz::Id<Tag>> {
  std::size_t operator()(dagaz::Id<Tag> id) const noexcept {
    return static_cast<std::size_t>(id.index) * 0x9E3779B97F4A7C15u;
  }
};
