// The forward sweep of a `for` loop: the loop itself, carrying for each loop value one more array, of
// `trips` rows, that holds the value at the entry of each iteration.
//
// Nothing is kept for a value that the program says to be final throughout (#[true_dep]), nor for
// one whose size changes, which has no place in such an array.
#include <utility>

#include "passes/ad/consumption.h"
#include "passes/ad/loop_sizes.h"
#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

struct Reverse::ForwardLoop {
  // An array that is carried in order to keep a loop value.
  struct Store {
    NameId array;
    NameId value;  // emitted
  };

  Reverse& reverse;
  const Statement& statement;
  const Loop& loop;
  SavedLoop saved = {};
  Loop kept = {};
  std::vector<Store> stores = {};

  Environment& environment() { return *reverse.environment_; }
  Names& names() { return reverse.names(); }
  Builder& out() { return reverse.out(); }

  void count_trips(const Operand& bound, ScalarType index_type) {
    const Operand wide =
        out().convert(ScalarOp::sign_extend, index_type, ScalarType::i64, bound, "trips");
    const std::string base = bound.is_name() ? names().base(bound.name()) : "trips";
    saved.trips = out().scalar(ScalarOp::smax, ScalarType::i64, {wide, i64_operand(0)}, base);
  }

  // The loop's own values; what the body consumes is copied, for the return sweep runs it again.
  void carry_values() {
    const NameSet consumed =
        consumed_names(loop.body.statements, names(), environment().functions());
    std::vector<Operand> initials;
    for (const LoopValue& value : loop.values) {
      Operand initial = environment().operand(value.initial);
      if (consumed.count(value.parameter.name) != 0 && initial.is_name()) {
        initial = out().add(Copy{initial.name()}, names().base(value.parameter.name));
      }
      initials.push_back(initial);
    }
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const NameId parameter = environment().bind_fresh(loop.values[i].parameter.name);
      kept.values.push_back(LoopValue{Binder{parameter}, initials[i]});
    }
  }

  void carry_stores() {
    const NameSet sizes = varying_sizes(loop, names());
    const auto& is_final = loop.attributes.true_dependence;
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const Type type = names().type(loop.values[i].parameter.name);
      if (i < is_final.size() && is_final[i]) {
        saved.values.push_back({SavedLoop::Kind::final_value, {}});
      } else if (has_varying_size(type, sizes)) {
        saved.values.push_back({SavedLoop::Kind::recomputed, {}});
      } else {
        const Type all = array_over(saved.trips, environment().type(type));
        const NameId empty = out().add(Scratch{all.element, all.shape}, "saved");
        const NameId array = names().fresh("saved", all);
        stores.push_back({array, kept.values[i].parameter.name});
        kept.values.push_back(LoopValue{Binder{array}, empty});
        saved.values.push_back({SavedLoop::Kind::saved, {}});
      }
    }
  }

  void emit_body(const Operand& index, ScalarType index_type) {
    NestedScope scope(environment());
    const Operand place =
        out().convert(ScalarOp::sign_extend, index_type, ScalarType::i64, index, "i");
    std::vector<Operand> stored;
    for (const Store& store : stores) {
      stored.push_back(out().add(
          Update{store.array, part_at({place}, names().type(store.array)), store.value}, "saved"));
    }
    environment().copy_statements(loop.body.statements);
    std::vector<Operand> results = environment().operands(loop.body.results);
    results.insert(results.end(), stored.begin(), stored.end());
    kept.body = scope.take(std::move(results));
  }

  void emit() {
    environment().enter_statement(statement);
    std::vector<Binder> results = environment().bind_fresh(statement.results);
    for (const Store& store : stores) {
      results.push_back(Binder{names().fresh("saved", names().type(store.array))});
    }
    std::size_t next = loop.values.size();
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      SavedLoop::Value& value = saved.values[i];
      if (value.kind == SavedLoop::Kind::saved) value.array = results[next++].name;
      if (value.kind == SavedLoop::Kind::final_value) value.array = results[i].name;
    }
    environment().emit_bound(statement, std::move(kept), results);
  }
};

void Reverse::forward_loop(const Statement& key, const Statement& statement, const Loop& loop) {
  const auto& form = std::get<ForForm>(loop.form);
  const ScalarType index_type = names().type(form.index.name).element;
  const Operand bound = environment_->operand(form.bound);
  ForwardLoop forward{*this, statement, loop};
  forward.count_trips(bound, index_type);
  forward.kept.attributes = loop.attributes;
  forward.kept.attributes.true_dependence.clear();
  forward.carry_values();
  forward.carry_stores();
  const NameId index = environment_->bind_fresh(form.index.name);
  forward.kept.form = ForForm{Binder{index}, bound};
  forward.emit_body(index, index_type);
  forward.emit();
  saved_loops_[&key] = std::move(forward.saved);
}

}  // namespace dagaz::passes::ad
