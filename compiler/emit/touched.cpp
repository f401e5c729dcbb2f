// Each use is counted once for every point of the loops around it: an index costs an element at
// each, but those of loops whose index it does not mention find the same element again.  What is
// not known before the operation runs (the points of a `while` loop, a size that is computed
// inside) touches all.
#include "emit/touched.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::emit {

using ir::NameId;
using ir::Operand;

namespace {

/// An element of `type`, behind its `fixed` first dimensions, for each point of `space`.
std::vector<Operand> at_points(const std::vector<ir::SpaceDimension>& space, const ir::Type& type,
                               std::size_t fixed) {
  std::vector<Operand> elements;
  for (const ir::SpaceDimension& dimension : space) elements.push_back(dimension.extent);
  elements.insert(elements.end(), type.shape.begin() + static_cast<std::ptrdiff_t>(fixed),
                  type.shape.end());
  return elements;
}

/// A loop around a use: how often it runs, if that is known, and the index that counts, if there
/// is.
struct Around {
  std::optional<Operand> points;
  std::optional<NameId> index = {};
};

class Reads {
 public:
  Reads(const ir::Operation& operation, const ir::Names& names) : names_(names) {
    visit(operation);
  }

  std::unordered_map<NameId, Touched> result() { return std::move(touched_); }

 private:
  bool is_inside(NameId name) const { return inside_.contains(name); }
  bool is_known(const Operand& operand) const {
    return operand.is_constant() || !is_inside(operand.name());
  }

  void bind(NameId name) { inside_.insert(name); }
  void bind(const std::vector<ir::Binder>& binders) {
    for (const ir::Binder& one : binders) bind(one.name);
  }

  void whole(const Operand& operand) {
    if (operand.is_name()) whole(operand.name());
  }
  void whole(NameId name) {
    if (const auto view = views_.find(name); view != views_.end()) read(view->second);
    if (!is_inside(name) && names_.type(name).is_array()) touched_[name].whole = true;
  }

  void part(NameId array, std::optional<std::vector<Operand>> elements) {
    if (is_inside(array)) return;
    Touched& all = touched_[array];
    if (elements) {
      all.parts.push_back(std::move(*elements));
    } else {
      all.whole = true;
    }
  }

  /// The points of the loops around, or of those whose index is mentioned; nothing if unknown.
  std::optional<std::vector<Operand>> points(const std::vector<Operand>* mentioned) const {
    std::vector<Operand> product;
    for (const Around& loop : around_) {
      const bool matters =
          mentioned == nullptr || !loop.index ||
          std::find(mentioned->begin(), mentioned->end(), Operand(*loop.index)) != mentioned->end();
      if (!matters) continue;
      if (!loop.points) return std::nullopt;
      product.push_back(*loop.points);
    }
    return product;
  }

  void read(const ir::Index& index, NameId result) {
    ir::Index from_outside = index;
    if (const auto view = views_.find(index.array); view != views_.end()) {
      from_outside = view->second;
      from_outside.indices.insert(from_outside.indices.end(), index.indices.begin(),
                                  index.indices.end());
    }
    if (from_outside.indices.size() < names_.type(from_outside.array).shape.size()) {
      views_.insert_or_assign(result, std::move(from_outside));
    } else {
      read(from_outside);
    }
  }

  void read(const ir::Index& index) {
    // An index that is computed from those of loops may be any: then all points count.
    const bool is_plain =
        std::all_of(index.indices.begin(), index.indices.end(),
                    [&](const Operand& one) { return is_known(one) || is_counter(one.name()); });
    auto elements = points(is_plain ? &index.indices : nullptr);
    const std::vector<Operand>& shape = names_.type(index.array).shape;
    for (std::size_t k = index.indices.size(); elements && k < shape.size(); ++k) {
      elements->push_back(shape[k]);
    }
    part(index.array, std::move(elements));
  }

  bool is_counter(NameId name) const {
    return std::any_of(around_.begin(), around_.end(),
                       [&](const Around& loop) { return loop.index == name; });
  }

  void read(const ir::Slice& slice) {
    if (views_.contains(slice.array)) return whole(slice.array);
    auto elements = points(nullptr);
    for (const ir::SliceDimension& dimension : slice.dimensions) {
      if (dimension.fixed || !elements) continue;
      if (is_known(dimension.count)) {
        elements->push_back(dimension.count);
      } else {
        elements.reset();
      }
    }
    part(slice.array, std::move(elements));
  }

  void visit(const ir::Body& body) {
    for (const ir::Statement& statement : body.statements) {
      if (const auto* index = std::get_if<ir::Index>(&statement.operation)) {
        read(*index, statement.results[0].name);
      } else {
        visit(statement.operation);
      }
      bind(statement.results);
    }
    for (const Operand& result : body.results) whole(result);
  }

  void visit(const ir::Lambda& lambda) {
    bind(lambda.parameters);
    visit(lambda.body);
  }

  template <typename Scope>
  void visit_repeated(const Scope& scope, Around loop) {
    if (loop.points && !is_known(*loop.points)) loop.points.reset();
    if (loop.index) bind(*loop.index);
    around_.push_back(loop);
    visit(scope);
    around_.pop_back();
  }

  void visit_space(const std::vector<ir::SpaceDimension>& space, const ir::Body& body) {
    for (const ir::SpaceDimension& dimension : space) {
      const bool known = is_known(dimension.extent);
      around_.push_back(
          {known ? std::optional(dimension.extent) : std::nullopt, dimension.index.name});
    }
    for (const ir::SpaceDimension& dimension : space) bind(dimension.index.name);
    visit(body);
    around_.resize(around_.size() - space.size());
  }

  void visit_loop(const ir::Loop& loop) {
    for (const ir::LoopValue& value : loop.values) {
      whole(value.initial);
      bind(value.parameter.name);
    }
    const auto* form = std::get_if<ir::ForForm>(&loop.form);
    visit_repeated(loop.body, form != nullptr ? Around{form->bound, form->index.name} : Around{});
  }

  void visit_operators(const std::vector<ir::ReduceOperator>& operators) {
    for (const ir::ReduceOperator& one : operators) visit_operator(one.op, one.neutral);
  }
  void visit_operators(const std::vector<ir::ScanOperator>& operators) {
    for (const ir::ScanOperator& one : operators) visit_operator(one.op, one.neutral);
  }
  // How often operators run is the business of what runs them.
  void visit_operator(const ir::Lambda& op, const std::vector<Operand>& neutral) {
    for (const Operand& one : neutral) whole(one);
    visit_repeated(op, Around{});
  }

  void visit(const ir::Operation& operation) {
    match(
        operation, [&](const ir::Slice& one) { read(one); },
        [&](const ir::Update& one) { whole(one.value); },
        [&](const ir::Branch& one) { visit(one.then_body), visit(one.else_body); },
        [&](const ir::Loop& one) { visit_loop(one); },
        [&](const ir::MapScanReduce& one) {
          for (const NameId array : one.arrays) whole(array);
          visit_repeated(one.map, Around{one.width});
          visit_operators(one.scans);
          visit_operators(one.reductions);
          if (one.post) visit_repeated(*one.post, Around{one.width});
        },
        [&](const ir::SegmentedMap& one) { visit_space(one.space, one.body); },
        [&](const ir::SegmentedReduce& one) {
          visit_space(one.space, one.body);
          visit_operators(one.operators);
        },
        [&](const ir::SegmentedScan& one) {
          visit_space(one.space, one.body);
          visit_operators(one.operators);
          if (one.post) visit_repeated(*one.post, Around{});
        },
        [&](const ir::SegmentedScatter& one) { visit_space(one.space, one.body); },
        [&](const ir::SegmentedHistogram& one) {
          visit_space(one.space, one.body);
          for (const ir::HistogramOperator& each : one.operators) {
            visit_operator(each.op, each.neutral);
            for (const NameId bins : each.destinations) read_bins(one, each, bins);
          }
        },
        [&](const auto&) { visit_any(operation); });
  }

  // Each value is combined with what its bin holds.
  void read_bins(const ir::SegmentedHistogram& all, const ir::HistogramOperator& one, NameId bins) {
    const std::size_t fixed = all.space.size() - 1 + one.shape.size();
    part(bins, at_points(all.space, names_.type(bins), fixed));
  }

  // Of an operation without rules of its own all arrays count whole.
  void visit_any(const ir::Operation& operation) {
    ir::for_each_operand(operation, [&](const Operand& one) { whole(one); });
    ir::for_each_lambda(operation, [&](const ir::Lambda& one) { bind(one.parameters); });
    ir::for_each_scope(operation, [&](const ir::Body& one) { visit_repeated(one, Around{}); });
  }

  const ir::Names& names_;
  std::unordered_map<NameId, Touched> touched_;
  std::unordered_map<NameId, ir::Index> views_;  // names inside: parts of arrays from outside
  ir::NameSet inside_;
  std::vector<Around> around_;
};

}  // namespace

std::unordered_map<NameId, Touched> elements_read(const ir::Operation& operation,
                                                  const ir::Names& names) {
  return Reads(operation, names).result();
}

std::vector<Touched> elements_written(const ir::Statement& statement, const ir::Names& names) {
  std::vector<Touched> written(statement.results.size(), Touched{true});
  const auto type = [&](std::size_t k) -> const ir::Type& {
    return names.type(statement.results[k].name);
  };
  match(
      statement.operation,
      [&](const ir::Update& one) {
        std::vector<Operand> elements;
        for (const ir::SliceDimension& dimension : one.dimensions) {
          if (!dimension.fixed) elements.push_back(dimension.count);
        }
        written[0] = {false, {std::move(elements)}};
      },
      [&](const ir::SegmentedScatter& one) {
        for (std::size_t k = 0; k < one.targets.size(); ++k) {
          const std::size_t outer = one.space.size() - 1;
          const std::size_t fixed = outer + one.targets[k].shape.size();
          written[k] = {false, {at_points(one.space, type(k), fixed)}};
        }
      },
      [&](const ir::SegmentedHistogram& one) {
        std::size_t k = 0;
        for (const ir::HistogramOperator& each : one.operators) {
          const std::size_t fixed = one.space.size() - 1 + each.shape.size();
          for (std::size_t i = 0; i < each.destinations.size(); ++i, ++k) {
            written[k] = {false, {at_points(one.space, type(k), fixed)}};
          }
        }
      },
      [](const auto&) {});
  return written;
}

}  // namespace dagaz::emit
