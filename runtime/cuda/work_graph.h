// A sequence of work as a graph of the driver, which starts all of it at once.
#pragma once

#include <memory>

#include "cuda/work.h"

namespace dagaz::runtime::cuda {

/// Destroyed when the stream has been waited for since it was last started.
class WorkGraph {
 public:
  /// Null where the driver cannot or will not.  The context is current.
  static std::unique_ptr<WorkGraph> make(const WorkSequence& work, CUcontext context);
  ~WorkGraph();
  WorkGraph(const WorkGraph&) = delete;
  WorkGraph& operator=(const WorkGraph&) = delete;

  CUresult start(CUstream stream) const;
  const WorkSequence& work() const { return work_; }

 private:
  explicit WorkGraph(const WorkSequence& work) : work_(work) {}

  WorkSequence work_;
  CUgraphExec executable_ = nullptr;
};

/// Whether the driver knows graphs.
bool has_graphs();

}  // namespace dagaz::runtime::cuda
