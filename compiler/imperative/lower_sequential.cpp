// Parallel operations inside a thread: one loop each, with scalar accumulators in variables.
#include "imperative/lanes.h"
#include "plan/lane_blocks.h"

namespace dagaz::imperative {

static std::vector<Operand> operands_of(const std::vector<Value>& values, std::size_t begin,
                                        std::size_t count) {
  std::vector<Operand> operands;
  for (std::size_t k = begin; k < begin + count; ++k) operands.push_back(values[k].operand);
  return operands;
}

static std::vector<Value> part_of(const std::vector<Value>& values, std::size_t begin,
                                  std::size_t count) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

void Lowering::thread_loop(const Operand& width, bool independent,
                           const std::function<void(Operand)>& body) {
  const NameId index = variable("i", ScalarType::i64);
  bool uses_memory = false;
  Code code = collect([&] {
    uses_memory = with_private_scope([&] { body(index); });
  });
  emit(For{index, width, std::move(code), LoopHints{independent && !uses_memory, false}});
}

std::vector<Value> Lowering::elements_at(const std::vector<NameId>& arrays,
                                         const Operand& index) {
  std::vector<Value> elements;
  for (const NameId array : arrays) elements.push_back(element_of(array, {index}));
  return elements;
}

void Lowering::lower(const ir::Statement& s, const ir::MapScanReduce& e) {
  if (mode_ == Mode::host) unsupported("a parallel operation that was not flattened");
  const auto point_by_point = [&] {
    const std::vector<Running> scans = start_scans(e.scans);
    std::vector<Running> reductions;
    std::size_t reduced = 0;
    for (const ir::ReduceOperator& one : e.reductions) {
      std::vector<Destination> wanted;
      for (std::size_t k = 0; k < one.neutral.size(); ++k) {
        wanted.push_back(destination_of(s.results[reduced + k].name));
      }
      reductions.push_back(start_running(one.op, one.neutral, wanted));
      reduced += one.neutral.size();
    }
    std::vector<Destination> targets;
    for (std::size_t k = reduced; k < s.results.size(); ++k) {
      const bool is_array = names().type(s.results[k].name).is_array();
      targets.push_back(is_array ? Destination(result_array(s.results[k].name)) : std::nullopt);
    }
    const bool independent = !has_arrays(scans) && !has_arrays(reductions);
    thread_loop(e.width, independent, [&](const Operand& i) {
      map_scan_reduce_step(s, e, scans, reductions, targets, i);
    });
    const std::vector<Value> totals = running_values(reductions);
    for (std::size_t k = 0; k < totals.size(); ++k) assign(s.results[k].name, totals[k]);
  };
  const bool in_task = mode_ == Mode::task && !is_gpu();
  if (!in_task || e.schedule.versions.size() == 1) {
    point_by_point();
    return;
  }
  std::vector<Destination> targets;
  for (const ir::Binder& result : s.results) {
    // All versions write to the same place.
    targets.push_back(result_array(result.name));
    destinations_.insert_or_assign(result.name, *targets.back());
  }
  run_versions(e.schedule, [&](const ir::Strategy& strategy) {
    if (const auto* blocks = as<ir::LaneBlocks>(strategy)) {
      Lanes::map(*this, s, plan::as_space(e, names()), *blocks, targets);
    } else {
      point_by_point();
    }
  });
}

// One iteration: map, scans, post, stores, reductions.
void Lowering::map_scan_reduce_step(const ir::Statement& s, const ir::MapScanReduce& e,
                                    const std::vector<Running>& scans,
                                    const std::vector<Running>& reductions,
                                    const std::vector<Destination>& targets, const Operand& i) {
  const std::size_t scanned = running_values(scans).size();
  const std::size_t reduced = running_values(reductions).size();
  const auto rows = [&](std::size_t before, std::size_t from) {
    std::vector<Destination> destinations(before);
    for (std::size_t k = from; k < targets.size(); ++k) {
      const bool is_row = targets[k] && targets[k]->strides.size() > 1;
      destinations.push_back(is_row ? Destination(part_at(*this, *targets[k], {i})) : std::nullopt);
    }
    return destinations;
  };
  const auto put = [&](const std::vector<Value>& values) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (targets[k]) {
        write(*targets[k], {i}, values[k]);
      } else {
        assign(s.results[reduced + k].name, values[k]);
      }
    }
  };
  std::vector<Destination> map_destinations;
  if (!e.post) map_destinations = rows(scanned + reduced, scanned);
  lower_lambda(e.map, elements_at(e.arrays, i), map_destinations,
               [&](const std::vector<Value>& values) {
                 combine_all(scans, values, 0);
                 std::vector<Value> outputs = running_values(scans);
                 const std::vector<Value> mapped =
                     part_of(values, scanned + reduced, values.size() - scanned - reduced);
                 outputs.insert(outputs.end(), mapped.begin(), mapped.end());
                 if (e.post) {
                   lower_lambda(*e.post, outputs, rows(0, 0), put);
                 } else {
                   put(outputs);
                 }
                 combine_all(reductions, values, scanned);
               });
}

// ---------------------------------------------------------------- histograms and scatters

void Lowering::lower(const ir::Statement& s, const ir::Histogram& e) {
  if (mode_ == Mode::host) unsupported("a histogram that was not flattened");
  std::vector<std::vector<Place>> targets;
  std::size_t result = 0;
  for (const ir::HistogramOperator& one : e.operators) {
    targets.emplace_back();
    for (const NameId destination : one.destinations) {
      targets.back().push_back(place_of(destination));
      bind(s.results[result++].name, place_of(destination));
    }
  }
  thread_loop(e.width, false, [&](const Operand& i) {
    lower_lambda(e.map, elements_at(e.arrays, i), {}, [&](const std::vector<Value>& values) {
      histogram_step(e.operators, targets, values);
    });
  });
}

void Lowering::histogram_step(const std::vector<ir::HistogramOperator>& operators,
                              const std::vector<std::vector<Place>>& targets,
                              const std::vector<Value>& values) {
  std::size_t position = 0;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    const ir::HistogramOperator& one = operators[k];
    const std::vector<Operand> indices = operands_of(values, position, one.shape.size());
    position += one.shape.size();
    const std::vector<Value> updates = part_of(values, position, one.destinations.size());
    position += one.destinations.size();
    branch(is_inside(indices, one.shape),
           [&] { combine_at(one.op, targets[k], indices, updates); });
  }
}

void Lowering::lower(const ir::Statement& s, const ir::Scatter& e) {
  if (mode_ == Mode::host) unsupported("a scatter that was not flattened");
  std::vector<Place> targets;
  for (std::size_t k = 0; k < e.targets.size(); ++k) {
    targets.push_back(place_of(e.targets[k].destination));
    bind(s.results[k].name, targets[k]);
  }
  thread_loop(e.width, false, [&](const Operand& i) {
    lower_lambda(e.map, elements_at(e.arrays, i), {}, [&](const std::vector<Value>& values) {
      scatter_step(e.targets, targets, values);
    });
  });
}

void Lowering::scatter_step(const std::vector<ir::ScatterTarget>& targets,
                            const std::vector<Place>& places, const std::vector<Value>& values) {
  std::size_t position = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const std::vector<Operand> indices = operands_of(values, position, targets[k].shape.size());
    position += targets[k].shape.size();
    const Value value = values[position++];
    branch(is_inside(indices, targets[k].shape), [&] { write(places[k], indices, value); });
  }
}

// ---------------------------------------------------------------- accumulators

void Lowering::lower(const ir::Statement& s, const ir::WithAccumulator& e) {
  for (std::size_t k = 0; k < e.inputs.size(); ++k) {
    const ir::AccumulatorInput& input = e.inputs[k];
    ir::Type row = names().type(input.array);
    row.shape.erase(row.shape.begin(),
                    row.shape.begin() + static_cast<std::ptrdiff_t>(input.shape.size()));
    open(e.body.parameters[k].name,
         Accumulator{place_of(input.array), input.shape, row, input.op ? &*input.op : nullptr,
                     &input.neutral, mode_});
  }
  std::vector<Destination> destinations;
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    destinations.push_back(k < e.inputs.size() ? std::nullopt : destination_of(s.results[k].name));
  }
  const std::size_t opened = e.inputs.size();
  std::vector<Join> joins(s.results.size());
  lower_body(e.body.body, destinations, [&](const std::vector<Value>& values) {
    for (std::size_t k = opened; k < values.size(); ++k) {
      if (values[k].place && mode_ == Mode::host) {
        joins[k] = new_join(s.results[k].name);
        set_join(joins[k], values[k]);
      } else {
        assign(s.results[k].name, values[k]);
      }
    }
  });
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    const NameId name = s.results[k].name;
    if (k < opened) {
      bind(name, place_of(e.inputs[k].array));
    } else if (joins[k].block.valid()) {
      own(joins[k].block, name);
      bind(name, row_major(*this, joins[k].block, joins[k].offset, shape_of(name)));
    }
  }
}

void Lowering::lower(const ir::Statement& s, const ir::Accumulate& e) {
  continue_accumulator(s.results[0].name, e.accumulator);
  uses_private_memory_ = true;  // iterations meet in memory: not independent
  const Value value = value_of(e.value);
  if (mode_ == Mode::host) {
    // One point of parallel code, where rows and device memory are at hand.
    for_each_point({}, ir::i64_operand(1), "accumulate", [&](const std::vector<Operand>&) {
      accumulate(e, value);
    });
  } else {
    accumulate(e, value);
  }
}

void Lowering::accumulate(const ir::Accumulate& e, const Value& value) {
  const Accumulator accumulator = accumulator_of(e.accumulator);
  branch(is_inside(e.indices, accumulator.shape), [&] {
    if (!accumulator.op) {
      write(accumulator.place, e.indices, value);
    } else if (accumulator.opened == mode_) {
      combine_at(*accumulator.op, {accumulator.place}, e.indices, {value});
    } else {
      shared_.insert(accumulators_.at(e.accumulator));
      combine_atomically(*accumulator.op, accumulator.row, accumulator.place, e.indices, value);
    }
  });
}

}  // namespace dagaz::imperative
