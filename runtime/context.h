// The inside of a context and of its configuration.  A context owns its device, its memory, its
// threads and its errors; nothing in the runtime is global except thread-private scratch memory
// and the tables of functions of the driver and of NCCL.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abi.h"
#include "api.h"
#include "cpu/scheduler.h"
#include "device.h"
#include "errors.h"
#include "memory_pool.h"
#include "profile.h"
#include "ranks/ranks.h"
#include "ranks/staging.h"

struct dz_config {
  const dz_program* program = nullptr;
  bool debugging = false;
  bool profiling = false;
  bool logging = false;
  int num_threads = 0;
  int unified_memory = 0;
  int64_t memory_cap = 0;
  std::optional<void*> stream;         // the application's, on a GPU
  std::string cache_file;
  std::string device;                  // part of a name, or "#k"; or which version (versions.h)
  std::optional<uint64_t> sim_seed;    // else DZ_SIM_SEED says it, or nobody
  std::optional<std::string> gpu_code; // replaces dz_program.ptx
  std::map<int, int64_t> tuning;       // set parameters, by their index in dz_program
  const dz_rank_messages* ranks = nullptr;  // null: this process runs alone
  const dz_rank_messages* own_ranks = nullptr;  // the same, if they end with the configuration
  int check_ranks = 0;                      // seconds that they wait for each other; 0: no checks
};

namespace dagaz::runtime {

/// Memory for arrays of kernels' threads whose size the host does not know.
struct Arena {
  int64_t bytes;       // that a kernel gets
  bool asked = false;  // whether the call has used one
  int64_t lacked = 0;  // what a thread needed and did not get
};

}  // namespace dagaz::runtime

struct dz_context {
  explicit dz_context(const dz_config& config);

  const dz_config config;
  const dz_program& program;
  /// Held during every API call: calls on one context run one after another.  Recursive because
  /// an entry point's code calls the runtime again.
  std::recursive_mutex calls;
  dagaz::runtime::Errors errors;
  dagaz::runtime::Profile profile;
  dagaz::runtime::Scheduler scheduler;
  std::FILE* log = stderr;
  /// False when making the device or the constants failed.
  bool usable = false;
  // The device must outlive the pool and the staging memory, whose destructors give memory back.
  std::unique_ptr<dagaz::runtime::Device> device;
  std::unique_ptr<dagaz::runtime::MemoryPool> pool;
  std::unique_ptr<dagaz::runtime::StagingMemory> staging;
  std::vector<dz_leaf> globals;
  dagaz::runtime::Arena arena;
  dagaz::runtime::Ranks ranks;

  /// One line of the running log, when logging is on.
  void log_line(const std::string& line);
};

namespace dagaz::runtime {

/// Runs `call`, and again with a larger arena as long as that is what it fails for.  A call that
/// has used one is waited for; `drop` gives back the results of one that failed only then.
int32_t with_large_enough_arena(dz_context& context, const std::function<int32_t()>& call,
                                const std::function<void()>& drop);

/// Serialises a call on a context and starts its error record afresh.
class Call {
 public:
  explicit Call(dz_context& context) : context_(context), lock_(context.calls) {
    context.errors.begin_call();
  }
  ~Call() {
    if (context_.device != nullptr) {
      context_.device->end_call();
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  dz_context& context_;
  std::lock_guard<std::recursive_mutex> lock_;
};

/// Text for C callers: malloc'ed, null when memory is exhausted.
char* c_string(const std::string& text);

}  // namespace dagaz::runtime
