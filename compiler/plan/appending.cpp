#include "plan/appending.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

/// One iteration of a loop.
class Iteration {
 public:
  explicit Iteration(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      if (const auto* read = as<ir::Index>(one.operation)) {
        ends_.emplace(one.results[0].name, read);
      } else if (const auto* scalar = as<ir::Scalar>(one.operation)) {
        if (scalar->op == ir::ScalarOp::add) sums_.emplace(one.results[0].name, scalar);
      } else if (const auto* update = as<ir::Update>(one.operation)) {
        find_list(*update);
      }
    }
  }

  void find_writes(const ir::Body& body, int ahead, std::vector<ir::Append>& found) const {
    if (places_.empty()) return;
    for (const ir::Statement& one : body.statements) {
      if (writes_to_place(one.operation)) found.push_back({one.results[0].name, ahead});
      if (const auto* branch = as<ir::Branch>(one.operation)) {
        find_writes(branch->then_body, ahead, found);
        find_writes(branch->else_body, ahead, found);
      }
    }
  }

 private:
  // Whether an update sets an end to its element and one.
  void find_list(const ir::Update& update) {
    const auto sum = update.value.is_name() ? sums_.find(update.value.name()) : sums_.end();
    if (sum == sums_.end()) return;
    for (const Operand& place : sum->second->arguments) {
      const auto end = place.is_name() ? ends_.find(place.name()) : ends_.end();
      if (end == ends_.end() || !is_same_element(*end->second, update)) continue;
      const bool adds_one = std::any_of(
          sum->second->arguments.begin(), sum->second->arguments.end(), [](const Operand& one) {
            return one.is_constant() && ir::integer_value(one.constant()) == 1;
          });
      if (adds_one) places_.insert(place.name());
    }
  }

  static bool is_same_element(const ir::Index& read, const ir::Update& update) {
    return read.array == update.array &&
           std::equal(read.indices.begin(), read.indices.end(), update.dimensions.begin(),
                      update.dimensions.end(),
                      [](const Operand& index, const ir::SliceDimension& dimension) {
                        return dimension.fixed && index.is_name() && index == dimension.start;
                      });
  }

  bool is_place(const Operand& index) const {
    return index.is_name() && places_.contains(index.name());
  }

  bool writes_to_place(const ir::Operation& operation) const {
    if (const auto* write = as<ir::Accumulate>(operation)) {
      return !write->indices.empty() && is_place(write->indices.back());
    }
    const auto* update = as<ir::Update>(operation);
    return update != nullptr && update->dimensions.back().fixed &&
           is_place(update->dimensions.back().start);
  }

  std::unordered_map<NameId, const ir::Index*> ends_;
  std::unordered_map<NameId, const ir::Scalar*> sums_;
  std::unordered_set<NameId> places_;
};

void find_in_loops(const ir::Body& body, int ahead, std::vector<ir::Append>& found) {
  for (const ir::Statement& one : body.statements) {
    if (const auto* loop = as<ir::Loop>(one.operation)) {
      Iteration(loop->body).find_writes(loop->body, ahead, found);
    }
    ir::for_each_scope(one.operation,
                       [&](const ir::Body& inner) { find_in_loops(inner, ahead, found); });
  }
}

}  // namespace

std::vector<ir::Append> appending_writes(const ir::Body& body, int ahead) {
  std::vector<ir::Append> found;
  if (ahead > 0) find_in_loops(body, ahead, found);
  return found;
}

}  // namespace dagaz::plan
