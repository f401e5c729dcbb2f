// The state of flattening one program, shared by the files of this folder.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"
#include "passes/flatten/nest.h"
#include "passes/flatten/split.h"
#include "passes/passes.h"

namespace dagaz::passes::flattening {

class Flattener {
 public:
  Flattener(ir::Program& program, const FlattenOptions& options)
      : program_(program), names_(program.names), options_(options),
        splitter_(program.names, options.target) {}

  void run();

 private:
  using Out = std::vector<ir::Statement>;

  // ---- flatten.cpp: host code
  void flatten_body(ir::Body& body);
  void flatten_statement(ir::Statement statement, Out& out);
  void flatten_map(ir::Statement statement, ir::MapScanReduce e, Out& out);
  void flatten_histogram(ir::Statement statement, ir::Histogram e, Out& out);
  void flatten_scatter(ir::Statement statement, ir::Scatter e, Out& out);
  void flatten_nest(ir::Statement statement, Nest nest, PointBody point, Out& out);
  void flatten_points(ir::Statement statement, Nest nest, PointBody point, Out& out);
  bool is_invariant(const ir::Operand& width, const Nest& nest, const ir::Body& body) const;

  // ---- row_reductions.cpp
  void note_replicate(const ir::Statement& statement);
  std::optional<ir::ReduceOperator> over_elements(const ir::ReduceOperator& one,
                                                  std::size_t rank);
  void reduce_elements(Nest& nest, PointBody& point, std::vector<ir::ReduceOperator>& operators);

  // ---- rows.cpp
  bool is_of_rows(const ir::Statement& statement, const ir::NameSet& inside) const;
  bool writes_only_its_own(const ir::Body& body, std::size_t from) const;
  /// Where a body is cut, and what the first part gives the second beside results.
  struct Cut {
    std::size_t place;
    std::vector<ir::NameId> kept;
  };
  std::vector<ir::NameId> handed_on(const ir::Body& body, std::size_t place,
                                    const ir::NameSet& made) const;
  bool is_no_larger(const ir::Type& type, const Nest& nest, const ir::Body& body) const;
  std::optional<Cut> place_to_cut(const Nest& nest, const ir::Body& body) const;
  void cut(ir::Statement statement, Nest nest, PointBody point, const Cut& cut, Out& out);
  void emit_part(ir::Statement statement, Nest nest, PointBody point, Out& out);

  // ---- host_products.cpp
  std::vector<std::vector<ir::Operand>> products_for_host(const Nest& nest,
                                                          const PointBody& point) const;
  ir::Operand is_for_host(const Nest& nest, const std::vector<std::vector<ir::Operand>>& products,
                          ir::Builder& builder);
  void choose_host(ir::Statement statement, Nest nest, PointBody point,
                   const std::vector<std::vector<ir::Operand>>& products, Out& out);

  // ---- row_updates.cpp
  void replace_row_updates(ir::Body& body, const ir::NameSet& inside, Out& out);

  // ---- distribute.cpp
  bool is_regular(const ir::Type& type, const ir::NameSet& inside) const;
  bool is_parallel(const ir::Statement& statement, const ir::NameSet& inside) const;
  bool can_distribute(const ir::Body& body, ir::NameSet inside) const;
  bool can_distribute(const Nest& nest, const ir::Body& body) const;
  void emit_over(const Nest& nest, ir::Statement statement, Out& out);
  void emit_map(const Nest& nest, std::vector<ir::Statement> statements,
                const std::vector<ir::Operand>& values, std::vector<ir::Binder> results,
                ir::LocationId location, Out& out);
  void flush(Nest& nest, std::vector<ir::Statement>& run, const ir::NameSet& used_later,
             ir::LocationId location, Out& out);
  void distribute(Nest nest, ir::Body body, const std::vector<ir::Binder>& results,
                  ir::LocationId location, Out& out);
  std::size_t end_of_chain(const ir::Body& body, std::size_t begin,
                           const ir::NameSet& inside) const;
  PointBody part_of(ir::Body& body, std::size_t begin, std::size_t end,
                    const ir::NameSet& used_later) const;
  void choose_part(const Nest& nest, ir::Statement statement, PointBody point, Out& out);
  void distribute_statement(const Nest& nest, ir::Statement statement,
                            const std::vector<ir::Binder>& results, Out& out);
  void interchange_loop(const Nest& nest, ir::Loop loop, const std::vector<ir::Binder>& results,
                        ir::LocationId location, Out& out);

  // ---- versions.cpp
  void choose_version(ir::Statement statement, Nest nest, PointBody point, Out& out);

  // ---- host_calls.cpp: what calls functions with array results becomes loops
  bool calls_host(const ir::Body& body) const;
  void find_host_functions();
  void loop_over_host_calls(ir::Body& body);
  void emit_with_host_calls(ir::Statement statement, Out& out);
  template <typename Node>
  void take_map_off(Node& node, const ir::Statement& statement, Out& out);
  template <typename Operator>
  bool operators_call_host(const std::vector<Operator>& operators) const;

  // ---- host_loops.cpp
  void emit_host_loop(ir::Statement statement, ir::MapScanReduce e, Out& out);
  void emit_host_loop(ir::Statement statement, ir::Histogram e, Out& out);
  void emit_in_turn(const ir::Statement& statement, Out& out);

  // ---- host_accumulators.cpp
  void open_host_accumulators(ir::WithAccumulator& with, std::vector<ir::Binder>& results);
  void continue_host_accumulator(const ir::Operand& from, ir::NameId to);
  void enter_with_host_accumulators(ir::Operation& operation);
  void leave_with_host_accumulators(ir::Operation& operation,
                                    const std::vector<ir::Binder>& results);
  bool takes_host_accumulator(const ir::MapScanReduce& map) const;
  bool emit_host_accumulate(const ir::Statement& statement, const ir::Accumulate& e, Out& out);

  ir::Program& program_;
  ir::Names& names_;
  FlattenOptions options_;
  Splitter splitter_;
  std::vector<ir::Function> originals_;   // as they were before flattening
  std::set<std::string> host_functions_;  // with array results, or calling such
  std::unordered_map<ir::NameId, ir::Operand> replicated_;  // arrays of one value
  std::unordered_map<ir::NameId, ir::AccumulatorInput> host_accumulators_;  // by each of its names
  bool keeps_points_whole_ = false;  // since its products are small
};

}  // namespace dagaz::passes::flattening
