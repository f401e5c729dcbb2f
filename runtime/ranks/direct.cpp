#include "ranks/direct.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "context.h"
#include "ranks/ranks.h"

namespace dagaz::runtime {

namespace {

constexpr const char* variable = "DAGAZ_DIRECT_MESSAGES";

/// What is to carry direct messages, as the variable of the environment says it.
enum class Carrier : std::int64_t { nccl, mpi, off, first_found, unknown };
constexpr std::array<std::string_view, 3> carrier_names{"nccl", "mpi", "off"};

Carrier wanted_carrier() {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') {
    return Carrier::first_found;
  }
  const auto found = std::find(carrier_names.begin(), carrier_names.end(), text);
  return found == carrier_names.end() ? Carrier::unknown
                                      : static_cast<Carrier>(found - carrier_names.begin());
}

/// By an MPI that takes addresses of the device's memory.  It knows nothing of the order of the
/// device's work, which is waited for.
class MpiMessages final : public DirectMessages {
 public:
  MpiMessages(dz_context& context, const dz_rank_messages& ranks)
      : context_(context), ranks_(ranks) {}

  std::string name() const override { return "MPI"; }
  int32_t move(std::span<const dz_rank_message> to,
               std::span<const dz_rank_message> from) override {
    return lend([&] {
      return ranks_.send(ranks_.communicator, to.data(), static_cast<int32_t>(to.size()),
                         from.data(), static_cast<int32_t>(from.size()));
    });
  }
  int32_t gather(void* whole, std::span<const int64_t> sizes) override {
    return lend([&] { return ranks_.gather(ranks_.communicator, nullptr, whole, sizes.data()); });
  }

 private:
  template <typename Operation>
  int32_t lend(const Operation& operation) {
    int failure = 0;
    const int32_t status = context_.device->lend_memory([&] { failure = operation(); });
    return status != DZ_OK || failure == 0
               ? status
               : context_.errors.report(DZ_ERROR,
                                        std::string("Error: MPI cannot send memory of the device; "
                                                    "with ") +
                                            variable + "=off it goes by way of the host");
  }

  dz_context& context_;
  const dz_rank_messages& ranks_;
};

}  // namespace

/// Compares, and before the first time lets ranks find out what carries direct messages.
int32_t Ranks::start_moving(dz_context& context, Collective kind, int64_t size) {
  const int32_t same = compare(context, kind, size);
  const bool knows = connected_ || !several() || context.device->is_host();
  return same != DZ_OK || knows ? same : connect(context);
}

/// What the first rank wants counts for all.
int32_t Ranks::connect(dz_context& context) {
  auto wanted = wanted_carrier();
  void* const communicator = messages_->communicator;
  const int told = messages_->broadcast(communicator, &wanted, sizeof wanted, 0);
  if (told != 0) {
    return checked(context, told);
  }
  connected_ = true;
  std::string problem;
  if (wanted == Carrier::unknown) {
    return context.errors.report(DZ_ERROR,
                                 std::string("Error: ") + variable + " needs nccl, mpi or off");
  }
  if (wanted == Carrier::nccl || wanted == Carrier::first_found) {
    direct_ = context.device->connect(*messages_, problem);
  }
  if (direct_ == nullptr && wanted == Carrier::nccl) {
    return context.errors.report(DZ_ERROR,
                                 std::string("Error: ") + variable + "=nccl, but " + problem);
  }
  if (direct_ == nullptr && wanted != Carrier::off) {
    int64_t refuses = wanted == Carrier::mpi || messages_->takes_device_memory != 0 ? 0 : 1;
    const int status = messages_->maximum(communicator, &refuses);
    if (status != 0) {
      return checked(context, status);
    }
    if (refuses == 0) {
      direct_ = std::make_unique<MpiMessages>(context, *messages_);
    }
  }
  context.log_line("messages between devices: " +
                   (direct_ != nullptr ? "directly, by " + direct_->name()
                                       : "by way of the host" +
                                             (problem.empty() ? "" : "; " + problem)));
  return DZ_OK;
}

int32_t Ranks::move(std::span<const dz_rank_message> to, std::span<const dz_rank_message> from) {
  const Patience patience(patience_);
  return to.empty() && from.empty() ? DZ_OK : direct_->move(to, from);
}

int32_t Ranks::gather_directly(void* whole, std::span<const int64_t> sizes) {
  const Patience patience(patience_);
  return direct_->gather(whole, sizes);
}

}  // namespace dagaz::runtime
