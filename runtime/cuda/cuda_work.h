// Puts work on a stream.  Programs put the same sequences there again and again: the turns of a
// loop that swaps its memory, and all of a call that finds its memory where the last one did.  A
// sequence that is seen twice, work and arguments, becomes a graph of the driver.  From then on
// work that begins like a graph is withheld as long as it goes on like it: all of it is started at
// once when the graph is complete, and one by one when something else comes.  So nobody needs to
// know which loops repeat themselves, and what is started is always what was asked for, in that
// order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "cuda/cuda_stream.h"
#include "cuda/device_errors.h"
#include "cuda/work.h"
#include "cuda/work_graph.h"

namespace dagaz::runtime::cuda {

class CudaWork {
 public:
  CudaWork(DeviceErrors& errors, CudaStream& stream) : errors_(errors), stream_(stream) {}

  void open(CUcontext context);
  /// Nothing is under way.
  void close();

  /// The context is current in all of these.
  int32_t add(const Work& work, std::span<const uint64_t> arguments);
  /// Puts everything that is withheld on the stream, where the sequence ends.
  int32_t submit();
  bool begins_sequence() const { return sequence_.empty(); }
  /// Memory goes back to the driver, which resolves what copies and fills name when it makes a
  /// graph.
  void forget_graphs();
  /// As `add`, but now and alone, behind what is withheld.
  int32_t add_alone(const Work& work, std::span<const uint64_t> arguments);

  /// Whether kernels that may fail were started since the stream was last waited for.
  bool failures_possible() const { return failures_possible_; }
  /// The stream was waited for.
  void waited();

 private:
  struct Known {
    std::unique_ptr<WorkGraph> graph;
    uint64_t last_used;  // number of a sequence
  };

  bool goes_on(const Work& work, std::span<const uint64_t> arguments);
  int32_t withhold(const Work& work, std::span<const uint64_t> arguments);
  int32_t leave_graphs();
  int32_t start(WorkSequence& work, size_t first);
  int32_t start_one(WorkSequence& work, size_t index);
  int32_t start_graph(size_t index);
  bool ends_before(const Work& work) const;
  void end_sequence();
  bool was_seen(uint64_t hash);
  void make_graph();

  DeviceErrors& errors_;
  CudaStream& stream_;
  CUcontext context_ = nullptr;
  bool makes_graphs_ = false;
  bool failures_possible_ = false;

  WorkSequence sequence_;           // since it began; all of it is withheld, or on the stream
  size_t repeats_ = 0;              // work in the place of its first
  std::vector<size_t> candidates_;  // known graphs that begin with it, where it is withheld
  std::optional<size_t> complete_;  // the longest that it begins with
  uint64_t sequences_ = 0;          // how many have begun
  std::vector<Known> known_;
  std::vector<std::unique_ptr<WorkGraph>> replaced_;  // may be under way
  std::unordered_set<uint64_t> seen_;                 // hashes of sequences, the latest
  std::unordered_set<uint64_t> seen_before_;          // the last that were as many
};

}  // namespace dagaz::runtime::cuda
