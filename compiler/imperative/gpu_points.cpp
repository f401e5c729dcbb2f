// Kernels over a space of points: one thread per point.
#include "imperative/lowering.h"

namespace dagaz::imperative {

void Lowering::launch_points(const std::vector<Operand>& extents, std::string_view kernel,
                             const PointFunction& body) {
  static_cast<void>(extents);
  static_cast<void>(kernel);
  static_cast<void>(body);
  unsupported("GPU code");
}

Place Lowering::expanded_array(const ir::Type& type, NameId block) {
  static_cast<void>(type);
  static_cast<void>(block);
  unsupported("an array of this size inside a kernel");
}

void Lowering::gpu_reduce(const ir::Statement&, const ir::SegmentedReduce&) {
  unsupported("GPU reductions");
}
void Lowering::gpu_scan(const ir::Statement&, const ir::SegmentedScan&) {
  unsupported("GPU scans");
}
void Lowering::gpu_histogram(const ir::Statement&, const ir::SegmentedHistogram&) {
  unsupported("GPU histograms");
}

}  // namespace dagaz::imperative
