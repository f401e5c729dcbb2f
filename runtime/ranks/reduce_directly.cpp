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

}  // namespace

int32_t Ranks::reduce_directly(dz_context& context, std::span<const dz_rank_sum> sums) {
  constexpr int64_t alignment = 64;
  int64_t bytes = 0;
  const auto take = [&](int64_t wanted) {
    const int64_t at = bytes;
    bytes += (wanted + alignment - 1) / alignment * alignment;
    return at;
  };
  std::vector<int64_t> places;  // in `received`, of each sum the part of each rank
  for (const dz_rank_sum& one : sums) {
    for (int64_t rank = 0; rank < size(); ++rank) {
      const int64_t own = count(one.count) * element_info(one.element).bytes;
      places.push_back(take(rank == index() ? 0 : own));
    }
  }
  dz_block* block = nullptr;
  int32_t status = dz_allocate(&context, bytes, &block);
  const std::unique_ptr<dz_block, void (*)(dz_block*)> received(block, dz_release);
  if (status != DZ_OK) {
    return status;
  }
  std::vector<dz_rank_message> to;
  std::vector<dz_rank_message> from;
  const int64_t* place = places.data();
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
  if (status != DZ_OK) {
    return status;
  }
  Staging staging(context);
  std::vector<PartOfSum> all;
  place = places.data();
  for (const dz_rank_sum& one : sums) {
    const int64_t element = element_info(one.element).bytes;
    const int64_t first = this->first(one.count) * element;
    const int64_t own = count(one.count) * element;
    PartOfSum part{one, count(one.count), {}, staging.fill(*one.whole, first, own)};
    for (int64_t rank = 0; rank < size(); ++rank, ++place) {
      part.parts.push_back(rank == index() ? staging.look(*one.block, one.offset + first, own)
                                           : staging.look(*block, *place, own));
    }
    all.push_back(std::move(part));
  }
  status = staging.fetch();
  if (status != DZ_OK) {
    return status;
  }
  for (const PartOfSum& one : all) {
    one.combine();
  }
  status = staging.store();
  for (size_t i = 0; i < sums.size() && status == DZ_OK; ++i) {
    status = gather_directly(sums[i].whole->data,
                             part_bytes(sums[i].count, element_info(sums[i].element).bytes));
  }
  return status;
}

}  // namespace dagaz::runtime
