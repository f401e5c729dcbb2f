// Parallel operations that call functions with array results become loops of the host.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::flattening {

class HostCalls {
 public:
  explicit HostCalls(ir::Program& program);

  /// Of what a function of the program does.
  void become_loops(ir::Body& body);

 private:
  using Out = std::vector<ir::Statement>;

  // ---- host_calls.cpp: which do
  bool calls_host(const ir::Body& body) const;
  template <typename Operator>
  bool operators_call_host(const std::vector<Operator>& operators) const;
  void emit_with_host_calls(ir::Statement statement, Out& out);
  template <typename Node>
  void take_map_off(Node& node, const ir::Statement& statement, Out& out);

  // ---- host_loops.cpp: the loops
  void emit_host_loop(ir::Statement statement, ir::MapScanReduce e, Out& out);
  void emit_host_loop(ir::Statement statement, ir::Histogram e, Out& out);

  // ---- host_accumulators.cpp
  void open_host_accumulators(ir::WithAccumulator& with, std::vector<ir::Binder>& results);
  void continue_host_accumulator(const ir::Operand& from, ir::NameId to);
  void enter_with_host_accumulators(ir::Operation& operation);
  void leave_with_host_accumulators(ir::Operation& operation,
                                    const std::vector<ir::Binder>& results);
  bool takes_host_accumulator(const ir::MapScanReduce& map) const;
  bool emit_host_accumulate(const ir::Statement& statement, const ir::Accumulate& e, Out& out);

  ir::Names& names_;
  std::set<std::string> functions_;  // that need the host
  std::unordered_map<ir::NameId, ir::AccumulatorInput> host_accumulators_;  // by each of its names
};

}  // namespace dagaz::passes::flattening
