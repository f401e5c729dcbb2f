#include "passes/ad/wanted_values.h"

#include <algorithm>
#include <utility>

namespace dagaz::passes::ad {

using namespace ir;

WantedValues::WantedValues(Builder& out)
    : out_(&out), needed_(out.statements().size()), seen_(needed_.size()) {
  for (std::size_t i = 0; i < seen_; ++i) {
    for (const Binder& each : out.statements()[i].results) forward_.emplace(each.name, i);
  }
}

// A name that the return sweep uses, and what that is made of.
void WantedValues::need(NameId name) {
  std::vector<NameId> names = {name};
  while (!names.empty()) {
    const auto found = forward_.find(names.back());
    names.pop_back();
    if (found == forward_.end() || needed_[found->second]) continue;
    needed_[found->second] = true;
    for (const NameId used : free_names(out_->statements()[found->second], out_->names())) {
      names.push_back(used);
    }
  }
}

void WantedValues::look_at_new_statements() {
  const std::vector<Statement>& statements = out_->statements();
  for (; seen_ < statements.size(); ++seen_) {
    for (const NameId name : free_names(statements[seen_], out_->names())) need(name);
  }
}

std::optional<std::size_t> WantedValues::map_that_may_wait(const std::vector<NameId>& values) {
  look_at_new_statements();
  const auto found = values.empty() ? forward_.end() : forward_.find(values.front());
  if (found == forward_.end() || needed_[found->second]) return std::nullopt;
  const Statement& statement = out_->statements()[found->second];
  const bool is_the_map =
      std::holds_alternative<MapScanReduce>(statement.operation) &&
      std::equal(values.begin(), values.end(), statement.results.begin(), statement.results.end(),
                 [](NameId value, const Binder& result) { return value == result.name; });
  return is_the_map ? std::optional(found->second) : std::nullopt;
}

void WantedValues::give(std::size_t map, const std::vector<NameId>& results) {
  given_.push_back(map);
  const std::vector<Binder>& values = out_->statements()[map].results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    results_.emplace(results[i], Operand(values[i].name));
  }
}

std::vector<Statement> WantedValues::in_order(std::vector<Statement> statements) const {
  if (given_.empty()) return statements;
  NameSet missing;
  std::vector<bool> gone(statements.size());
  for (const std::size_t map : given_) {
    gone[map] = true;
    for (const Binder& each : statements[map].results) missing.insert(each.name);
  }
  std::vector<std::size_t> lacks(statements.size());  // how many names
  std::unordered_map<NameId, std::vector<std::size_t>> waiting;
  std::vector<Statement> order;
  // A statement, and those that waited for it alone.
  const auto place = [&](std::size_t first) {
    std::vector<std::size_t> ready = {first};
    for (std::size_t next = 0; next < ready.size(); ++next) {
      const std::size_t i = ready[next];
      for (const Binder& each : statements[i].results) {
        if (missing.erase(each.name) == 0) continue;
        for (const std::size_t later : waiting[each.name]) {
          if (--lacks[later] == 0) ready.push_back(later);
        }
      }
      order.push_back(std::move(statements[i]));
    }
  };
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (gone[i]) continue;
    for (Binder& each : statements[i].results) {
      each.name = substitute(Operand(each.name), results_).name();
    }
    for (const NameId name : free_names(statements[i], out_->names())) {
      if (!missing.contains(name)) continue;
      ++lacks[i];
      waiting[name].push_back(i);
    }
    if (lacks[i] == 0) {
      place(i);
    } else {
      for (const Binder& each : statements[i].results) missing.insert(each.name);
    }
  }
  return order;
}

}  // namespace dagaz::passes::ad
