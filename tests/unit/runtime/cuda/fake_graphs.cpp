// The graphs of the stand-in for libcuda.so.1: rows of work.
#include <cstring>
#include <utility>

#include "fake_objects.h"

#ifndef FAKE_NO_GRAPHS

using namespace dagaz::runtime::cuda;
using namespace fake_cuda;

namespace {

/// Behind the last node, whose number a node is.
CUresult add_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                  std::function<void()> work) {
  const Lock lock(everything());
  const size_t last = graph->work.size();
  if (count != (last == 0 ? 0 : 1) || (count == 1 && reinterpret_cast<size_t>(before[0]) != last)) {
    return invalid_value;
  }
  graph->work.push_back(std::move(work));
  *node = reinterpret_cast<CUgraphNode>(last + 1);
  return needs_context();
}

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned) {
  const Lock lock(everything());
  ++state().live_allocations;
  *graph = new CUgraph_st;
  return needs_context();
}
CUresult cuGraphDestroy(CUgraph graph) {
  const Lock lock(everything());
  --state().live_allocations;
  delete graph;
  return needs_context();
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              size_t count, const KernelNode* kernel) {
  return add_node(
      node, graph, before, count,
      kernel_work(kernel->function, kernel->grid_x, kernel->block_x, kernel->arguments));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CopyNode* copy, CUcontext context) {
  if (copy->source.kind != memory_of_device || copy->target.kind != memory_of_device ||
      copy->height != 1 || copy->depth != 1 || context != current.back()) {
    return invalid_value;
  }
  return add_node(
      node, graph, before, count,
      [source = copy->source.device, target = copy->target.device, bytes = copy->bytes] {
        if (inside(source, bytes) && inside(target, bytes)) {
          std::memmove(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source),
                       bytes);
        }
      });
}
CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              size_t count, const FillNode* fill, CUcontext context) {
  if (fill->height != 1 || context != current.back()) {
    return invalid_value;
  }
  return add_node(node, graph, before, count, [one = *fill] {
    if (inside(one.target, one.width * one.element_bytes)) {
      write_elements(one.target, one.value, one.element_bytes, one.width);
    }
  });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  const Lock lock(everything());
  if (state().fail_graphs != success) {
    return state().fail_graphs;
  }
  ++state().live_allocations;
  ++state().graphs_made;
  *executable = new CUgraphExec_st{graph->work};
  return needs_context();
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  const Lock lock(everything());
  --state().live_allocations;
  state().misuses += *executable->under_way == 0 ? 0 : 1;
  delete executable;
  return needs_context();
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  const Lock lock(everything());
  const CUresult failure = take_failure(state().fail_next_graph_launch);
  if (failure != success) {
    return failure;
  }
  ++state().graph_launches;
  ++*executable->under_way;
  return queue(stream, [work = executable->work, under_way = executable->under_way] {
    for (const std::function<void()>& one : work) {
      one();
    }
    --*under_way;
  });
}

}  // extern "C"

#endif
