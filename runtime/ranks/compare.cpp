// What ranks are about to do, compared before they do it: ranks that do different things would wait
// for each other for ever, or take bytes for what they are not.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "context.h"
#include "ranks/ranks.h"

namespace dagaz::runtime {

namespace {

/// What one rank is about to do.
struct Intent {
  int64_t kind;
  int64_t size;
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

std::array<char, 320> waiting_text;

void give_up(int) {
  const size_t length = std::strlen(waiting_text.data());
  const ssize_t written = write(STDERR_FILENO, waiting_text.data(), length);
  _exit(written < 0 ? 2 : 1);
}

}  // namespace

int32_t Ranks::compare(dz_context& context, Collective kind, int64_t size) {
  if (!several() || check_seconds_ == 0) {
    return DZ_OK;
  }
  Intent own{static_cast<int64_t>(kind), size, {}};
  std::snprintf(own.place.data(), own.place.size(), "%s", place_);
  std::snprintf(waiting_text.data(), waiting_text.size(),
                "Error: rank %lld has waited %d seconds for the others before: %s\n",
                static_cast<long long>(index()), check_seconds_, own.text().c_str());
  std::vector<Intent> all(static_cast<size_t>(this->size()));
  const std::vector<int64_t> sizes(all.size(), sizeof(Intent));
  const auto before = std::signal(SIGALRM, give_up);
  alarm(static_cast<unsigned>(check_seconds_));
  const int status = messages_->gather(messages_->communicator, &own, all.data(), sizes.data());
  alarm(0);
  std::signal(SIGALRM, before);
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
