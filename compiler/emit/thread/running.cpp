#include "emit/thread/running.h"

#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"

namespace dagaz::emit {

Running start_running(Context& c, const ir::Lambda& op, const std::vector<Operand>& neutral,
                      const std::vector<Destination>& destinations) {
  Running running{&op, plan::is_positionwise(op, c.names()), {}, {}};
  for (std::size_t k = 0; k < neutral.size(); ++k) {
    const Value initial = value_of(c, neutral[k]);
    Value current{Operand(), op.result_types[k], std::nullopt};
    if (initial.place) {
      const bool wanted = k < destinations.size() && destinations[k];
      current.place = wanted ? *destinations[k] : private_array(c, current.type, "acc");
      copy(c, *current.place, *initial.place, current.type);
      running.next.push_back(running.positionwise ? *current.place
                                                  : private_array(c, current.type, "next"));
    } else {
      current.operand = c.mutable_variable("acc", current.type.element, initial.operand);
      running.next.push_back(std::nullopt);
    }
    running.values.push_back(std::move(current));
  }
  return running;
}

void combine(Context& c, const Running& running, const std::vector<Value>& values) {
  std::vector<Value> arguments = running.values;
  arguments.insert(arguments.end(), values.begin(), values.end());
  // The operator may stand at several places of the generated code: each gets names of its own.
  const ir::Lambda op = copy_of(c, *running.op);
  const bool outer = std::exchange(c.reassociate, is_simple(op));
  emit_lambda(c, op, arguments, running.next,
              [&](const std::vector<Value>& results) { set_running(c, running, results); });
  c.reassociate = outer;
}

void set_running(Context& c, const Running& running, const std::vector<Value>& results) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Value& current = running.values[k];
    if (current.place) {
      copy(c, *current.place, *results[k].place, current.type);
    } else {
      c.move(current.operand.name(), results[k].operand);
    }
  }
}

std::vector<Running> start_scans(Context& c, const std::vector<ir::ScanOperator>& scans) {
  std::vector<Running> running;
  for (const ir::ScanOperator& scan : scans) {
    running.push_back(start_running(c, scan.op, scan.neutral, {}));
  }
  return running;
}

std::size_t combine_all(Context& c, const std::vector<Running>& running,
                        const std::vector<Value>& values, std::size_t position) {
  for (const Running& one : running) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(position);
    combine(c, one, {from, from + static_cast<std::ptrdiff_t>(one.values.size())});
    position += one.values.size();
  }
  return position;
}

std::vector<Value> running_values(const std::vector<Running>& running) {
  std::vector<Value> values;
  for (const Running& one : running) {
    values.insert(values.end(), one.values.begin(), one.values.end());
  }
  return values;
}

std::vector<Running> start_reductions(Context& c,
                                      const std::vector<ir::ReduceOperator>& operators) {
  std::vector<Running> running;
  for (const ir::ReduceOperator& one : operators) {
    running.push_back(start_running(c, one.op, one.neutral, {}));
  }
  return running;
}

void load_running(Context& c, const std::vector<Running>& running, const std::vector<Place>& slots,
                  const std::vector<Operand>& point) {
  std::size_t k = 0;
  for (const Value& value : running_values(running)) {
    load_into(c, value.operand.name(), slots[k++], point, value.type.element);
  }
}

}  // namespace dagaz::emit
