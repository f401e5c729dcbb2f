// What points have for rows of other ranks, as writes and additions at places that they compute:
// each rank tells those who have the rows how much it has for them, for which rows, and what, all
// to all.  It is the way back of a request, and like one it leaves the places out where they are
// those of the last time.
#include <algorithm>

#include "context.h"
#include "ranks/ranks.h"
#include "ranks/requests.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

/// What this rank has, in the order in which it goes: each place the values of all arrays.
std::vector<char> pack_values(std::span<const dz_rank_delivered> all, const SortedPlaces& sorted,
                              int64_t row_bytes) {
  std::vector<char> packed(sorted.rows.size() * static_cast<size_t>(row_bytes));
  char* to = packed.data();
  for (const dz_rank_delivered& one : all) {
    const auto* from = static_cast<const char*>(advance(one.block->data, one.offset));
    for (const int64_t slot : sorted.slots) {
      if (slot >= 0) {
        copy_row(to + slot * row_bytes, from, one.row_bytes);
      }
      from += one.row_bytes;
    }
    to += one.row_bytes;
  }
  return packed;
}

void unpack_values(std::span<dz_rank_delivered> all, size_t count, const char* packed,
                   int64_t row_bytes) {
  for (dz_rank_delivered& one : all) {
    auto* to = static_cast<char*>(one.delivered->data);
    for (size_t k = 0; k < count; ++k) {
      copy_row(to, packed + static_cast<int64_t>(k) * row_bytes, one.row_bytes);
      to += one.row_bytes;
    }
    packed += one.row_bytes;
  }
}

int32_t make_room(dz_context& context, std::span<const int64_t> rows,
                  std::span<dz_rank_delivered> all, OwnPlaces own) {
  const auto count = static_cast<int64_t>(rows.size());
  int32_t status = dz_allocate(&context, count * static_cast<int64_t>(sizeof(int64_t)), own.rows);
  if (status == DZ_OK) {
    std::copy(rows.begin(), rows.end(), static_cast<int64_t*>((*own.rows)->data));
    *own.total = count;
  }
  for (dz_rank_delivered& one : all) {
    if (status == DZ_OK) {
      status = dz_allocate(&context, count * one.row_bytes, &one.delivered);
    }
  }
  return status;
}

}  // namespace

int32_t Ranks::deliver(dz_context& context, int64_t call, int64_t rows,
                       std::span<const int64_t> places, std::span<dz_rank_delivered> all,
                       OwnPlaces own) {
  *own.total = 0;
  int64_t row_bytes = 0;
  for (const dz_rank_delivered& one : all) {
    row_bytes += one.row_bytes;
  }
  if (!several()) {
    const SortedPlaces sorted = sort_places(places, rows, 1);
    const int32_t status = make_room(context, sorted.rows, all, own);
    if (status == DZ_OK) {
      unpack_values(all, sorted.rows.size(), pack_values(all, sorted, row_bytes).data(), row_bytes);
    }
    return status;
  }
  const int32_t same = compare(context, Collective::deliver, rows * row_bytes);
  if (same != DZ_OK) {
    return same;
  }
  RequestPlan& plan = requests_[{place_, call}];
  int64_t bytes = 0;
  int failed = renew_plan(plan, places, rows, sort_places, bytes);
  if (failed == 0) {
    const int32_t status = make_room(context, plan.wanted, all, own);
    if (status != DZ_OK) {
      return status;
    }
    const std::vector<char> out = pack_values(all, plan.asked, row_bytes);
    std::vector<char> in(plan.wanted.size() * static_cast<size_t>(row_bytes));
    const std::vector<int64_t> to = scaled(plan.asked.count, row_bytes);
    const std::vector<int64_t> from = scaled(plan.given, row_bytes);
    failed = wait_in(&dz_rank_messages::exchange, out.data(), to.data(), in.data(), from.data());
    unpack_values(all, plan.wanted.size(), in.data(), row_bytes);
  }
  note(Collective::deliver, bytes + to_others(plan.asked.count, row_bytes));
  return checked(context, failed);
}

}  // namespace dagaz::runtime

using namespace dagaz::runtime;

int32_t dz_rank_deliver(dz_context* context, int64_t call, int64_t rows, int64_t count,
                        dz_block* places, int64_t offset, int32_t arrays,
                        dz_rank_delivered* delivered, int64_t* total, dz_block** own) {
  const std::span<dz_rank_delivered> all{delivered, static_cast<size_t>(arrays)};
  return context->ranks.deliver(*context, call, rows, places_in(places, offset, count), all,
                                {total, own});
}
