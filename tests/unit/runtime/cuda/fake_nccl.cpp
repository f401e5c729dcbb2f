// A stand-in for libnccl.so.2 over the stand-in for the driver: it keeps what one rank sends, and
// says for all others what comes.  Nothing happens before a group ends and the stream comes to it.
#include "fake_nccl.h"

#include <cstring>
#include <functional>
#include <vector>

#include "cuda/nccl.h"
#include "fake_objects.h"

using namespace dagaz::runtime::cuda;

namespace dagaz::runtime::cuda {
struct ncclComm {
  int ranks;
  int rank;
};
}  // namespace dagaz::runtime::cuda

extern "C" FakeNcclState fake_nccl_state;
FakeNcclState fake_nccl_state;

namespace {

constexpr NcclResult invalid_usage = 5;

struct Group {
  bool open = false;
  std::vector<std::function<void()>> work;
  CUstream stream = nullptr;
};
Group group;

FakeNcclState& state() { return fake_nccl_state; }

NcclResult add(const void* data, size_t bytes, int type, CUstream stream,
               std::function<void()> work) {
  const fake_cuda::Lock lock(fake_cuda::everything());
  const bool usable = group.open && type == nccl_byte &&
                      fake_cuda::inside(reinterpret_cast<CUdeviceptr>(data), bytes);
  if (!usable) {
    ++state().misuses;
    return invalid_usage;
  }
  group.stream = stream;
  group.work.push_back(std::move(work));
  return nccl_success;
}

void keep(std::vector<FakePiece>& pieces, int rank, const void* data, size_t bytes) {
  pieces.push_back({rank, std::string(static_cast<const char*>(data), bytes)});
}

void receive(int rank, void* data, size_t bytes) {
  const int64_t word = state().next_word++;
  for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
    std::memcpy(static_cast<char*>(data) + i, &word, sizeof word);
  }
  keep(state().received, rank, data, bytes);
}

}  // namespace

extern "C" {

NcclResult ncclGetVersion(int* version) {
  *version = 21805;
  return nccl_success;
}
const char* ncclGetErrorString(NcclResult) { return "a stand-in's error"; }
NcclResult ncclGetUniqueId(NcclId* id) {
  *id = {"here"};
  return nccl_success;
}
NcclResult ncclCommInitRank(NcclCommunicator* communicator, int ranks, NcclId id, int rank) {
  const NcclResult failure = fake_cuda::take_failure(state().fail_next_init);
  if (failure != nccl_success || std::strcmp(id.bytes, "here") != 0 ||
      fake_cuda::needs_context() != success) {
    return failure != nccl_success ? failure : invalid_usage;
  }
  ++state().communicators;
  *communicator = new ncclComm{ranks, rank};
  return nccl_success;
}
NcclResult ncclCommDestroy(NcclCommunicator communicator) {
  --state().communicators;
  delete communicator;
  return nccl_success;
}
NcclResult ncclCommAbort(NcclCommunicator communicator) {
  ++state().aborted;
  return ncclCommDestroy(communicator);
}
NcclResult ncclCommGetAsyncError(NcclCommunicator, NcclResult* error) {
  *error = state().async_error;
  return nccl_success;
}

NcclResult ncclGroupStart() {
  group.open = true;
  return nccl_success;
}
NcclResult ncclGroupEnd() {
  ++state().groups;
  for (std::function<void()>& one : group.work) {
    fake_cuda::queue(group.stream, std::move(one));
  }
  group = {};
  return nccl_success;
}
#ifndef FAKE_OLD_NCCL
NcclResult ncclSend(const void* data, size_t count, int type, int rank, NcclCommunicator,
                    CUstream stream) {
  const NcclResult failure = fake_cuda::take_failure(state().fail_next_send);
  return failure != nccl_success ? failure : add(data, count, type, stream, [=] {
    keep(state().sent, rank, data, count);
  });
}
#endif
NcclResult ncclRecv(void* data, size_t count, int type, int rank, NcclCommunicator,
                    CUstream stream) {
  return add(data, count, type, stream, [=] { receive(rank, data, count); });
}
NcclResult ncclBroadcast(const void* from, void* to, size_t count, int type, int root,
                         NcclCommunicator communicator, CUstream stream) {
  return add(to, count, type, stream, [=, own = communicator->rank] {
    if (root == own) {
      keep(state().sent, root, from, count);
    } else {
      receive(root, to, count);
    }
  });
}
NcclResult ncclAllGather(const void* from, void* to, size_t count, int type,
                         NcclCommunicator communicator, CUstream stream) {
  ++state().gathers;
  const ncclComm all = *communicator;
  return add(to, count * static_cast<size_t>(all.ranks), type, stream, [=] {
    keep(state().sent, all.rank, from, count);
    for (int rank = 0; rank < all.ranks; ++rank) {
      if (rank != all.rank) {
        receive(rank, static_cast<char*>(to) + static_cast<size_t>(rank) * count, count);
      }
    }
  });
}

}  // extern "C"
