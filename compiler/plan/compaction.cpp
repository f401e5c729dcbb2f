// A filter, and either part of a partition, is a scan and a scatter:
//
//   place = scan over i < n of (+) yes[i], and then: place - 1 where yes[i], else -1
//   out   = scatter over i < n of x[i] to out[place[i]]
//
// What a task keeps lies together: it appends to where the tasks before it end.  So the places need
// not be stored.  In vector lanes an instruction brings the lanes that stay together, where each
// point by itself would be a store to an address that depends on the one before (Zhang and Ross,
// "Implementing database operations using SIMD instructions", SIGMOD 2002).
#include "plan/compaction.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/names.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

namespace {

using Definitions = std::unordered_map<NameId, const ir::Operation*>;

Definitions definitions_in(const ir::Body& body) {
  Definitions found;
  for (const ir::Statement& one : body.statements) {
    for (const ir::Binder& result : one.results) found.insert({result.name, &one.operation});
  }
  return found;
}

const ir::Scalar* scalar_of(const Definitions& definitions, const Operand& operand, ScalarOp op) {
  if (!operand.is_name()) return nullptr;
  const auto found = definitions.find(operand.name());
  const auto* scalar = found == definitions.end() ? nullptr : as<ir::Scalar>(*found->second);
  return scalar != nullptr && scalar->op == op ? scalar : nullptr;
}

/// A condition, or its opposite.
struct Condition {
  Operand holds;
  bool negated;
};

/// What is 1 where a condition holds, and 0 elsewhere.
std::optional<Condition> condition_of(const Definitions& definitions, const Operand& number) {
  if (const auto* one = scalar_of(definitions, number, ScalarOp::zero_extend)) {
    if (one->type != ir::ScalarType::boolean) return std::nullopt;
    return Condition{one->arguments[0], false};
  }
  const auto* rest = scalar_of(definitions, number, ScalarOp::sub);
  if (rest == nullptr || !is_constant(rest->arguments[0], 1)) return std::nullopt;
  const auto one = condition_of(definitions, rest->arguments[1]);
  if (!one) return std::nullopt;
  return Condition{one->holds, !one->negated};
}

class Finder {
 public:
  Finder(const ir::SegmentedScan& scan, const ir::Names& names)
      : names_(names), scan_(scan), point_(definitions_in(scan.body)) {
    found_.scan = &scan;
    found_.body = scan.body;
    found_.body.results.clear();
    found_.indices = {scan.space[0].index.name};
  }

  /// What the scan gives under these names.
  bool read_scan(const std::vector<ir::Binder>& results) {
    const bool counts = std::all_of(
        scan_.operators.begin(), scan_.operators.end(), [](const ir::ScanOperator& one) {
          return one.neutral.size() == 1 && is_constant(one.neutral[0], 0) && adds(one.op);
        });
    if (!counts || !scan_.post) return false;
    const ir::Lambda& post = *scan_.post;
    const Definitions after = definitions_in(post.body);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Operand& given = post.body.results[k];
      if (const auto passed = parameter_of(post, given); passed && *passed >= scanned()) {
        passed_on_.insert({results[k].name, scan_.body.results[*passed]});
      } else if (const auto list = numbered(post, after, given)) {
        places_.insert({results[k].name, *list});
      } else {
        return false;
      }
    }
    return !places_.empty();
  }

  /// Whether the loop can do what statement `position` after the scan does, too.
  bool add(const ir::Statement& statement, std::size_t position) {
    if (const auto* scratch = as<ir::Scratch>(statement.operation)) {
      if (scratch->shape.size() != 1) return false;
      fresh_.insert({statement.results[0].name, scratch->shape[0]});
      return true;
    }
    if (as<ir::Scalar>(statement.operation) || as<ir::Assert>(statement.operation)) return true;
    if (const auto* sum = as<ir::SegmentedReduce>(statement.operation)) {
      const auto list = counted_by(*sum);
      if (!list || found_.scatters.empty()) return false;
      found_.counts.push_back({*list, statement.results[0].name});
      found_.statements = position;
      return true;
    }
    const auto* scatter = as<ir::SegmentedScatter>(statement.operation);
    if (scatter == nullptr || !add(statement, *scatter)) return false;
    found_.statements = position;
    return true;
  }

  bool is_made_here(NameId name) const {
    return places_.contains(name) || passed_on_.contains(name);
  }
  std::optional<Compaction> take() {
    if (found_.scatters.empty()) return std::nullopt;
    // Conditions come before values.
    std::vector<Operand> flags;
    for (Compaction::List& list : found_.lists) {
      list.flag = flags.size();
      flags.push_back(conditions_.at(list.scanned).holds);
      for (Compaction::Target& target : list.targets) target.value += found_.lists.size();
    }
    found_.body.results.insert(found_.body.results.begin(), flags.begin(), flags.end());
    return std::move(found_);
  }

 private:
  static bool adds(const ir::Lambda& op) {
    const auto* sum = op.body.statements.size() == 1
                          ? as<ir::Scalar>(op.body.statements[0].operation)
                          : nullptr;
    return sum != nullptr && sum->op == ScalarOp::add && sum->type == ir::ScalarType::i64 &&
           is_simple(op);
  }
  std::size_t scanned() const { return scan_.operators.size(); }

  static std::optional<std::size_t> parameter_of(const ir::Lambda& lambda, const Operand& operand) {
    for (std::size_t k = 0; k < lambda.parameters.size(); ++k) {
      if (operand == Operand(lambda.parameters[k].name)) return k;
    }
    return std::nullopt;
  }

  /// The operator that numbers the points of a condition, if `given` is the number of those before
  /// a point that satisfies it, and -1 for others.
  std::optional<std::size_t> numbered(const ir::Lambda& post, const Definitions& after,
                                      const Operand& given) {
    const auto* choice = scalar_of(after, given, ScalarOp::select);
    if (choice == nullptr || !is_constant(choice->arguments[2], -1)) return std::nullopt;
    const auto* kept = scalar_of(after, choice->arguments[0], ScalarOp::ne);
    const auto* place = scalar_of(after, choice->arguments[1], ScalarOp::add);
    if (kept == nullptr || !is_constant(kept->arguments[1], 0) || place == nullptr ||
        !is_constant(place->arguments[1], -1)) {
      return std::nullopt;
    }
    const auto count = parameter_of(post, place->arguments[0]);
    const auto one = parameter_of(post, kept->arguments[0]);
    if (!count || !one || *count >= scanned() || *one < scanned()) return std::nullopt;
    const Operand& number = scan_.body.results[*count];
    const auto condition = condition_of(point_, number);
    if (!condition || scan_.body.results[*one] != number) return std::nullopt;
    conditions_.insert({*count, *condition});
    return count;
  }

  bool add(const ir::Statement& statement, const ir::SegmentedScatter& scatter) {
    const bool fits = scatter.space.size() == 1 &&
                      scatter.space[0].extent == scan_.space[0].extent;
    if (!fits) return false;
    std::unordered_map<NameId, std::size_t> place_of;  // lists, by the name of a place
    ir::Body body = scatter.body;
    if (!replace_reads(body, scatter.space[0].index.name, place_of)) return false;
    std::vector<Compaction::List> lists = found_.lists;
    std::vector<Operand> values;
    for (std::size_t k = 0; k < scatter.targets.size(); ++k) {
      const ir::ScatterTarget& target = scatter.targets[k];
      const Operand& at = scatter.body.results[2 * k];
      const Operand& value = scatter.body.results[2 * k + 1];
      const auto place = at.is_name() ? place_of.find(at.name()) : place_of.end();
      const auto made = fresh_.find(target.destination);
      if (target.shape.size() != 1 || place == place_of.end() || made == fresh_.end() ||
          !scatter.result_types[2 * k + 1].is_scalar()) {
        return false;
      }
      if (!append(lists, place->second, made->second,
                  {target.destination, statement.results[k].name,
                   found_.body.results.size() + values.size()})) {
        return false;
      }
      values.push_back(value);
    }
    body.results = values;
    for (const NameId name : ir::free_names(body, names_)) {
      if (is_made_here(name) || fresh_.contains(name) || filled_.contains(name) ||
          place_of.contains(name)) {
        return false;
      }
    }
    found_.lists = std::move(lists);
    found_.scatters.push_back(&scatter);
    found_.indices.push_back(scatter.space[0].index.name);
    for (const ir::Binder& result : statement.results) filled_.insert(result.name);
    std::vector<ir::Statement>& all = found_.body.statements;
    all.insert(all.end(), body.statements.begin(), body.statements.end());
    found_.body.results.insert(found_.body.results.end(), values.begin(), values.end());
    return true;
  }

  /// The filled list whose places that are none this sum leaves out.
  std::optional<std::size_t> counted_by(const ir::SegmentedReduce& sum) const {
    const auto& statements = sum.body.statements;
    if (sum.space.size() != 1 || sum.space[0].extent != scan_.space[0].extent ||
        sum.operators.size() != 1 || !adds(sum.operators[0].op) || statements.size() != 3 ||
        sum.body.results.size() != 1) {
      return std::nullopt;
    }
    const Definitions point = definitions_in(sum.body);
    const auto one = condition_of(point, sum.body.results[0]);
    const auto* stays =
        one && !one->negated ? scalar_of(point, one->holds, ScalarOp::sle) : nullptr;
    if (stays == nullptr || !is_constant(stays->arguments[0], 0)) return std::nullopt;
    const auto* read = as<ir::Index>(statements[0].operation);
    if (read == nullptr || stays->arguments[1] != Operand(statements[0].results[0].name) ||
        read->indices.size() != 1 || read->indices[0] != Operand(sum.space[0].index.name)) {
      return std::nullopt;
    }
    const auto list = places_.find(read->array);
    if (list == places_.end()) return std::nullopt;
    const bool is_filled =
        std::any_of(found_.lists.begin(), found_.lists.end(),
                    [&](const Compaction::List& one) { return one.scanned == list->second; });
    return is_filled ? std::optional(list->second) : std::nullopt;
  }

  /// Elements of what the scan gives are what the loop has at hand; places are left out.
  bool replace_reads(ir::Body& body, NameId index,
                     std::unordered_map<NameId, std::size_t>& place_of) const {
    std::vector<ir::Statement> left;
    for (ir::Statement& one : body.statements) {
      const auto* read = as<ir::Index>(one.operation);
      if (read == nullptr || !is_made_here(read->array)) {
        left.push_back(std::move(one));
        continue;
      }
      if (read->indices.size() != 1 || read->indices[0] != Operand(index)) return false;
      if (const auto list = places_.find(read->array); list != places_.end()) {
        place_of.insert({one.results[0].name, list->second});
        continue;
      }
      const Operand& passed = passed_on_.at(read->array);
      if (!names_.type(one.results[0].name).is_scalar()) return false;
      one.operation = ir::Identity{passed};
      left.push_back(std::move(one));
    }
    body.statements = std::move(left);
    return true;
  }

  /// All arrays that a list fills have one size.
  bool append(std::vector<Compaction::List>& lists, std::size_t scanned, const Operand& size,
              const Compaction::Target& target) const {
    auto list = std::find_if(lists.begin(), lists.end(),
                             [&](const Compaction::List& one) { return one.scanned == scanned; });
    if (list == lists.end()) {
      lists.push_back({scanned, 0, conditions_.at(scanned).negated, size, {}});
      list = lists.end() - 1;
    }
    list->targets.push_back(target);
    return list->size == size;
  }

  const ir::Names& names_;
  const ir::SegmentedScan& scan_;
  Definitions point_;
  std::unordered_map<std::size_t, Condition> conditions_;  // by operator
  std::unordered_map<NameId, std::size_t> places_;         // results of the scan: operators
  std::unordered_map<NameId, Operand> passed_on_;          // results that its body computes
  std::unordered_map<NameId, Operand> fresh_;              // arrays without content: sizes
  std::unordered_set<NameId> filled_;
  Compaction found_;
};

}  // namespace

std::optional<Compaction> compaction_of(std::span<const ir::Statement> statements,
                                        const std::vector<ir::Operand>& results,
                                        const ir::Names& names) {
  const auto* scan = as<ir::SegmentedScan>(statements.front().operation);
  if (scan == nullptr || scan->space.size() != 1) return std::nullopt;
  Finder finder(*scan, names);
  if (!finder.read_scan(statements.front().results)) return std::nullopt;
  std::size_t position = 1;
  while (position < statements.size() && finder.add(statements[position], position)) ++position;
  const auto used = [&](NameId name) { return finder.is_made_here(name); };
  for (const Operand& result : results) {
    if (result.is_name() && used(result.name())) return std::nullopt;
  }
  std::optional<Compaction> found = finder.take();
  if (!found) return std::nullopt;
  for (std::size_t k = found->statements + 1; k < statements.size(); ++k) {
    const std::vector<NameId> mentioned = ir::free_names(statements[k], names);
    if (std::any_of(mentioned.begin(), mentioned.end(), used)) return std::nullopt;
  }
  return found;
}

}  // namespace dagaz::plan
