// Loading libnccl.so.2.  The library is never closed, as it has threads of its own.
#include "cuda/nccl.h"

#include <dlfcn.h>

namespace dagaz::runtime::cuda {

constexpr const char* library_name = "libnccl.so.2";

template <typename Function>
static void load_function(void* library, const char* symbol, Function& function,
                          std::string& problem) {
  // POSIX lets a data pointer from dlsym hold a function's address.
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr && problem.empty()) {
    problem = std::string(library_name) + " lacks " + symbol + ": NCCL is older than 2.7";
  }
}

static Nccl load_nccl() {
  Nccl table;
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    table.problem = std::string(library_name) + " could not be loaded (" +
                    (reason != nullptr ? reason : "no reason given") + ")";
    return table;
  }
  const auto load = [&](const char* symbol, auto& function) {
    load_function(library, symbol, function, table.problem);
  };
  load("ncclGetVersion", table.ncclGetVersion);
  load("ncclGetErrorString", table.ncclGetErrorString);
  load("ncclGetUniqueId", table.ncclGetUniqueId);
  load("ncclCommInitRank", table.ncclCommInitRank);
  load("ncclCommDestroy", table.ncclCommDestroy);
  load("ncclCommAbort", table.ncclCommAbort);
  load("ncclCommGetAsyncError", table.ncclCommGetAsyncError);
  load("ncclGroupStart", table.ncclGroupStart);
  load("ncclGroupEnd", table.ncclGroupEnd);
  load("ncclSend", table.ncclSend);
  load("ncclRecv", table.ncclRecv);
  load("ncclBroadcast", table.ncclBroadcast);
  load("ncclAllGather", table.ncclAllGather);
  return table;
}

const Nccl& nccl() {
  static const Nccl table = load_nccl();
  return table;
}

/// Up to 2.8 the number had a digit less for the minor one.
std::string nccl_name() {
  int version = 0;
  if (nccl().ncclGetVersion(&version) != nccl_success) {
    return "NCCL";
  }
  const int major = version < 10000 ? version / 1000 : version / 10000;
  const int minor = version / 100 % (version < 10000 ? 10 : 100);
  return "NCCL " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(version % 100);
}

std::string describe_nccl(NcclResult error) {
  const char* text = nccl().ncclGetErrorString(error);
  return nccl_name() + ": " + (text != nullptr ? text : std::to_string(error).c_str());
}

}  // namespace dagaz::runtime::cuda
