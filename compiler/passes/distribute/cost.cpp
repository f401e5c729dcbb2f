#include "passes/distribute/cost.h"

#include <algorithm>

#include "ir/cost.h"
#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

namespace {

constexpr double smaller = 30;  // times, for each loop around: what is large runs seldom

double size_of(const ir::Operand& size, double otherwise) {
  if (!size.is_constant()) return otherwise;
  return static_cast<double>(std::max<std::int64_t>(ir::integer_value(size.constant()), 0));
}

double steps_of(const ir::Loop& loop, const AssumedSizes& unknown) {
  const auto* form = std::get_if<ir::ForForm>(&loop.form);
  return form == nullptr ? unknown.steps : size_of(form->bound, unknown.steps);
}

double points_of(const std::vector<ir::SpaceDimension>& space, const AssumedSizes& unknown) {
  double points = 1;
  for (const ir::SpaceDimension& one : space) points *= unknown.of(one.extent);
  return points;
}

/// How often the scopes of an operation run.
double repeats_of(const ir::Operation& operation, const AssumedSizes& unknown) {
  if (const auto* loop = as<ir::Loop>(operation)) return steps_of(*loop, unknown);
  if (const auto* map = as<ir::MapScanReduce>(operation)) return unknown.of(map->width);
  return match(operation, [&](const auto& node) {
    if constexpr (requires { node.space; }) {
      return points_of(node.space, unknown);
    } else {
      return 1.0;
    }
  });
}

double operations_of(const ir::Operation& operation, const AssumedSizes& unknown) {
  double inside = 0;
  ir::for_each_scope(operation, [&](const ir::Body& body) {
    for (const ir::Statement& one : body.statements)
      inside += operations_of(one.operation, unknown);
  });
  const auto* scalar = as<ir::Scalar>(operation);
  const double own = scalar == nullptr ? 1 : static_cast<double>(ir::cost_of(scalar->op));
  return own + repeats_of(operation, unknown) * inside;
}

}  // namespace

double AssumedSizes::of(const ir::Operand& size) const {
  const bool are_bins = std::find(bins.begin(), bins.end(), size) != bins.end();
  return size_of(size, are_bins ? std::min(few, extent) : extent);
}

void CostModel::set_bins(std::vector<ir::Operand> bins) {
  bins_ = std::move(bins);
  work_.clear();
}

double CostModel::of(const Placement& placement) {
  placement_ = &placement;
  unknown_ = {static_cast<double>(costs_.unknown_extent), static_cast<double>(costs_.unknown_steps),
              static_cast<double>(costs_.unknown_bins), bins_};
  return body(function_.body);
}

double CostModel::body(const ir::Body& body) {
  double sum = 0;
  for (const ir::Statement& one : body.statements) sum += statement(one);
  return sum;
}

double CostModel::elements(ir::NameId array) const {
  double count = 1;
  for (const ir::Operand& size : names_.type(array).shape) count *= unknown_.of(size);
  return count;
}

double CostModel::work_of(const ir::Statement& statement) {
  const auto [found, is_new] = work_.emplace(statement.results[0].name, 0);
  if (is_new) found->second = operations_of(statement.operation, unknown_);
  return found->second;
}

double CostModel::statement(const ir::Statement& statement) {
  if (statement.results.empty()) return 0;
  if (const auto* branch = as<ir::Branch>(statement.operation)) {
    return std::max(body(branch->then_body), body(branch->else_body));
  }
  if (const auto* loop = as<ir::Loop>(statement.operation)) {
    unknown_.extent /= smaller;
    double step = body(loop->body);
    for (const ir::LoopValue& value : loop->values) step += gathering(value.parameter.name);
    double cost = steps_of(*loop, unknown_) * step;
    for (const ir::Binder& result : statement.results) cost += gathering(result.name);
    unknown_.extent *= smaller;
    return cost;
  }
  if (placement_->accumulations.contains(statement.results[0].name)) {
    return body(std::get<ir::WithAccumulator>(statement.operation).body.body) +
           meeting(statement, {0, true});
  }
  const auto share = placement_->shares.find(statement.results[0].name);
  if (share == placement_->shares.end()) return work_of(statement);
  const Request* request = placement_->request_of(statement.results[0].name);
  return work_of(statement) / ranks() + meeting(statement, share->second) +
         (request == nullptr ? 0 : asking(*request));
}

// Ranks tell each other how many rows they want, and which, and get them: none twice where they
// want many.
double CostModel::asking(const Request& request) const {
  constexpr double messages = 3;
  const double all = unknown_.of(names_.type(request.array).shape.front());
  const double rows = std::min(elements(request.places) / ranks(), all);
  const double row = elements(request.array) / all + static_cast<double>(costs_.asked);
  return messages * static_cast<double>(costs_.message) +
         static_cast<double>(costs_.element) * rows * row;
}

// Ranks tell each other how much they have, for which rows, and what.
double CostModel::delivering(const std::vector<Brought>& all) const {
  constexpr double messages = 3;
  constexpr double handling = 2;  // operations of an element that is put aside and taken up
  double cost = 0;
  for (const Brought& one : all) {
    double points = 1 / ranks();
    for (const ir::Operand& extent : one.points) points *= unknown_.of(extent);
    double row = 0;
    for (const ir::Type& value : one.values) {
      double elements = 1;
      for (const ir::Operand& size : value.shape) elements *= unknown_.of(size);
      row += elements;
    }
    const double sent = row + static_cast<double>(costs_.asked);
    cost += messages * static_cast<double>(costs_.message) +
            (static_cast<double>(costs_.element) * sent + handling * (row + 1)) * points;
  }
  return cost;
}

// Of an array that is gathered or turned, and of the rows of its windows.
double CostModel::gathering(ir::NameId array) const {
  const auto message = static_cast<double>(costs_.message);
  const auto each = static_cast<double>(costs_.element);
  if (placement_->gathered.contains(array)) return message + each * elements(array);
  double cost = 0;
  const auto turned = placement_->turned.find(array);
  if (turned != placement_->turned.end()) {
    cost +=
        static_cast<double>(turned->second.size()) * (message + each * elements(array) / ranks());
  }
  const auto windows = placement_->windows.find(array);
  if (windows == placement_->windows.end()) return cost;
  const double row = elements(array) / unknown_.of(names_.type(array).shape.front());
  for (const WindowOver& one : windows->second) {
    const auto rows = static_cast<double>(one.window.high - one.window.low);
    cost += message + each * std::max(rows, 0.0) * row;
  }
  return cost;
}

/// What is added meets when the accumulators are closed.
bool CostModel::adds(const ir::Statement& statement) const {
  return names_.type(statement.results[0].name).kind == ir::TypeKind::accumulator;
}

double CostModel::meeting(const ir::Statement& statement, const Share& share) const {
  const auto each = static_cast<double>(costs_.element);
  const auto message = static_cast<double>(costs_.message);
  double cost = 0;
  bool any_delivered = false;
  for (const ir::Binder& result : statement.results) {
    const auto delivered = placement_->delivered.find(result.name);
    if (delivered == placement_->delivered.end()) continue;
    any_delivered = true;
    cost += delivering(delivered->second);
  }
  if (share.reduces && !adds(statement) && !any_delivered) cost = message;
  for (const ir::Binder& result : statement.results) {
    cost += gathering(result.name);
    if (names_.type(result.name).kind == ir::TypeKind::value &&
        !placement_->split.contains(result.name)) {
      // Ranks send and get all of it, and combine it.
      cost += (2 * each + 1) * elements(result.name);
    }
  }
  return cost;
}

}  // namespace dagaz::passes::distributing
