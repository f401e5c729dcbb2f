#include "passes/ad/loop_sizes.h"

#include <algorithm>

namespace dagaz::passes::ad {

using namespace ir;

NameSet varying_sizes(const Loop& loop, const Names& names) {
  NameSet parameters;
  for (const LoopValue& value : loop.values) parameters.insert(value.parameter.name);
  NameSet sizes;
  for (const LoopValue& value : loop.values) {
    for (const Operand& size : names.type(value.parameter.name).shape) {
      if (size.is_name() && parameters.count(size.name()) != 0) sizes.insert(size.name());
    }
  }
  return sizes;
}

bool has_varying_size(const Type& type, const NameSet& sizes) {
  return std::any_of(type.shape.begin(), type.shape.end(), [&](const Operand& size) {
    return size.is_name() && sizes.count(size.name()) != 0;
  });
}

}  // namespace dagaz::passes::ad
