// reduce (\[a, b] [c, d] -> [e, f])  =  reduce (\(a, b) (c, d) -> (e, f)), likewise scans
//
// Scalars are combined in registers and in parallel; arrays in memory, one operand after another.
// The operator's body still sees arrays: literals of the new parameters, which simplification
// removes.
#include "passes/scalarise/operators.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/value_count.h"
#include "support/match.h"

namespace dagaz::passes::scalarising {

/// On a CPU, rows of more elements are better combined row by row, each in one vector or two, than
/// many rows at a time, element by element.
static std::int64_t most_split_elements(FlattenTarget target) {
  return target == FlattenTarget::cpu ? 4 : most_elements;
}

std::int64_t small_operand_count(const std::vector<Operand>& neutral, const Names& names) {
  std::int64_t count = 0;
  for (const Operand& one : neutral) {
    const Type type = names.type(one);
    if (!type.is_scalar() && !is_small(type)) return 0;
    count += type.is_scalar() ? 1 : element_count(type);
  }
  const bool has_arrays = count > static_cast<std::int64_t>(neutral.size());
  return has_arrays && count <= most_elements ? count : 0;
}

bool may_split_reductions(FlattenTarget target, Where where) {
  return target == FlattenTarget::cpu || where == Where::point;
}

namespace {

class OperatorSplitter {
 public:
  OperatorSplitter(Statement statement, const WholeUses& uses, std::int64_t most, Builder& out)
      : statement_(std::move(statement)),
        e_(std::get<MapScanReduce>(statement_.operation)),
        uses_(uses),
        most_(most),
        out_(out),
        after_(out.nested()) {}

  bool run(bool with_reductions) {
    for (const ScanOperator& one : e_.scans) note(one, true);
    for (const ReduceOperator& one : e_.reductions) note(one, with_reductions);
    const bool any = std::find(splits_.begin(), splits_.end(), true) != splits_.end();
    if (any) split();
    out_.add(std::move(statement_));
    out_.add_all(after_.take());
    return any;
  }

 private:
  Names& names() { return out_.names(); }

  /// Which operands of an operator become scalars.
  template <typename Operator>
  void note(const Operator& one, bool allowed) {
    const std::size_t count = one.neutral.size();
    const std::int64_t elements = small_operand_count(one.neutral, names());
    const bool small = allowed && elements > 0 && elements <= most_;
    for (std::size_t k = 0; k < count; ++k) {
      const NameId left = one.op.parameters[k].name;
      const NameId right = one.op.parameters[count + k].name;
      splits_.push_back(small && is_small(one.neutral[k], names()) &&
                        is_small(names().type(left)) && is_small(names().type(right)) &&
                        is_small(e_.map.result_types[splits_.size()]) && !uses_.is_whole(left) &&
                        !uses_.is_whole(right));
    }
  }

  void split() {
    const std::size_t scanned = value_count(e_.scans);
    const std::size_t reduced = splits_.size() - scanned;
    const auto scan_splits = splits_.begin() + static_cast<std::ptrdiff_t>(scanned);
    if (std::find(splits_.begin(), scan_splits, true) != scan_splits) split_post(scanned, reduced);
    split_map();
    split_results(scanned, reduced);
    out_.set_tokens(statement_.tokens);
    std::size_t position = 0;
    for (ScanOperator& one : e_.scans) split_operator(one, position);
    for (ReduceOperator& one : e_.reductions) split_operator(one, position);
    out_.set_tokens({});
  }

  /// What the map gives to operators.
  void split_map() {
    Builder last = out_.nested();
    std::vector<Operand> results;
    std::vector<Type> types;
    for (std::size_t k = 0; k < e_.map.body.results.size(); ++k) {
      const Operand result = e_.map.body.results[k];
      if (k >= splits_.size() || !splits_[k]) {
        results.push_back(result);
        types.push_back(e_.map.result_types[k]);
        continue;
      }
      for (const Operand& element : elements_of(result, e_.map.result_types[k], last)) {
        results.push_back(element);
        types.push_back(scalar_of(e_.map.result_types[k].element));
      }
    }
    for (Statement& one : last.take()) e_.map.body.statements.push_back(std::move(one));
    e_.map.body.results = std::move(results);
    e_.map.result_types = std::move(types);
  }

  /// What reductions give.
  void split_results(std::size_t scanned, std::size_t reduced) {
    std::vector<Binder> results;
    for (std::size_t k = 0; k < statement_.results.size(); ++k) {
      const Binder result = statement_.results[k];
      if (k >= reduced || !splits_[scanned + k]) {
        results.push_back(result);
        continue;
      }
      for (const NameId scalar : scalars_for(result.name, after_)) results.push_back({scalar});
    }
    statement_.results = std::move(results);
  }

  /// What scans give to the map after them, which is where rows are made again.
  void split_post(std::size_t scanned, std::size_t reduced) {
    if (!e_.post) {
      std::vector<Type> types = e_.map.result_types;
      types.erase(types.begin() + static_cast<std::ptrdiff_t>(scanned),
                  types.begin() + static_cast<std::ptrdiff_t>(scanned + reduced));
      e_.post = identity_lambda(types, names());
    }
    split_parameters(*e_.post, [&](std::size_t k) { return k < scanned && splits_[k]; });
  }

  template <typename Operator>
  void split_operator(Operator& one, std::size_t& position) {
    const std::size_t count = one.neutral.size();
    const std::size_t first = std::exchange(position, position + count);
    std::vector<Operand> neutral;
    std::vector<Operand> results;
    std::vector<Type> types;
    Builder last = out_.nested();
    last.set_tokens({});
    for (std::size_t k = 0; k < count; ++k) {
      const bool split = splits_[first + k];
      const Type whole = names().type(one.neutral[k]);
      const auto add = [&](std::vector<Operand>& to, const Operand& value, Builder& at) {
        const std::vector<Operand> parts =
            split ? elements_of(value, whole, at) : std::vector<Operand>{value};
        to.insert(to.end(), parts.begin(), parts.end());
        return parts.size();
      };
      add(neutral, one.neutral[k], out_);
      const std::size_t parts = add(results, one.op.body.results[k], last);
      const Type type = one.op.result_types[k];
      types.insert(types.end(), parts, split ? scalar_of(type.element) : type);
    }
    split_parameters(one.op, [&](std::size_t k) { return splits_[first + k % count]; });
    for (Statement& each : last.take()) one.op.body.statements.push_back(std::move(each));
    one.op.body.results = std::move(results);
    one.op.result_types = std::move(types);
    one.neutral = std::move(neutral);
  }

  /// Parameters `k` with `splits(k)` become scalars.
  template <typename Splits>
  void split_parameters(Lambda& lambda, const Splits& splits) {
    Builder first = out_.nested();
    first.set_tokens({});
    std::vector<Binder> parameters;
    for (std::size_t k = 0; k < lambda.parameters.size(); ++k) {
      if (!splits(k)) {
        parameters.push_back(lambda.parameters[k]);
        continue;
      }
      for (const NameId scalar : scalars_for(lambda.parameters[k].name, first)) {
        parameters.push_back({scalar});
      }
    }
    first.add_all(std::move(lambda.body.statements));
    lambda.body.statements = first.take();
    lambda.parameters = std::move(parameters);
  }

  Statement statement_;
  MapScanReduce& e_;
  const WholeUses& uses_;
  const std::int64_t most_;
  Builder& out_;
  Builder after_;
  std::vector<bool> splits_;  // per result of the map that an operator takes
};

}  // namespace

bool split_operators(Statement statement, const WholeUses& uses, FlattenTarget target,
                     Where where, Builder& out) {
  return OperatorSplitter(std::move(statement), uses, most_split_elements(target), out)
      .run(may_split_reductions(target, where));
}

}  // namespace dagaz::passes::scalarising
