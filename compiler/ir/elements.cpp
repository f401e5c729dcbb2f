// The elements of the interpreter's values.  Owners of memory are counted, which nobody outside can
// see: who writes has memory to itself.  With one owner each, a row would be copied whenever it is
// read, and an array whenever one element of it changes.
#include "ir/elements.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace dagaz::ir {

Elements::Elements(std::initializer_list<std::uint64_t> elements) {
  append(std::span(elements.begin(), elements.size()));
}

std::vector<std::uint64_t>& Elements::own_memory() {
  const bool is_own = memory_ != nullptr && memory_.use_count() == 1 && memory_->size() == size_;
  if (!is_own) {
    const Elements& shared = *this;
    memory_ = std::make_shared<std::vector<std::uint64_t>>(shared.begin(), shared.end());
    first_ = 0;
  }
  return *memory_;
}

void Elements::assign(std::uint64_t bits) {
  memory_.reset();
  size_ = 1;
  single_ = bits;
}

void Elements::assign(std::size_t count, std::uint64_t bits) {
  *this = Elements();
  if (count == 1) return assign(bits);
  resize(count);
  std::fill(begin(), end(), bits);
}

void Elements::append(std::span<const std::uint64_t> elements) {
  if (elements.empty()) return;
  if (empty() && elements.size() == 1) return assign(elements.front());
  std::vector<std::uint64_t>& memory = own_memory();
  memory.insert(memory.end(), elements.begin(), elements.end());
  size_ = memory.size();
}

void Elements::push_back(std::uint64_t bits) { append({&bits, 1}); }

void Elements::resize(std::size_t count) {
  if (count < 2) {
    const std::uint64_t first = empty() ? 0 : *std::as_const(*this).begin();
    *this = Elements();
    size_ = count;
    single_ = first;
    return;
  }
  own_memory().resize(count);
  size_ = count;
}

Elements Elements::part(std::size_t first, std::size_t count) const {
  DZ_CHECK(first + count <= size_, "a part past the end");
  Elements part;
  part.size_ = count;
  if (count == 1) {
    part.single_ = (*this)[first];
  } else if (count > 1) {
    part.memory_ = memory_;
    part.first_ = first_ + first;
  }
  return part;
}

bool Elements::operator==(const Elements& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

}  // namespace dagaz::ir
