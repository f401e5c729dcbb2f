#include "emit/thread/combine.h"

#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

bool has_arrays(const std::vector<Running>& running) {
  for (const Value& value : running_values(running)) {
    if (value.place) return true;
  }
  return false;
}

Operand is_inside(Context& c, const std::vector<Operand>& indices,
                  const std::vector<Operand>& shape) {
  Operand inside = ir::Constant(ir::make_bool(true));
  for (std::size_t k = 0; k < indices.size(); ++k) {
    // One unsigned comparison also refuses negative indices.
    const Operand ok = c.scalar(ScalarOp::ult, ScalarType::i64, {indices[k], shape[k]});
    inside = k == 0 ? ok : c.both(inside, ok);
  }
  return inside;
}

void combine_at(Context& c, const ir::Lambda& op, const std::vector<Place>& targets,
                const std::vector<Operand>& indices, const std::vector<Value>& values) {
  const ir::Lambda fresh = copy_of(c, op);
  const bool in_place = plan::is_positionwise(fresh, c.names());
  std::vector<Value> arguments;
  std::vector<Destination> destinations;
  std::vector<Place> parts;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const ir::Type& type = fresh.result_types[k];
    parts.push_back(part_at(c, targets[k], indices));
    if (type.is_scalar()) {
      arguments.push_back({load(c, parts[k], {}, type.element, "old"), type, std::nullopt});
      destinations.push_back(std::nullopt);
    } else {
      arguments.push_back({Operand(), type, parts[k]});
      destinations.push_back(in_place ? Destination(parts[k])
                                      : Destination(private_array(c, type, "combined")));
    }
  }
  arguments.insert(arguments.end(), values.begin(), values.end());
  emit_lambda(c, fresh, arguments, destinations, [&](const std::vector<Value>& results) {
    for (std::size_t k = 0; k < results.size(); ++k) write(c, parts[k], {}, results[k]);
  });
}

}  // namespace dagaz::emit
