#include "passes/distribute/deliveries.h"

#include <algorithm>

#include "passes/distribute/placement.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

std::vector<Target> targets_of(const ir::Operation& operation) {
  std::vector<Target> all;
  std::size_t inputs = 0;
  std::size_t results = 0;
  const auto add = [&](const std::vector<Operand>& shape, std::vector<NameId> destinations) {
    const std::size_t count = destinations.size();
    all.push_back({shape, std::move(destinations), inputs, results});
    inputs += shape.size() + count;
    results += count;
  };
  if (const auto* scatter = as<ir::SegmentedScatter>(operation)) {
    for (const ir::ScatterTarget& one : scatter->targets) add(one.shape, {one.destination});
  } else if (const auto* histogram = as<ir::SegmentedHistogram>(operation)) {
    for (const ir::HistogramOperator& one : histogram->operators) {
      add(one.shape, one.destinations);
    }
  }
  return all;
}

namespace {

const ir::Body& points_of(const ir::Operation& operation) {
  if (const auto* scatter = as<ir::SegmentedScatter>(operation)) return scatter->body;
  return std::get<ir::SegmentedHistogram>(operation).body;
}

}  // namespace

std::vector<SamePlaces> same_places(const ir::Operation& operation) {
  const std::vector<Target> targets = targets_of(operation);
  const std::vector<Operand>& results = points_of(operation).results;
  std::vector<SamePlaces> all;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const Target& one = targets[k];
    const Operand& place = results[one.inputs];
    auto same = std::find_if(all.begin(), all.end(), [&](const SamePlaces& other) {
      return other.rows == one.shape.front() && other.place == place;
    });
    if (same == all.end()) same = all.insert(all.end(), {one.shape.front(), place, {}, {}});
    same->targets.push_back(k);
    const std::size_t count = one.shape.size() + one.destinations.size();
    for (std::size_t i = one.inputs + 1; i < one.inputs + count; ++i) {
      const bool goes_already =
          std::find(same->values.begin(), same->values.end(), results[i]) != same->values.end();
      if (!goes_already && results[i].is_name()) same->values.push_back(results[i]);
    }
  }
  return all;
}

bool Placer::is_chosen(const Operand& extent) const {
  const std::vector<Operand>& chosen = choice_->extents;
  return std::find(chosen.begin(), chosen.end(), extent) != chosen.end();
}

// Into arrays that all are split by rows.
bool Placer::delivers(const ir::Statement& statement) const {
  const std::vector<Target> targets = targets_of(statement.operation);
  if (targets.empty() || space_of(statement.operation)->size() != 1 ||
      !choice_->delivered.contains(statement.results[0].name)) {
    return false;
  }
  return std::all_of(targets.begin(), targets.end(),
                     [&](const Target& one) { return is_chosen(one.shape.front()); });
}

void Placer::share_deliveries(const ir::Statement& statement) {
  const std::vector<Operand> points{space_of(statement.operation)->front().extent};
  std::vector<Brought>& all = placement_.delivered[statement.results[0].name];
  for (const SamePlaces& same : same_places(statement.operation)) {
    Brought brought{points, {}};
    for (const Operand& value : same.values) brought.values.push_back(names_.type(value.name()));
    all.push_back(std::move(brought));
  }
  for (const Target& one : targets_of(statement.operation)) {
    const Operand& extent = one.shape.front();
    for (std::size_t k = 0; k < one.destinations.size(); ++k) {
      need_rows(one.destinations[k], extent);
      const NameId result = statement.results[one.results + k].name;
      placement_.split.insert_or_assign(result, Split{extent});
    }
  }
}

// As long as ranks share the same dimensions.
const Notes& Placer::notes(const ir::WithAccumulator& with, NameId first,
                           const Accumulators& accumulators) {
  std::vector<std::size_t> dimensions;
  for (const ir::Statement& one : with.body.body.statements) {
    if (adds(one)) dimensions.push_back(way(one)->dimension);
  }
  auto& [known, notes] = notes_[first];
  if (known != dimensions) {
    const auto shared = [&](const ir::Statement& one) { return way(one)->dimension; };
    notes = notes_of(with, accumulators, definitions_, shared, names_);
    known = std::move(dimensions);
  }
  return notes;
}

// What is added to an input at any place, where all of it can be noted.
std::vector<Brought> Placer::brought_to(const ir::AccumulatorInput& open, std::size_t input,
                                        const Notes& notes) const {
  std::vector<Brought> all;
  for (const NotedAddition& one : notes.all) {
    if (one.input != input) continue;
    Brought brought;
    for (const NoteDimension& each : one.dimensions) brought.points.push_back(each.extent);
    ir::Type value = names_.type(open.array);
    const auto indexed = static_cast<std::ptrdiff_t>(open.shape.size() - one.row.size());
    value.shape.erase(value.shape.begin(), value.shape.begin() + indexed);
    brought.values = {value};
    brought.values.resize(1 + one.further().size(), ir::scalar_of(ir::ScalarType::i64));
    all.push_back(std::move(brought));
  }
  return all;
}

// Rows of an array that is whole each rank finds for itself.
void Placer::need_rows(NameId array, const Operand& extent) {
  if (!placement_.has_rows(array, extent)) need(array);
}

}  // namespace dagaz::passes::distributing
