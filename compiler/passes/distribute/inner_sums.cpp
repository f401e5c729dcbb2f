#include "passes/distribute/inner_sums.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/builder.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/traces.h"
#include "ir/value_count.h"
#include "passes/dead_code.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

/// Whether it is a reduction whose results are all that it has.
bool is_sum(const ir::MapScanReduce& map) {
  const std::size_t reduced = ir::value_count(map.reductions);
  return reduced > 0 && map.scans.empty() && !map.post && map.map.result_types.size() == reduced;
}

bool is_map(const ir::MapScanReduce& map) {
  return map.reductions.empty() && map.scans.empty() && !map.post && !map.map.result_types.empty();
}

bool gives_results_of(const ir::Body& body, const ir::Statement& statement) {
  return body.results.size() == statement.results.size() &&
         std::equal(body.results.begin(), body.results.end(), statement.results.begin(),
                    [](const Operand& a, const ir::Binder& b) { return a == Operand(b.name); });
}

bool is_bound_in(const Operand& operand, const ir::NameSet& bound) {
  return operand.is_name() && bound.contains(operand.name());
}

/// Whether the extent and the operators are the same for all points.
bool is_uniform(const ir::MapScanReduce& sum, const ir::NameSet& bound) {
  const auto is_closed = [&](const ir::ReduceOperator& one) {
    bool closed = true;
    struct Uses {
      const ir::NameSet& bound;
      bool& closed;
      void use(const NameId& name) { closed = closed && !bound.contains(name); }
      void use(const Operand& operand) { closed = closed && !is_bound_in(operand, bound); }
      void bind(const ir::Binder&) {}
      void type(const ir::Type&) {}
      void body(const ir::Body& body) {
        for (const ir::Statement& each : body.statements) ir::walk_fields(*this, each.operation);
        for (const Operand& result : body.results) use(result);
      }
      void lambda(const ir::Lambda& lambda) { body(lambda.body); }
    } uses{bound, closed};
    ir::walk_field(uses, one);
    return closed;
  };
  return !is_bound_in(sum.width, bound) &&
         std::all_of(sum.reductions.begin(), sum.reductions.end(), is_closed);
}

/// What is cheap enough to be done twice: numbers, and views.
bool is_repeatable(const ir::Statement& statement) {
  return as<ir::Scalar>(statement.operation) || as<ir::Assert>(statement.operation) ||
         as<ir::Index>(statement.operation) || ir::is_view(statement.operation);
}

void add_bound(const ir::Body& body, ir::NameSet& bound) {
  for (const NameId name : ir::bound_names(body)) bound.insert(name);
}

/// Takes sums out of one operation over a space.
class Taker {
 public:
  Taker(ir::Names& names, const ir::NameSet* only, TakenSums& taken)
      : names_(names), only_(only), taken_(taken) {}

  void body(ir::Body& body) {
    ir::Builder out(names_);
    for (ir::Statement& one : body.statements) {
      match(one.operation, [&](auto& node) {
        if constexpr (requires { node.space; }) {
          if (!ir::has_trace(one.operation)) points(node, one.location, out);
        }
      });
      if (auto* branch = as<ir::Branch>(one.operation)) {
        this->body(branch->then_body);
        this->body(branch->else_body);
      } else if (auto* loop = as<ir::Loop>(one.operation)) {
        this->body(loop->body);
      }
      out.add(std::move(one));
    }
    body.statements = out.take();
  }

 private:
  template <typename Node>
  void points(Node& node, ir::LocationId location, ir::Builder& out) {
    if constexpr (std::is_same_v<Node, ir::SegmentedMap>) {
      if (sum_of(node) != nullptr) return;
    }
    ir::Body& body = node.body;
    for (std::size_t k = 0; k < body.statements.size(); ++k) {
      const ir::Statement& one = body.statements[k];
      if (one.results.empty()) continue;
      if (only_ != nullptr && !only_->contains(one.results[0].name)) continue;
      auto sums = map_of_sums(node.space, body, k);
      if (!sums) continue;
      out.set_location(location);
      const std::vector<NameId> arrays = out.add_results(std::move(*sums), "sums");
      taken_.emplace(one.results[0].name, arrays.front());
      std::vector<ir::Statement> reads;
      std::vector<Operand> at;
      for (const ir::SpaceDimension& each : node.space) at.emplace_back(each.index.name);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        reads.push_back({{one.results[i]}, ir::Index{arrays[i], at}, {}, location});
      }
      const auto place = body.statements.begin() + static_cast<std::ptrdiff_t>(k);
      body.statements.insert(body.statements.erase(place), reads.begin(), reads.end());
      k += reads.size() - 1;
    }
  }

  /// What statement `k` of the points makes, as a map by itself: a sum, or maps around one.
  std::optional<ir::SegmentedMap> map_of_sums(const std::vector<ir::SpaceDimension>& space,
                                              const ir::Body& points, std::size_t k) {
    if (!as<ir::MapScanReduce>(points.statements[k].operation)) return std::nullopt;
    ir::Body body;
    const auto before = needed_before(points, k);
    if (!before) return std::nullopt;
    for (const std::size_t each : *before) body.statements.push_back(points.statements[each]);
    body.statements.push_back(points.statements[k]);
    for (const ir::Binder& each : points.statements[k].results)
      body.results.emplace_back(each.name);

    ir::SegmentedMap map{space, {}, {}};
    while (!is_sum(std::get<ir::MapScanReduce>(body.statements.back().operation))) {
      if (!open_map(map, body)) return std::nullopt;
    }
    for (const Operand& result : body.results) map.result_types.push_back(names_.type(result));
    map.body = std::move(body);
    if (sum_of(map) == nullptr) return std::nullopt;
    return renamed(std::move(map));
  }

  /// A map at the end of the points becomes one more dimension of their space.
  bool open_map(ir::SegmentedMap& map, ir::Body& body) {
    ir::MapScanReduce inner = std::get<ir::MapScanReduce>(body.statements.back().operation);
    const ir::Body& inside = inner.map.body;
    const bool is_one =
        is_map(inner) && !inside.statements.empty() &&
        as<ir::MapScanReduce>(inside.statements.back().operation) &&
        gives_results_of(inside, inside.statements.back()) &&
        std::all_of(inside.statements.begin(), inside.statements.end() - 1, is_repeatable);
    if (!is_one) return false;
    const std::vector<NameId> tokens = body.statements.back().tokens;
    body.statements.pop_back();
    const NameId index = names_.fresh("i", ir::scalar_of(ir::ScalarType::i64));
    map.space.push_back({{index}, inner.width});
    for (std::size_t k = 0; k < inner.arrays.size(); ++k) {
      body.statements.push_back(
          {{inner.map.parameters[k]}, ir::Index{inner.arrays[k], {index}}, tokens});
    }
    body.statements.insert(body.statements.end(), inside.statements.begin(),
                           inside.statements.end());
    body.results = inside.results;
    return true;
  }

  /// The statements before `k` that it depends on, if they may be repeated.
  std::optional<std::vector<std::size_t>> needed_before(const ir::Body& points, std::size_t k) {
    ir::NameSet wanted;
    const auto want = [&](const ir::Statement& one) {
      for (const NameId name : ir::free_names(one, names_)) wanted.insert(name);
    };
    want(points.statements[k]);
    std::vector<std::size_t> needed;
    for (std::size_t i = k; i-- > 0;) {
      const ir::Statement& one = points.statements[i];
      const bool is_wanted =
          std::any_of(one.results.begin(), one.results.end(),
                      [&](const ir::Binder& each) { return wanted.contains(each.name); });
      if (!is_wanted) continue;
      if (!is_repeatable(one)) return std::nullopt;
      want(one);
      needed.push_back(i);
    }
    std::reverse(needed.begin(), needed.end());
    return needed;
  }

  /// With names of its own for all that it binds.
  ir::SegmentedMap renamed(ir::SegmentedMap map) {
    ir::Statement copy = ir::renamed(ir::Statement{{}, std::move(map)}, names_);
    return std::move(std::get<ir::SegmentedMap>(copy.operation));
  }

  ir::Names& names_;
  const ir::NameSet* only_;
  TakenSums& taken_;
};

}  // namespace

const ir::MapScanReduce* sum_of(const ir::SegmentedMap& map) {
  const ir::Body& body = map.body;
  if (map.space.empty() || body.statements.empty()) return nullptr;
  const ir::Statement& last = body.statements.back();
  const auto* sum = as<ir::MapScanReduce>(last.operation);
  if (sum == nullptr || !is_sum(*sum) || !gives_results_of(body, last)) return nullptr;
  ir::NameSet bound;
  for (const ir::SpaceDimension& one : map.space) {
    if (is_bound_in(one.extent, bound)) return nullptr;
    bound.insert(one.index.name);
  }
  ir::Body before;
  before.statements.assign(body.statements.begin(), body.statements.end() - 1);
  add_bound(before, bound);
  for (const ir::SpaceDimension& one : map.space) {
    if (is_bound_in(one.extent, bound)) return nullptr;
  }
  return is_uniform(*sum, bound) ? sum : nullptr;
}

TakenSums take_sums_out(ir::Function& function, ir::Names& names, const ir::NameSet* only) {
  TakenSums taken;
  Taker(names, only, taken).body(function.body);
  if (!taken.empty()) eliminate_dead_code(function, names);
  return taken;
}

}  // namespace dagaz::passes::distributing
