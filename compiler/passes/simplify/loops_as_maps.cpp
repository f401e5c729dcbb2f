// Loops that write each element of an array once, and read no other of its elements, are maps.
//
//   loop ys = r for i < n do ys with [i] = f i ys[i]   =   map f (iota n) r
//
// What a step computes besides are numbers: a loop whose steps make arrays stays one, which needs
// the memory of one step at a time.
#include <algorithm>
#include <optional>

#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

bool is_at(const std::vector<SliceDimension>& dimensions, NameId index) {
  return dimensions.size() == 1 && dimensions[0].fixed && dimensions[0].start == Operand(index);
}

bool is_read_at(const Statement& one, NameId array, NameId index) {
  const auto* read = as<Index>(one.operation);
  return read != nullptr && read->array == array && one.tokens.empty() &&
         read->indices == std::vector<Operand>{Operand(index)};
}

/// Whether `body` makes numbers, and looks at arrays that there are.
bool makes_numbers(const Body& body, const Names& names) {
  return std::all_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    if (as<Call>(one.operation)) return false;
    const bool numbers =
        is_view(one.operation) ||
        std::none_of(one.results.begin(), one.results.end(),
                     [&](const Binder& result) { return names.type(result.name).is_array(); });
    bool inside = true;
    for_each_scope(one.operation,
                   [&](const Body& inner) { inside = inside && makes_numbers(inner, names); });
    return numbers && inside;
  });
}

class Steps {
 public:
  Steps(Loop& loop, const ForForm& form, Rules& rules)
      : loop_(loop), index_(form.index.name), bound_(form.bound), rules_(rules) {}

  bool are_independent() {
    for (std::size_t k = 0; k < loop_.values.size(); ++k) {
      if (!is_written_once(k)) return false;
    }
    Body rest;
    for (const Statement& one : loop_.body.statements) {
      if (!is_update(one)) rest.statements.push_back(one);
    }
    return !has_trace(rest) && makes_numbers(rest, rules_.names());
  }

  MapScanReduce as_map() {
    MapScanReduce map;
    map.width = bound_;
    map.arrays.push_back(
        rules_.emit(Iota{ScalarType::i64, bound_, i64_operand(0), i64_operand(1)}, "positions")
            .name());
    map.map.parameters.push_back(Binder{index_});
    for (const LoopValue& value : loop_.values) take_element(value, map);
    for (Statement& one : loop_.body.statements) {
      if (!is_update(one)) map.map.body.statements.push_back(std::move(one));
    }
    map.map.body.results = written_;
    for (const LoopValue& value : loop_.values) {
      map.map.result_types.push_back(scalar_of(rules_.type(value.parameter.name).element));
    }
    return map;
  }

 private:
  bool is_update(const Statement& one) const {
    return std::any_of(updates_.begin(), updates_.end(),
                       [&](NameId update) { return update == one.results[0].name; });
  }

  /// Whether value number `k` is an array of which a step writes its element, at the end of all
  /// that it reads of it; notes the update.
  bool is_written_once(std::size_t k) {
    const NameId array = loop_.values[k].parameter.name;
    const Type& type = rules_.type(array);
    if (!type.is_array() || type.rank() != 1 || type.shape[0] != bound_) return false;
    const Operand& next = loop_.body.results[k];
    bool found = false;
    for (const Statement& one : loop_.body.statements) {
      const auto* update = as<Update>(one.operation);
      if (update != nullptr && Operand(one.results[0].name) == next && update->array == array &&
          is_at(update->dimensions, index_) && one.tokens.empty()) {
        found = true;
        updates_.push_back(one.results[0].name);
        written_.push_back(update->value);
        continue;
      }
      if (is_read_at(one, array, index_)) continue;
      for (const NameId name : free_names(one, rules_.names())) {
        if (name == array || Operand(name) == next) return false;
      }
    }
    return found && std::count(loop_.body.results.begin(), loop_.body.results.end(), next) == 1;
  }

  /// What the steps read of an array is a parameter of the map.
  void take_element(const LoopValue& value, MapScanReduce& map) {
    std::optional<NameId> element;
    for (Statement& one : loop_.body.statements) {
      if (!is_read_at(one, value.parameter.name, index_)) continue;
      if (!element) {
        element = rules_.fresh_parameter("x", scalar_of(rules_.type(value.parameter.name).element));
        map.arrays.push_back(value.initial.name());
        map.map.parameters.push_back(Binder{*element});
      }
      one.operation = Identity{Operand(*element)};
    }
  }

  Loop& loop_;
  NameId index_;
  Operand bound_;
  Rules& rules_;
  std::vector<NameId> updates_;
  std::vector<Operand> written_;
};

}  // namespace

Outcome loop_as_map(Loop& node, Rules& rules) {
  const auto* form = as<ForForm>(node.form);
  if (form == nullptr || node.attributes != LoopAttributes{} ||
      rules.type(form->index.name).element != ScalarType::i64) {
    return Outcome::none;
  }
  Steps steps(node, *form, rules);
  if (!steps.are_independent()) return Outcome::none;
  return rules.replace(rules.emit_results(steps.as_map(), "x"));
}

}  // namespace dagaz::passes
