// Bounds and races.
#include "sim/access_checker.h"

#include <algorithm>

namespace dagaz::runtime::sim {

void KnownMemory::add(const void* data, int64_t bytes) {
  blocks_[reinterpret_cast<uintptr_t>(data)] = bytes;
}

void KnownMemory::remove(const void* data) {
  blocks_.erase(reinterpret_cast<uintptr_t>(data));
  last_begin_ = 1;
  last_end_ = 0;
}

bool KnownMemory::contains(const void* address, int64_t bytes) const {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + static_cast<uintptr_t>(bytes);
  if (begin >= last_begin_ && end <= last_end_) {
    return true;
  }
  auto found = blocks_.upper_bound(begin);
  if (found == blocks_.begin()) {
    return false;
  }
  --found;
  const uintptr_t block_end = found->first + static_cast<uintptr_t>(found->second);
  if (end > block_end) {
    return false;
  }
  last_begin_ = found->first;
  last_end_ = block_end;
  return true;
}

std::string KnownMemory::describe(const void* address) const {
  const auto where = reinterpret_cast<uintptr_t>(address);
  const auto after = blocks_.upper_bound(where);
  if (after != blocks_.begin()) {
    const auto before = std::prev(after);
    const uintptr_t past = where - before->first - static_cast<uintptr_t>(before->second);
    if (after == blocks_.end() || past < after->first - where) {
      return std::to_string(past) + " bytes past the end of a block of " +
             std::to_string(before->second) + " bytes";
    }
  }
  if (after != blocks_.end()) {
    return std::to_string(after->first - where) + " bytes before a block of " +
           std::to_string(after->second) + " bytes";
  }
  return "no memory is allocated";
}

void SharedShadow::start_block(int64_t bytes) {
  bytes_.resize(static_cast<size_t>(bytes));
  expected_.assign(static_cast<size_t>(bytes), -1);
  ++epoch_;
}

bool SharedShadow::ordered(const Mark& earlier, const Accessor& who, bool atomic) {
  return earlier.thread < 0 || earlier.thread == who.thread || (atomic && earlier.atomic) ||
         (earlier.warp == who.warp && earlier.warp_epoch < who.warp_epoch);
}

void SharedShadow::read_byte(Byte& byte, const Mark& mark) {
  const Mark& last = byte.reader;
  if (last.warp_epoch != mark.warp_epoch) {
    byte.several_threads = false;
  }
  if (last.thread >= 0 && last.thread != mark.thread) {
    byte.other_reader = last.thread;
    byte.several_warps |= last.warp != mark.warp;
    byte.several_threads |= last.warp_epoch == mark.warp_epoch;
  }
  byte.reader = mark;
}

int32_t SharedShadow::write_byte(Byte& byte, const Mark& mark, const Accessor& who) {
  const bool same_epoch =
      byte.reader.warp == who.warp && byte.reader.warp_epoch == who.warp_epoch;
  if (!ordered(byte.reader, who, false) || byte.several_warps ||
      (byte.several_threads && same_epoch)) {
    return byte.reader.thread == who.thread ? byte.other_reader : byte.reader.thread;
  }
  byte.writer = mark;
  return -1;
}

int32_t SharedShadow::access_byte(Byte& byte, int32_t flags, const Accessor& who) {
  if (byte.epoch != epoch_) {
    byte = Byte{};
    byte.epoch = epoch_;
  }
  const bool atomic = (flags & access_atomic) != 0;
  const bool write = (flags & access_write) != 0 || atomic;
  const Mark mark = {who.thread, who.warp, who.warp_epoch, atomic};
  if (!ordered(byte.writer, who, atomic)) {
    return byte.writer.thread;
  }
  if (!write) {
    read_byte(byte, mark);
    return -1;
  }
  return write_byte(byte, mark, who);
}

int32_t SharedShadow::access(int64_t offset, int64_t bytes, int32_t flags, const Accessor& who) {
  for (int64_t i = offset; i < offset + bytes; ++i) {
    const int32_t other = access_byte(bytes_[static_cast<size_t>(i)], flags, who);
    if (other >= 0) {
      return other;
    }
  }
  return -1;
}

void SharedShadow::expect(int64_t offset, int64_t bytes, int32_t thread) {
  std::fill_n(expected_.begin() + offset, bytes, thread);
}

void SharedShadow::receive(int64_t offset, int64_t bytes) { expect(offset, bytes, -1); }

int32_t SharedShadow::expected_by(int64_t offset, int64_t bytes) const {
  const auto begin = expected_.begin() + offset;
  const auto found = std::find_if(begin, begin + bytes, [](int32_t one) { return one >= 0; });
  return found == begin + bytes ? -1 : *found;
}

ReadOnlyShadow::Page& ReadOnlyShadow::page(uintptr_t number) {
  if (last_page_ == nullptr || number != last_number_) {
    last_page_ = &pages_[number];
    last_number_ = number;
  }
  return *last_page_;
}

bool ReadOnlyShadow::clashes(const void* address, int64_t bytes, int32_t flags) {
  const bool write = (flags & (access_write | access_atomic)) != 0;
  if (!write && (flags & access_read_only) == 0) {
    return false;
  }
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t last = begin + static_cast<uintptr_t>(bytes) - 1;
  bool found = false;
  for (uintptr_t word = begin / word_bytes; word <= last / word_bytes; ++word) {
    constexpr uintptr_t words_of_page = page_bytes / word_bytes;
    Word& here = page(word / words_of_page)[word % words_of_page];
    found |= (write ? here.read_only : here.written) == epoch_;
    (write ? here.written : here.read_only) = epoch_;
  }
  return found;
}

}  // namespace dagaz::runtime::sim
