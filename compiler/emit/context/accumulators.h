// Arrays that are open for accumulation, by the names that control flow hands on.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emit/code/values.h"
#include "ir/program.h"

namespace dagaz::emit {

struct Accumulator {
  Place place;
  std::vector<Operand> shape;  // the indexed dimensions
  ir::Type row;
  const ir::Lambda* op;  // null: writes overwrite
  const std::vector<Operand>* neutral;
  Mode opened;  // other threads combine into it, too, unless code of this mode runs
};

/// What is added to the row at these indices goes to `held`, an array of rows that are all the same.
struct HeldRow {
  std::size_t number;  // of the accumulator
  std::vector<Operand> indices;
  Accumulator held;
};

/// The type of the whole array.
ir::Type type_of(const Accumulator& accumulator);

class Accumulators {
 public:
  explicit Accumulators(const ir::Names& names) : names_(names) {}

  const Accumulator& of(NameId name) const { return opened_[number_of(name)]; }
  /// What holds the element at these indices: the accumulator, or one of its held rows.
  const Accumulator& of(NameId name, const std::vector<Operand>& indices) const;
  /// The number of an accumulator, by which code that runs it another way knows it.
  std::size_t number_of(NameId name) const;
  const Accumulator& numbered(std::size_t number) const { return opened_[number]; }

  void open(NameId name, Accumulator accumulator);
  /// Makes `to` mean the open accumulator `from`.
  void continue_as(NameId to, NameId from);

  /// Notes that several threads combine into it in the code that is being emitted.
  void share(NameId name) { shared_.insert(number_of(name)); }
  /// Those that the code which `build` emits shares; that is no sharing of the code around it.
  std::vector<std::size_t> shared_by(const std::function<void()>& build);

  /// While `build` emits, these accumulators are `others`.
  void instead(const std::vector<std::size_t>& numbers, const std::vector<Accumulator>& others,
               const std::function<void()>& build);
  /// While `build` emits, these rows are held.
  void holding(std::vector<HeldRow> rows, const std::function<void()>& build);

 private:
  const ir::Names& names_;
  std::vector<Accumulator> opened_;
  std::unordered_map<NameId, std::size_t> numbers_;
  std::set<std::size_t> shared_;
  std::vector<HeldRow> held_;
};

}  // namespace dagaz::emit
