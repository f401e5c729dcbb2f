#include "plan/work.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "plan/cost.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::Product;

namespace {

// Numbers stay far from where products of them would not be numbers any more.
constexpr std::int64_t largest_factor = std::int64_t{1} << 40;

enum class Counted { operations, additions };

using Sum = std::vector<Product>;

void add(Sum& sum, const Product& term) {
  if (term.factor == 0) return;
  const auto same = std::find_if(sum.begin(), sum.end(),
                                 [&](const Product& one) { return one.sizes == term.sizes; });
  if (same == sum.end()) {
    sum.push_back(term);
  } else {
    same->factor = std::min(same->factor + term.factor, largest_factor);
  }
}

void add(Sum& sum, const Sum& terms) {
  for (const Product& term : terms) add(sum, term);
}

Sum times(Sum sum, const Operand& size) {
  for (Product& term : sum) {
    if (size.is_constant()) {
      const std::int64_t count = std::clamp<std::int64_t>(ir::integer_value(size.constant()), 0,
                                                          largest_factor / term.factor);
      term.factor *= count;
    } else {
      const auto after = std::find_if(
          term.sizes.begin(), term.sizes.end(),
          [&](const Operand& one) { return size.name().index < one.name().index; });
      term.sizes.insert(after, size);
    }
  }
  std::erase_if(sum, [](const Product& term) { return term.factor == 0; });
  return sum;
}

/// Walks a body; sizes that are known outside it enter the count by name.
class Count {
 public:
  Count(const ir::Names& names, const Tunables& tunables, const ir::Body& body, Counted counted)
      : names_(names), tunables_(tunables), counted_(counted) {
    for (const NameId name : ir::bound_names(body)) inside_.insert(name);
    note_minima(body);
  }

  /// What copying the rows takes that a point gives but has not made: parts and views of arrays.
  Sum of_given_rows(const ir::Body& body) const {
    std::unordered_set<NameId> made;
    for (const ir::Statement& one : body.statements) {
      if (ir::is_view(one.operation)) continue;
      for (const ir::Binder& result : one.results) made.insert(result.name);
    }
    Sum sum;
    for (const Operand& result : body.results) {
      if (!result.is_name() || made.contains(result.name())) continue;
      const ir::Type& type = names_.type(result.name());
      if (type.is_array()) add(sum, volume(type.shape));
    }
    return sum;
  }

  Sum of(const ir::Body& body) const {
    Sum sum;
    if (counted_ == Counted::operations) sum.push_back({1, {}});
    for (const ir::Statement& one : body.statements) add(sum, of(one.operation));
    return sum;
  }

 private:
  /// A size that is known outside is that of most parts, where the last one is cut off:
  /// min(part, rest).
  void note_minima(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      const auto* scalar = as<ir::Scalar>(one.operation);
      if (scalar != nullptr && scalar->op == ir::ScalarOp::smin) {
        minima_.emplace(one.results[0].name, scalar->arguments);
      }
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { note_minima(inner); });
    }
  }

  Operand known(const Operand& size) const {
    if (size.is_constant() || !inside_.contains(size.name())) return size;
    const auto minimum = minima_.find(size.name());
    if (minimum != minima_.end()) {
      for (const Operand& one : minimum->second) {
        if (one.is_constant() || !inside_.contains(one.name())) return one;
      }
    }
    return unknown();
  }
  Operand unknown() const { return ir::i64_operand(tunables_.unknown_extent); }
  Sum volume(const std::vector<Operand>& shape) const {
    Sum sum = {{1, {}}};
    for (const Operand& size : shape) sum = times(std::move(sum), known(size));
    return sum;
  }
  Sum repeated(const Operand& width, const ir::Body& body) const {
    return times(of(body), known(width));
  }

  Sum of_loop(const ir::Loop& loop) const {
    const auto* form = as<ir::ForForm>(loop.form);
    const bool countable =
        form != nullptr && names_.type(form->index.name).element == ir::ScalarType::i64;
    return repeated(countable ? form->bound : unknown(), loop.body);
  }

  Sum of(const ir::Operation& operation) const {
    if (const auto* map = as<ir::MapScanReduce>(operation)) {
      return repeated(map->width, map->map.body);
    }
    if (const auto* histogram = as<ir::Histogram>(operation)) {
      return repeated(histogram->width, histogram->map.body);
    }
    if (const auto* scatter = as<ir::Scatter>(operation)) {
      return repeated(scatter->width, scatter->map.body);
    }
    if (const auto* loop = as<ir::Loop>(operation)) return of_loop(*loop);
    if (const auto* branch = as<ir::Branch>(operation)) {
      Sum sum = of(branch->then_body);
      add(sum, of(branch->else_body));
      return sum;
    }
    if (const auto* with = as<ir::WithAccumulator>(operation)) return of(with->body.body);
    return counted_ == Counted::operations ? operations_of(operation) : additions_of(operation);
  }

  Sum additions_of(const ir::Operation& operation) const {
    const auto* addition = as<ir::Accumulate>(operation);
    return addition == nullptr ? Sum{} : volume(names_.type(addition->value).shape);
  }

  Sum operations_of(const ir::Operation& operation) const {
    if (const auto* scalar = as<ir::Scalar>(operation)) {
      return {{cost_of_scalar(scalar->op), {}}};
    }
    if (as<ir::Call>(operation)) return {{tunables_.call_operations, {}}};
    if (const auto* replicate = as<ir::Replicate>(operation)) return volume(replicate->shape);
    if (const auto* iota = as<ir::Iota>(operation)) return volume({iota->count});
    if (const auto* concat = as<ir::Concat>(operation)) return volume({concat->width});
    if (const auto* copy = as<ir::Copy>(operation)) return volume(names_.type(copy->array).shape);
    return {{1, {}}};
  }

  const ir::Names& names_;
  const Tunables& tunables_;
  Counted counted_;
  std::unordered_set<NameId> inside_;
  std::unordered_map<NameId, std::vector<Operand>> minima_;
};

}  // namespace

Work work_of(const ir::Body& body, const ir::Names& names, const Tunables& tunables,
             std::int64_t besides) {
  const Count count(names, tunables, body, Counted::operations);
  Sum operations = count.of(body);
  add(operations, count.of_given_rows(body));
  add(operations, Product{besides, {}});
  return {std::move(operations), Count(names, tunables, body, Counted::additions).of(body)};
}

std::vector<ir::Product> more_than_bins(const ir::SegmentedHistogram& e, const ir::Names& names) {
  std::vector<ir::Product> sum = {{1, {}}};
  for (const ir::HistogramOperator& one : e.operators) {
    for (const ir::NameId bins : one.destinations) sum.push_back({1, names.type(bins).shape});
  }
  return sum;
}

}  // namespace dagaz::plan
