// A pass of a radix sort (Knuth, The Art of Computer Programming 3, 5.2.5), as a thread runs it:
//
//   next = copy starts
//   for i < n:  d = digit of element i;  out[next[d]] := element i;  next[d] += 1
//
// Steps wait for each other only in `next`, and what that holds is known without them: where the
// elements with digit d begin, and how many of them came before.  So blocks can take parts of the
// elements (emit/gpu/radix_pass.cpp).  Where ranges of digits overlap, the loop would have the last
// write win; but here are accumulators, of which it is not said who does.
#include "plan/radix_pass.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/names.h"
#include "plan/operators.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::Statement;

namespace {

class Reader {
 public:
  Reader(const ir::SegmentedMap& map, const ir::Names& names) : map_(map), names_(names) {}

  std::optional<RadixPass> read(std::int64_t most_digits) {
    const auto& statements = map_.body.statements;
    const auto* loop = statements.empty() ? nullptr : as<ir::Loop>(statements.back().operation);
    if (loop == nullptr || !read_form(*loop) || !read_values(*loop) || !read_digits(most_digits)) {
      return std::nullopt;
    }
    if (!gives_all_back(statements.back().results) || !read_before() || !read_body(*loop)) {
      return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  bool read_form(const ir::Loop& loop) {
    const auto* form = std::get_if<ir::ForForm>(&loop.form);
    if (form == nullptr) return false;
    found_.element = form->index.name;
    found_.length = form->bound;
    return names_.type(form->index.name).element == ir::ScalarType::i64;
  }

  /// Accumulators, and one array of places.
  bool read_values(const ir::Loop& loop) {
    for (std::size_t k = 0; k < loop.values.size(); ++k) {
      const auto& [parameter, initial] = loop.values[k];
      if (!initial.is_name()) return false;
      const bool is_open = names_.type(parameter.name).kind == ir::TypeKind::accumulator;
      if (is_open) {
        targets_.insert({parameter.name, found_.accumulators.size()});
        found_.accumulators.push_back(initial.name());
        last_.push_back(loop.body.results[k]);
        continue;
      }
      if (next_) return false;
      next_ = parameter.name;
      next_place_ = k;
      next_result_ = loop.body.results[k];
      found_.starts = initial.name();
    }
    return next_ && !found_.accumulators.empty();
  }

  bool read_digits(std::int64_t most_digits) {
    const ir::Type& type = names_.type(*next_);
    if (type.element != ir::ScalarType::i64 || type.rank() != 1 || !type.shape[0].is_constant()) {
      return false;
    }
    const std::int64_t count = ir::integer_value(type.shape[0].constant());
    if (count < 2 || count > most_digits) return false;
    found_.digits = count;
    return true;
  }

  /// The map's results are the accumulators that the loop gives back.
  bool gives_all_back(const std::vector<ir::Binder>& results) const {
    std::vector<Operand> given;
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (k != next_place_) given.emplace_back(results[k].name);
    }
    return given == map_.body.results;
  }

  /// The places may be a copy, of which nobody needs to know.
  bool read_before() {
    const auto& statements = map_.body.statements;
    std::unordered_set<NameId> bound;
    for (auto one = statements.begin(); one + 1 != statements.end(); ++one) {
      for (const ir::Binder& result : one->results) bound.insert(result.name);
      const auto* copy = as<ir::Copy>(one->operation);
      if (copy != nullptr && one->results[0].name == found_.starts) {
        found_.starts = copy->array;
      } else {
        found_.before.push_back(*one);
      }
    }
    const Operand& length = found_.length;
    return is_straight(found_.before) && !(length.is_name() && bound.contains(length.name()));
  }

  /// The loop's body without what it does with places.
  bool read_body(const ir::Loop& loop) {
    values_.resize(found_.accumulators.size());
    for (const Statement& one : loop.body.statements) {
      if (!read(one)) return false;
    }
    const bool all =
        digit_ && updated_ &&
        std::all_of(values_.begin(), values_.end(), [](const auto& one) { return bool{one}; });
    if (!all || next_result_ != Operand(*updated_)) return false;
    for (std::size_t k = 0; k < last_.size(); ++k) {
      const auto target = last_[k].is_name() ? targets_.find(last_[k].name()) : targets_.end();
      if (target == targets_.end() || target->second != k) return false;
      if (!continued_.contains(last_[k].name())) return false;
    }
    found_.body.results = {*digit_};
    for (const auto& value : values_) found_.body.results.push_back(*value);
    const auto mentioned = ir::free_names(found_.body, names_);
    return std::none_of(mentioned.begin(), mentioned.end(),
                        [&](NameId name) { return private_.contains(name) || is_counted(name); });
  }

  bool is_counted(NameId name) const { return name == *next_ || targets_.contains(name); }
  bool is_place(const Operand& operand) const { return place_ && operand == Operand(*place_); }

  bool read(const Statement& one) {
    if (const auto* index = as<ir::Index>(one.operation); index && index->array == *next_) {
      if (place_ || index->indices.size() != 1) return false;
      digit_ = index->indices[0];
      place_ = one.results[0].name;
      private_.insert(*place_);
      return true;
    }
    if (const auto* sum = as<ir::Scalar>(one.operation); sum && follows(*sum)) {
      following_ = one.results[0].name;
      private_.insert(*following_);
      return true;
    }
    if (const auto* update = as<ir::Update>(one.operation)) {
      if (updated_ || !counts(*update)) return false;
      updated_ = one.results[0].name;
      private_.insert(*updated_);
      return true;
    }
    if (const auto* write = as<ir::Accumulate>(one.operation)) {
      return read(*write, one.results[0].name);
    }
    found_.body.statements.push_back(one);
    return true;
  }

  /// place + 1
  bool follows(const ir::Scalar& sum) const {
    return !following_ && sum.op == ir::ScalarOp::add && is_place(sum.arguments[0]) &&
           is_constant(sum.arguments[1], 1);
  }

  /// next[digit] := place + 1
  bool counts(const ir::Update& update) const {
    return update.array == *next_ && place_ && following_ && update.dimensions[0].fixed &&
           update.dimensions[0].start == *digit_ && update.value == Operand(*following_);
  }

  bool read(const ir::Accumulate& write, NameId result) {
    const auto target = targets_.find(write.accumulator);
    if (target == targets_.end() || values_[target->second] || write.indices.size() != 1 ||
        !is_place(write.indices[0])) {
      return false;
    }
    const std::size_t number = target->second;
    values_[number] = write.value;
    targets_.insert({result, number});
    continued_.insert(result);
    return true;
  }

  const ir::SegmentedMap& map_;
  const ir::Names& names_;
  RadixPass found_{};
  std::unordered_map<NameId, std::size_t> targets_;  // accumulators in the loop: their numbers
  std::unordered_set<NameId> continued_;             // those after the write
  std::vector<Operand> last_;                        // of each, at the end of a step
  std::vector<std::optional<Operand>> values_;       // that each takes
  std::optional<NameId> next_;                       // the array of places, in the loop
  std::size_t next_place_ = 0;                       // among the loop's values
  Operand next_result_;
  std::optional<Operand> digit_;
  std::optional<NameId> place_;
  std::optional<NameId> following_;
  std::optional<NameId> updated_;
  std::unordered_set<NameId> private_;  // made of places
};

}  // namespace

std::optional<RadixPass> radix_pass_of(const ir::SegmentedMap& map, const ir::Names& names,
                                       std::int64_t most_digits) {
  return Reader(map, names).read(most_digits);
}

}  // namespace dagaz::plan
