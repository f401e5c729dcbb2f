// The inside of a context and of its configuration.  A context owns its device, its memory, its
// threads and its errors; nothing in the runtime is global except thread-private scratch memory
// and the table of driver functions.
#pragma once

#include <cstdio>
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

struct dz_config {
  const dz_program* program = nullptr;
  bool debugging = false;
  bool profiling = false;
  bool logging = false;
  int num_threads = 0;
  int unified_memory = 0;
  int64_t memory_cap = 0;
  std::string cache_file;
  std::string device;                  // part of a name, or "#k"
  std::optional<std::string> gpu_code; // replaces dz_program.ptx
  std::map<int, int64_t> tuning;       // set parameters, by their index in dz_program
};

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
  // The device must outlive the pool, whose destructor gives memory back.
  std::unique_ptr<dagaz::runtime::Device> device;
  std::unique_ptr<dagaz::runtime::MemoryPool> pool;
  std::vector<dz_leaf> globals;

  /// One line of the running log, when logging is on.
  void log_line(const std::string& line);
};

namespace dagaz::runtime {

/// Serialises a call on a context and starts its error record afresh.
class Call {
 public:
  explicit Call(dz_context& context) : lock_(context.calls) { context.errors.begin_call(); }

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

/// Text for C callers: malloc'ed, null when memory is exhausted.
char* c_string(const std::string& text);

}  // namespace dagaz::runtime
