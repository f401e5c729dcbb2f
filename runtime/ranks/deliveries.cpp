// What points have for rows of other ranks, as writes and additions at places that they compute:
// each rank tells those who have the rows how much it has for them, for which rows, and what, all
// to all.  It is the way back of a request, and like one it leaves the places out where they are
// those of the last time.
#include <cstring>
#include <vector>

#include "context.h"
#include "ranks/ranks.h"
#include "ranks/requests.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

/// One array on the host.
struct ValuesDelivered {
  int64_t row_bytes;
  const char* values;
  char* delivered;
};

/// What this rank has, in the order in which it goes: each place the values of all arrays.
std::vector<char> pack_values(std::span<const ValuesDelivered> all, const SortedPlaces& sorted,
                              int64_t row_bytes) {
  std::vector<char> packed(sorted.rows.size() * static_cast<size_t>(row_bytes));
  char* to = packed.data();
  for (const ValuesDelivered& one : all) {
    const char* from = one.values;
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

void unpack_values(std::span<const ValuesDelivered> all, size_t count, const char* packed,
                   int64_t row_bytes) {
  for (const ValuesDelivered& one : all) {
    char* to = one.delivered;
    for (size_t k = 0; k < count; ++k) {
      copy_row(to, packed + static_cast<int64_t>(k) * row_bytes, one.row_bytes);
      to += one.row_bytes;
    }
    packed += one.row_bytes;
  }
}

/// The values of so many places.
std::vector<ValuesDelivered> look_at_values(Staging& staging,
                                            std::span<const dz_rank_delivered> all,
                                            int64_t places) {
  std::vector<ValuesDelivered> values;
  for (const dz_rank_delivered& one : all) {
    values.push_back(
        {one.row_bytes, staging.look(*one.block, one.offset, places * one.row_bytes), nullptr});
  }
  return values;
}

/// Room for what comes for so many rows, and these.
int32_t make_room(Staging& staging, std::span<const int64_t> rows,
                  std::span<dz_rank_delivered> all, std::vector<ValuesDelivered>& values,
                  OwnPlaces own) {
  dz_context& context = staging.context();
  const auto count = static_cast<int64_t>(rows.size());
  const auto bytes = static_cast<int64_t>(rows.size_bytes());
  int32_t status = dz_allocate(&context, bytes, own.rows);
  if (status != DZ_OK) {
    return status;
  }
  *own.total = count;
  char* const own_rows = staging.fill(**own.rows, 0, bytes);
  for (size_t k = 0; k < all.size(); ++k) {
    status = dz_allocate(&context, count * all[k].row_bytes, &all[k].delivered);
    if (status != DZ_OK) {
      return status;
    }
    values[k].delivered = staging.fill(*all[k].delivered, 0, count * all[k].row_bytes);
  }
  status = staging.fetch();
  if (status == DZ_OK && count > 0) {
    std::memcpy(own_rows, rows.data(), rows.size_bytes());
  }
  return status;
}

}  // namespace

int32_t Ranks::deliver(Staging& staging, int64_t call, int64_t rows,
                       std::span<const int64_t> places, std::span<dz_rank_delivered> all,
                       OwnPlaces own) {
  dz_context& context = staging.context();
  *own.total = 0;
  int64_t row_bytes = 0;
  for (const dz_rank_delivered& one : all) {
    row_bytes += one.row_bytes;
  }
  std::vector<ValuesDelivered> values =
      look_at_values(staging, all, static_cast<int64_t>(places.size()));
  if (!several()) {
    const SortedPlaces sorted = sort_places(places, rows, 1);
    const int32_t status = make_room(staging, sorted.rows, all, values, own);
    if (status != DZ_OK) {
      return status;
    }
    unpack_values(values, sorted.rows.size(), pack_values(values, sorted, row_bytes).data(),
                  row_bytes);
    return staging.store();
  }
  const int32_t same = compare(context, Collective::deliver, rows * row_bytes);
  if (same != DZ_OK) {
    return same;
  }
  RequestPlan& plan = requests_[{place_, call}];
  int64_t bytes = 0;
  int failed = renew_plan(plan, places, rows, sort_places, bytes);
  if (failed == 0) {
    const int32_t status = make_room(staging, plan.wanted, all, values, own);
    if (status != DZ_OK) {
      return status;
    }
    const std::vector<char> out = pack_values(values, plan.asked, row_bytes);
    std::vector<char> in(plan.wanted.size() * static_cast<size_t>(row_bytes));
    const std::vector<int64_t> to = scaled(plan.asked.count, row_bytes);
    const std::vector<int64_t> from = scaled(plan.given, row_bytes);
    failed = wait_in(&dz_rank_messages::exchange, out.data(), to.data(), in.data(), from.data());
    unpack_values(values, plan.wanted.size(), in.data(), row_bytes);
  }
  note(Collective::deliver, bytes + to_others(plan.asked.count, row_bytes));
  return failed != 0 ? checked(context, failed) : staging.store();
}

}  // namespace dagaz::runtime

using namespace dagaz::runtime;

int32_t dz_rank_deliver(dz_context* context, int64_t call, int64_t rows, int64_t count,
                        dz_block* places, int64_t offset, int32_t arrays,
                        dz_rank_delivered* delivered, int64_t* total, dz_block** own) {
  Staging staging(*context);
  const char* asked = staging.look(*places, offset, count * int64_t{sizeof(int64_t)});
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  const std::span<dz_rank_delivered> all{delivered, static_cast<size_t>(arrays)};
  return context->ranks.deliver(staging, call, rows, places_in(asked, count), all, {total, own});
}
