#include "emit/context/accumulators.h"

#include <algorithm>

namespace dagaz::emit {

ir::Type type_of(const Accumulator& accumulator) {
  ir::Type type = accumulator.row;
  type.shape.insert(type.shape.begin(), accumulator.shape.begin(), accumulator.shape.end());
  return type;
}

std::size_t Accumulators::number_of(NameId name) const {
  const auto found = numbers_.find(name);
  DZ_CHECK(found != numbers_.end(), names_.text(name) + " is not an open accumulator");
  return found->second;
}

// Rows have one index less.
const Accumulator& Accumulators::of(NameId name, const std::vector<Operand>& indices) const {
  const std::size_t number = number_of(name);
  for (const HeldRow& row : held_) {
    const bool is_there =
        row.number == number &&
        std::equal(row.indices.begin(), row.indices.end(), indices.begin(), indices.end() - 1);
    if (is_there) return row.held;
  }
  return opened_[number];
}

void Accumulators::open(NameId name, Accumulator accumulator) {
  numbers_.insert_or_assign(name, opened_.size());
  opened_.push_back(std::move(accumulator));
}

void Accumulators::continue_as(NameId to, NameId from) {
  const std::size_t number = number_of(from);
  numbers_.insert_or_assign(to, number);
}

std::vector<std::size_t> Accumulators::shared_by(const std::function<void()>& build) {
  const std::set<std::size_t> outer = std::exchange(shared_, {});
  build();
  const std::set<std::size_t> found = std::exchange(shared_, outer);
  return {found.begin(), found.end()};
}

void Accumulators::instead(const std::vector<std::size_t>& numbers,
                           const std::vector<Accumulator>& others,
                           const std::function<void()>& build) {
  std::vector<Accumulator> before;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    before.push_back(std::exchange(opened_[numbers[k]], others[k]));
  }
  build();
  for (std::size_t k = 0; k < numbers.size(); ++k) opened_[numbers[k]] = before[k];
}

void Accumulators::holding(std::vector<HeldRow> rows, const std::function<void()>& build) {
  std::vector<HeldRow> before = std::exchange(held_, std::move(rows));
  build();
  held_ = std::move(before);
}

}  // namespace dagaz::emit
