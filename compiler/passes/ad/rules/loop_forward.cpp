// The forward sweep of a `for` loop: the loop itself, carrying for each value that its iterations
// keep (loop_plan.h) one more array, of `trips` values.  What a loop inside keeps for each
// iteration lies in such arrays of the outermost loop, with one dimension for each of the loops;
// the loops inside carry them on and write where they are:
//
//   loop (x, xs) for t < n do                          xs: [n][l]…
//     loop (x, xs) for i < l do (f x, xs with [t, i] = x)
//
// What is handed on has a row more, for the loop's result.
#include <utility>

#include "passes/ad/consumption.h"
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

struct ForwardLoop {
  Reverse& r;

  /// Counts the iterations, and makes room for what they keep, `around` times.
  SavedLoop prepare(const Loop& loop, LoopPlan plan, std::vector<Operand> around) {
    const auto& form = std::get<ForForm>(loop.form);
    const Operand bound = r.environment.operand(form.bound);
    const Operand wide =
        r.out().convert(ScalarOp::sign_extend, r.names().type(form.index.name).element,
                        ScalarType::i64, bound, "trips");
    const std::string base = bound.is_name() ? r.names().base(bound.name()) : "trips";
    SavedLoop saved;
    saved.trips = r.out().scalar(ScalarOp::smax, ScalarType::i64, {wide, i64_operand(0)}, base);
    around.push_back(saved.trips);
    std::vector<Operand> rows(loop.values.size(), saved.trips);
    for (const auto& [value, name] : plan.handed_on) {
      rows[value] = r.out().add_i64(saved.trips, i64_operand(1));
    }
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const bool kept = plan.entries[i] == LoopPlan::Entry::kept;
      around.back() = rows[i];
      saved.entries.push_back(kept ? room_for(loop.values[i].parameter.name, around) : Operand());
    }
    around.back() = saved.trips;
    for (const NameId value : plan.values) saved.values.push_back(room_for(value, around));
    for (const LoopPlan::Inner& each : plan.inner) {
      const Statement& inner = inner_loop(loop, each);
      saved.inner.push_back(prepare(std::get<Loop>(inner.operation), each.plan, around));
    }
    saved.plan = std::move(plan);
    return saved;
  }

  Operand room_for(NameId original, const std::vector<Operand>& around) {
    const Type type = r.environment.type(r.names().type(original));
    std::vector<Operand> shape = around;
    shape.insert(shape.end(), type.shape.begin(), type.shape.end());
    return r.out().add(Scratch{type.element, std::move(shape)}, "saved");
  }

  /// What the body of the loop consumes is copied, for the return sweep runs it again.
  std::vector<Operand> protected_initials(const Loop& loop) {
    const NameSet consumed =
        consumed_names(loop.body.statements, r.names(), r.environment.functions());
    std::vector<Operand> initials;
    for (const LoopValue& value : loop.values) {
      Operand initial = r.environment.operand(value.initial);
      if (consumed.count(value.parameter.name) != 0 && initial.is_name()) {
        initial = r.out().add(Copy{initial.name()}, r.names().base(value.parameter.name));
      }
      initials.push_back(initial);
    }
    return initials;
  }
  std::vector<Operand> initials(const Loop& loop) {
    std::vector<Operand> initials;
    for (const LoopValue& value : loop.values) {
      initials.push_back(r.environment.operand(value.initial));
    }
    return initials;
  }

  /// Emits the loop.  `place` is the iteration of the loops around that it keeps values for.
  void emit(const Statement& statement, const Loop& loop, const std::vector<Operand>& initial,
            SavedLoop& saved, const std::vector<Operand>& place) {
    const auto& form = std::get<ForForm>(loop.form);
    const std::vector<Operand*> arrays = saved.arrays();
    Loop kept;
    kept.attributes = loop.attributes;
    kept.attributes.true_dependence.clear();
    const Operand bound = r.environment.operand(form.bound);
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const NameId parameter = r.environment.bind_fresh(loop.values[i].parameter.name);
      kept.values.push_back(LoopValue{Binder{parameter}, initial[i]});
    }
    for (Operand* array : arrays) {
      const NameId parameter = r.names().fresh_like(array->name());
      kept.values.push_back(LoopValue{Binder{parameter}, *array});
      *array = parameter;
    }
    kept.form = ForForm{Binder{r.environment.bind_fresh(form.index.name)}, bound};
    kept.body = body(loop, saved, place);
    std::vector<Binder> results = r.environment.bind_fresh(statement.results);
    for (Operand* array : arrays) {
      results.push_back(Binder{r.names().fresh_like(array->name())});
      *array = results.back().name;
    }
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const bool is_final = saved.plan.entries[i] == LoopPlan::Entry::final_value;
      if (is_final) saved.entries[i] = results[i].name;
    }
    r.environment.emit_bound(statement, std::move(kept), results);
    std::vector<Operand> end = place;
    end.push_back(saved.trips);
    for (const auto& [value, name] : saved.plan.handed_on) {
      store(saved.entries[value], end, statement.results[value].name);
    }
  }

  Body body(const Loop& loop, SavedLoop& saved, std::vector<Operand> place) {
    NestedScope scope(r.environment);
    const NameId index = std::get<ForForm>(loop.form).index.name;
    place.push_back(r.out().convert(ScalarOp::sign_extend, r.names().type(index).element,
                                    ScalarType::i64, r.environment.operand(Operand(index)), "i"));
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      if (saved.plan.entries[i] != LoopPlan::Entry::kept) continue;
      store(saved.entries[i], place, loop.values[i].parameter.name);
    }
    for (const Statement& each : loop.body.statements) {
      if (SavedLoop* inner = saved_inner(saved, each)) {
        const auto& operation = std::get<Loop>(each.operation);
        emit(each, operation, initials(operation), *inner, place);
      } else {
        r.environment.copy_statement(each);
      }
      for (std::size_t i = 0; i < saved.values.size(); ++i) {
        for (const Binder& result : each.results) {
          if (result.name == saved.plan.values[i]) store(saved.values[i], place, result.name);
        }
      }
    }
    std::vector<Operand> results = r.environment.operands(loop.body.results);
    for (const Operand* array : saved.arrays()) results.push_back(*array);
    return scope.take(std::move(results));
  }

  static SavedLoop* saved_inner(SavedLoop& saved, const Statement& statement) {
    for (std::size_t i = 0; i < saved.inner.size(); ++i) {
      if (saved.plan.inner[i].key == key_of(statement)) return &saved.inner[i];
    }
    return nullptr;
  }

  void store(Operand& array, const std::vector<Operand>& place, NameId original) {
    const NameId whole = array.name();
    array = r.out().add(Update{whole, part_at(place, r.names().type(whole)),
                               r.environment.operand(Operand(original))},
                        "saved");
  }
};

}  // namespace

std::vector<Operand*> SavedLoop::arrays() {
  std::vector<Operand*> all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (plan.entries[i] == LoopPlan::Entry::kept) all.push_back(&entries[i]);
  }
  for (Operand& value : values) all.push_back(&value);
  for (SavedLoop& each : inner) {
    const std::vector<Operand*> inside = each.arrays();
    all.insert(all.end(), inside.begin(), inside.end());
  }
  return all;
}

void forward_loop(Reverse& r, NameId key, const Statement& statement, LoopPlan plan) {
  const auto& loop = std::get<Loop>(statement.operation);
  ForwardLoop forward{r};
  SavedLoop saved = forward.prepare(loop, std::move(plan), {});
  const std::vector<Operand> initials = forward.protected_initials(loop);
  r.environment.enter_statement(statement);
  forward.emit(statement, loop, initials, saved, {});
  r.kept.loops[key] = std::move(saved);
}

}  // namespace dagaz::passes::ad
