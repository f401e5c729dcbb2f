// Running values of reductions and scans within one thread, and combining at one index.
#include "imperative/lowering.h"

#include <algorithm>

namespace dagaz::imperative {

Running Lowering::start_running(const ir::Lambda& op,
                                          const std::vector<Operand>& neutral,
                                          const std::vector<Destination>& destinations) {
  Running running{&op, plan::is_positionwise(op, names()), {}, {}};
  for (std::size_t k = 0; k < neutral.size(); ++k) {
    const Value initial = value_of(neutral[k]);
    Value current{Operand(), op.result_types[k], std::nullopt};
    if (initial.place) {
      const bool wanted = k < destinations.size() && destinations[k];
      current.place = wanted ? *destinations[k] : private_array(current.type, "acc");
      copy(*current.place, *initial.place, current.type);
      running.next.push_back(running.positionwise ? *current.place
                                                  : private_array(current.type, "next"));
    } else {
      current.operand = mutable_variable("acc", current.type.element, initial.operand);
      running.next.push_back(std::nullopt);
    }
    running.values.push_back(std::move(current));
  }
  return running;
}

void Lowering::combine(const Running& running, const std::vector<Value>& values) {
  std::vector<Value> arguments = running.values;
  arguments.insert(arguments.end(), values.begin(), values.end());
  // The operator may stand at several places of the generated code: each gets names of its own.
  const ir::Lambda op = copy_of(*running.op);
  const bool outer = std::exchange(reassociate_, is_simple(op));
  lower_lambda(op, arguments, running.next, [&](const std::vector<Value>& results) {
    set_running(running, results);
  });
  reassociate_ = outer;
}

void Lowering::set_running(const Running& running, const std::vector<Value>& results) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Value& current = running.values[k];
    if (current.place) {
      copy(*current.place, *results[k].place, current.type);
    } else {
      move(current.operand.name(), results[k].operand);
    }
  }
}

std::vector<Running> Lowering::start_scans(const std::vector<ir::ScanOperator>& scans) {
  std::vector<Running> running;
  for (const ir::ScanOperator& scan : scans) {
    running.push_back(start_running(scan.op, scan.neutral, {}));
  }
  return running;
}

std::size_t Lowering::combine_all(const std::vector<Running>& running,
                                  const std::vector<Value>& values, std::size_t position) {
  for (const Running& one : running) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(position);
    combine(one, {from, from + static_cast<std::ptrdiff_t>(one.values.size())});
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

std::vector<Running> Lowering::start_reductions(
    const std::vector<ir::ReduceOperator>& operators) {
  std::vector<Running> running;
  for (const ir::ReduceOperator& one : operators) {
    running.push_back(start_running(one.op, one.neutral, {}));
  }
  return running;
}

void Lowering::load_running(const std::vector<Running>& running, const std::vector<Place>& slots,
                            const std::vector<Operand>& point) {
  std::size_t k = 0;
  for (const Value& value : running_values(running)) {
    load_into(value.operand.name(), slots[k++], point, value.type.element);
  }
}

bool has_arrays(const std::vector<Running>& running) {
  for (const Value& value : running_values(running)) {
    if (value.place) return true;
  }
  return false;
}

Operand Lowering::is_inside(const std::vector<Operand>& indices,
                            const std::vector<Operand>& shape) {
  Operand inside = ir::Constant(ir::make_bool(true));
  for (std::size_t k = 0; k < indices.size(); ++k) {
    // One unsigned comparison also refuses negative indices.
    const Operand ok = scalar(ScalarOp::ult, ScalarType::i64, {indices[k], shape[k]});
    inside = k == 0 ? ok : both(inside, ok);
  }
  return inside;
}

void Lowering::combine_at(const ir::Lambda& op, const std::vector<Place>& targets,
                          const std::vector<Operand>& indices, const std::vector<Value>& values) {
  const ir::Lambda fresh = copy_of(op);
  const bool in_place = plan::is_positionwise(fresh, names());
  std::vector<Value> arguments;
  std::vector<Destination> destinations;
  std::vector<Place> parts;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const ir::Type& type = fresh.result_types[k];
    parts.push_back(part_at(*this, targets[k], indices));
    if (type.is_scalar()) {
      arguments.push_back({load(parts[k], {}, type.element, "old"), type, std::nullopt});
      destinations.push_back(std::nullopt);
    } else {
      arguments.push_back({Operand(), type, parts[k]});
      destinations.push_back(in_place ? Destination(parts[k])
                                      : Destination(private_array(type, "combined")));
    }
  }
  arguments.insert(arguments.end(), values.begin(), values.end());
  lower_lambda(fresh, arguments, destinations, [&](const std::vector<Value>& results) {
    for (std::size_t k = 0; k < results.size(); ++k) write(parts[k], {}, results[k]);
  });
}

}  // namespace dagaz::imperative
