#include "cuda/work.h"

#include <algorithm>
#include <bit>

namespace dagaz::runtime::cuda {

void WorkSequence::add(const Work& work, std::span<const uint64_t> arguments) {
  items_.push_back({work, words_.size(), arguments.size()});
  words_.insert(words_.end(), arguments.begin(), arguments.end());
}

void WorkSequence::clear() {
  items_.clear();
  words_.clear();
}

WorkSequence WorkSequence::after(size_t count) const {
  WorkSequence rest;
  for (size_t i = count; i < items_.size(); ++i) {
    rest.add(items_[i].work, arguments(i));
  }
  return rest;
}

std::span<const uint64_t> WorkSequence::arguments(size_t index) const {
  return std::span(words_).subspan(items_[index].first_argument, items_[index].argument_count);
}

void** WorkSequence::pointers(size_t index) {
  pointers_.clear();
  for (size_t i = 0; i < items_[index].argument_count; ++i) {
    pointers_.push_back(&words_[items_[index].first_argument + i]);
  }
  return pointers_.data();
}

bool WorkSequence::is(size_t index, const Work& work, std::span<const uint64_t> wanted) const {
  return items_[index].work == work && std::ranges::equal(arguments(index), wanted);
}

bool WorkSequence::operator==(const WorkSequence& other) const {
  bool same = size() == other.size();
  for (size_t i = 0; same && i < size(); ++i) {
    same = is(i, other[i], other.arguments(i));
  }
  return same;
}

uint64_t WorkSequence::hash() const {
  uint64_t value = items_.size();
  const auto mix = [&](uint64_t word) {
    value = std::rotl(value ^ word, 27) * 0x9e3779b97f4a7c15U;
  };
  for (const Item& item : items_) {
    const Work& work = item.work;
    mix(reinterpret_cast<uint64_t>(work.function));
    mix((uint64_t{work.grid} << 32) | work.block);
    mix((uint64_t{work.shared_bytes} << 32) | static_cast<uint64_t>(work.kind));
    mix(work.target);
    mix(work.source);
    mix(work.count);
    mix((uint64_t{work.value} << 32) | work.element_bytes);
  }
  for (const uint64_t word : words_) {
    mix(word);
  }
  return value;
}

}  // namespace dagaz::runtime::cuda
