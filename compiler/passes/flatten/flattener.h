// The state of flattening one program, shared by the files of this folder.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/program.h"
#include "passes/flatten/nest.h"
#include "passes/passes.h"

namespace dagaz::passes::flattening {

class Flattener {
 public:
  Flattener(ir::Program& program, const FlattenOptions& options)
      : program_(program), names_(program.names), options_(options) {}

  void run();

 private:
  using Out = std::vector<ir::Statement>;

  // ---- flatten.cpp: host code
  void flatten_body(ir::Body& body);
  void flatten_statement(ir::Statement statement, Out& out);
  void flatten_map(ir::Statement statement, ir::MapScanReduce e, Out& out);
  void flatten_histogram(ir::Statement statement, ir::Histogram e, Out& out);
  void flatten_scatter(ir::Statement statement, ir::Scatter e, Out& out);
  void split_map_and_scan(ir::Statement statement, ir::MapScanReduce e, Out& out);
  void split_scan_and_reduce(ir::Statement statement, ir::MapScanReduce e, Out& out);
  void flatten_nest(ir::Statement statement, Nest nest, PointBody point, Out& out);
  bool is_invariant(const ir::Operand& width, const Nest& nest, const ir::Body& body) const;

  // ---- flatmap.cpp
  void expand_flatmap(ir::Statement statement, ir::FlatMap e, Out& out);

  // ---- thread_calls.cpp: functions called inside segments get a sequential copy
  void redirect_calls();
  void redirect_calls(ir::Body& body, bool in_thread);
  void add_thread_copy(const std::string& function);

  ir::Program& program_;
  ir::Names& names_;
  FlattenOptions options_;
  std::vector<ir::Function> originals_;   // as they were before flattening
  std::set<std::string> thread_copies_;
};

}  // namespace dagaz::passes::flattening
