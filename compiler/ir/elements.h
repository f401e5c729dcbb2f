// The elements of the interpreter's values: a sequence like a vector's.  Copies share memory until
// one of them is written, and so do parts; a single element, as every scalar has, needs none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace dagaz::ir {

/// Elements as Constant::bits.
class Elements {
 public:
  Elements() = default;
  Elements(std::initializer_list<std::uint64_t> elements);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::uint64_t* begin() const { return size_ < 2 ? &single_ : memory_->data() + first_; }
  const std::uint64_t* end() const { return begin() + size_; }
  const std::uint64_t& operator[](std::size_t index) const { return begin()[index]; }
  std::uint64_t* begin() { return size_ < 2 ? &single_ : own_memory().data(); }
  std::uint64_t* end() { return begin() + size_; }
  std::uint64_t& operator[](std::size_t index) { return begin()[index]; }

  /// Makes it one element.
  void assign(std::uint64_t bits);
  void assign(std::size_t count, std::uint64_t bits);
  void append(std::span<const std::uint64_t> elements);
  void push_back(std::uint64_t bits);
  void resize(std::size_t count);
  Elements part(std::size_t first, std::size_t count) const;

  bool operator==(const Elements& other) const;

 private:
  /// What nobody else reads, and that has nothing but these elements.
  std::vector<std::uint64_t>& own_memory();

  std::shared_ptr<std::vector<std::uint64_t>> memory_;  // of two elements and more
  std::size_t first_ = 0;                               // in `memory_`
  std::size_t size_ = 0;
  std::uint64_t single_ = 0;
};

}  // namespace dagaz::ir
