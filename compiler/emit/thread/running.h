// Running values of reductions and scans within one thread.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// The values of an operator's accumulators inside a loop; `next` is where a combination of array
/// values is computed.
struct Running {
  const ir::Lambda* op;
  bool positionwise;
  std::vector<Value> values;
  std::vector<Destination> next;
};
std::vector<Value> running_values(const std::vector<Running>& running);
bool has_arrays(const std::vector<Running>& running);

Running start_running(Context& c, const ir::Lambda& op, const std::vector<Operand>& neutral,
                      const std::vector<Destination>& destinations);
void combine(Context& c, const Running& running, const std::vector<Value>& values);
void set_running(Context& c, const Running& running, const std::vector<Value>& results);
std::vector<Running> start_scans(Context& c, const std::vector<ir::ScanOperator>& scans);
/// Combines the values from `position` on into all of `running`; the position after them.
std::size_t combine_all(Context& c, const std::vector<Running>& running,
                        const std::vector<Value>& values, std::size_t position);
std::vector<Running> start_reductions(Context& c, const std::vector<ir::ReduceOperator>& operators);
void load_running(Context& c, const std::vector<Running>& running, const std::vector<Place>& slots,
                  const std::vector<Operand>& point);

}  // namespace dagaz::emit
