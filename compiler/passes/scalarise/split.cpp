// loop x = a do b            =  x = [x₀ …] where
//                               loop x₀ … = a[0] … do b with [x₀ …] for x, giving b[0] …
// if c then a else b         =  [if c then a[0] else b[0], …]
// a with [is, 0:2] = v       =  a with [is, 0] = v[0] with [is, 1] = v[1]
//
// for small arrays x, a, b and v.  The literals that stand for x disappear in simplification, but
// for those of arrays that are needed whole, which is why these are left alone (whole_uses.h).
#include "passes/scalarise/split.h"

#include <utility>

#include "ir/fields.h"
#include "passes/scalarise/operators.h"
#include "support/match.h"

namespace dagaz::passes::scalarising {

namespace {

class Splitter {
 public:
  Splitter(Names& names, const WholeUses& uses, FlattenTarget target)
      : names_(names), uses_(uses), target_(target) {}

  void body(Body& body, Where where) {
    Builder out(names_);
    const bool writes_elements = target_ == FlattenTarget::cpu || where == Where::point;
    for (Statement& statement : body.statements) {
      const Where there = inside(statement.operation, where);
      for_each_scope(statement.operation, [&](Body& inner) { this->body(inner, there); });
      out.set_location(statement.location);
      if (auto* one = as<Loop>(statement.operation)) {
        loop(statement, *one, out);
      } else if (auto* either = as<Branch>(statement.operation)) {
        branch(statement, *either, out);
      } else if (const auto* write = as<Update>(statement.operation);
                 write && writes_elements && is_small(write->value, names_)) {
        update(statement, *write, out);
      } else if (as<MapScanReduce>(statement.operation)) {
        changed_ |= split_operators(std::move(statement), uses_, target_, where, out);
      } else {
        out.add(std::move(statement));
      }
    }
    body.statements = out.take();
  }

  bool changed() const { return changed_; }

 private:
  bool splits(NameId array) const {
    return is_small(names_.type(array)) && !uses_.is_whole(array);
  }

  void loop(Statement& statement, Loop& e, Builder& out) {
    Builder first = out.nested();
    Builder last = out.nested();
    Builder after = out.nested();
    std::vector<LoopValue> values;
    std::vector<Operand> next;
    std::vector<Binder> results;
    std::vector<bool> dependence;
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      const LoopValue& value = e.values[k];
      const bool split =
          splits(value.parameter.name) && is_small(names_.type(statement.results[k].name));
      const std::size_t before = values.size();
      if (!split) {
        values.push_back(value);
        next.push_back(e.body.results[k]);
        results.push_back(statement.results[k]);
      } else {
        changed_ = true;
        out.set_tokens(statement.tokens);
        const Type type = names_.type(value.parameter.name);
        const std::vector<Operand> initial = elements_of(value.initial, type, out);
        out.set_tokens({});
        const auto scalars = scalars_for(value.parameter.name, first);
        const auto ends = scalars_for(statement.results[k].name, after);
        const std::vector<Operand> elements = elements_of(e.body.results[k], type, last);
        for (std::size_t i = 0; i < scalars.size(); ++i) {
          values.push_back({Binder{scalars[i]}, initial[i]});
          next.push_back(elements[i]);
          results.push_back(Binder{ends[i]});
        }
      }
      if (!e.attributes.true_dependence.empty()) {
        dependence.insert(dependence.end(), values.size() - before,
                          e.attributes.true_dependence[k]);
      }
    }
    e.values = std::move(values);
    first.add_all(std::move(e.body.statements));
    first.add_all(last.take());
    e.body = first.take_body(std::move(next));
    e.attributes.true_dependence = std::move(dependence);
    statement.results = std::move(results);
    out.add(std::move(statement));
    out.add_all(after.take());
  }

  void branch(Statement& statement, Branch& e, Builder& out) {
    Builder after = out.nested();
    Builder yes = out.nested();
    Builder no = out.nested();
    std::vector<Operand> yes_results;
    std::vector<Operand> no_results;
    std::vector<Binder> results;
    std::vector<Type> types;
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      const NameId result = statement.results[k].name;
      if (!splits(result)) {
        results.push_back({result});
        types.push_back(e.result_types[k]);
        yes_results.push_back(e.then_body.results[k]);
        no_results.push_back(e.else_body.results[k]);
        continue;
      }
      changed_ = true;
      const Type type = names_.type(result);
      for (const NameId scalar : scalars_for(result, after)) {
        results.push_back({scalar});
        types.push_back(names_.type(scalar));
      }
      for (const Operand& one : elements_of(e.then_body.results[k], type, yes)) {
        yes_results.push_back(one);
      }
      for (const Operand& one : elements_of(e.else_body.results[k], type, no)) {
        no_results.push_back(one);
      }
    }
    for (Statement& one : yes.take()) e.then_body.statements.push_back(std::move(one));
    for (Statement& one : no.take()) e.else_body.statements.push_back(std::move(one));
    e.then_body.results = std::move(yes_results);
    e.else_body.results = std::move(no_results);
    e.result_types = std::move(types);
    statement.results = std::move(results);
    out.add(std::move(statement));
    out.add_all(after.take());
  }

  /// One update for each element of the value, which are all read before.
  void update(const Statement& statement, const Update& e, Builder& out) {
    changed_ = true;
    const Type value = names_.type(e.value);
    out.set_tokens(statement.tokens);
    const std::vector<Operand> elements = elements_of(e.value, value, out);
    NameId array = e.array;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const std::vector<SliceDimension> position =
          element_at(e.dimensions, value, static_cast<std::int64_t>(k), out);
      const bool is_last = k + 1 == elements.size();
      const NameId result =
          is_last ? statement.results.front().name : names_.fresh_like(e.array);
      out.add(Statement{{Binder{result}}, Update{array, position, elements[k]}, statement.tokens,
                        statement.location});
      array = result;
    }
    out.set_tokens({});
  }

  /// The place of element `number` of the value that an update writes to `dimensions`.
  static std::vector<SliceDimension> element_at(std::vector<SliceDimension> dimensions,
                                                const Type& value, std::int64_t number,
                                                Builder& out) {
    std::size_t next = value.rank();
    for (std::size_t k = dimensions.size(); k-- > 0;) {
      SliceDimension& dimension = dimensions[k];
      if (dimension.fixed) continue;
      const std::int64_t extent = integer_value(value.shape[--next].constant());
      const Operand steps = i64_operand(number % extent);
      number /= extent;
      dimension = {true, out.add_i64(dimension.start, out.mul_i64(dimension.stride, steps)),
                   i64_operand(1), i64_operand(1)};
    }
    return dimensions;
  }

  Names& names_;
  const WholeUses& uses_;
  const FlattenTarget target_;
  bool changed_ = false;
};

}  // namespace

bool split(Function& function, Names& names, FlattenTarget target) {
  const WholeUses uses(function, names, target);
  Splitter splitter(names, uses, target);
  splitter.body(function.body, Where::host);
  return splitter.changed();
}

}  // namespace dagaz::passes::scalarising
