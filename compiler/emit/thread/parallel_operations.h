// Steps of parallel operations that run in one thread.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

std::vector<Value> elements_at(Context& c, const std::vector<NameId>& arrays, const Operand& index);
void histogram_step(Context& c, const std::vector<ir::HistogramOperator>& operators,
                    const std::vector<std::vector<Place>>& targets,
                    const std::vector<Value>& values);
void scatter_step(Context& c, const std::vector<ir::ScatterTarget>& targets,
                  const std::vector<Place>& places, const std::vector<Value>& values);

}  // namespace dagaz::emit
