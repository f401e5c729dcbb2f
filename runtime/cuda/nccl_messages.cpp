#include "cuda/nccl_messages.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "context.h"

namespace dagaz::runtime::cuda {

namespace {

/// Whether none of the ranks has a problem.
bool agree(const dz_rank_messages& ranks, std::string& problem) {
  int64_t lacks = problem.empty() ? 0 : 1;
  if (ranks.maximum(ranks.communicator, &lacks) != 0) {
    lacks = 1;
  }
  if (lacks != 0 && problem.empty()) {
    problem = "another rank cannot use NCCL";
  }
  return lacks == 0;
}

/// NCCL takes one rank a GPU.  It tells only those that share one, and others wait for them.
bool share_devices(const dz_rank_messages& ranks, const DeviceId& own) {
  std::vector<DeviceId> all(static_cast<size_t>(ranks.size));
  const std::vector<int64_t> sizes(all.size(), sizeof own);
  if (ranks.gather(ranks.communicator, &own, all.data(), sizes.data()) != 0) {
    return true;
  }
  const auto before = [](const DeviceId& a, const DeviceId& b) {
    return std::lexicographical_compare(std::begin(a.bytes), std::end(a.bytes),
                                        std::begin(b.bytes), std::end(b.bytes));
  };
  std::sort(all.begin(), all.end(), before);
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

/// What the first rank tells the others.
struct Introduction {
  NcclResult result = nccl_success;
  NcclId id{};
};

}  // namespace

std::unique_ptr<NcclMessages> NcclMessages::connect(const Place& place,
                                                    const dz_rank_messages& ranks,
                                                    std::string& problem) {
  problem = nccl().problem;
  DeviceId own{};
  if (problem.empty() && (driver().cuDeviceGetUuid == nullptr ||
                          driver().cuDeviceGetUuid(&own, place.device) != success)) {
    problem = "the NVIDIA driver does not tell GPUs apart";
  }
  if (!agree(ranks, problem)) {
    return nullptr;
  }
  if (share_devices(ranks, own)) {
    problem = "NCCL takes one rank a GPU, and some of them have the same";
    return nullptr;
  }
  const CurrentContext current(place.cuda_context);
  Introduction said;
  if (ranks.rank == 0) {
    said.result = nccl().ncclGetUniqueId(&said.id);
  }
  NcclCommunicator communicator = nullptr;
  if (ranks.broadcast(ranks.communicator, &said, sizeof said, 0) == 0 &&
      said.result == nccl_success) {
    said.result = nccl().ncclCommInitRank(&communicator, ranks.size, said.id, ranks.rank);
  }
  if (said.result != nccl_success) {
    problem = describe_nccl(said.result);
  }
  if (!agree(ranks, problem)) {
    if (said.result == nccl_success && communicator != nullptr) {
      nccl().ncclCommAbort(communicator);
    }
    return nullptr;
  }
  return std::make_unique<NcclMessages>(place, ranks.rank, communicator);
}

/// After a failure nobody waits for other ranks.
NcclMessages::~NcclMessages() {
  const CurrentContext current(place_.cuda_context);
  if (failed_ || place_.errors.lost()) {
    nccl().ncclCommAbort(communicator_);
    return;
  }
  place_.work.submit();
  driver().cuStreamSynchronize(place_.stream.handle());
  nccl().ncclCommDestroy(communicator_);
}

/// Puts operations on the stream, all at once, as those of one rank wait for those of another.
template <typename Operations>
int32_t NcclMessages::start(const Operations& operations) {
  int32_t status = place_.errors.usable();
  if (status != DZ_OK) {
    return status;
  }
  const CurrentContext current(place_.cuda_context);
  status = place_.work.submit();
  if (status == DZ_OK) {
    status = place_.stream.begin_work();
  }
  if (status != DZ_OK) {
    return status;
  }
  const Nccl& table = nccl();
  NcclResult result = nccl_success;
  const NcclResult asked = table.ncclCommGetAsyncError(communicator_, &result);
  result = asked != nccl_success ? asked : result;
  if (result == nccl_success) {
    result = table.ncclGroupStart();
  }
  if (result == nccl_success) {
    result = operations(place_.stream.handle());
    const NcclResult ended = table.ncclGroupEnd();
    result = result != nccl_success ? result : ended;
  }
  if (result == nccl_success) {
    return DZ_OK;
  }
  failed_ = true;
  return place_.context.errors.report(
      DZ_ERROR, "Error: messages between GPUs failed: " + describe_nccl(result));
}

int32_t NcclMessages::move(std::span<const dz_rank_message> to,
                           std::span<const dz_rank_message> from) {
  return start([&](CUstream stream) {
    NcclResult result = nccl_success;
    for (const dz_rank_message& one : to) {
      if (result == nccl_success) {
        result = nccl().ncclSend(one.data, static_cast<size_t>(one.bytes), nccl_byte, one.rank,
                                 communicator_, stream);
      }
    }
    for (const dz_rank_message& one : from) {
      if (result == nccl_success) {
        result = nccl().ncclRecv(one.data, static_cast<size_t>(one.bytes), nccl_byte, one.rank,
                                 communicator_, stream);
      }
    }
    return result;
  });
}

/// Parts of different sizes are as many broadcasts.
NcclResult NcclMessages::gather_parts(char* whole, std::span<const int64_t> sizes,
                                      CUstream stream) const {
  const auto bytes = static_cast<size_t>(sizes[static_cast<size_t>(rank_)]);
  if (std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end()) {
    const char* own = whole + static_cast<size_t>(rank_) * bytes;
    return bytes == 0 ? nccl_success
                      : nccl().ncclAllGather(own, whole, bytes, nccl_byte, communicator_, stream);
  }
  NcclResult result = nccl_success;
  for (size_t rank = 0; rank < sizes.size() && result == nccl_success; ++rank) {
    if (sizes[rank] > 0) {
      result = nccl().ncclBroadcast(whole, whole, static_cast<size_t>(sizes[rank]), nccl_byte,
                                    static_cast<int>(rank), communicator_, stream);
    }
    whole += sizes[rank];
  }
  return result;
}

int32_t NcclMessages::gather(void* whole, std::span<const int64_t> sizes) {
  return start([&](CUstream stream) {
    return gather_parts(static_cast<char*>(whole), sizes, stream);
  });
}

}  // namespace dagaz::runtime::cuda
