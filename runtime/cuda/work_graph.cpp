#include "cuda/work_graph.h"

namespace dagaz::runtime::cuda {

namespace {

/// Adds one piece of work behind `node`, which becomes its node.
CUresult add_node(CUgraph graph, WorkSequence& work, size_t index, CUcontext context,
                  CUgraphNode& node) {
  const Driver& table = driver();
  const Work& one = work[index];
  const CUgraphNode before = node;
  const size_t count = before == nullptr ? 0 : 1;
  switch (one.kind) {
    case Work::Kind::kernel: {
      const KernelNode kernel{
          one.function,         one.grid, 1, 1, one.block, 1, 1, one.shared_bytes,
          work.pointers(index), nullptr};
      return table.cuGraphAddKernelNode(&node, graph, &before, count, &kernel);
    }
    case Work::Kind::copy: {
      CopyNode copy;
      copy.source.kind = memory_of_device;
      copy.source.device = one.source;
      copy.target.kind = memory_of_device;
      copy.target.device = one.target;
      copy.bytes = one.count;
      return table.cuGraphAddMemcpyNode(&node, graph, &before, count, &copy, context);
    }
    case Work::Kind::fill: {
      const FillNode fill{one.target, 0, one.value, one.element_bytes, one.count, 1};
      return table.cuGraphAddMemsetNode(&node, graph, &before, count, &fill, context);
    }
  }
  return success;
}

}  // namespace

bool has_graphs() {
  const Driver& table = driver();
  return table.cuGraphCreate != nullptr && table.cuGraphDestroy != nullptr &&
         table.cuGraphAddKernelNode != nullptr && table.cuGraphAddMemcpyNode != nullptr &&
         table.cuGraphAddMemsetNode != nullptr && table.cuGraphInstantiateWithFlags != nullptr &&
         table.cuGraphExecDestroy != nullptr && table.cuGraphLaunch != nullptr;
}

std::unique_ptr<WorkGraph> WorkGraph::make(const WorkSequence& work, CUcontext context) {
  std::unique_ptr<WorkGraph> made(new WorkGraph(work));
  CUgraph graph = nullptr;
  CUresult result = driver().cuGraphCreate(&graph, 0);
  if (result != success) {
    return nullptr;
  }
  CUgraphNode node = nullptr;
  for (size_t i = 0; result == success && i < work.size(); ++i) {
    result = add_node(graph, made->work_, i, context, node);
  }
  if (result == success) {
    result = driver().cuGraphInstantiateWithFlags(&made->executable_, graph, 0);
  }
  driver().cuGraphDestroy(graph);
  return result == success ? std::move(made) : nullptr;
}

WorkGraph::~WorkGraph() {
  if (executable_ != nullptr) {
    driver().cuGraphExecDestroy(executable_);
  }
}

CUresult WorkGraph::start(CUstream stream) const {
  return driver().cuGraphLaunch(executable_, stream);
}

}  // namespace dagaz::runtime::cuda
