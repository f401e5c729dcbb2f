// Makes additions notes: in the place of an accumulator there are those of all arrays that its
// additions are noted in.  Each addition writes to its own of them, and hands the others on.
#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "ir/names.h"
#include "passes/distribute/notes.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

namespace {

/// Where an addition is noted, by places in the list of its input.
struct Slots {
  std::size_t place_of;
  std::size_t place;  // if it is its own
  std::size_t further;
  std::size_t value;
};

class NoteTaker {
 public:
  NoteTaker(const std::vector<NotedAddition>& notes, const Accumulators& accumulators,
            const OwnPointsOf& own, ir::Builder& out)
      : planned_(notes), accumulators_(accumulators), own_(own), out_(out) {}

  std::vector<NoteArrays> run(ir::Statement& statement) {
    auto& with = std::get<ir::WithAccumulator>(statement.operation);
    open_.resize(with.inputs.size());
    for (const NotedAddition& one : planned_) plan(one, with);
    bind(with.body.parameters);
    body(with.body.body, &with.body.result_types);
    open(with, statement.results);
    return arrays();
  }

 private:
  /// The arrays of an addition.
  void plan(const NotedAddition& noted, const ir::WithAccumulator& with) {
    const std::size_t here = slots_.size();
    Slots slots{place_of(noted, with), 0, 0, 0};
    std::vector<Operand> points;
    for (const NoteDimension& one : noted.dimensions) {
      points.push_back(extent_of(one, points.empty()));
    }
    std::vector<ir::AccumulatorInput>& list = open_[noted.input];
    const auto add = [&](std::vector<Operand> shape, const ir::Operation& array) {
      list.push_back({std::move(shape), out_.add(array, "noted"), std::nullopt, {}});
      return list.size() - 1;
    };
    // Points that add nothing have no place.
    if (slots.place_of == here) {
      slots.place = add(points, ir::Replicate{points, ir::i64_operand(-1)});
    }
    slots.further = list.size();
    for (std::size_t k = 0; k < noted.further().size(); ++k) {
      add(points, ir::Scratch{ir::ScalarType::i64, points});
    }
    std::vector<Operand> shape = points;
    for (const NoteDimension& one : noted.row) shape.push_back(one.extent);
    const ir::Type value = type_of(noted.value);
    ir::Scratch memory{value.element, shape};
    memory.shape.insert(memory.shape.end(), value.shape.begin(), value.shape.end());
    slots.value = add(std::move(shape), memory);
    slots_.push_back(slots);
  }

  /// The first that has the same place and notes it once; of those that note it with the first
  /// element of a row, one whose rows have as many.
  std::size_t place_of(const NotedAddition& noted, const ir::WithAccumulator& with) const {
    const auto find = [&](const auto& notes_it) {
      return std::find_if(planned_.begin(), planned_.end(), [&](const NotedAddition& one) {
        return one.has_place_of(noted) && notes_it(one) &&
               with.inputs[one.input].shape.front() == with.inputs[noted.input].shape.front();
      });
    };
    auto found = find([](const NotedAddition& one) { return one.row.empty(); });
    if (found == planned_.end()) {
      found = find([&](const NotedAddition& one) {
        return std::equal(
            one.row.begin(), one.row.end(), noted.row.begin(), noted.row.end(),
            [](const NoteDimension& a, const NoteDimension& b) { return a.extent == b.extent; });
      });
    }
    return static_cast<std::size_t>(found - planned_.begin());
  }

  Operand extent_of(const NoteDimension& dimension, bool is_first) {
    if (is_first) return own_(dimension.extent).count;
    if (!dimension.may_be_negative) return dimension.extent;
    return out_.scalar(ScalarOp::smax, ir::ScalarType::i64, {dimension.extent, ir::i64_operand(0)},
                       "steps");
  }
  ir::Type type_of(const Operand& value) const {
    return value.is_name() ? names().type(value.name()) : ir::scalar_of(value.constant().type);
  }
  ir::Names& names() const { return out_.names(); }

  // ---- accumulators

  /// The arrays that are in the place of an accumulator; null: it stays.
  const std::vector<ir::AccumulatorInput>* arrays_of(NameId accumulator) const {
    const auto found = accumulators_.find(accumulator);
    if (found == accumulators_.end() || open_[found->second].empty()) return nullptr;
    return &open_[found->second];
  }
  ir::Type accumulator_over(const ir::AccumulatorInput& one) const {
    ir::Type type = names().type(one.array);
    type.kind = ir::TypeKind::accumulator;
    return type;
  }

  /// Names for those that are in the place of one: the first of them has its.
  std::vector<NameId> bound(NameId name) {
    const auto* arrays = arrays_of(name);
    if (arrays == nullptr) return {name};
    std::vector<NameId> all;
    for (const ir::AccumulatorInput& one : *arrays) {
      if (all.empty()) {
        names().set_type(name, accumulator_over(one));
        all.push_back(name);
      } else {
        all.push_back(names().fresh(names().base(name), accumulator_over(one)));
      }
    }
    now_[name] = all;
    return all;
  }
  std::vector<NameId> used(NameId name) const {
    const auto found = now_.find(name);
    return found == now_.end() ? std::vector{name} : found->second;
  }

  void bind(std::vector<ir::Binder>& all) {
    std::vector<ir::Binder> changed;
    for (const ir::Binder& one : all) {
      for (const NameId name : bound(one.name)) changed.push_back({name});
    }
    all = std::move(changed);
  }
  void use(std::vector<NameId>& all) const {
    std::vector<NameId> changed;
    for (const NameId one : all) {
      for (const NameId name : used(one)) changed.push_back(name);
    }
    all = std::move(changed);
  }
  void use(std::vector<ir::LoopValue>& all) {
    std::vector<ir::LoopValue> changed;
    for (const ir::LoopValue& one : all) {
      if (arrays_of(one.parameter.name) == nullptr) {
        changed.push_back(one);
        continue;
      }
      const std::vector<NameId> initial = used(one.initial.name());
      const std::vector<NameId> parameters = bound(one.parameter.name);
      for (std::size_t k = 0; k < initial.size(); ++k) {
        changed.push_back(one);
        changed.back().parameter.name = parameters[k];
        changed.back().initial = initial[k];
      }
    }
    all = std::move(changed);
  }

  // ---- points

  void body(ir::Body& body, std::vector<ir::Type>* types) {
    ir::Builder out(names());
    for (ir::Statement& one : body.statements) {
      out.set_location(one.location);
      if (const auto* add = as<ir::Accumulate>(one.operation)) {
        if (arrays_of(add->accumulator) != nullptr) {
          note(*add, one, out);
          continue;
        }
      }
      inside(one.operation);
      bind(one.results);
      out.add(std::move(one));
    }
    body.statements = out.take();
    std::vector<Operand> results;
    std::vector<ir::Type> result_types;
    for (std::size_t k = 0; k < body.results.size(); ++k) {
      const Operand& one = body.results[k];
      if (!one.is_name() || !now_.contains(one.name())) {
        results.push_back(one);
        if (types != nullptr) result_types.push_back((*types)[k]);
        continue;
      }
      for (const NameId name : used(one.name())) {
        results.emplace_back(name);
        result_types.push_back(names().type(name));
      }
    }
    body.results = std::move(results);
    if (types != nullptr) *types = std::move(result_types);
  }

  void inside(ir::Operation& operation) {
    if (!mentions(operation)) return;
    if (auto* map = as<ir::SegmentedMap>(operation)) {
      body(map->body, &map->result_types);
    } else if (auto* branch = as<ir::Branch>(operation)) {
      std::vector<ir::Type> types = branch->result_types;
      body(branch->then_body, &types);
      body(branch->else_body, &branch->result_types);
    } else if (auto* loop = as<ir::Loop>(operation)) {
      use(loop->values);
      body(loop->body, nullptr);
    } else if (auto* map_inside = as<ir::MapScanReduce>(operation)) {
      use(map_inside->arrays);
      bind(map_inside->map.parameters);
      body(map_inside->map.body, &map_inside->map.result_types);
    } else if (auto* with = as<ir::WithAccumulator>(operation)) {
      body(with->body.body, &with->body.result_types);
    }
  }
  bool mentions(const ir::Operation& operation) const {
    const std::vector<NameId> all = ir::free_names(operation, names());
    return std::any_of(all.begin(), all.end(), [&](NameId name) { return now_.contains(name); });
  }

  void note(const ir::Accumulate& add, const ir::Statement& statement, ir::Builder& out) {
    const NameId sum = statement.results[0].name;
    const auto found = std::find_if(planned_.begin(), planned_.end(),
                                    [&](const NotedAddition& one) { return one.sum == sum; });
    const auto here = static_cast<std::size_t>(found - planned_.begin());
    const NotedAddition& noted = *found;
    const Slots& slots = slots_[here];
    std::vector<NameId> now = used(add.accumulator);
    std::vector<Operand> at;
    for (const NoteDimension& one : noted.dimensions) {
      at.push_back(at.empty() ? out.sub_i64(one.index, own_(one.extent).first)
                              : Operand(one.index));
    }
    const auto write = [&](std::size_t slot, const std::vector<Operand>& indices,
                           const Operand& value) {
      const NameId next = names().fresh_like(now[slot]);
      out.add(ir::Statement{{{next}},
                            ir::Accumulate{now[slot], indices, value},
                            statement.tokens,
                            statement.location});
      now[slot] = next;
    };
    const std::vector<Operand> once = at_first_of_row(noted, at, out);
    if (slots.place_of == here) write(slots.place, once, noted.indices.front());
    std::size_t slot = slots.further;
    for (const Operand& index : noted.further()) write(slot++, once, index);
    for (const NoteDimension& one : noted.row) at.emplace_back(one.index);
    write(slots.value, at, add.value);
    now_[sum] = std::move(now);
  }

  /// Nothing is written outside of an array: what all elements of a row have is noted by the first.
  static std::vector<Operand> at_first_of_row(const NotedAddition& noted, std::vector<Operand> at,
                                              ir::Builder& out) {
    const auto i64 = ir::ScalarType::i64;
    for (const NoteDimension& one : noted.row) {
      const Operand is_first = out.scalar(ScalarOp::eq, i64, {one.index, ir::i64_operand(0)});
      at.front() = out.select(i64, is_first, at.front(), ir::i64_operand(-1));
    }
    return at;
  }

  // ---- the scope

  void open(ir::WithAccumulator& with, std::vector<ir::Binder>& results) {
    std::vector<ir::AccumulatorInput> inputs;
    std::vector<ir::Binder> bound;
    names_.resize(with.inputs.size());
    for (std::size_t k = 0; k < with.inputs.size(); ++k) {
      if (open_[k].empty()) {
        inputs.push_back(std::move(with.inputs[k]));
        bound.push_back(results[k]);
        continue;
      }
      for (const ir::AccumulatorInput& one : open_[k]) {
        inputs.push_back(one);
        names_[k].push_back(names().fresh("noted", names().type(one.array)));
        bound.push_back({names_[k].back()});
      }
    }
    bound.insert(bound.end(), results.begin() + static_cast<std::ptrdiff_t>(with.inputs.size()),
                 results.end());
    with.inputs = std::move(inputs);
    results = std::move(bound);
  }

  std::vector<NoteArrays> arrays() const {
    std::vector<NoteArrays> all;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      const Slots& slots = slots_[k];
      const std::vector<NameId>& own = names_[planned_[k].input];
      const std::size_t owner = slots.place_of;
      NoteArrays arrays{owner, names_[planned_[owner].input][slots_[owner].place], {}, {}};
      for (std::size_t i = slots.further; i < slots.value; ++i) arrays.further.push_back(own[i]);
      arrays.values = own[slots.value];
      all.push_back(std::move(arrays));
    }
    return all;
  }

  const std::vector<NotedAddition>& planned_;
  const Accumulators& accumulators_;
  const OwnPointsOf& own_;
  ir::Builder& out_;
  std::vector<std::vector<ir::AccumulatorInput>> open_;  // instead of each input
  std::vector<Slots> slots_;                             // of each addition
  std::unordered_map<NameId, std::vector<NameId>> now_;  // in the place of an accumulator
  std::vector<std::vector<NameId>> names_;               // what the scope gives for each input
};

}  // namespace

std::vector<NoteArrays> take_notes(ir::Statement& statement,
                                   const std::vector<NotedAddition>& notes,
                                   const Accumulators& accumulators, const OwnPointsOf& own,
                                   ir::Builder& out) {
  return NoteTaker(notes, accumulators, own, out).run(statement);
}

}  // namespace dagaz::passes::distributing
