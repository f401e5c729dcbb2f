// map f [x, y]  =  [f x, f y];   reduce op e [x, y]  =  op (op e x) y;   scan likewise
//
// For a constant width, where f and op are straight-line code (so nothing parallel or long is
// serialised) and arrays in and out are small.  In the code of a point f may add to accumulators
// if it takes elements of an array that the point made, which then needs no memory: each copy gets
// the accumulators from the one before.  Innermost first, so that a map over the rows of a
// small matrix meets straight-line code.  What a copy reads of arrays from around a map that is not
// unrolled itself is read in front of that map.  The copies are bounded for each operation and for
// each function: a program grows by a bounded factor where it is small and not at all beyond.
#include "passes/scalarise/unroll.h"

#include <algorithm>
#include <utility>

#include "ir/alias.h"
#include "ir/classify.h"
#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/name_flags.h"
#include "ir/names.h"
#include "passes/scalarise/operators.h"
#include "passes/scalarise/residence.h"
#include "support/match.h"

namespace dagaz::passes::scalarising {

namespace {

/// Whether the operation is a scalar, a view, a small array or an addition, perhaps under branches.
class StraightLine {
 public:
  explicit StraightLine(const Names& names) : names_(names) {}

  bool covers(const Body& body) const {
    return std::all_of(body.statements.begin(), body.statements.end(),
                       [this](const Statement& one) { return covers(one); });
  }

 private:
  bool covers(const Statement& statement) const {
    const bool makes_small = std::all_of(
        statement.results.begin(), statement.results.end(), [this](const Binder& result) {
          const Type& type = names_.type(result.name);
          return type.kind != TypeKind::value || type.is_scalar() || is_small(type);
        });
    return match(
        statement.operation, [](const Scalar&) { return true; },
        [](const Identity&) { return true; }, [](const Index&) { return true; },
        [](const Slice&) { return true; }, [](const Reshape&) { return true; },
        [](const Permute&) { return true; }, [](const Assert&) { return true; },
        [&](const Accumulate& addition) { return names_.type(addition.value).is_scalar(); },
        [&](const ArrayLiteral&) { return makes_small; }, [&](const Iota&) { return makes_small; },
        [&](const Replicate&) { return makes_small; }, [&](const Concat&) { return makes_small; },
        [&](const Copy&) { return makes_small; }, [&](const Scratch&) { return makes_small; },
        [&](const Update&) { return makes_small; },
        [&](const Branch& branch) {
          return makes_small && covers(branch.then_body) && covers(branch.else_body);
        },
        [](const auto&) { return false; });
  }

  const Names& names_;
};

std::int64_t size_of(const Body& body) {
  std::int64_t size = 0;
  for (const Statement& statement : body.statements) {
    size += 1;
    for_each_scope(statement.operation, [&](const Body& inner) { size += size_of(inner); });
  }
  return size;
}

class Unroller {
 public:
  Unroller(const Function& function, Program& program, FlattenTarget target,
           const Tunables& tunables)
      : names_(program.names),
        aliases_(analyse_aliases(function, program)),
        target_(target),
        tunables_(tunables),
        residence_(program.names) {}

  bool run(Function& function) {
    for (const Binder& parameter : function.parameters) {
      residence_.add_device_array(parameter.name);
    }
    body(function.body, Where::host);
    return added_ > 0;
  }

 private:
  void body(Body& body, Where where) {
    Builder out(names_);
    for (Statement& statement : body.statements) {
      scopes(statement.operation, where);
      if (where == Where::point) record_made(statement);
      const auto* map = as<MapScanReduce>(statement.operation);
      if (map && unrolls(*map, statement, where)) {
        expand(*map, statement, out);
        continue;
      }
      if (where == Where::point) read_before(statement, out);
      if (where == Where::host) residence_.record(statement);
      out.add(std::move(statement));
    }
    body.statements = out.take();
  }

  /// Operators on larger arrays stay maps, by which lowering knows what they do.
  void scopes(Operation& operation, Where where) {
    const Where there = inside(operation, where);
    if (auto* e = as<MapScanReduce>(operation)) {
      body(e->map.body, there);
      if (e->post) body(e->post->body, there);
      for (ScanOperator& one : e->scans) operator_body(one, there);
      for (ReduceOperator& one : e->reductions) {
        if (may_split_reductions(target_, where)) operator_body(one, there);
      }
    } else if (auto* histogram = as<Histogram>(operation)) {
      body(histogram->map.body, there);
    } else if (auto* with = as<WithAccumulator>(operation)) {
      body(with->body.body, there);
    } else {
      for_each_scope(operation, [&](Body& inner) { body(inner, there); });
    }
  }
  template <typename Operator>
  void operator_body(Operator& one, Where where) {
    if (small_operand_count(one.neutral, names_) > 0) body(one.op.body, where);
  }

  // ---- invariant elements

  /// Moves reads of elements of small arrays from around out of a map or loop.  In host code they
  /// stay: there the elements would become arguments of the tasks or kernels.
  void read_before(Statement& statement, Builder& out) {
    NameFlags inside;
    Body* body = nullptr;
    if (auto* map = as<MapScanReduce>(statement.operation)) {
      for (const Binder& parameter : map->map.parameters) inside.insert(parameter.name);
      body = &map->map.body;
    } else if (auto* loop = as<Loop>(statement.operation)) {
      for (const LoopValue& value : loop->values) inside.insert(value.parameter.name);
      body = &loop->body;
    }
    if (body == nullptr) return;
    std::vector<Statement> rest;
    for (Statement& one : body->statements) {
      const auto* index = as<Index>(one.operation);
      if (index && one.tokens.empty() && !inside.contains(index->array) && is_known(*index)) {
        out.add(std::move(one));
        continue;
      }
      for (const Binder& result : one.results) inside.insert(result.name);
      rest.push_back(std::move(one));
    }
    body->statements = std::move(rest);
  }
  /// Whether the array has the element, whatever happens at run time.
  bool is_known(const Index& index) const {
    const Type& type = names_.type(index.array);
    if (!is_small(type)) return false;
    for (std::size_t k = 0; k < index.indices.size(); ++k) {
      if (!index.indices[k].is_constant()) return false;
      const std::int64_t at = integer_value(index.indices[k].constant());
      if (at < 0 || at >= integer_value(type.shape[k].constant())) return false;
    }
    return true;
  }

  // ---- whether

  bool unrolls(const MapScanReduce& e, const Statement& statement, Where where) const {
    if (!e.width.is_constant()) return false;
    const std::int64_t width = integer_value(e.width.constant());
    if (width < 1 || width > most_elements) return false;
    const std::int64_t size = size_of(e) * width;
    if (size > tunables_.unrolled_operation || added_ + size > tunables_.unrolled_function) {
      return false;
    }
    const bool may_add = where == Where::point && !e.post && takes_made(e);
    return (may_add || !hands_on(e)) && are_values(e) && makes_small(statement) && is_straight(e) &&
           may_read(e, where);
  }

  static std::int64_t size_of(const MapScanReduce& e) {
    std::int64_t size = 1;
    for_each_body(e, [&](const Body& body) { size += scalarising::size_of(body); });
    return size;
  }
  template <typename Visit>
  static void for_each_body(const MapScanReduce& e, const Visit& visit) {
    visit(e.map.body);
    for (const ScanOperator& one : e.scans) visit(one.op.body);
    for (const ReduceOperator& one : e.reductions) visit(one.op.body);
    if (e.post) visit(e.post->body);
  }

  bool makes_small(const Statement& statement) const {
    return std::all_of(statement.results.begin(), statement.results.end(),
                       [this](const Binder& result) {
                         const Type& type = names_.type(result.name);
                         return type.kind == TypeKind::accumulator || type.is_scalar() ||
                                is_small(type);
                       });
  }
  bool is_accumulator(const Operand& operand) const {
    return operand.is_name() && names_.type(operand.name()).kind == TypeKind::accumulator;
  }
  bool hands_on(const MapScanReduce& e) const {
    return std::any_of(e.arrays.begin(), e.arrays.end(),
                       [this](NameId array) { return is_accumulator(array); });
  }
  /// Notes what the code of points makes in memory.
  void record_made(const Statement& statement) {
    if (is_view(statement.operation)) return;
    for (const Binder& result : statement.results) {
      if (is_small(names_.type(result.name))) made_.insert(result.name);
    }
  }
  bool takes_made(const MapScanReduce& e) const {
    return std::any_of(e.arrays.begin(), e.arrays.end(),
                       [this](NameId array) { return made_.contains(array); });
  }
  bool is_straight(const MapScanReduce& e) const {
    bool straight = true;
    for_each_body(e, [&](const Body& body) {
      straight = straight && StraightLine(names_).covers(body);
    });
    return straight;
  }
  /// What a lambda writes in place is memory of its own, which a copy of its body would not get.
  bool are_values(const MapScanReduce& e) const {
    return only_reads(e.map) && (!e.post || only_reads(*e.post)) &&
           std::all_of(e.scans.begin(), e.scans.end(),
                       [this](const ScanOperator& one) { return only_reads(one.op); }) &&
           std::all_of(e.reductions.begin(), e.reductions.end(),
                       [this](const ReduceOperator& one) { return only_reads(one.op); });
  }
  bool only_reads(const Lambda& lambda) const {
    return std::none_of(
        lambda.parameters.begin(), lambda.parameters.end(), [this](const Binder& parameter) {
          return !is_accumulator(parameter.name) && aliases_.is_consumed(parameter.name);
        });
  }
  bool may_read(const MapScanReduce& e, Where where) const {
    if (target_ == FlattenTarget::cpu || where == Where::point) return true;
    return std::none_of(e.arrays.begin(), e.arrays.end(),
                        [this](NameId array) { return residence_.is_on_device(array); });
  }

  // ---- how

  void expand(const MapScanReduce& e, const Statement& statement, Builder& out) {
    const std::int64_t width = integer_value(e.width.constant());
    added_ += size_of(e) * width;
    out.set_location(statement.location);
    std::vector<Operand> reduced;
    for (const ReduceOperator& one : e.reductions) {
      reduced.insert(reduced.end(), one.neutral.begin(), one.neutral.end());
    }
    std::vector<Operand> scanned;
    for (const ScanOperator& one : e.scans) {
      scanned.insert(scanned.end(), one.neutral.begin(), one.neutral.end());
    }
    std::vector<NameId> arrays = e.arrays;
    std::vector<std::vector<Operand>> rows;  // per position, what the statement maps to there
    for (std::int64_t position = 0; position < width; ++position) {
      const std::vector<Operand> values = at(e, arrays, position, statement, out);
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (!is_accumulator(values[k])) continue;
        arrays[accumulator_given_back(e.map, k)] = values[k].name();
      }
      auto next = values.begin();
      scanned = combined(e.scans, scanned, next, statement, out);
      reduced = combined(e.reductions, reduced, next, statement, out);
      std::vector<Operand> row = scanned;
      row.insert(row.end(), next, values.end());
      if (e.post) row = apply(*e.post, row, statement, out);
      rows.push_back(std::move(row));
    }
    bind_results(statement, reduced, rows, out);
  }

  /// The results of the map at a position of these arrays and with these accumulators.
  std::vector<Operand> at(const MapScanReduce& e, const std::vector<NameId>& arrays,
                          std::int64_t position, const Statement& statement, Builder& out) {
    out.set_tokens(statement.tokens);
    std::vector<Operand> arguments;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (is_accumulator(arrays[i])) {
        arguments.emplace_back(arrays[i]);
        continue;
      }
      arguments.push_back(
          out.index(arrays[i], {i64_operand(position)}, names_.base(e.map.parameters[i].name)));
    }
    out.set_tokens({});
    return apply(e.map, arguments, statement, out);
  }

  /// Which parameter the accumulator was that the lambda gives back at a place of its results.
  std::size_t accumulator_given_back(const Lambda& lambda, std::size_t result) const {
    const NameId first = accumulator_before(lambda.body, lambda.body.results[result].name());
    const auto parameter = std::find_if(lambda.parameters.begin(), lambda.parameters.end(),
                                        [&](const Binder& one) { return one.name == first; });
    return static_cast<std::size_t>(parameter - lambda.parameters.begin());
  }
  /// What an accumulator was in front of straight-line code that gives it back as `last`.
  static NameId accumulator_before(const Body& body, NameId last) {
    for (auto one = body.statements.rbegin(); one != body.statements.rend(); ++one) {
      for (std::size_t k = 0; k < one->results.size(); ++k) {
        if (one->results[k].name != last) continue;
        if (const auto* addition = as<Accumulate>(one->operation)) last = addition->accumulator;
        if (const auto* identity = as<Identity>(one->operation)) last = identity->value.name();
        if (const auto* branch = as<Branch>(one->operation)) {
          last = accumulator_before(branch->then_body, branch->then_body.results[k].name());
        }
        break;
      }
    }
    return last;
  }

  template <typename Operator>
  std::vector<Operand> combined(const std::vector<Operator>& operators,
                                const std::vector<Operand>& running,
                                std::vector<Operand>::const_iterator& next,
                                const Statement& statement, Builder& out) {
    std::vector<Operand> results;
    auto so_far = running.begin();
    for (const Operator& one : operators) {
      const auto count = static_cast<std::ptrdiff_t>(one.neutral.size());
      std::vector<Operand> arguments(so_far, so_far + count);
      arguments.insert(arguments.end(), next, next + count);
      so_far += count;
      next += count;
      const std::vector<Operand> values = apply(one.op, arguments, statement, out);
      results.insert(results.end(), values.begin(), values.end());
    }
    return results;
  }

  /// A copy of the lambda's body with these arguments, guarded as the statement was.
  std::vector<Operand> apply(const Lambda& lambda, const std::vector<Operand>& arguments,
                             const Statement& statement, Builder& out) {
    Lambda copy = renamed(lambda, names_);
    Substitution with;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      with.emplace(copy.parameters[i].name, arguments[i]);
    }
    substitute(copy, with, names_);
    for (Statement& inner : copy.body.statements) {
      const auto* scalar = as<Scalar>(inner.operation);
      if (!scalar || !is_cheap(scalar->op)) {
        inner.tokens.insert(inner.tokens.end(), statement.tokens.begin(), statement.tokens.end());
      }
      out.add(std::move(inner));
    }
    return std::move(copy.body.results);
  }

  void bind_results(const Statement& statement, const std::vector<Operand>& reduced,
                    const std::vector<std::vector<Operand>>& rows, Builder& out) {
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      const NameId result = statement.results[k].name;
      if (is_accumulator(result)) {
        out.add(Statement{
            {Binder{result}}, Identity{rows.back()[k - reduced.size()]}, {}, statement.location});
      } else if (names_.type(result).is_scalar()) {
        out.add(Statement{{Binder{result}}, Identity{reduced[k]}, {}, statement.location});
      } else if (k < reduced.size()) {
        make_array(result, elements_of(reduced[k], names_.type(result), out), out);
      } else {
        std::vector<Operand> elements;
        for (const std::vector<Operand>& row : rows) {
          const std::vector<Operand> part =
              elements_of(row[k - reduced.size()], row_of(names_.type(result)), out);
          elements.insert(elements.end(), part.begin(), part.end());
        }
        make_array(result, std::move(elements), out);
      }
    }
  }

  Names& names_;
  const AliasInfo aliases_;
  const FlattenTarget target_;
  const Tunables& tunables_;
  Residence residence_;
  NameFlags made_;  // small arrays that points make
  std::int64_t added_ = 0;
};

}  // namespace

bool unroll(Function& function, Program& program, FlattenTarget target, const Tunables& tunables) {
  return Unroller(function, program, target, tunables).run(function);
}

}  // namespace dagaz::passes::scalarising
