// Combining large arrays of devices that send each other messages directly: each rank gets its part
// of the elements from all others, combines these on the host in the order of ranks, and devices
// hand the results round.  What a rank copies to its host is as much as it has, and back from there
// only its part.  Not by ncclAllReduce, whose order of additions depends on how GPUs are connected.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "context.h"
#include "ranks/combine.h"
#include "ranks/direct.h"
#include "ranks/ranks.h"
#include "ranks/reduce.h"
#include "ranks/staging.h"

namespace dagaz::runtime {

namespace {

/// One array, of which this rank combines a part.
struct PartOfSum {
  const dz_rank_sum& what;
  int64_t count;                   // of its elements
  std::vector<const char*> parts;  // on the host, of each rank
  char* combined;

  void combine() const {
    const int64_t bytes = count * element_info(what.element).bytes;
    std::memcpy(combined, parts[0], static_cast<size_t>(bytes));
    for (size_t rank = 1; rank < parts.size(); ++rank) {
      combine_elements(what.combine, what.element, parts[rank], count, combined);
    }
  }
};

/// Where the parts of other ranks are received, of each sum one after the other.
struct ReceivedParts {
  std::vector<int64_t> places;
  int64_t bytes = 0;

  ReceivedParts(const Ranks& ranks, std::span<const dz_rank_sum> sums) {
    constexpr int64_t alignment = 64;
    for (const dz_rank_sum& one : sums) {
      const int64_t own = ranks.count(one.count) * element_info(one.element).bytes;
      for (int64_t rank = 0; rank < ranks.size(); ++rank) {
        places.push_back(bytes);
        const int64_t wanted = rank == ranks.index() ? 0 : own;
        bytes += (wanted + alignment - 1) / alignment * alignment;
      }
    }
  }
};

/// This rank's part of each sum, from what it has and what it has received.
int32_t combine_parts(dz_context& context, std::span<const dz_rank_sum> sums,
                      const dz_block& received, const ReceivedParts& parts) {
  const Ranks& ranks = context.ranks;
  Staging staging(context);
  std::vector<PartOfSum> all;
  const int64_t* place = parts.places.data();
  for (const dz_rank_sum& one : sums) {
    const int64_t element = element_info(one.element).bytes;
    const int64_t first = ranks.first(one.count) * element;
    const int64_t count = ranks.count(one.count);
    const int64_t own = count * element;
    PartOfSum part{one, count, {}, staging.fill(*one.whole, first, own)};
    for (int64_t rank = 0; rank < ranks.size(); ++rank, ++place) {
      part.parts.push_back(rank == ranks.index()
                               ? staging.look(*one.block, one.offset + first, own)
                               : staging.look(received, *place, own));
    }
    all.push_back(std::move(part));
  }
  const int32_t status = staging.fetch();
  if (status != DZ_OK) {
    return status;
  }
  for (const PartOfSum& one : all) {
    one.combine();
  }
  return staging.store();
}

}  // namespace

int32_t Ranks::reduce_directly(dz_context& context, std::span<const dz_rank_sum> sums) {
  const ReceivedParts parts(*this, sums);
  dz_block* block = nullptr;
  int32_t status = dz_allocate(&context, parts.bytes, &block);
  const std::unique_ptr<dz_block, void (*)(dz_block*)> received(block, dz_release);
  if (status != DZ_OK) {
    return status;
  }
  std::vector<dz_rank_message> to;
  std::vector<dz_rank_message> from;
  const int64_t* place = parts.places.data();
  for (const dz_rank_sum& one : sums) {
    const int64_t element = element_info(one.element).bytes;
    for (int64_t rank = 0; rank < size(); ++rank, ++place) {
      if (rank != index()) {
        const int64_t first = one.offset + first_of(rank, one.count) * element;
        add_piece(to, rank, advance(one.block->data, first), count_of(rank, one.count) * element);
        add_piece(from, rank, advance(block->data, *place), count(one.count) * element);
      }
    }
  }
  status = move(to, from);
  if (status == DZ_OK) {
    status = combine_parts(context, sums, *received, parts);
  }
  for (size_t i = 0; i < sums.size() && status == DZ_OK; ++i) {
    status = gather_directly(sums[i].whole->data,
                             part_bytes(sums[i].count, element_info(sums[i].element).bytes));
  }
  return status;
}

}  // namespace dagaz::runtime
