// The adjoint of a window is a window: additions around each point of a nest become sums around
// each element.
//
//   a[y+dy, x+dx] += v(y, x, dy, dx)  for all points
//     =  a[Y, X] += Σ v(Y-dy, X-dx, dy, dx)  over dy, dx with 0 ≤ Y-dy < h and 0 ≤ X-dx < w
//
// Each dimension of the accumulator is solved for one level of the nest; the other levels are
// summed over.  Where the level goes in steps, as a convolution does that leaves out points, points
// are some elements apart.  Where none are, each addition is at one distance: its value is computed
// again at every element, under a condition at the edges (as in Hückelheim et al., "Automatic
// differentiation for adjoint stencil loops", ICPP 2019).
//
// Where some are (taps), a condition for each of them stands in the innermost loop, unless each
// element has all of them: then it is a sum as a program would write it.  A GPU minds
// that less than another array and a question to the host; on a CPU it keeps vectors away.  But
// there v is a product of a value u of points (y, x) with one of taps r(dy, dx): for the values of
// points with zeros around them,
//
//   Σ u(Y-dy, X-dx) · r(dy, dx)  =  Σ padded[Y-dy+margin, X-dx+margin] · r(dy, dx)  over all dy,
//   dx,
//
// which is the correlation of the reversed window that it looks like, without conditions.  Zeros
// add nothing unless they meet infinity or what is no number; so taps are looked at, which are few
// beside the sums, and where one is not finite the points add as before.
//
// Where points are summed over that are all at one distance, the sum of an element is one of zeros
// alone, or of none: then nobody reads it.
//
// Indices may go round, or stop at the ends of a dimension: there the few points beyond the end
// that a distance leads to add to the element at it,
//
//   a[max(y-1, 0)] += v(y)   for all points  =  a[Y] += v(Y+1) + (v(0) if Y = 0).
//
// Taps are written out there, as if the program had done so: points of each are at one distance.
// Where they are too many for that, points add to an array with elements beyond the ends, and the
// elements at these sum those beyond them.
//
// What many elements would compute again, but for factors that are the same for all points, the
// nest gives as an array, as the adjoint of a blurred image is of which each element of the image
// sums nine.
//
// Along dimensions of a few elements points may add at one place, as those of two taps that a
// program writes out: each element is a sum of its own.
#include "passes/scatter_to_gather/window.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "passes/scatter_to_gather/kept_values.h"
#include "passes/scatter_to_gather/tabulate.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes::gathering {

namespace {

/// How far apart the elements may lie that neighbouring points add to.  Each element asks of every
/// term of its sum whether a point adds it: one of so many does, the others are zeros.
constexpr std::int64_t longest_step = 4;
/// The longest dimension whose elements are sums of their own.
constexpr std::int64_t most_places = 16;
/// How far points beyond the ends may add to elements at these.
constexpr std::int64_t farthest_beyond = 4;

std::set<int> intersection(const std::set<int>& a, const std::set<int>& b) {
  std::set<int> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

/// The index of a point whose indices of some levels are these.
Affine at(const Affine& index, const Taps& tap) {
  Affine sum;
  sum.constant = index.constant;
  sum.others = index.others;
  for (const auto& [level, factor] : index.levels) {
    const auto found = tap.find(level);
    if (found == tap.end()) {
      sum.levels[level] = factor;
    } else {
      sum.constant += factor * found->second;
    }
  }
  for (const auto& [term, factor] : index.scaled) {
    const auto found = tap.find(term.first);
    if (found == tap.end()) {
      sum.scaled[term] = factor;
    } else {
      Affine one;
      one.others[term.second] = factor;
      sum = sum.plus(one, found->second);
    }
  }
  return sum;
}

/// The levels that are summed over and that shift the window.
std::set<int> taps_of(const Reach& reach) {
  std::set<int> taps;
  for (const Affine& rest : reach.rest) {
    for (const auto& one : rest.levels) taps.insert(one.first);
    for (const auto& one : rest.scaled) taps.insert(one.first.first);
  }
  return taps;
}

}  // namespace

// ---------------------------------------------------------------- who adds to an element

std::optional<Window> Window::of(const WithAccumulator& with, std::size_t input, Names& names,
                                 const Outside& outside, Edges edges, const Tunables& tunables) {
  if (!adds_numbers(with.inputs[input], names)) return std::nullopt;
  NestValues values(names, outside);
  Additions additions(names, values);
  if (!additions.find(with.body.body, with.body.parameters[input].name,
                      with.body.body.results[input]) ||
      additions.all().empty() ||
      static_cast<std::int64_t>(additions.all().size()) > tunables.window_additions) {
    return std::nullopt;
  }
  const Window empty(with.inputs[input], names, std::move(values), edges);
  Window window = empty;
  if (window.find(additions, with.body.body, names, tunables)) return window;
  Window wide = empty;
  if (wide.have_margins(additions.all()) &&
      wide.find(additions, with.body.body, names, tunables)) {
    return wide;
  }
  return std::nullopt;
}

bool Window::find(const Additions& additions, const Body& nest, Names& names,
                  const Tunables& tunables) {
  tokens_ = additions.tokens();
  for (const Addition& addition : additions.all()) {
    std::vector<Reach> reaches = reaches_of(addition, tunables.window_additions);
    if (reaches.empty()) return false;
    for (Reach& reach : reaches) {
      if (!take(addition, std::move(reach), nest, names, tunables)) return false;
    }
  }
  std::int64_t reads = 0;
  for (const Reach& reach : reaches_) reads += reads_of(reach);
  if (reads > tunables.window_additions) return false;
  if (cost_at_one_distance() > tunables.window_operations &&
      !keep_common_factors(nest, names, tunables)) {
    return false;
  }
  additions_.clear();
  return std::ssize(kept_) <= tunables.gathered_additions;
}

// False where elements cannot compute what they sum, or it does not pay.
bool Window::take(const Addition& addition, Reach reach, const Body& nest, Names& names,
                  const Tunables& tunables) {
  if (!values_.needs_of(reach.value) && !keep_common_factor(addition, nest, names)) return false;
  const auto needs = values_.needs_of(reach.value);
  add_tokens(tokens_, reach.tokens);
  add_tokens(tokens_, needs->tokens);
  for (const Addition::Condition& condition : reach.conditions) {
    add_tokens(tokens_, values_.needs_of(condition.holds)->tokens);
  }
  if (!reach.tap.empty() && cost_of(reach) > tunables.tap_operations) return false;
  if (!reach.summed.empty()) {
    if (reach.has_edges && cost_of(reach) > tunables.tap_operations) {
      edges_ = Edges::padded;
    } else if (!reach.has_edges) {
      const std::vector<Operand> terms = terms_of(reach.value, reach.conditions);
      if (!values_.are_light(terms, addition.levels, reach.summed, tunables)) return false;
    }
  }
  reaches_.push_back(std::move(reach));
  additions_.push_back(&addition);
  return true;
}

std::int64_t Window::cost_of(const Reach& reach) const {
  std::int64_t cost = 0;
  for (const Operand& term : terms_of(reach.value, reach.conditions)) {
    cost += values_.needs_of(term)->cost;
  }
  return cost;
}

// How many points may add to one element.
std::int64_t Window::reads_of(const Reach& reach) const {
  std::int64_t reads = 1;
  for (std::size_t k = 0; k < shape_.size(); ++k) reads *= 1 + beyond(reach, k);
  return reads;
}

// How many points beyond an end add to the element there.
std::int64_t Window::beyond(const Reach& reach, std::size_t dimension) const {
  const Ends& ends = reach.ends[dimension];
  const std::int64_t distance = reach.rest[dimension].constant;
  return (distance < 0 ? ends.low : ends.high) ? std::abs(distance) : 0;
}

// Of what each element computes of points at one distance; those of taps are little each.
std::int64_t Window::cost_at_one_distance() const {
  std::int64_t cost = 0;
  for (const Reach& reach : reaches_) {
    if (reach.summed.empty() && reach.tap.empty()) cost += cost_of(reach);
  }
  return cost;
}

// What is left of a value without factors that are the same for all points.
Operand Window::common_factor(const Operand& value) const {
  const Statement* statement = values_.statement_of(value);
  const auto* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar == nullptr) return value;
  const auto is_same_for_all = [&](const Operand& one) {
    const auto needs = values_.needs_of(one);
    return needs && needs->levels.empty();
  };
  const auto& x = scalar->arguments;
  if (scalar->op == ScalarOp::neg) return common_factor(x[0]);
  if (scalar->op != ScalarOp::mul) return value;
  if (is_same_for_all(x[1])) return common_factor(x[0]);
  return is_same_for_all(x[0]) ? common_factor(x[1]) : value;
}

// Has the nest give what points add, but for factors that are the same for all of them.
bool Window::keep_common_factor(const Addition& addition, const Body& nest, Names& names) {
  const Operand common = common_factor(addition.value);
  if (!common.is_name() || depth_of(common.name(), nest) != addition.levels.size()) return false;
  kept_.emplace_back(common.name(), values_.keep(common.name(), addition.levels, names));
  return true;
}

// Of all that takes more than to write and read it.
bool Window::keep_common_factors(const Body& nest, Names& names, const Tunables& tunables) {
  for (std::size_t k = 0; k < reaches_.size(); ++k) {
    if (!reaches_[k].summed.empty() || !reaches_[k].tap.empty()) continue;
    const auto needs = values_.needs_of(common_factor(reaches_[k].value));
    const bool is_cheap = needs->cost <= tunables.stored_number;
    if (!is_cheap && !keep_common_factor(*additions_[k], nest, names)) return false;
  }
  return cost_at_one_distance() <= tunables.window_operations;
}

bool Window::is_at_edges(const Reach& reach, std::size_t dimension) const {
  if (reach.solved[dimension] == no_level) return false;
  return has_margin(dimension) || reach.steps[dimension] != 1 ||
         reach.rest[dimension] != Affine{} ||
         values_.width(reach.solved[dimension]) != shape_[dimension];
}

// A reach for all points; where ends are in the way, one for each tap, of which there are no more
// than `most`; else none.
std::vector<Reach> Window::reaches_of(const Addition& addition, std::int64_t most) const {
  if (auto reach = reach_of(addition, {})) return {std::move(*reach)};
  Reach all;
  if (!solve(addition, all) || all.summed.empty() || are_ends_known(all)) return {};
  std::vector<Taps> taps = {{}};
  for (const int level : all.summed) {
    const Operand& width = values_.width(level);
    if (!width.is_constant()) return {};
    if (integer_value(width.constant()) * std::ssize(taps) > most) return {};
    std::vector<Taps> longer;
    for (std::int64_t k = 0; k < integer_value(width.constant()); ++k) {
      for (const Taps& tap : taps) {
        longer.push_back(tap);
        longer.back()[level] = k;
      }
    }
    taps = std::move(longer);
  }
  std::vector<Reach> reaches;
  for (const Taps& tap : taps) {
    auto reach = reach_of(addition, tap);
    if (!reach) return {};
    reaches.push_back(std::move(*reach));
  }
  return reaches;
}

std::optional<Reach> Window::reach_of(const Addition& addition, const Taps& tap) const {
  Reach reach;
  reach.tap = tap;
  reach.value = addition.value;
  if (!solve(addition, reach) || !are_ends_known(reach)) return std::nullopt;
  for (const auto& condition : addition.conditions) keep_conditions(condition, reach);
  for (const auto& condition : reach.conditions) {
    if (!values_.needs_of(condition.holds)) return std::nullopt;
  }
  const bool is_dense = std::all_of(reach.steps.begin(), reach.steps.end(),
                                    [](std::int64_t step) { return step == 1; });
  const bool is_in_one_place = std::count(reach.solved.begin(), reach.solved.end(), no_level) != 0;
  if (reach.summed.empty()) {
    // stored.h has those in one place.
    return is_dense && !is_in_one_place ? std::optional(std::move(reach)) : std::nullopt;
  }
  const bool has_ends =
      std::any_of(reach.ends.begin(), reach.ends.end(), [](const Ends& one) { return one.any(); });
  if (has_ends || !values_.needs_of(addition.value)) return std::nullopt;
  reach.has_taps = !is_dense || !taps_of(reach).empty();
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    reach.has_edges = reach.has_edges || is_at_edges(reach, k);
  }
  const bool is_conditional = is_in_one_place || !reach.conditions.empty();
  if (is_conditional && (reach.has_taps || !values_.are_many(reach.summed))) return std::nullopt;
  if (reach.has_edges && !split(addition.value, reach)) return std::nullopt;
  return reach;
}

// Whether elements along the dimension are few enough for a sum each.
bool Window::is_one_place(std::size_t dimension) const {
  const Operand& extent = shape_[dimension];
  return extent.is_constant() && integer_value(extent.constant()) <= most_places;
}

// The index as it is between the ends.
Operand Window::without_ends(const Operand& index, const Operand& extent, Ends& ends,
                             std::vector<NameId>& tokens) const {
  const Statement* statement = values_.statement_of(index);
  const auto* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar == nullptr || scalar->type != ScalarType::i64 || ends.wrapped) return index;
  if (edges_ == Edges::apart) return index;
  const auto& x = scalar->arguments;
  if (scalar->op == ScalarOp::smod_floor && x[1] == extent && !ends.any()) {
    ends.wrapped = true;
    add_tokens(tokens, statement->tokens);
    return x[0];
  }
  const auto is_end = [&](const Operand& one) {
    return scalar->op == ScalarOp::smax ? one == i64_operand(0) : values_.is_last(one, extent);
  };
  if (scalar->op != ScalarOp::smax && scalar->op != ScalarOp::smin) return index;
  if (!is_end(x[0]) && !is_end(x[1])) return index;
  (scalar->op == ScalarOp::smax ? ends.low : ends.high) = true;
  return without_ends(x[is_end(x[0]) ? 1 : 0], extent, ends, tokens);
}

// Whether the points of a level are those of a dimension, moved by so little that what they add at
// its ends is known.
bool Window::may_have_ends(const Reach& reach, std::size_t k) const {
  const Affine& rest = reach.rest[k];
  const bool is_moved = reach.solved[k] != no_level && reach.steps[k] == 1 && rest.levels.empty() &&
                        rest.scaled.empty() && values_.width(reach.solved[k]) == shape_[k];
  return is_moved && (reach.ends[k].wrapped ||
                      (rest.others.empty() && std::abs(rest.constant) <= farthest_beyond));
}

// Whether the indices of all points are elements of an array with some before the first and behind
// the last, in place of which additions at ends are.
bool Window::have_margins(const std::vector<Addition>& additions) {
  std::vector<Reach> reaches;
  for (const Addition& addition : additions) {
    reaches.emplace_back();
    if (!solve(addition, reaches.back())) return false;
  }
  margins_.resize(shape_.size());
  bool any = false;
  for (const Reach& reach : reaches) {
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      if (reach.ends[k].any() && !widen_margin(reach, k)) return false;
      any = any || has_margin(k);
    }
  }
  return any;
}

bool Window::widen_margin(const Reach& reach, std::size_t k) {
  const Affine& rest = reach.rest[k];
  if (reach.ends[k].wrapped || reach.solved[k] == no_level || reach.steps[k] != 1 ||
      !rest.others.empty() || !rest.scaled.empty() ||
      values_.width(reach.solved[k]) != shape_[k]) {
    return false;
  }
  Margin margin{-rest.constant, rest.constant};
  for (const auto& [level, factor] : rest.levels) {
    const Operand& width = values_.width(level);
    if (!width.is_constant()) return false;
    const std::int64_t most = std::max<std::int64_t>(integer_value(width.constant()) - 1, 0);
    const std::int64_t last = factor * most;
    margin.low -= std::min<std::int64_t>(last, 0);
    margin.high += std::max<std::int64_t>(last, 0);
  }
  const auto widen = [](std::int64_t& whole, std::int64_t one, bool may) {
    whole = std::max(whole, one);
    return one <= 0 || (may && one <= farthest_beyond);
  };
  return widen(margins_[k].low, margin.low, reach.ends[k].low) &&
         widen(margins_[k].high, margin.high, reach.ends[k].high);
}

bool Window::are_ends_known(const Reach& reach) const {
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (reach.ends[k].any() && !may_have_ends(reach, k)) return false;
  }
  return true;
}

// A level for each dimension, that no other dimension has: of an extent that is known only when the
// program runs, rather than a constant one, and further out rather than further in.
bool Window::solve(const Addition& addition, Reach& reach) const {
  std::vector<Affine> indices;
  std::map<int, int> dimensions;  // in which a level occurs
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    reach.ends.emplace_back();
    const auto sum = values_.affine(
        without_ends(addition.indices[k], shape_[k], reach.ends.back(), reach.tokens));
    if (!sum) return false;
    indices.push_back(at(*sum, reach.tap));
    if (!margins_.empty()) {
      indices.back().constant += margins_[k].low;
      reach.ends.back() = {};
    }
    for (const auto& one : indices.back().levels) ++dimensions[one.first];
    for (const auto& one : indices.back().scaled) ++dimensions[one.first.first];
  }
  const auto is_better = [&](int level, int than) {
    const auto extent = [&](int one) {
      const Operand& width = values_.width(one);
      return width.is_constant() ? integer_value(width.constant())
                                 : std::numeric_limits<std::int64_t>::max();
    };
    return extent(level) > extent(than);
  };
  for (const Affine& index : indices) {
    int best = no_level;
    if (index.levels.empty() && index.scaled.empty()) {
      if (!index.others.empty() || !is_one_place(reach.solved.size())) return false;
      reach.solved.push_back(no_level);
      reach.steps.push_back(1);
      reach.rest.push_back(index);
      continue;
    }
    for (const int level : addition.levels) {
      const auto term = index.levels.find(level);
      if (term == index.levels.end() || dimensions[level] != 1) continue;
      if (term->second < 1 || term->second > longest_step) continue;
      if (best == no_level || is_better(level, best)) best = level;
    }
    if (best == no_level) return false;
    reach.solved.push_back(best);
    reach.steps.push_back(index.levels.at(best));
    reach.rest.push_back(index);
    reach.rest.back().levels.erase(best);
  }
  for (const int level : addition.levels) {
    if (!reach.tap.contains(level) &&
        std::find(reach.solved.begin(), reach.solved.end(), level) == reach.solved.end()) {
      reach.summed.push_back(level);
    }
  }
  return std::none_of(reach.tokens.begin(), reach.tokens.end(),
                      [&](NameId token) { return values_.binds(token); });
}

// Conditions that say no more than that the index is inside the accumulator say nothing: outside,
// nothing is added.
void Window::keep_conditions(const Addition::Condition& condition, Reach& reach) const {
  const Statement* statement = values_.statement_of(condition.holds);
  const auto* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar != nullptr && condition.sense) {
    if (scalar->op == ScalarOp::bit_and) {
      for (const Operand& one : scalar->arguments) keep_conditions({one}, reach);
      return;
    }
    if (is_inside(*scalar, reach)) return;
  }
  reach.conditions.push_back(condition);
}

bool Window::is_inside(const Scalar& comparison, const Reach& reach) const {
  const bool is_strict = comparison.op == ScalarOp::slt;
  if ((!is_strict && comparison.op != ScalarOp::sle) || comparison.type != ScalarType::i64) {
    return false;
  }
  const auto a = values_.affine(comparison.arguments[0]);
  const auto b = values_.affine(comparison.arguments[1]);
  if (!a || !b) return false;
  Affine difference = at(b->plus(*a, -1), reach.tap);  // is not negative
  if (is_strict) --difference.constant;
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (reach.ends[k].any() || has_margin(k)) continue;
    Affine index = reach.rest[k];
    if (reach.solved[k] != no_level) index.levels[reach.solved[k]] = reach.steps[k];
    Affine from_end = values_.affine(shape_[k])->plus(index, -1);
    --from_end.constant;
    if (difference == index || difference == from_end) return true;
  }
  return false;
}

bool Window::split(const Operand& value, Reach& reach) const {
  const Statement* statement = values_.statement_of(value);
  const auto* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar != nullptr && scalar->op == ScalarOp::mul) {
    return split(scalar->arguments[0], reach) && split(scalar->arguments[1], reach);
  }
  if (scalar != nullptr && scalar->op == ScalarOp::neg) {
    reach.negative = !reach.negative;
    return split(scalar->arguments[0], reach);
  }
  const auto needs = values_.needs_of(value);
  std::set<int> edges;
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (is_at_edges(reach, k)) edges.insert(reach.solved[k]);
  }
  if (intersection(needs->levels, edges).empty()) {
    reach.of_taps.push_back(value);
  } else if (intersection(needs->levels, taps_of(reach)).empty()) {
    reach.of_points.push_back(value);
  } else {
    return false;
  }
  return true;
}

}  // namespace dagaz::passes::gathering
