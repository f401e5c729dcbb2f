// The state of flattening one program, shared by the files of this folder.
#pragma once

#include <vector>

#include "ir/program.h"
#include "passes/flatten/nest.h"
#include "passes/flatten/row_reductions.h"
#include "passes/flatten/rows.h"
#include "passes/flatten/split.h"
#include "passes/passes.h"

namespace dagaz::passes::flattening {

/// Sequential statements that follow one another in a body, some of whose ranges are computed.
struct Run {
  std::vector<ir::Statement> statements;
  ir::NameSet computed;
};

class Flattener {
 public:
  Flattener(ir::Program& program, const FlattenOptions& options)
      : program_(program), names_(program.names), options_(options),
        splitter_(program.names, options.target),
        row_reductions_(program.names, options.nested_operations) {}

  void run();

 private:
  using Out = std::vector<ir::Statement>;

  bool on_gpu() const { return options_.target == FlattenTarget::gpu; }

  // ---- flatten.cpp: host code
  void flatten_body(ir::Body& body);
  void flatten_statement(ir::Statement statement, Out& out);
  void flatten_map(ir::Statement statement, ir::MapScanReduce e, Out& out);
  void flatten_histogram(ir::Statement statement, ir::Histogram e, Out& out);
  void flatten_scatter(ir::Statement statement, ir::Scatter e, Out& out);
  void flatten_nest(ir::Statement statement, Nest nest, PointBody point, Out& out);
  void flatten_points(ir::Statement statement, Nest nest, PointBody point, Out& out);

  // ---- asserted_first.cpp
  bool assert_first(const ir::Statement& statement, const Nest& nest, PointBody& point, Out& out);

  // ---- cut.cpp
  bool cut_if_possible(ir::Statement& statement, Nest& nest, PointBody& point, Out& out);
  std::vector<ir::Statement> set_apart(const ir::Statement& one, const ir::Body& around);
  void cut(ir::Statement statement, Nest nest, PointBody point, const Cut& cut, Out& out);
  void emit_part(ir::Statement statement, Nest nest, PointBody point, Out& out);

  // ---- host_products.cpp
  bool choose_host(ir::Statement& statement, Nest& nest, PointBody& point, Out& out);
  void emit_in_turn(const ir::Statement& statement, Out& out);

  // ---- distribute.cpp
  void emit_over(const Nest& nest, ir::Statement statement, Out& out);
  void emit_map(const Nest& nest, std::vector<ir::Statement> statements,
                const std::vector<ir::Operand>& values, std::vector<ir::Binder> results,
                ir::LocationId location, Out& out);
  void flush(Nest& nest, Run& run, const ir::NameSet& used_later, ir::LocationId location,
             Out& out);
  void distribute(Nest nest, ir::Body body, const std::vector<ir::Binder>& results,
                  ir::LocationId location, Out& out);
  void choose_part(const Nest& nest, ir::Statement statement, PointBody point, Out& out);
  void distribute_statement(const Nest& nest, ir::Statement statement,
                            const std::vector<ir::Binder>& results, Out& out);
  void interchange_loop(const Nest& nest, ir::Loop loop, const std::vector<ir::Binder>& results,
                        ir::LocationId location, Out& out);

  // ---- choices.cpp
  void interchange_branch(const Nest& nest, ir::Branch branch,
                          const std::vector<ir::Binder>& results, ir::LocationId location,
                          Out& out);

  // ---- versions.cpp
  void choose_version(ir::Statement statement, Nest nest, PointBody point, Out& out);

  ir::Program& program_;
  ir::Names& names_;
  FlattenOptions options_;
  Splitter splitter_;
  RowReductions row_reductions_;
  std::vector<ir::Function> originals_;  // as they were before flattening
  bool keeps_points_whole_ = false;      // since its products are small
};

}  // namespace dagaz::passes::flattening
