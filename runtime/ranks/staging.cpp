#include "ranks/staging.h"

#include <algorithm>

#include "context.h"

namespace dagaz::runtime {

namespace {

constexpr int64_t alignment = 64;
constexpr int64_t least_chunk = int64_t{1} << 20;

/// Bytes that a GPU's bus carries while a copy is started.
constexpr int64_t bytes_of_a_copy = int64_t{64} << 10;

/// Where rows that follow on row k, one after the other, end.
size_t end_of_run(std::span<const int64_t> rows, size_t k) {
  while (k + 1 < rows.size() && rows[k + 1] == rows[k] + 1) {
    ++k;
  }
  return k + 1;
}

int64_t count_runs(std::span<const int64_t> rows) {
  int64_t runs = 0;
  for (size_t k = 0; k < rows.size(); k = end_of_run(rows, k)) {
    ++runs;
  }
  return runs;
}

int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

StagingMemory::~StagingMemory() {
  for (const Chunk& one : chunks_) {
    device_.give_host_memory(one.data);
  }
}

bool StagingMemory::add(int64_t bytes) {
  void* data = device_.take_host_memory(bytes);
  if (data != nullptr) {
    chunks_.push_back({static_cast<char*>(data), bytes});
    taken_ = 0;
  }
  return data != nullptr;
}

/// What was taken in several chunks is one from now on.
void StagingMemory::restart() {
  taken_ = 0;
  if (chunks_.size() < 2) {
    return;
  }
  int64_t bytes = 0;
  for (const Chunk& one : chunks_) {
    bytes += one.bytes;
    device_.give_host_memory(one.data);
  }
  chunks_.clear();
  add(bytes);
}

char* StagingMemory::take(int64_t bytes) {
  const int64_t wanted = std::max(aligned(bytes), alignment);
  const bool fits = !chunks_.empty() && taken_ + wanted <= chunks_.back().bytes;
  if (!fits && !add(std::max(wanted, least_chunk))) {
    return nullptr;
  }
  char* data = chunks_.back().data + taken_;
  taken_ += wanted;
  return data;
}

Staging::Staging(dz_context& context) : context_(context), device_(*context.device) {
  if (!device_.is_host()) {
    context.staging->restart();
  }
}

char* Staging::take(int64_t bytes) {
  char* data = context_.staging->take(bytes);
  lacks_memory_ = lacks_memory_ || data == nullptr;
  return data;
}

const char* Staging::look(const dz_block& block, int64_t offset, int64_t bytes) {
  const void* source = advance(block.data, offset);
  if (device_.is_host()) {
    return static_cast<const char*>(source);
  }
  char* data = take(bytes);
  reads_.push_back({source, bytes, data});
  return data;
}

/// Each row alone where that is quicker than all from the first to the last.
StagedRows Staging::look_at_rows(const dz_block& block, int64_t offset, int64_t row_bytes,
                                 std::span<const int64_t> rows) {
  if (device_.is_host() || rows.empty()) {
    return {look(block, offset, 0), row_bytes};
  }
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  const int64_t first = *least;
  const int64_t range = (*most - first + 1) * row_bytes;
  const auto count = static_cast<int64_t>(rows.size());
  if (count_runs(rows) * bytes_of_a_copy + count * row_bytes >= range) {
    return {look(block, offset + first * row_bytes, range), row_bytes, first};
  }
  char* const data = take(count * row_bytes);
  for (size_t k = 0; k < rows.size();) {
    const size_t end = end_of_run(rows, k);
    reads_.push_back({advance(block.data, offset + rows[k] * row_bytes),
                      static_cast<int64_t>(end - k) * row_bytes,
                      advance(data, static_cast<int64_t>(k) * row_bytes)});
    k = end;
  }
  return {data, row_bytes, 0, true};
}

char* Staging::fill(dz_block& block, int64_t offset, int64_t bytes) {
  void* target = advance(block.data, offset);
  if (device_.is_host()) {
    return static_cast<char*>(target);
  }
  char* data = take(bytes);
  writes_.push_back({target, bytes, data});
  return data;
}

int32_t Staging::fetch() {
  if (lacks_memory_) {
    return context_.errors.report(DZ_OUT_OF_MEMORY,
                                  "Error: out of host memory for what ranks tell each other");
  }
  const int32_t status = device_.read(reads_);
  reads_.clear();
  return status;
}

int32_t Staging::store() {
  const int32_t status = device_.write_later(writes_);
  writes_.clear();
  return status;
}

}  // namespace dagaz::runtime
