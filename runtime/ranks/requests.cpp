// Each rank tells those who have the rows which of them it wants, and gets them: counts, places and
// rows, all to all.  Where a call asks again for what the last one at the same place of the program
// asked for, as the steps of a loop with a sparse matrix do, ranks agree on that and send the rows
// alone.
#include "ranks/requests.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "context.h"
#include "ranks/ranks.h"
#include "ranks/staging.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

/// After so many changes ranks do not ask any more whether there is another.
constexpr int most_changes = 2;

int64_t sum_of(const std::vector<int64_t>& all) {
  return std::accumulate(all.begin(), all.end(), int64_t{0});
}

std::vector<int64_t> first_rows(int64_t rows, int64_t ranks) {
  std::vector<int64_t> all;
  for (int64_t rank = 0; rank <= ranks; ++rank) {
    all.push_back(first_row(rank, ranks, rows));
  }
  return all;
}

bool is_row(int64_t place, int64_t rows) { return place >= 0 && place < rows; }

/// A mark for each row: a table as large as what is asked, at most twice.
SortedPlaces sort_once(std::span<const int64_t> places, int64_t rows, int64_t ranks) {
  SortedPlaces sorted{{}, {}, std::vector<int64_t>(places.size(), -1)};
  std::vector<int64_t> marks(static_cast<size_t>(rows), -1);
  for (const int64_t place : places) {
    if (is_row(place, rows)) {
      marks[static_cast<size_t>(place)] = 0;
    }
  }
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const auto before = static_cast<int64_t>(sorted.rows.size());
    for (int64_t row = first_row(rank, ranks, rows); row < first_row(rank + 1, ranks, rows);
         ++row) {
      int64_t& mark = marks[static_cast<size_t>(row)];
      if (mark < 0) {
        continue;
      }
      mark = static_cast<int64_t>(sorted.rows.size());
      sorted.rows.push_back(row);
    }
    sorted.count.push_back(static_cast<int64_t>(sorted.rows.size()) - before);
  }
  for (size_t k = 0; k < places.size(); ++k) {
    if (is_row(places[k], rows)) {
      sorted.slots[k] = marks[static_cast<size_t>(places[k])];
    }
  }
  return sorted;
}

}  // namespace

SortedPlaces sort_places(std::span<const int64_t> places, int64_t rows, int64_t ranks) {
  SortedPlaces sorted{{},
                      std::vector<int64_t>(static_cast<size_t>(ranks)),
                      std::vector<int64_t>(places.size(), -1)};
  const std::vector<int64_t> first = first_rows(rows, ranks);
  const auto owner = [&](int64_t row) {
    return static_cast<size_t>(std::upper_bound(first.begin(), first.end(), row) - first.begin()) -
           1;
  };
  for (const int64_t place : places) {
    if (is_row(place, rows)) {
      ++sorted.count[owner(place)];
    }
  }
  std::vector<int64_t> next(sorted.count.size());
  std::exclusive_scan(sorted.count.begin(), sorted.count.end(), next.begin(), int64_t{0});
  sorted.rows.resize(static_cast<size_t>(sum_of(sorted.count)));
  for (size_t k = 0; k < places.size(); ++k) {
    if (!is_row(places[k], rows)) {
      continue;
    }
    sorted.slots[k] = next[owner(places[k])]++;
    sorted.rows[static_cast<size_t>(sorted.slots[k])] = places[k];
  }
  return sorted;
}

SortedPlaces sort_requests(std::span<const int64_t> places, int64_t rows, int64_t ranks) {
  const auto count = static_cast<int64_t>(places.size());
  return rows / 2 <= count ? sort_once(places, rows, ranks) : sort_places(places, rows, ranks);
}

/// To each rank a number of its own, from each the same.
int Ranks::exchange_counts(const std::vector<int64_t>& to, std::vector<int64_t>& from) const {
  from.resize(to.size());
  const std::vector<int64_t> each(to.size(), sizeof(int64_t));
  return wait_in(&dz_rank_messages::exchange, to.data(), each.data(), from.data(), each.data());
}

/// Bytes that others get of what is sent to all.
int64_t Ranks::to_others(const std::vector<int64_t>& counts, int64_t bytes) const {
  return (sum_of(counts) - counts[static_cast<size_t>(index())]) * bytes;
}

int Ranks::make_plan(RequestPlan& plan, SortedPlaces asked, int64_t rows) {
  plan.asked = std::move(asked);
  int status = exchange_counts(plan.asked.count, plan.given);
  if (status != 0) {
    return status;
  }
  plan.wanted.resize(static_cast<size_t>(sum_of(plan.given)));
  const std::vector<int64_t> to = scaled(plan.asked.count, sizeof(int64_t));
  const std::vector<int64_t> from = scaled(plan.given, sizeof(int64_t));
  status = wait_in(&dz_rank_messages::exchange, plan.asked.rows.data(), to.data(),
                   plan.wanted.data(), from.data());
  for (int64_t& row : plan.wanted) {
    row -= first(rows);
  }
  return status;
}

/// Brings the plan up to the places now; how many bytes ranks have said for that.
int Ranks::renew_plan(RequestPlan& plan, std::span<const int64_t> places, int64_t rows,
                      PlaceSorter sort, int64_t& bytes) {
  int64_t changed = 1;
  if (!plan.given.empty() && plan.changes < most_changes) {
    const bool same = rows == plan.rows && std::equal(places.begin(), places.end(),
                                                      plan.places.begin(), plan.places.end());
    changed = same ? 0 : 1;
    bytes += static_cast<int64_t>(sizeof changed);
    const int status = wait_in(&dz_rank_messages::maximum, &changed);
    if (status != 0) {
      return status;
    }
    plan.changes = changed == 0 ? 0 : plan.changes + 1;
  }
  if (changed == 0) {
    return 0;
  }
  const bool will_ask = plan.changes < most_changes;
  plan.places.assign(places.begin(), will_ask ? places.end() : places.begin());
  plan.rows = rows;
  const int status = make_plan(plan, sort(places, rows, size()), rows);
  bytes += (size() - 1) * static_cast<int64_t>(sizeof(int64_t)) +
           to_others(plan.asked.count, sizeof(int64_t));
  return status;
}

/// Alone: no messages.
static RequestPlan plan_alone(std::span<const int64_t> places, int64_t rows) {
  RequestPlan plan;
  plan.asked = sort_places(places, rows, 1);
  plan.wanted = plan.asked.rows;
  return plan;
}

namespace {

/// One array on the host.
struct RowsRequested {
  int64_t row_bytes;
  StagedRows rows;
  char* answers;
};

/// The rows that others want, one after the other, each of all arrays.
std::vector<char> pack_rows(std::span<const RowsRequested> all,
                            const std::vector<int64_t>& wanted, int64_t row_bytes) {
  std::vector<char> packed(wanted.size() * static_cast<size_t>(row_bytes));
  char* at = packed.data();
  for (const RowsRequested& one : all) {
    for (size_t k = 0; k < wanted.size(); ++k) {
      copy_row(at + static_cast<int64_t>(k) * row_bytes, one.rows.row(k, wanted[k]), one.row_bytes);
    }
    at += one.row_bytes;
  }
  return packed;
}

void unpack_rows(std::span<const RowsRequested> all, const std::vector<int64_t>& slots,
                 const std::vector<char>& packed, int64_t row_bytes) {
  const char* from = packed.data();
  for (const RowsRequested& one : all) {
    char* to = one.answers;
    for (const int64_t slot : slots) {
      if (slot < 0) {
        std::memset(to, 0, static_cast<size_t>(one.row_bytes));
      } else {
        copy_row(to, from + slot * row_bytes, one.row_bytes);
      }
      to += one.row_bytes;
    }
    from += one.row_bytes;
  }
}

}  // namespace

/// The rows that others want, and room for the answers.
static int32_t fetch_rows(Staging& staging, std::span<dz_rank_requested> all,
                          const RequestPlan& plan, std::vector<RowsRequested>& rows) {
  const auto count = static_cast<int64_t>(plan.asked.slots.size());
  for (dz_rank_requested& one : all) {
    rows.push_back({one.row_bytes,
                    staging.look_at_rows(*one.block, one.offset, one.row_bytes, plan.wanted),
                    staging.fill(*one.answers, 0, count * one.row_bytes)});
  }
  return staging.fetch();
}

int32_t Ranks::request(Staging& staging, int64_t call, int64_t rows,
                       std::span<const int64_t> places, std::span<dz_rank_requested> all) {
  dz_context& context = staging.context();
  int64_t row_bytes = 0;
  for (dz_rank_requested& one : all) {
    row_bytes += one.row_bytes;
    const auto count = static_cast<int64_t>(places.size());
    const int32_t status = dz_allocate(&context, count * one.row_bytes, &one.answers);
    if (status != DZ_OK) {
      return status;
    }
  }
  std::vector<RowsRequested> arrays;
  if (!several()) {
    const RequestPlan plan = plan_alone(places, rows);
    const int32_t fetched = fetch_rows(staging, all, plan, arrays);
    if (fetched != DZ_OK) {
      return fetched;
    }
    unpack_rows(arrays, plan.asked.slots, pack_rows(arrays, plan.wanted, row_bytes), row_bytes);
    return staging.store();
  }
  const int32_t same = compare(context, Collective::request, rows * row_bytes);
  if (same != DZ_OK) {
    return same;
  }
  RequestPlan& plan = requests_[{place_, call}];
  int64_t bytes = 0;
  int status = renew_plan(plan, places, rows, sort_requests, bytes);
  if (status == 0) {
    const int32_t fetched = fetch_rows(staging, all, plan, arrays);
    if (fetched != DZ_OK) {
      return fetched;
    }
    const std::vector<char> out = pack_rows(arrays, plan.wanted, row_bytes);
    std::vector<char> in(plan.asked.rows.size() * static_cast<size_t>(row_bytes));
    const std::vector<int64_t> to = scaled(plan.given, row_bytes);
    const std::vector<int64_t> from = scaled(plan.asked.count, row_bytes);
    status = wait_in(&dz_rank_messages::exchange, out.data(), to.data(), in.data(), from.data());
    unpack_rows(arrays, plan.asked.slots, in, row_bytes);
  }
  note(Collective::request, bytes + to_others(plan.given, row_bytes));
  return status != 0 ? checked(context, status) : staging.store();
}

std::span<const int64_t> places_in(const char* bytes, int64_t count) {
  return {static_cast<const int64_t*>(static_cast<const void*>(bytes)), static_cast<size_t>(count)};
}

}  // namespace dagaz::runtime

using namespace dagaz::runtime;

int32_t dz_rank_request(dz_context* context, int64_t call, int64_t rows, int64_t count,
                        dz_block* asked, int64_t offset, int32_t arrays,
                        dz_rank_requested* requested) {
  Staging staging(*context);
  const char* places = staging.look(*asked, offset, count * int64_t{sizeof(int64_t)});
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  return context->ranks.request(staging, call, rows, places_in(places, count),
                                {requested, static_cast<size_t>(arrays)});
}
