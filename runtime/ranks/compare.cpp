// What ranks are about to do, compared before they do it: ranks that do different things would wait
// for each other for ever, or take bytes for what they are not.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "context.h"
#include "handles.h"
#include "memory_pool.h"
#include "ranks/ranks.h"
#include "ranks/staging.h"

namespace dagaz::runtime {

namespace {

/// What one rank is about to do.
struct Intent {
  int64_t kind;
  int64_t size;
  uint64_t mark;  // of what else must be the same
  std::array<char, 112> place;  // as text, cut off where it is longer

  bool operator==(const Intent&) const = default;
  std::string text() const {
    std::string said(collective_names[static_cast<size_t>(kind)]);
    if (size > 0) {
      said += " of " + std::to_string(size) + " bytes";
    }
    return said + ", " + place.data();
  }
};

/// What an argument has.
struct Look {
  const char* data;
  int64_t bytes;
};

std::array<char, 320> waiting_text;

/// A number that differs where bytes do, nearly always (FNV-1a).
uint64_t marked(uint64_t mark, const void* data, int64_t bytes) {
  const auto* next = static_cast<const unsigned char*>(data);
  for (int64_t i = 0; i < bytes; ++i) {
    mark = (mark ^ next[i]) * 0x100000001b3;
  }
  return mark;
}

/// "[3][4]f64".
std::string shape_text(const dz_array& array) {
  std::string text;
  for (int32_t i = 0; i < array.rank; ++i) {
    text += "[" + std::to_string(array.shape[i]) + "]";
  }
  return text + element_info(array.element).name;
}

void give_up(int) {
  const size_t length = std::strlen(waiting_text.data());
  const ssize_t written = write(STDERR_FILENO, waiting_text.data(), length);
  _exit(written < 0 ? 2 : 1);
}

/// What messages of so many bytes may take beyond what the ranks wait for each other.
int seconds_for(int64_t bytes) {
  constexpr int64_t slowest = 10'000'000;  // bytes a second
  return static_cast<int>(std::min<int64_t>(bytes / slowest, 1'000'000));
}

}  // namespace

Patience::Patience(int seconds) : seconds_(seconds) {
  if (seconds_ > 0) {
    before_ = std::signal(SIGALRM, give_up);
    alarm(static_cast<unsigned>(seconds_));
  }
}

Patience::~Patience() {
  if (seconds_ > 0) {
    alarm(0);
    std::signal(SIGALRM, before_);
  }
}

/// On other devices there are other versions of operations, and sums in another order: ranks would
/// take different turns.
int32_t Ranks::compare_devices(dz_context& context) {
  const Device& device = *context.device;
  if (!several() || device.is_host() || devices_compared_) {
    return DZ_OK;
  }
  devices_compared_ = true;
  using Facts = std::array<int64_t, 4>;
  const Facts own{device.property(DZ_MULTIPROCESSORS), device.property(DZ_RESIDENT_THREADS),
                  device.property(DZ_MAX_SHARED_BYTES), device.property(DZ_MAX_BLOCK_THREADS)};
  std::vector<Facts> all(static_cast<size_t>(size()));
  const std::vector<int64_t> sizes(all.size(), sizeof(Facts));
  const int status = wait_in(&dz_rank_messages::gather, own.data(), all.data(), sizes.data());
  if (status != 0) {
    return checked(context, status);
  }
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](const Facts& one) { return one != all.front(); });
  if (other == all.end()) {
    return DZ_OK;
  }
  const auto text = [&](const Facts& one) {
    return std::to_string(one[0]) + " multiprocessors for " + std::to_string(one[1]) +
           " threads, with " + std::to_string(one[2]) + " bytes that those of a block share";
  };
  devices_compared_ = false;
  return context.errors.report(
      DZ_ERROR, "Error: the ranks of the program have different devices:\n  rank 0: " +
                    text(all.front()) + "\n  rank " + std::to_string(other - all.begin()) + ": " +
                    text(*other));
}

int32_t Ranks::start_call(dz_context& context, const dz_entry& entry,
                          const std::vector<dz_leaf>& arguments) {
  const int32_t fitting = compare_devices(context);
  if (fitting != DZ_OK || !several() || check_seconds_ == 0) {
    return fitting;
  }
  std::string text = std::string(entry.name) + " of ";
  Staging staging(context);
  std::vector<Look> looks;
  uint64_t mark = 0xcbf29ce484222325;
  const dz_leaf* leaf = arguments.data();
  for (int32_t i = 0; i < entry.input_count; ++i) {
    const dz_type& type = context.program.types[entry.inputs[i].type];
    for (int32_t k = 0; k < type.leaf_count; ++k, ++leaf) {
      text += leaf == arguments.data() ? "" : ", ";
      if (type.leaves[k].rank == 0) {
        mark = marked(mark, &leaf->bits, sizeof leaf->bits);
        write_scalar(text, type.leaves[k].element, &leaf->bits);
        continue;
      }
      const dz_array& array = *leaf->array;
      text += shape_text(array);
      mark = marked(mark, array.shape, array.rank * static_cast<int64_t>(sizeof(int64_t)));
      if (static_cast<const PoolBlock*>(array.block)->split_rows == 0) {
        const int64_t bytes = element_bytes(array);
        const int64_t all = element_total(array) * bytes;
        looks.push_back({staging.look(*array.block, array.offset * bytes, all), all});
      }
    }
  }
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  for (const Look& one : looks) {
    mark = marked(mark, one.data, one.bytes);
  }
  const char* before = place_;
  place_ = text.c_str();
  const int32_t status = compare(context, Collective::call, 0, mark);
  place_ = before;
  settled_ = false;
  return status;
}

int32_t Ranks::compare(dz_context& context, Collective kind, int64_t size, uint64_t mark) {
  if (!several() || check_seconds_ == 0) {
    return DZ_OK;
  }
  Intent own{static_cast<int64_t>(kind), size, mark, {}};
  std::snprintf(own.place.data(), own.place.size(), "%s", place_);
  const auto wait_for = [&](int seconds) {
    patience_ = seconds;
    std::snprintf(waiting_text.data(), waiting_text.size(),
                  "Error: rank %lld has waited %d seconds for the others before: %s\n",
                  static_cast<long long>(index()), seconds, own.text().c_str());
  };
  wait_for(check_seconds_);
  std::vector<Intent> all(static_cast<size_t>(this->size()));
  const std::vector<int64_t> sizes(all.size(), sizeof(Intent));
  const int status = wait_in(&dz_rank_messages::gather, &own, all.data(), sizes.data());
  wait_for(check_seconds_ + seconds_for(size * this->size()));
  if (status != 0) {
    return checked(context, status);
  }
  if (std::all_of(all.begin(), all.end(), [&](const Intent& one) { return one == all.front(); })) {
    return DZ_OK;
  }
  settled_ = true;
  context.errors.take();
  std::string text = "Error: the ranks of the program are about to do different things:";
  for (size_t rank = 0; rank < all.size(); ++rank) {
    text += "\n  rank " + std::to_string(rank) + ": " + all[rank].text();
  }
  return context.errors.report(DZ_PROGRAM_ERROR, std::move(text));
}

}  // namespace dagaz::runtime
