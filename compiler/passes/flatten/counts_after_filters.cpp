// Counts of filters behind what the filters keep.
//
//   c = Σ yes[i];  p = scan …;  ys  = scatter (scratch [c]) p xs
//     =  p = scan …;  all = scatter (scratch [n]) p xs;  c = Σ (p[i] ≥ 0);  ys = all[0:c]
//
// where p[i] is the place of element i among those that satisfy a condition, or -1.  A filter need
// not know how much it keeps before it begins: one kernel of a GPU, or one thread of a CPU, finds
// the places, moves what stays and counts, where the count would read everything once more, and be
// waited for.  The array is as long as if everything stayed, which is memory for speed; a CPU's
// system gives it pages when they are written.
#include "passes/flatten/counts_after_filters.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

bool uses_any(const Statement& statement, const NameSet& names, const Names& all) {
  const std::vector<NameId> used = free_names(statement, all);
  return std::any_of(used.begin(), used.end(), [&](NameId one) { return names.contains(one); });
}

bool is_sum(const Lambda& op) {
  const auto* sum = op.body.statements.size() == 1 ? as<Scalar>(op.body.statements[0].operation)
                                                   : nullptr;
  return sum != nullptr && sum->op == ScalarOp::add && sum->type == ScalarType::i64;
}

/// A point's number under its index, by the statements that it takes.
Lambda number_of_point(const SpaceDimension& point, const Body& body, const Operand& result) {
  NameSet needed;
  if (result.is_name()) needed.insert(result.name());
  Lambda number{{{point.index}}, {{}, {result}}, {scalar_of(ScalarType::i64)}};
  for (auto one = body.statements.rbegin(); one != body.statements.rend(); ++one) {
    const bool is_needed =
        std::any_of(one->results.begin(), one->results.end(),
                    [&](const Binder& each) { return needed.contains(each.name); });
    if (!is_needed) continue;
    for_each_operand(one->operation, [&](const Operand& each) {
      if (each.is_name()) needed.insert(each.name());
    });
    number.body.statements.insert(number.body.statements.begin(), *one);
  }
  return number;
}

/// A filter, by the numbers of its statements in a body.
struct Filter {
  std::size_t count;  // which says how much is kept
  std::size_t scan;
  std::size_t places;  // of the scan's results, those of what is counted
  std::vector<std::size_t> scratches;
  std::vector<std::size_t> scatters;
  std::vector<std::size_t> sizes;  // scalars of the count
};

class Finder {
 public:
  Finder(const Body& body, const Names& names) : body_(body), names_(names) {}

  std::optional<Filter> at(std::size_t scan) const {
    const auto* places = as<SegmentedScan>(body_.statements[scan].operation);
    if (places == nullptr || places->space.size() != 1 || !places->post) return std::nullopt;
    for (std::size_t count = scan; count-- > 0;) {
      const auto operator_ = counted_by(count, *places);
      if (!operator_) continue;
      Filter filter{count, scan, *operator_, {}, {}, {}};
      if (find_uses(filter)) return filter;
    }
    return std::nullopt;
  }

 private:
  /// The scan's operator whose numbers a reduction adds.
  std::optional<std::size_t> counted_by(std::size_t count, const SegmentedScan& scan) const {
    const auto* sum = as<SegmentedReduce>(body_.statements[count].operation);
    if (sum == nullptr || sum->space.size() != 1 || sum->operators.size() != 1 ||
        sum->body.results.size() != 1 || sum->space[0].extent != scan.space[0].extent ||
        !is_sum(sum->operators[0].op)) {
      return std::nullopt;
    }
    const Lambda number = number_of_point(sum->space[0], sum->body, sum->body.results[0]);
    // Each operator has one place among the results.
    if (scan.post->body.results.size() != scan.operators.size()) return std::nullopt;
    for (std::size_t k = 0; k < scan.operators.size(); ++k) {
      if (!is_sum(scan.operators[k].op)) return std::nullopt;
      if (equivalent(number, number_of_point(scan.space[0], scan.body, scan.body.results[k]),
                     names_)) {
        return k;
      }
    }
    return std::nullopt;
  }

  /// Whether up to its end only the filter uses the count and the places.
  bool find_uses(Filter& filter) const {
    NameSet places;
    for (const Binder& one : body_.statements[filter.scan].results) places.insert(one.name);
    std::size_t end = filter.scan;
    for (std::size_t k = filter.scan + 1; k < body_.statements.size(); ++k) {
      if (uses_any(body_.statements[k], places, names_)) end = k;
    }
    for (const Operand& result : body_.results) {
      if (result.is_name() && places.contains(result.name())) return false;
    }
    NameSet known = {body_.statements[filter.count].results[0].name};
    NameSet scratches;
    NameSet filled;
    for (std::size_t k = filter.count + 1; k <= end; ++k) {
      const Statement& one = body_.statements[k];
      const auto* scatter = as<SegmentedScatter>(one.operation);
      if (scatter != nullptr && uses_any(one, places, names_)) {
        const bool fills = std::all_of(
            scatter->targets.begin(), scatter->targets.end(),
            [&](const ScatterTarget& each) { return scratches.contains(each.destination); });
        if (!fills) return false;
        filter.scatters.push_back(k);
        for (const Binder& result : one.results) filled.insert(result.name);
        continue;
      }
      if (uses_any(one, places, names_) || uses_any(one, scratches, names_) ||
          uses_any(one, filled, names_)) {
        return false;
      }
      if (!uses_any(one, known, names_)) continue;
      if (as<Scratch>(one.operation)) {
        // Rows that are kept are not moved by the kernel that finds their places.
        if (names_.type(one.results[0].name).rank() != 1) return false;
        filter.scratches.push_back(k);
        scratches.insert(one.results[0].name);
      } else if (as<Scalar>(one.operation)) {
        filter.sizes.push_back(k);
        known.insert(one.results[0].name);
      } else {
        return false;
      }
    }
    return !filter.scatters.empty() && filter.scatters.back() == end;
  }

  const Body& body_;
  const Names& names_;
};

class Rewriter {
 public:
  Rewriter(Body& body, Names& names, const Filter& filter)
      : statements_(body.statements), names_(names), filter_(filter),
        scan_(*as<SegmentedScan>(statements_[filter.scan].operation)),
        width_(scan_.space[0].extent) {}

  void run() {
    std::vector<Statement> out;
    std::vector<Statement> after;
    const std::size_t end = filter_.scatters.back();
    for (std::size_t k = 0; k <= end; ++k) {
      Statement& one = statements_[k];
      if (k == filter_.count) {
        after.push_back(count_of_places(one));
      } else if (has(filter_.sizes, k)) {
        after.push_back(std::move(one));
      } else {
        if (has(filter_.scratches, k)) lengthen_scratch(one);
        if (has(filter_.scatters, k)) lengthen_scatter(one);
        out.push_back(std::move(one));
      }
    }
    std::move(after.begin(), after.end(), std::back_inserter(out));
    std::move(parts_.begin(), parts_.end(), std::back_inserter(out));
    std::move(statements_.begin() + static_cast<std::ptrdiff_t>(end) + 1, statements_.end(),
              std::back_inserter(out));
    statements_ = std::move(out);
  }

 private:
  static bool has(const std::vector<std::size_t>& numbers, std::size_t k) {
    return std::find(numbers.begin(), numbers.end(), k) != numbers.end();
  }

  Statement count_of_places(const Statement& count) {
    const NameId places = scan_results_[filter_.places];
    Statement counted = count;
    auto& sum = *as<SegmentedReduce>(counted.operation);
    Builder builder(names_);
    builder.set_location(count.location);
    const NameId index = sum.space[0].index.name;
    const Operand place = builder.index(places, {index}, "place");
    const Operand stays =
        builder.scalar(ScalarOp::sle, ScalarType::i64, {i64_operand(0), place}, "stays");
    const Operand number =
        builder.convert(ScalarOp::zero_extend, ScalarType::boolean, ScalarType::i64, stays, "one");
    sum.body = builder.take_body({number});
    return counted;
  }

  void lengthen_scratch(Statement& statement) {
    auto& scratch = *as<Scratch>(statement.operation);
    scratch.shape = {width_};
    NameId& name = statement.results[0].name;
    const NameId longer =
        names_.fresh(names_.base(name), array_of(names_.type(name).element, {width_}));
    longer_.emplace(name, longer);
    name = longer;
  }

  void lengthen_scatter(Statement& statement) {
    auto& scatter = *as<SegmentedScatter>(statement.operation);
    for (std::size_t k = 0; k < scatter.targets.size(); ++k) {
      ScatterTarget& target = scatter.targets[k];
      const Operand size = target.shape[0];
      target.destination = longer_.at(target.destination);
      target.shape = {width_};
      NameId& name = statement.results[k].name;
      const NameId all =
          names_.fresh(names_.base(name), array_of(names_.type(name).element, {width_}));
      parts_.push_back({{{name}},
                        Slice{all, {{false, i64_operand(0), size, i64_operand(1)}}},
                        {},
                        statement.location});
      name = all;
    }
  }

  std::vector<Statement>& statements_;
  Names& names_;
  const Filter& filter_;
  const SegmentedScan scan_;
  const Operand width_;
  const std::vector<NameId> scan_results_ = [this] {
    std::vector<NameId> results;
    for (const Binder& one : statements_[filter_.scan].results) results.push_back(one.name);
    return results;
  }();
  std::unordered_map<NameId, NameId> longer_;
  std::vector<Statement> parts_;
};

}  // namespace

void count_after_filters(Body& body, Names& names) {
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    Operation& operation = body.statements[k].operation;
    if (as<Branch>(operation) || as<Loop>(operation) || as<WithAccumulator>(operation)) {
      for_each_scope(operation, [&](Body& inner) { count_after_filters(inner, names); });
      continue;
    }
    if (const auto filter = Finder(body, names).at(k)) Rewriter(body, names, *filter).run();
  }
}

}  // namespace dagaz::passes::flattening
