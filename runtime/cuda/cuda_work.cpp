#include "cuda/cuda_work.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dagaz::runtime::cuda {

namespace {

// A graph of few pieces of work takes as long to start as these.
constexpr size_t least_graph = 4;
// A sequence ends where a loop begins a turn, when it has this many; by then a graph has paid for
// itself, and the GPU has not waited long for what was withheld.
constexpr size_t wanted_sequence = 32;
// It ends here anyway.
constexpr size_t longest_sequence = 64;
constexpr size_t most_graphs = 64;
// Sequences, at least.
constexpr size_t remembered = 1024;
// A graph that is older than this many sequences gives its place to another.
constexpr uint64_t oldest_graph = 1024;
// The driver's rows are not longer.
constexpr size_t most_bytes = size_t{1} << 30;

}  // namespace

void CudaWork::open(CUcontext context) {
  context_ = context;
  makes_graphs_ = has_graphs();
}

void CudaWork::close() {
  known_.clear();
  replaced_.clear();
}

void CudaWork::forget_graphs() {
  for (Known& known : known_) {
    replaced_.push_back(std::move(known.graph));
  }
  known_.clear();
}

void CudaWork::waited() {
  failures_possible_ = false;
  replaced_.clear();
}

int32_t CudaWork::start_one(WorkSequence& work, size_t index) {
  const Work& one = work[index];
  const Driver& table = driver();
  switch (one.kind) {
    case Work::Kind::kernel: {
      errors_.starts(*one.kernel);
      failures_possible_ |= one.kernel->may_fail != 0;
      const CUresult result =
          table.cuLaunchKernel(one.function, one.grid, 1, 1, one.block, 1, 1, one.shared_bytes,
                               stream_.handle(), work.pointers(index), nullptr);
      return result == success
                 ? DZ_OK
                 : errors_.fail(result, "starting kernel " + description_of(*one.kernel) + " on " +
                                            std::to_string(one.grid) + " blocks of " +
                                            std::to_string(one.block) + " threads");
    }
    case Work::Kind::copy:
      return errors_.check(
          table.cuMemcpyDtoDAsync(one.target, one.source, one.count, stream_.handle()),
          "copying GPU memory");
    case Work::Kind::fill: break;
  }
  const CUresult result =
      one.element_bytes == 1
          ? table.cuMemsetD8Async(one.target, static_cast<unsigned char>(one.value), one.count,
                                  stream_.handle())
      : one.element_bytes == 2
          ? table.cuMemsetD16Async(one.target, static_cast<unsigned short>(one.value), one.count,
                                   stream_.handle())
          : table.cuMemsetD32Async(one.target, one.value, one.count, stream_.handle());
  return errors_.check(result, "filling GPU memory");
}

int32_t CudaWork::start(WorkSequence& work, size_t first) {
  int32_t status = first < work.size() ? stream_.begin_work() : DZ_OK;
  for (size_t i = first; status == DZ_OK && i < work.size(); ++i) {
    status = start_one(work, i);
  }
  return status;
}

int32_t CudaWork::start_graph(size_t index) {
  Known& known = known_[index];
  known.last_used = sequences_;
  const WorkSequence& work = known.graph->work();
  for (size_t i = 0; i < work.size(); ++i) {
    if (work[i].kind == Work::Kind::kernel) {
      errors_.starts(*work[i].kernel);
      failures_possible_ |= work[i].kernel->may_fail != 0;
    }
  }
  const int32_t status = stream_.begin_work();
  return status != DZ_OK
             ? status
             : errors_.check(known.graph->start(stream_.handle()), "starting a graph of kernels");
}

int32_t CudaWork::add_alone(const Work& work, std::span<const uint64_t> arguments) {
  const int32_t status = submit();
  WorkSequence alone;
  alone.add(work, arguments);
  return status != DZ_OK ? status : start(alone, 0);
}

int32_t CudaWork::add(const Work& work, std::span<const uint64_t> arguments) {
  if (work.count > most_bytes) {
    return add_alone(work, arguments);
  }
  if (goes_on(work, arguments)) {
    return withhold(work, arguments);
  }
  if (const int32_t status = leave_graphs(); status != DZ_OK) {
    return status;
  }
  if (ends_before(work)) {
    end_sequence();
    if (goes_on(work, arguments)) {
      return withhold(work, arguments);
    }
  }
  repeats_ += sequence_.empty() || work.same_place(sequence_[0]) ? 1 : 0;
  sequence_.add(work, arguments);
  return start(sequence_, sequence_.size() - 1);
}

/// Whether graphs that begin with the sequence go on with this; if so, the candidates are these.
bool CudaWork::goes_on(const Work& work, std::span<const uint64_t> arguments) {
  const size_t index = sequence_.size();
  if (index > 0 && candidates_.empty()) {
    return false;
  }
  std::vector<size_t> next;
  const auto look_at = [&](size_t known) {
    const WorkSequence& other = known_[known].graph->work();
    if (index < other.size() && other.is(index, work, arguments)) {
      next.push_back(known);
    }
  };
  if (index == 0) {
    for (size_t known = 0; known < known_.size(); ++known) {
      look_at(known);
    }
  } else {
    std::ranges::for_each(candidates_, look_at);
  }
  if (next.empty()) {
    return false;
  }
  candidates_ = std::move(next);
  return true;
}

/// Starts a graph that is complete, unless another goes on.
int32_t CudaWork::withhold(const Work& work, std::span<const uint64_t> arguments) {
  sequence_.add(work, arguments);
  for (const size_t known : candidates_) {
    if (known_[known].graph->work().size() == sequence_.size()) {
      complete_ = known;
    }
  }
  const bool is_last = complete_ && candidates_.size() == 1 && candidates_[0] == *complete_;
  return is_last ? leave_graphs() : DZ_OK;
}

/// Starts what is withheld: the longest graph that is complete, and the rest one by one.
int32_t CudaWork::leave_graphs() {
  if (candidates_.empty()) {
    return DZ_OK;
  }
  candidates_.clear();
  int32_t status = DZ_OK;
  if (complete_) {
    status = start_graph(*complete_);
    ++sequences_;
    sequence_ = sequence_.after(known_[*complete_].graph->work().size());
    complete_.reset();
  }
  repeats_ = 0;
  for (size_t i = 0; i < sequence_.size(); ++i) {
    repeats_ += sequence_[i].same_place(sequence_[0]) ? 1 : 0;
  }
  return status == DZ_OK ? start(sequence_, 0) : status;
}

int32_t CudaWork::submit() {
  const int32_t status = leave_graphs();
  end_sequence();
  return status;
}

/// A loop that swaps its memory is where it was after two turns.
bool CudaWork::ends_before(const Work& work) const {
  return sequence_.size() >= longest_sequence ||
         (sequence_.size() >= wanted_sequence && repeats_ % 2 == 0 &&
          work.same_place(sequence_[0]));
}

void CudaWork::end_sequence() {
  if (makes_graphs_ && sequence_.size() >= least_graph) {
    make_graph();
  }
  sequence_.clear();
  repeats_ = 0;
  ++sequences_;
}

/// Whether a sequence of this hash was remembered; now it is.  Hashes mix addresses, which differ
/// from run to run; so they are kept whole, and a program makes the same graphs in each run.
bool CudaWork::was_seen(uint64_t hash) {
  const bool was = seen_.contains(hash) || seen_before_.contains(hash);
  if (seen_.size() == remembered) {
    seen_before_ = std::exchange(seen_, {});
  }
  seen_.insert(hash);
  return was;
}

/// Of a sequence that was seen before.
void CudaWork::make_graph() {
  const bool was = was_seen(sequence_.hash());
  const auto is_it = [&](const Known& known) { return known.graph->work() == sequence_; };
  if (!was || std::ranges::any_of(known_, is_it)) {
    return;
  }
  const auto oldest = std::ranges::min_element(known_, {}, &Known::last_used);
  const bool full = known_.size() >= most_graphs;
  if (full && sequences_ - oldest->last_used <= oldest_graph) {
    return;  // more sequences take turns than are kept
  }
  std::unique_ptr<WorkGraph> graph = WorkGraph::make(sequence_, context_);
  if (graph == nullptr) {
    makes_graphs_ = false;
  } else if (full) {
    replaced_.push_back(std::move(oldest->graph));
    *oldest = {std::move(graph), sequences_};
  } else {
    known_.push_back({std::move(graph), sequences_});
  }
}

}  // namespace dagaz::runtime::cuda
