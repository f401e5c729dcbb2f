// NCCL, the library by which GPUs send each other their memory, without its header: the few types,
// and a table of functions that is filled from libnccl.so.2 when ranks first ask for it.  A machine
// without the library is not an error; it is a table with a reason why it is empty.
#pragma once

#include <cstddef>
#include <string>

#include "cuda/driver.h"

namespace dagaz::runtime::cuda {

using NcclResult = int;                     // ncclResult_t
using NcclCommunicator = struct ncclComm*;  // ncclComm_t

constexpr NcclResult nccl_success = 0;
constexpr int nccl_byte = 0;  // ncclDataType_t: ncclInt8

/// ncclUniqueId: what ranks find each other by.
struct NcclId {
  char bytes[128];
};

struct Nccl {
  NcclResult (*ncclGetVersion)(int* version) = nullptr;
  const char* (*ncclGetErrorString)(NcclResult result) = nullptr;
  NcclResult (*ncclGetUniqueId)(NcclId* id) = nullptr;
  NcclResult (*ncclCommInitRank)(NcclCommunicator* communicator, int ranks, NcclId id,
                                 int rank) = nullptr;
  NcclResult (*ncclCommDestroy)(NcclCommunicator communicator) = nullptr;
  NcclResult (*ncclCommAbort)(NcclCommunicator communicator) = nullptr;
  NcclResult (*ncclCommGetAsyncError)(NcclCommunicator communicator, NcclResult* error) = nullptr;
  NcclResult (*ncclGroupStart)() = nullptr;
  NcclResult (*ncclGroupEnd)() = nullptr;
  NcclResult (*ncclSend)(const void* data, size_t count, int type, int rank,
                         NcclCommunicator communicator, CUstream stream) = nullptr;
  NcclResult (*ncclRecv)(void* data, size_t count, int type, int rank,
                         NcclCommunicator communicator, CUstream stream) = nullptr;
  NcclResult (*ncclBroadcast)(const void* from, void* to, size_t count, int type, int root,
                              NcclCommunicator communicator, CUstream stream) = nullptr;
  NcclResult (*ncclAllGather)(const void* from, void* to, size_t count, int type,
                              NcclCommunicator communicator, CUstream stream) = nullptr;
  /// Why the library cannot be used; empty when it can.
  std::string problem;
};

/// The table of this process, filled on the first call and never changed.
const Nccl& nccl();

/// "NCCL 2.18.5".
std::string nccl_name();
/// "NCCL 2.18.5: unhandled system error".
std::string describe_nccl(NcclResult error);

}  // namespace dagaz::runtime::cuda
