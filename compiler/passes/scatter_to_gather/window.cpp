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
// Along dimensions of a few elements points may add at one place, as those of two taps that a
// program writes out: each element is a sum of its own.
#include "passes/scatter_to_gather/window.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

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

/// The index of points, which `step` times is `distance`; and that there are such, if not negative.
struct Stepped {
  Operand index;
  Operand is_there;
};

Stepped stepped(const Operand& distance, std::int64_t step, Builder& out) {
  if (step == 1) return {distance, make_bool(true)};
  const Operand by = i64_operand(step);
  const Operand rest = out.scalar(ScalarOp::smod_floor, ScalarType::i64, {distance, by}, "rest");
  return {out.scalar(ScalarOp::sdiv_floor, ScalarType::i64, {distance, by}, "index"),
          out.scalar(ScalarOp::eq, ScalarType::i64, {rest, i64_operand(0)}, "is_there")};
}

std::set<int> intersection(const std::set<int>& a, const std::set<int>& b) {
  std::set<int> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
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

/// A level that shifts the window by its index times a factor: all of it, and what is not negative.
struct Shift {
  int level;
  Operand factor;
  Operand forward;
};

std::vector<Shift> shifts_of(const Affine& rest, Builder& out) {
  std::vector<Shift> shifts;
  for (const auto& [level, factor] : rest.levels) {
    shifts.push_back({level, i64_operand(factor), i64_operand(std::max<std::int64_t>(factor, 0))});
  }
  for (const auto& [term, times] : rest.scaled) {
    const Operand factor = out.mul_i64(term.second, i64_operand(times));
    const Operand forward =
        out.scalar(ScalarOp::smax, ScalarType::i64, {factor, i64_operand(0)}, "forward");
    shifts.push_back({term.first, factor, forward});
  }
  return shifts;
}

}  // namespace

// ---------------------------------------------------------------- who adds to an element

std::optional<Window> Window::of(const WithAccumulator& with, std::size_t input, Names& names,
                                 const std::unordered_set<NameId>& counts, Edges edges,
                                 const Tunables& tunables) {
  if (!adds_numbers(with.inputs[input], names)) return std::nullopt;
  NestValues values(names, counts);
  Additions additions(names, values);
  if (!additions.find(with.body.body, with.body.parameters[input].name,
                      with.body.body.results[input]) ||
      additions.all().empty() ||
      static_cast<std::int64_t>(additions.all().size()) > tunables.window_additions) {
    return std::nullopt;
  }
  Window window(with.inputs[input], names, std::move(values), edges);
  window.tokens_ = additions.tokens();
  std::int64_t cost = 0;
  for (const Addition& addition : additions.all()) {
    auto reach = window.reach_of(addition);
    if (!reach) return std::nullopt;
    const auto needs = window.values_.needs_of(reach->value);
    add_tokens(window.tokens_, needs->tokens);
    for (const Addition::Condition& condition : reach->conditions) {
      add_tokens(window.tokens_, window.values_.needs_of(condition.holds)->tokens);
    }
    cost += reach->summed.empty() ? reach->cost : 0;
    if (!reach->summed.empty()) {
      if (reach->has_edges && reach->cost > tunables.tap_operations) {
        window.edges_ = Edges::padded;
      } else if (!reach->has_edges) {
        const std::vector<Operand> terms = terms_of(reach->value, reach->conditions);
        if (!window.values_.are_light(terms, addition.levels, reach->summed, tunables)) {
          return std::nullopt;
        }
      }
    }
    window.reaches_.push_back(std::move(*reach));
  }
  if (cost > tunables.window_operations) return std::nullopt;
  return window;
}

bool Window::is_at_edges(const Reach& reach, std::size_t dimension) const {
  if (reach.solved[dimension] == no_level) return false;
  return reach.steps[dimension] != 1 || reach.rest[dimension] != Affine{} ||
         values_.width(reach.solved[dimension]) != shape_[dimension];
}

std::optional<Reach> Window::reach_of(const Addition& addition) const {
  Reach reach;
  reach.value = addition.value;
  if (!solve(addition, reach)) return std::nullopt;
  std::vector<Affine> indices;
  for (const Operand& index : addition.indices) indices.push_back(*values_.affine(index));
  for (const auto& condition : addition.conditions) keep_conditions(condition, indices, reach);
  const auto needs = values_.needs_of(addition.value);
  if (!needs) return std::nullopt;
  reach.cost = needs->cost;
  for (const auto& condition : reach.conditions) {
    const auto its = values_.needs_of(condition.holds);
    if (!its) return std::nullopt;
    reach.cost += its->cost;
  }
  const bool is_dense = std::all_of(reach.steps.begin(), reach.steps.end(),
                                    [](std::int64_t step) { return step == 1; });
  const bool is_in_one_place = std::count(reach.solved.begin(), reach.solved.end(), no_level) != 0;
  if (reach.summed.empty()) {
    // stored.h has those in one place.
    return is_dense && !is_in_one_place ? std::optional(std::move(reach)) : std::nullopt;
  }
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

// A level for each dimension, that no other dimension has: of an extent that is known only when the
// program runs, rather than a constant one, and further out rather than further in.
bool Window::solve(const Addition& addition, Reach& reach) const {
  std::vector<Affine> indices;
  std::map<int, int> dimensions;  // in which a level occurs
  for (const Operand& index : addition.indices) {
    const auto sum = values_.affine(index);
    if (!sum) return false;
    indices.push_back(*sum);
    for (const auto& one : sum->levels) ++dimensions[one.first];
    for (const auto& one : sum->scaled) ++dimensions[one.first.first];
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
    if (std::find(reach.solved.begin(), reach.solved.end(), level) == reach.solved.end()) {
      reach.summed.push_back(level);
    }
  }
  return true;
}

// Conditions that say no more than that the index is inside the accumulator say nothing: outside,
// nothing is added.
void Window::keep_conditions(const Addition::Condition& condition,
                             const std::vector<Affine>& indices, Reach& reach) const {
  const Statement* statement = values_.statement_of(condition.holds);
  const auto* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar != nullptr && condition.sense) {
    if (scalar->op == ScalarOp::bit_and) {
      for (const Operand& one : scalar->arguments) keep_conditions({one}, indices, reach);
      return;
    }
    if (is_inside(*scalar, indices)) return;
  }
  reach.conditions.push_back(condition);
}

bool Window::is_inside(const Scalar& comparison, const std::vector<Affine>& indices) const {
  const bool is_strict = comparison.op == ScalarOp::slt;
  if ((!is_strict && comparison.op != ScalarOp::sle) || comparison.type != ScalarType::i64) {
    return false;
  }
  const auto a = values_.affine(comparison.arguments[0]);
  const auto b = values_.affine(comparison.arguments[1]);
  if (!a || !b) return false;
  Affine difference = b->plus(*a, -1);  // is not negative
  if (is_strict) --difference.constant;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    Affine from_end = values_.affine(shape_[k])->plus(indices[k], -1);
    --from_end.constant;
    if (difference == indices[k] || difference == from_end) return true;
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

// ---------------------------------------------------------------- additions at one distance

// Whether points add to `element`, as far as its index tells.
Operand Window::is_inside_at(const Reach& reach, const std::vector<Operand>& element,
                             Builder& out) const {
  Operand inside = make_bool(true);
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (!is_at_edges(reach, k)) continue;
    const Affine& rest = reach.rest[k];
    const Operand& width = values_.width(reach.solved[k]);
    const Operand distance = value_of(rest, {}, out);
    const bool is_known = rest.others.empty();
    if (!is_known || rest.constant > 0) {
      inside = both(inside, is_less(out.add_i64(distance, i64_operand(-1)), element[k], out), out);
    }
    if (!is_known || rest.constant < 0 || width != shape_[k]) {
      inside = both(inside, is_less(element[k], out.add_i64(width, distance), out), out);
    }
  }
  return inside;
}

// The value at the point that adds to `element`; 0 if there is none, or it does not.
Operand Window::read(const Reach& reach, const std::vector<Operand>& element, Builder& out) const {
  const Operand inside = is_inside_at(reach, element, out);
  const auto zero = [&](Builder&) { return std::vector<Operand>{zero_of(element_)}; };
  const auto there = [&](Builder& in) {
    Point point;
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      const Affine& rest = reach.rest[k];
      point.at[reach.solved[k]] = rest.others.empty()
                                      ? in.add_i64(element[k], i64_operand(-rest.constant))
                                      : in.sub_i64(element[k], value_of(rest, {}, in));
    }
    const Operand adds = all_hold(make_bool(true), reach.conditions, values_, point, in);
    if (reach.conditions.empty()) {
      return std::vector<Operand>{values_.value(reach.value, point, in)};
    }
    return std::vector<Operand>{in.branch(
        adds,
        [&](Builder& side) {
          Point same = point;
          return std::vector<Operand>{values_.value(reach.value, same, side)};
        },
        zero, "x")[0]};
  };
  if (inside == Operand(make_bool(true))) return there(out)[0];
  return out.branch(inside, there, zero, "x")[0];
}

// ---------------------------------------------------------------- windows

struct Window::Padded {
  NameId array;
  std::vector<int> levels;         // of its dimensions
  std::map<int, Operand> margins;  // zeros before the values of points, by level
};

bool Window::is_padded() const {
  return edges_ == Edges::padded &&
         std::any_of(reaches_.begin(), reaches_.end(),
                     [](const Reach& one) { return one.has_taps && !one.of_taps.empty(); }) &&
         is_float(element_);
}

Operand Window::is_exact(Builder& out) const {
  Operand all = make_bool(true);
  const Operand infinity = make_float(element_, std::numeric_limits<double>::infinity());
  for (const Reach& reach : reaches_) {
    if (!reach.has_taps) continue;
    for (const Operand& tap : reach.of_taps) {
      std::vector<int> levels;
      std::vector<Operand> shape;
      const std::set<int> needed = values_.needs_of(tap)->levels;
      for (const int level : needed) {
        levels.push_back(level);
        shape.push_back(values_.width(level));
      }
      const auto is_finite = [&](Builder& in, const std::vector<Operand>& at) {
        Point point;
        for (std::size_t k = 0; k < levels.size(); ++k) point.at[levels[k]] = at[k];
        const Operand size =
            in.scalar(ScalarOp::fabs, element_, {values_.value(tap, point, in)}, "size");
        return in.scalar(ScalarOp::flt, element_, {size, infinity}, "is_finite");
      };
      const Operand finite =
          combine(shape, {}, ScalarOp::bit_and, ScalarType::boolean, is_finite, out);
      all = both(all, finite, out);
    }
  }
  return all;
}

// Of a level that one of the dimensions is solved for.
static std::int64_t step_of(const Reach& reach, int level) {
  const auto found = std::find(reach.solved.begin(), reach.solved.end(), level);
  return reach.steps[static_cast<std::size_t>(found - reach.solved.begin())];
}

Operand Window::padded_element(const Reach& reach, const Padded& padded, Builder& in,
                               const std::vector<Operand>& at) const {
  Operand inside = make_bool(true);
  for (std::size_t k = 0; k < padded.levels.size(); ++k) {
    const auto margin = padded.margins.find(padded.levels[k]);
    if (margin == padded.margins.end()) continue;
    inside = both(inside, is_less(in.add_i64(margin->second, i64_operand(-1)), at[k], in), in);
    const std::int64_t step = step_of(reach, padded.levels[k]);
    const Operand width = in.mul_i64(values_.width(padded.levels[k]), i64_operand(step));
    const Operand end = in.add_i64(width, margin->second);
    inside = both(inside, is_less(at[k], end, in), in);
    const Operand distance = in.sub_i64(at[k], margin->second);
    inside = both(inside, stepped(distance, step, in).is_there, in);
  }
  const auto product_there = [&](Builder& there) {
    Point point;
    for (std::size_t k = 0; k < padded.levels.size(); ++k) {
      const int level = padded.levels[k];
      const auto margin = padded.margins.find(level);
      const bool is_shifted = margin != padded.margins.end();
      point.at[level] =
          is_shifted
              ? stepped(there.sub_i64(at[k], margin->second), step_of(reach, level), there).index
              : at[k];
    }
    Operand product = one_of(element_);
    for (const Operand& one : reach.of_points) {
      const Operand factor = values_.value(one, point, there);
      product = product == Operand(one_of(element_))
                    ? factor
                    : there.scalar(ScalarOp::mul, element_, {product, factor}, "product");
    }
    if (reach.negative) product = there.scalar(ScalarOp::neg, element_, {product}, "product");
    return std::vector<Operand>{product};
  };
  const auto zero = [&](Builder&) { return std::vector<Operand>{zero_of(element_)}; };
  return in.branch(inside, product_there, zero, "padded")[0];
}

Window::Padded Window::padded(const Reach& reach, Builder& out) const {
  Padded padded;
  std::set<int> levels;
  for (const Operand& one : reach.of_points) levels.merge(values_.needs_of(one)->levels);
  std::map<int, Operand> extents;
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (!is_at_edges(reach, k)) continue;
    // The index of the level is from Y - margin to Y + reach below.
    Affine outside = reach.rest[k];
    outside.levels.clear();
    outside.scaled.clear();
    Operand margin = value_of(outside, {}, out);
    Operand extent = shape_[k];
    for (const Shift& shift : shifts_of(reach.rest[k], out)) {
      const Operand last = out.add_i64(values_.width(shift.level), i64_operand(-1));
      const Operand backward = out.sub_i64(shift.forward, shift.factor);
      margin = out.add_i64(margin, out.mul_i64(last, shift.forward));
      extent = out.add_i64(extent, out.mul_i64(last, out.add_i64(shift.forward, backward)));
    }
    padded.margins[reach.solved[k]] = margin;
    extents[reach.solved[k]] =
        out.scalar(ScalarOp::smax, ScalarType::i64, {extent, i64_operand(0)});
    levels.insert(reach.solved[k]);
  }
  std::vector<Operand> shape;
  for (const int level : levels) {
    padded.levels.push_back(level);
    shape.push_back(extents.contains(level) ? extents[level] : values_.width(level));
  }
  const auto element = [&](Builder& in, const std::vector<Operand>& at) {
    return padded_element(reach, padded, in, at);
  };
  padded.array = tabulate(shape, {}, element, out).name();
  return padded;
}

Operand Window::sum(const Reach& reach, const Padded& points, const std::vector<Operand>& element,
                    Builder& out) const {
  std::vector<Operand> shape;
  for (const int level : reach.summed) shape.push_back(values_.width(level));
  const auto product = [&](Builder& in, const std::vector<Operand>& at) {
    Point point;
    std::map<int, Operand> shifted;
    for (std::size_t k = 0; k < reach.summed.size(); ++k) point.at[reach.summed[k]] = at[k];
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      const int level = reach.solved[k];
      if (level == no_level) continue;
      const auto margin = points.margins.find(level);
      if (margin == points.margins.end()) {
        point.at[level] = element[k];
      } else {
        // Y + margin - rest, whose parts from outside the nest cancel
        Operand from = element[k];
        Operand taps = i64_operand(0);
        for (const Shift& shift : shifts_of(reach.rest[k], in)) {
          const Operand last = in.add_i64(values_.width(shift.level), i64_operand(-1));
          from = in.add_i64(from, in.mul_i64(last, shift.forward));
          taps = in.add_i64(taps, in.mul_i64(point.at.at(shift.level), shift.factor));
        }
        shifted[level] = in.sub_i64(from, taps);
      }
    }
    std::vector<Operand> indices;
    for (const int level : points.levels) {
      const auto found = shifted.find(level);
      indices.push_back(found == shifted.end() ? point.at.at(level) : found->second);
    }
    Operand result = in.index(points.array, indices);
    for (const Operand& tap : reach.of_taps) {
      result =
          in.scalar(ScalarOp::mul, element_, {result, values_.value(tap, point, in)}, "product");
    }
    return result;
  };
  const Operand total = combine(shape, {}, ScalarOp::add, element_, product, out);
  if (reach.has_taps) return total;
  const Operand inside = is_inside_at(reach, element, out);
  return out.scalar(ScalarOp::select, element_, {inside, total, zero_of(element_)}, "sum");
}

// A condition for each point.
Operand Window::sum_inside(const Reach& reach, const std::vector<Operand>& element,
                           Builder& out) const {
  std::vector<Operand> shape;
  for (const int level : reach.summed) shape.push_back(values_.width(level));
  const auto value = [&](Builder& in, const std::vector<Operand>& at) {
    Point point;
    for (std::size_t k = 0; k < reach.summed.size(); ++k) point.at[reach.summed[k]] = at[k];
    Operand inside = make_bool(true);
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      const int level = reach.solved[k];
      if (level == no_level) continue;
      if (!is_at_edges(reach, k)) {
        point.at[level] = element[k];
        continue;
      }
      const Operand distance = in.sub_i64(element[k], value_of(reach.rest[k], point.at, in));
      const Stepped from = stepped(distance, reach.steps[k], in);
      inside = both(inside, is_less(i64_operand(-1), distance, in), in);
      inside = both(inside, is_less(from.index, values_.width(level), in), in);
      inside = both(inside, from.is_there, in);
      point.at[level] = from.index;
    }
    const auto zero = [&](Builder&) { return std::vector<Operand>{zero_of(element_)}; };
    inside = all_hold(inside, reach.conditions, values_, point, in);
    const auto there = [&](Builder& side) {
      Point same = point;
      return std::vector<Operand>{values_.value(reach.value, same, side)};
    };
    return in.branch(inside, there, zero, "x")[0];
  };
  return combine(shape, {}, ScalarOp::add, element_, value, out);
}

// Whether the element, of a constant index where points add in one place, is another.
bool Window::is_missed(const Reach& reach, const std::vector<Operand>& element) const {
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    const bool is_other = reach.solved[k] == no_level &&
                          integer_value(element[k].constant()) != reach.rest[k].constant;
    if (is_other) return true;
  }
  return false;
}

NameId Window::sums(Builder& out) const {
  std::vector<std::optional<Padded>> points;
  std::vector<bool> written_out(shape_.size());
  for (const Reach& reach : reaches_) {
    // Conditions of points that are summed stand before each.
    const bool has_zeros = reach.has_edges && !reach.summed.empty() && reach.conditions.empty() &&
                           edges_ == Edges::padded;
    points.push_back(has_zeros ? std::optional(padded(reach, out)) : std::nullopt);
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      written_out[k] = written_out[k] || reach.solved[k] == no_level;
    }
  }
  const auto element = [&](Builder& in, const std::vector<Operand>& at) {
    Operand total = in.index(array_, at);
    for (std::size_t k = 0; k < reaches_.size(); ++k) {
      if (is_missed(reaches_[k], at)) continue;
      const Operand one = points[k]                    ? sum(reaches_[k], *points[k], at, in)
                          : reaches_[k].summed.empty() ? read(reaches_[k], at, in)
                                                       : sum_inside(reaches_[k], at, in);
      total = in.scalar(ScalarOp::add, element_, {total, one}, "sum");
    }
    return total;
  };
  return tabulate_partly(shape_, written_out, element_, {}, element, out).name();
}

}  // namespace dagaz::passes::gathering
