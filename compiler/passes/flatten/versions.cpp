// Choosing at run time: sequential inside the points of a nest that fills the device, or
// distributed.  How many threads fill it is asked through a function of the program, which
// lowering replaces by the device's answer; its body is what the interpreter takes.
#include "ir/device_threads.h"
#include "ir/names.h"
#include "passes/flatten/flattener.h"

namespace dagaz::passes::flattening {

using namespace ir;

void Flattener::choose_version(Statement statement, Nest nest, PointBody point, Out& out) {
  Builder builder(names_);
  builder.set_location(statement.location);
  std::vector<Operand> extents;
  for (const SpaceDimension& dimension : nest.space) extents.push_back(dimension.extent);
  const NameId threads = builder.add(ask_device_threads(), "threads");
  const Operand fills =
      builder.scalar(ScalarOp::sle, ScalarType::i64, {threads, builder.product(extents)}, "fills");
  Branch branch{fills, {}, {}, {}};
  std::vector<Binder> distributed;
  Statement whole{{}, segmented_map(nest, point), {}, statement.location};
  for (const Binder& result : statement.results) {
    branch.result_types.push_back(names_.type(result.name));
    whole.results.push_back({names_.fresh_like(result.name)});
    distributed.push_back({names_.fresh_like(result.name)});
    branch.then_body.results.push_back(whole.results.back().name);
    branch.else_body.results.push_back(distributed.back().name);
  }
  branch.then_body.statements.push_back(renamed(whole, names_));
  distribute(std::move(nest), std::move(point.body), distributed, statement.location,
             branch.else_body.statements);
  for (Statement& one : builder.take()) out.push_back(std::move(one));
  statement.operation = std::move(branch);
  out.push_back(std::move(statement));
}

}  // namespace dagaz::passes::flattening
