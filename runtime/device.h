// The interface to a device, named after what the language needs.  Three devices implement it:
// cpu (ordinary memory), sim (a GPU without a GPU) and cuda.  A device reports problems to the
// context that owns it and returns a dz_status; it never throws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "abi.h"

struct dz_rank_messages;

namespace dagaz::runtime {

class DirectMessages;  // ranks/direct.h

/// One kernel launch; see dz_launch.
struct Launch {
  int32_t kernel_index;
  const dz_kernel* kernel;
  int64_t grid;
  int32_t block;
  int32_t shared_bytes;
  void** arguments;
  const char* position;  // in the source
  int64_t moved;         // bytes of its arrays that it touches
};

/// Bytes of the device, and where on the host they are wanted.
struct Read {
  const void* source;
  int64_t bytes;
  void* host;
};

/// Bytes of the host, and where on the device they are wanted.
struct Write {
  void* target;
  int64_t bytes;
  const void* host;
};

/// The lower `bytes`, 1, 2 or 4, of a word.
struct Pattern {
  uint32_t word = 0;
  int32_t bytes = 1;

  /// Again and again, to memory of the host.
  void write(void* target, int64_t size) const;
};

/// Pieces of memory, each `stride` bytes after the one before.
struct Lines {
  char* data;
  int64_t count;
  int64_t stride;
  int64_t bytes;  // of each

  int64_t total() const { return count * bytes; }
  bool are_together() const { return count <= 1 || bytes == 0 || stride == bytes; }
};

class Device {
 public:
  virtual ~Device() = default;

  /// Whether its memory is the host's, and everything is done when it has been asked for.
  virtual bool is_host() const { return false; }

  /// Memory aligned to 64 bytes.  On failure returns DZ_OUT_OF_MEMORY and reports nothing: the
  /// pool gives cached memory back and tries again first.
  virtual int32_t allocate(int64_t bytes, void** out) = 0;
  virtual void release(void* data, int64_t bytes) = 0;
  /// Addresses for `bytes`, of which `used` from `first` on have memory, the others when `use_all`
  /// is called; failures as of `allocate`.  They are given back by `release_reserved`.
  virtual int32_t reserve(int64_t bytes, int64_t first, int64_t used, void** out);
  virtual int32_t use_all(void* data, int64_t bytes);
  virtual void release_reserved(void* data, int64_t bytes);
  /// Whether work that comes again is quicker where its memory lies where it lay.
  virtual bool repeats_work() const { return false; }
  /// Of how many bytes the pieces are that small blocks are better cut from; 0: each is better
  /// allocated alone.
  virtual int64_t slab_bytes() const { return 0; }

  /// Waits for the device, once; reports failures of earlier kernels.
  virtual int32_t read(std::span<const Read> reads) = 0;
  virtual int32_t write(void* target, int64_t bytes, const void* host) = 0;
  virtual int32_t copy(void* target, const void* source, int64_t bytes) = 0;
  /// Memory of the host, aligned to 64 bytes, that is quickly copied to and from; null where there
  /// is none.  It is given back when nothing of the device uses it any more.
  virtual void* take_host_memory(int64_t bytes);
  virtual void give_host_memory(void* data);
  /// From such memory, which stays as it is until the device has been waited for.
  virtual int32_t write_later(std::span<const Write> writes);
  /// Between as many lines.
  virtual int32_t copy_lines(const Lines& target, const Lines& source);
  /// How ranks send each other memory of such devices by a library for these alone: all of them
  /// call it.  Null where they cannot, and why.
  virtual std::unique_ptr<DirectMessages> connect(const dz_rank_messages& ranks,
                                                  std::string& problem);
  /// Lets another library use its memory, after everything that was asked for.
  virtual int32_t lend_memory(const std::function<void()>& use);
  /// Sets memory to `pattern` again and again.
  virtual int32_t fill(void* target, int64_t bytes, const Pattern& pattern) = 0;
  int32_t clear(void* target, int64_t bytes) { return fill(target, bytes, {}); }
  virtual int32_t launch(const Launch& launch) = 0;
  virtual int32_t synchronise() = 0;
  /// Everything that was asked for is under way, or has failed to start.
  virtual int32_t submit() { return DZ_OK; }

  /// The application has the address of memory that is used here: from now on its own work and the
  /// device's take turns, at the ends of calls.
  virtual void share_memory() {}
  /// A call of the application has ended.
  virtual void end_call() {}

  virtual int64_t property(int32_t property) const = 0;
  /// Bytes that a context may use when the user sets no cap; 0 when unknown.
  virtual int64_t memory_limit() const = 0;
  /// Called for every block the pool hands out and takes back; sim checks accesses against them.
  virtual void block_created(const dz_block&) {}
  virtual void block_destroyed(const dz_block&) {}
};

/// The device of the context's program, or null after reporting why there is none.
std::unique_ptr<Device> make_device(dz_context& context);

/// Makers of the single devices; null after reporting.
std::unique_ptr<Device> make_cpu_device(dz_context& context);
std::unique_ptr<Device> make_cuda_device(dz_context& context);

/// Byte arithmetic on device addresses, which are not always host addresses.
inline void* advance(void* address, int64_t bytes) {
  return static_cast<char*>(address) + bytes;
}
inline const void* advance(const void* address, int64_t bytes) {
  return static_cast<const char*>(address) + bytes;
}

}  // namespace dagaz::runtime

/// Defined by the library dagaz_runtime_sim, which alone needs Boost.Context.  The reference is
/// weak, so that programs for the other targets link without it.
extern "C" __attribute__((weak)) dagaz::runtime::Device* dz_make_sim_device(dz_context* context);
