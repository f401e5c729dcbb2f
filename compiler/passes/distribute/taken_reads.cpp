#include "passes/distribute/taken_reads.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/builder.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/ranks.h"
#include "ir/traces.h"
#include "passes/dead_code.h"
#include "passes/distribute/forms.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

constexpr std::size_t most_reads = 16;  // of an operation that are taken out

/// Where a statement is: those around it, and itself last.
struct Level {
  ir::Body* body;
  std::size_t at;
  ir::Statement& statement() const { return body->statements[at]; }
};
using Path = std::vector<Level>;

bool is_bound_in(const Operand& operand, const ir::NameSet& bound) {
  return operand.is_name() && bound.contains(operand.name());
}

/// What may be computed once more, ahead of the point: nothing that writes.
bool is_repeatable(const ir::Statement& statement) {
  const ir::Operation& operation = statement.operation;
  if (as<ir::Scalar>(operation) || as<ir::Assert>(operation) || as<ir::Index>(operation) ||
      as<ir::Identity>(operation) || ir::is_view(operation)) {
    return true;
  }
  if (!as<ir::Branch>(operation)) return false;
  bool all = true;
  ir::for_each_scope(operation, [&](const ir::Body& inside) {
    all = all && std::all_of(inside.statements.begin(), inside.statements.end(), is_repeatable);
  });
  return all;
}

/// Takes reads out of the operations over spaces of a function.
class Taker {
 public:
  Taker(const ir::Function& function, ir::Names& names, const ir::NameSet* only)
      : names_(names), only_(only), definitions_(function) {
    for (const ir::Binder& one : function.parameters) parameters_.insert(one.name);
  }

  void body(ir::Body& body) {
    ir::Builder out(names_);
    for (ir::Statement& one : body.statements) {
      out.set_location(one.location);
      match(one.operation, [&](auto& node) {
        if constexpr (requires { node.space; }) {
          if (!node.space.empty() && !ir::has_trace(one.operation)) points(node, out);
        }
      });
      if (auto* branch = as<ir::Branch>(one.operation)) {
        this->body(branch->then_body);
        this->body(branch->else_body);
      } else if (auto* loop = as<ir::Loop>(one.operation)) {
        this->body(loop->body);
      } else if (auto* with = as<ir::WithAccumulator>(one.operation)) {
        this->body(with->body.body);
      }
      out.add(std::move(one));
    }
    body.statements = out.take();
  }

  Requests take() { return std::move(taken_); }

 private:
  template <typename Node>
  void points(Node& node, ir::Builder& out) {
    space_ = &node.space;
    bound_.clear();
    places_.clear();
    tried_.clear();
    for (const ir::SpaceDimension& one : node.space) bound_.insert(one.index.name);
    for (const NameId name : ir::bound_names(node.body)) bound_.insert(name);
    for (std::size_t count = 0; count < most_reads; ++count) {
      Path path;
      if (!find(node.body, path)) return;
      take_out(path, out);
    }
  }

  /// The next read that may be taken out; those that may not are passed over from then on.
  bool find(ir::Body& body, Path& path) {
    for (std::size_t k = 0; k < body.statements.size(); ++k) {
      path.push_back({&body, k});
      ir::Statement& one = body.statements[k];
      if (is_candidate(one) && tried_.insert(one.results[0].name).second) {
        if (map_of_places(path)) return true;
      } else if (auto* branch = as<ir::Branch>(one.operation)) {
        if (find(branch->then_body, path) || find(branch->else_body, path)) return true;
      } else if (auto* map = as<ir::MapScanReduce>(one.operation)) {
        if (!is_bound_in(map->width, bound_) && find(map->map.body, path)) return true;
      } else if (auto* loop = as<ir::Loop>(one.operation)) {
        const auto* form = std::get_if<ir::ForForm>(&loop->form);
        const bool counts = form != nullptr && !is_bound_in(form->bound, bound_) &&
                            names_.type(form->index.name).element == ir::ScalarType::i64;
        if (counts && find(loop->body, path)) return true;
      }
      path.pop_back();
    }
    return false;
  }

  /// Of an array that ranks may have by rows.
  bool is_candidate(const ir::Statement& statement) const {
    const auto* read = as<ir::Index>(statement.operation);
    if (read == nullptr || !is_bound_in(read->indices.front(), bound_)) return false;
    const auto is_place = [&](const ir::SpaceDimension& one) {
      return read->indices.front() == Operand(one.index.name);
    };
    if (std::any_of(space_->begin(), space_->end(), is_place)) return false;
    if (only_ != nullptr && !only_->contains(statement.results[0].name)) return false;
    return !bound_.contains(read->array) && !parameters_.contains(read->array) &&
           !definitions_.ranges.contains(read->array) && !taken_.contains(read->array);
  }

  /// What the points of the operation compute for a read: its place, or -1 where they do not read.
  std::optional<ir::SegmentedMap> map_of_places(const Path& path) {
    ir::SegmentedMap map{*space_, {}, {ir::scalar_of(ir::ScalarType::i64)}};
    auto body = place(path, 0, map.space);
    if (!body) return std::nullopt;
    map.body = std::move(*body);
    const ir::Operation operation = map;
    const std::vector<NameId> free = ir::free_names(operation, names_);
    // Nothing that a loop carries, or that is made by what cannot be computed ahead.
    if (std::any_of(free.begin(), free.end(), [&](NameId one) { return bound_.contains(one); })) {
      return std::nullopt;
    }
    return is_computed(map) ? std::optional(std::move(map)) : std::nullopt;
  }

  /// Whether the place depends on the first index, and otherwise than by little: what is read
  /// beside a point's own row is not asked for.
  bool is_computed(const ir::SegmentedMap& map) {
    const std::vector<NameId> used = ir::free_names(map.body, names_);
    const ir::SpaceDimension& first = map.space.front();
    if (std::find(used.begin(), used.end(), first.index.name) == used.end()) return false;
    Forms forms(definitions_, first.index.name, first.extent);
    for (const ir::SpaceDimension& one : map.space) {
      if (&one != &first) forms.add_index(one.index.name, one.extent);
    }
    for (const ir::Statement& one : map.body.statements) forms.add(one);
    return !forms.window_of(map.body.results.front());
  }

  /// From a level on: the statements that the place needs, and the place.  Loops become dimensions.
  std::optional<ir::Body> place(const Path& path, std::size_t level,
                                std::vector<ir::SpaceDimension>& space) {
    const Level& here = path[level];
    ir::Body body;
    if (level + 1 == path.size()) {
      body.results = {std::get<ir::Index>(here.statement().operation).indices.front()};
      return needed(here, std::move(body));
    }
    const ir::Operation& around = here.statement().operation;
    const auto* branch = as<ir::Branch>(around);
    if (branch == nullptr) open(around, body, space);
    auto inner = place(path, level + 1, space);
    if (!inner) return std::nullopt;
    if (branch != nullptr) {
      add_branch(*branch, path[level + 1].body == &branch->then_body, std::move(*inner), body);
    } else {
      body.statements.insert(body.statements.end(), inner->statements.begin(),
                             inner->statements.end());
      body.results = std::move(inner->results);
    }
    return needed(here, std::move(body));
  }

  void open(const ir::Operation& around, ir::Body& body, std::vector<ir::SpaceDimension>& space) {
    if (const auto* loop = as<ir::Loop>(around)) {
      const auto& form = std::get<ir::ForForm>(loop->form);
      space.push_back({form.index, form.bound});
      return;
    }
    const auto& map = std::get<ir::MapScanReduce>(around);
    const NameId index = names_.fresh("i", ir::scalar_of(ir::ScalarType::i64));
    space.push_back({{index}, map.width});
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      body.statements.push_back(
          {{map.map.parameters[k]}, ir::Index{map.arrays[k], {Operand(index)}}});
    }
  }

  void add_branch(const ir::Branch& branch, bool is_then, ir::Body inner, ir::Body& body) {
    ir::Body other;
    other.results = {ir::i64_operand(-1)};
    const ir::Type i64 = ir::scalar_of(ir::ScalarType::i64);
    const NameId result = names_.fresh("place", i64);
    ir::Branch chosen{branch.condition, is_then ? inner : other, is_then ? other : inner, {i64}};
    body.statements.push_back({{{result}}, std::move(chosen)});
    body.results = {Operand(result)};
  }

  /// A body with those statements before it that it needs, and without its own that nobody wants;
  /// nothing: some of them cannot be repeated.
  std::optional<ir::Body> needed(const Level& before, ir::Body body) {
    ir::NameSet wanted;
    if (body.results.front().is_name()) wanted.insert(body.results.front().name());
    ir::Statements kept;
    bool can_repeat = true;
    const auto keep = [&](const ir::Statement& one) {
      const bool is_wanted =
          std::any_of(one.results.begin(), one.results.end(),
                      [&](const ir::Binder& each) { return wanted.contains(each.name); });
      if (!is_wanted) return;
      can_repeat = can_repeat && is_repeatable(one);
      kept.push_back(one);
      // What was not a place has an answer, too: nobody has to fail here.
      const auto* read = as<ir::Index>(one.operation);
      if (read != nullptr && taken_.contains(read->array)) kept.back().tokens.clear();
      for (const NameId name : ir::free_names(kept.back(), names_)) wanted.insert(name);
    };
    for (std::size_t k = body.statements.size(); k-- > 0;) keep(body.statements[k]);
    for (std::size_t k = before.at; k-- > 0;) keep(before.body->statements[k]);
    if (!can_repeat) return std::nullopt;
    std::reverse(kept.begin(), kept.end());
    body.statements = std::move(kept);
    return body;
  }

  void take_out(const Path& path, ir::Builder& out) {
    ir::Statement& statement = path.back().statement();
    const ir::Index read = std::get<ir::Index>(statement.operation);
    const NameId places = places_of(path, read.indices.front(), out);
    const NameId answers =
        out.add(ir::rows_at(read.array, places, names_), names_.base(read.array) + "_asked");
    taken_.emplace(answers, Request{read.array, places, statement.results[0].name});
    read_answers(path, answers);
  }

  /// Those of another read of the same operation where it is in the same scope.
  NameId places_of(const Path& path, const Operand& index, ir::Builder& out) {
    std::vector<NameId> around{index.name()};
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      const ir::Statement& one = path[k].statement();
      around.push_back(one.results[0].name);
      const auto* branch = as<ir::Branch>(one.operation);
      if (branch != nullptr && path[k + 1].body == &branch->else_body) around.emplace_back();
    }
    const auto known = std::find_if(places_.begin(), places_.end(),
                                    [&](const auto& one) { return one.first == around; });
    if (known != places_.end()) return known->second;
    ir::Statement copy = ir::renamed(ir::Statement{{}, *map_of_places(path)}, names_);
    const NameId places = out.add(std::move(copy.operation), "places");
    places_.emplace_back(std::move(around), places);
    return places;
  }

  /// Reads the answer for this point in the place of the array.
  void read_answers(const Path& path, NameId answers) {
    NameId array = answers;
    std::vector<Operand> at;
    for (const ir::SpaceDimension& one : *space_) at.emplace_back(one.index.name);
    std::vector<std::pair<Level, ir::Statement>> rows;
    for (std::size_t level = 0; level + 1 < path.size(); ++level) {
      ir::Operation& around = path[level].statement().operation;
      if (auto* loop = as<ir::Loop>(around)) {
        at.emplace_back(std::get<ir::ForForm>(loop->form).index.name);
      } else if (auto* map = as<ir::MapScanReduce>(around)) {
        if (!at.empty()) rows.emplace_back(path[level], row_of_answers(array, at));
        go_through(*map, array);
      }
    }
    ir::Operation& operation = path.back().statement().operation;
    const auto& read = std::get<ir::Index>(operation);
    at.insert(at.end(), read.indices.begin() + 1, read.indices.end());
    if (at.empty()) {
      operation = ir::Identity{Operand(array)};
    } else {
      operation = ir::Index{array, std::move(at)};
    }
    // The innermost first: others move what is inside of them.
    for (auto one = rows.rbegin(); one != rows.rend(); ++one) {
      ir::Statements& statements = one->first.body->statements;
      statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(one->first.at),
                        std::move(one->second));
    }
  }

  /// Those at these indices, which are taken.
  ir::Statement row_of_answers(NameId& array, std::vector<Operand>& at) {
    ir::Type type = names_.type(array);
    type.shape.erase(type.shape.begin(),
                     type.shape.begin() + static_cast<std::ptrdiff_t>(at.size()));
    const NameId row = names_.fresh(names_.base(array) + "_row", std::move(type));
    ir::Statement statement{{{row}}, ir::Index{array, std::exchange(at, {})}};
    bound_.insert(row);
    array = row;
    return statement;
  }

  /// A map has one more array, of which its points have elements.
  void go_through(ir::MapScanReduce& map, NameId& array) {
    ir::Type element = names_.type(array);
    element.shape.erase(element.shape.begin());
    map.arrays.push_back(array);
    array = names_.fresh(names_.base(array), std::move(element));
    map.map.parameters.push_back({array});
    bound_.insert(array);
  }

  ir::Names& names_;
  const ir::NameSet* only_;
  const Definitions definitions_;
  ir::NameSet parameters_;
  Requests taken_;
  // Of one operation:
  const std::vector<ir::SpaceDimension>* space_ = nullptr;
  ir::NameSet bound_;
  ir::NameSet tried_;
  std::vector<std::pair<std::vector<NameId>, NameId>> places_;
};

}  // namespace

Requests take_reads_out(ir::Function& function, ir::Names& names, const ir::NameSet* only) {
  Taker taker(function, names, only);
  taker.body(function.body);
  return taker.take();
}

}  // namespace dagaz::passes::distributing
