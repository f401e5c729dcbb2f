// A GPU without a GPU: the device interface over ordinary memory, with kernels compiled for the
// CPU.  Kernels run at once, but their failures are kept in the failure word and reported by the
// next read or synchronisation, as on a real GPU.
//
// What GPU it is: the name that the context asks for (-d), else DZ_SIM_DEVICE, else `small`.
// Threads run in the order of a seed, which --sim-seed or DZ_SIM_SEED gives.  DZ_SIM_TURN=N lets
// other threads run before about one of N accesses to global memory, and stores arrive late;
// DZ_SIM_RACES=1 reports races in global memory.  Where a profile is made it says what each kernel
// asks of memory.
#include "sim/sim_device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "context.h"
#include "sim/block_scheduler.h"
#include "traces.h"

namespace dagaz::runtime::sim {

namespace {

/// What is asked of a GPU, and how many of its threads really run together.
struct Facts {
  const char* name;
  MemoryFacts memory;
  int32_t max_shared_bytes;
  int32_t threads_together;
};
// On the small one ordinary test sizes reach the code for large inputs.  Of an H100's 270 336
// threads enough run for blocks to look back past the 32 tiles that a warp sees at once.
constexpr Facts known_devices[] = {
    {"small", {4, 2048, 96 << 10, 1 << 20, 1e5}, 48 << 10, 1024},
    {"h100", {132, 2048, 256 << 10, 50 << 20, 3.35e6}, 227 << 10, 16384}};
constexpr int32_t max_block_threads = 1024;
constexpr uint64_t default_seed = 1;
// Fresh memory has this in every byte, so that using it uninitialised shows.
constexpr int poison = 0xcb;

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string wanted_device(const dz_context& context) {
  const char* named = std::getenv("DZ_SIM_DEVICE");
  if (!context.config.device.empty()) {
    return context.config.device;
  }
  return named != nullptr ? named : known_devices[0].name;
}

class SimDevice final : public Device {
 public:
  SimDevice(dz_context& context, const Facts& facts)
      : context_(context), facts_(facts),
        seed_(context.config.sim_seed.value_or(number_from("DZ_SIM_SEED", default_seed))),
        scheduler_(memory_, {seed_, facts.threads_together, number_from("DZ_SIM_TURN", 0),
                             number_from("DZ_SIM_RACES", 0) != 0}) {
    memory_.add(&failure_, sizeof failure_);
    if (context.program.trace_count > 0) {
      traces_.resize(static_cast<size_t>(trace_buffer_bytes) / sizeof(int64_t));
      failure_.traces = reinterpret_cast<dz_trace_buffer*>(traces_.data());
      failure_.traces->capacity = trace_buffer_words;
    }
  }

  int32_t allocate(int64_t bytes, void** out) override {
    *out = std::aligned_alloc(64, static_cast<size_t>(bytes));
    return *out == nullptr ? DZ_OUT_OF_MEMORY : DZ_OK;
  }
  void release(void* data, int64_t) override { std::free(data); }

  void give_host_memory(void* data) override {
    write_now();
    Device::give_host_memory(data);
  }

  int32_t read(std::span<const Read> reads) override {
    write_now();
    const int32_t status = synchronise();
    if (status == DZ_OK) {
      for (const Read& one : reads) {
        move(one.host, one.source, one.bytes);
      }
    }
    return status;
  }
  int32_t write(void* target, int64_t bytes, const void* host) override {
    write_now();
    return move(target, host, bytes);
  }
  /// As late as a GPU may read the host's memory.
  int32_t write_later(std::span<const Write> writes) override {
    late_.insert(late_.end(), writes.begin(), writes.end());
    return DZ_OK;
  }
  int32_t copy(void* target, const void* source, int64_t bytes) override {
    write_now();
    note("copy", bytes, bytes);
    return move(target, source, bytes);
  }
  int32_t fill(void* target, int64_t bytes, const Pattern& pattern) override {
    write_now();
    note("fill", 0, bytes);
    pattern.write(target, bytes);
    return DZ_OK;
  }
  int32_t launch(const Launch& launch) override;
  int32_t synchronise() override;
  int64_t property(int32_t property) const override;
  int64_t memory_limit() const override { return 0; }

  void block_created(const dz_block& block) override {
    const auto& one = static_cast<const PoolBlock&>(block);
    if (one.reserved) {
      memory_.add(advance(one.data, one.first_used), one.capacity);
      return;
    }
    memory_.add(block.data, block.bytes);
    // An adopted block holds the application's data; the pool's own has a capacity.
    if (one.capacity > 0) {
      std::memset(block.data, poison, static_cast<size_t>(block.bytes));
    }
  }
  void block_destroyed(const dz_block& block) override {
    write_now();
    memory_.remove(advance(block.data, static_cast<const PoolBlock&>(block).first_used));
  }

 private:
  void write_now() {
    for (const Write& one : late_) {
      move(one.target, one.host, one.bytes);
    }
    late_.clear();
  }
  static int32_t move(void* target, const void* source, int64_t bytes) {
    if (bytes > 0) {
      std::memmove(target, source, static_cast<size_t>(bytes));
    }
    return DZ_OK;
  }
  /// That memory of the device is read and written without a kernel.
  void note(const char* name, int64_t read, int64_t written) {
    if (context_.profile.active()) {
      context_.profile.add(name, 0,
                           "{\"memory_read_bytes\":" + std::to_string(read) +
                               ",\"memory_written_bytes\":" + std::to_string(written) + "}");
    }
  }
  int32_t check(const Launch& launch) const;
  int32_t report(const Launch& launch, const std::string& problem) const;
  void print_kernel_traces();

  dz_context& context_;
  const Facts& facts_;
  KnownMemory memory_;
  const uint64_t seed_;  // of the order of threads
  BlockScheduler scheduler_;
  dz_failure_word failure_{};
  std::vector<Write> late_;      // that nothing has waited for
  std::vector<int64_t> traces_;  // a dz_trace_buffer, or nothing
};

void SimDevice::print_kernel_traces() {
  dz_trace_buffer* const buffer = failure_.traces;
  if (buffer == nullptr || buffer->used == 0) {
    return;
  }
  const std::span<int64_t> words(buffer->words, static_cast<size_t>(used_words(*buffer)));
  print_traces(context_, *buffer, words);
  std::fill(words.begin(), words.end(), 0);
  buffer->used = 0;
  buffer->lost = 0;
}

int32_t SimDevice::report(const Launch& launch, const std::string& problem) const {
  std::string text = std::string("Error: kernel ") + launch.kernel->name;
  if (launch.kernel->position != nullptr && *launch.kernel->position != '\0') {
    text += std::string(" (") + launch.kernel->position + ")";
  }
  text += ": " + problem + " (threads in the order of --sim-seed=" + std::to_string(seed_) + ")";
  return context_.errors.report(DZ_ERROR, text);
}

/// What a GPU would refuse is refused here too.
int32_t SimDevice::check(const Launch& launch) const {
  if (launch.kernel->sim_function == nullptr) {
    return report(launch, "was not compiled for sim");
  }
  if (launch.block < 1 || launch.block > max_block_threads) {
    return report(launch, "cannot have " + std::to_string(launch.block) +
                              " threads in a block; the limit is " +
                              std::to_string(max_block_threads));
  }
  if (launch.grid > INT32_MAX) {
    return report(launch, "needs more blocks than a GPU can start");
  }
  if (launch.shared_bytes < 0 || launch.shared_bytes > facts_.max_shared_bytes) {
    return report(launch, "asks for " + std::to_string(launch.shared_bytes) +
                              " bytes of shared memory; the limit is " +
                              std::to_string(facts_.max_shared_bytes));
  }
  return DZ_OK;
}

static KernelTraffic traffic(const AccessCounts& counts) {
  const auto both = [](const Traffic& one) { return one.read + one.written; };
  return {both(counts.l1()), both(counts.l2()), both(counts.memory()),
          counts.memory_microseconds()};
}

int32_t SimDevice::launch(const Launch& launch) {
  const int32_t status = check(launch);
  if (status != DZ_OK) {
    return status;
  }
  dz_failure_word* failure = &failure_;
  std::vector<void*> arguments = {&failure};
  arguments.insert(arguments.end(), launch.arguments,
                   launch.arguments + launch.kernel->argument_count);
  write_now();
  std::optional<AccessCounts> counts;
  if (context_.profile.active()) {
    counts.emplace(facts_.memory, LaunchShape{launch.block, launch.grid, launch.shared_bytes});
  }
  const double start = now_microseconds();
  const bool fine = scheduler_.run({launch.kernel->sim_function, arguments.data(), launch.block,
                                    static_cast<int32_t>(launch.grid), launch.shared_bytes,
                                    &failure_.code, counts ? &*counts : nullptr});
  if (counts) {
    const double duration = now_microseconds() - start;
    context_.profile.add_kernel(launch, duration, traffic(*counts), counts->report());
  }
  return fine ? DZ_OK : report(launch, scheduler_.problem());
}

int32_t SimDevice::synchronise() {
  write_now();
  print_kernel_traces();
  if (failure_.code == 0) {
    return DZ_OK;
  }
  const dz_failure_word failure = failure_;
  failure_.code = 0;
  return dz_fail(&context_, failure.code - 1, std::clamp(failure.argument_count, 0, 8),
                 failure.arguments);
}

int64_t SimDevice::property(int32_t property) const {
  switch (property) {
    case DZ_MULTIPROCESSORS:
      return facts_.memory.multiprocessors;
    case DZ_MAX_BLOCK_THREADS:
      return max_block_threads;
    case DZ_MAX_SHARED_BYTES:
      return facts_.max_shared_bytes;
    case DZ_RESIDENT_THREADS:
      return facts_.memory.multiprocessors * facts_.memory.multiprocessor_threads;
    case DZ_WARP_SIZE:
      return warp_threads;
    default:
      return 0;
  }
}

}  // namespace

Device* make_device(dz_context& context) {
  const std::string wanted = wanted_device(context);
  std::string names;
  for (const Facts& facts : known_devices) {
    if (wanted == facts.name) {
      return new SimDevice(context, facts);
    }
    names += (names.empty() ? "`" : ", `") + std::string(facts.name) + "`";
  }
  context.errors.report(DZ_ERROR,
                        "no simulated GPU is called `" + wanted + "`; there are " + names);
  return nullptr;
}

}  // namespace dagaz::runtime::sim
