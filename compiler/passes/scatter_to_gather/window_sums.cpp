// What elements sum of the points that add to them; window.cpp says which these are.
#include <algorithm>
#include <limits>

#include "passes/scatter_to_gather/tabulate.h"
#include "passes/scatter_to_gather/window.h"
#include "support/match.h"

namespace dagaz::passes::gathering {

namespace {

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

// ---------------------------------------------------------------- additions at one distance

// Whether points add to `element`, as far as its index tells: those at the distance, or along some
// dimensions one of those beyond an end, counted from 1.
Operand Window::is_inside_at(const Reach& reach, const std::vector<Operand>& element,
                             const std::vector<std::int64_t>& beyond, Builder& out) const {
  Operand inside = make_bool(true);
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (!is_at_edges(reach, k) || reach.ends[k].wrapped) continue;
    if (beyond[k] != 0) {
      inside = both(inside, is_at_end(reach, k, element[k], beyond[k], out), out);
      continue;
    }
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

// Whether it is the element at the end, and there are so many points.
Operand Window::is_at_end(const Reach& reach, std::size_t k, const Operand& element,
                          std::int64_t beyond, Builder& out) const {
  const bool is_low = reach.rest[k].constant < 0;
  const Operand at_end = is_low ? is_less(element, i64_operand(1), out)
                                : is_less(out.add_i64(shape_[k], i64_operand(-2)), element, out);
  return beyond == 1 ? at_end : both(at_end, is_less(i64_operand(beyond - 1), shape_[k], out), out);
}

// The index of the points that add to `element`.
Operand Window::index_at(const Reach& reach, std::size_t k, const Operand& element,
                         std::int64_t beyond, Builder& out) const {
  const Affine& rest = reach.rest[k];
  if (beyond != 0) {
    return rest.constant < 0 ? Operand(i64_operand(beyond - 1))
                             : out.add_i64(shape_[k], i64_operand(-beyond));
  }
  const Operand index = rest.others.empty() ? out.add_i64(element, i64_operand(-rest.constant))
                                            : out.sub_i64(element, value_of(rest, {}, out));
  if (!reach.ends[k].wrapped) return index;
  return out.scalar(ScalarOp::smod_floor, ScalarType::i64, {index, shape_[k]}, "from");
}

// The value at the points that add to `element`, added; 0 where there is none, or it does not.
Operand Window::read(const Reach& reach, const std::vector<Operand>& element, Builder& out) const {
  std::vector<std::int64_t> beyond(shape_.size());
  Operand sum = read_one(reach, element, beyond, out);
  for (std::size_t k = 0; k < shape_.size();) {
    if (++beyond[k] <= this->beyond(reach, k)) {
      const Operand one = read_one(reach, element, beyond, out);
      sum = out.scalar(ScalarOp::add, element_, {sum, one}, "sum");
      k = 0;
    } else {
      beyond[k++] = 0;
    }
  }
  return sum;
}

Operand Window::read_one(const Reach& reach, const std::vector<Operand>& element,
                         const std::vector<std::int64_t>& beyond, Builder& out) const {
  const Operand inside = is_inside_at(reach, element, beyond, out);
  const auto zero = [&](Builder&) { return std::vector<Operand>{zero_of(element_)}; };
  const auto there = [&](Builder& in) {
    Point point;
    for (const auto& [level, index] : reach.tap) point.at[level] = i64_operand(index);
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      point.at[reach.solved[k]] = index_at(reach, k, element[k], beyond[k], in);
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
  return edges_ != Edges::conditional &&
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
  const Operand inside =
      is_inside_at(reach, element, std::vector<std::int64_t>(shape_.size()), out);
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
  if (margins_.empty()) return sums_inside(out);
  Window wide = *this;
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    const Margin& margin = margins_[k];
    wide.shape_[k] = out.add_i64(shape_[k], i64_operand(margin.low + margin.high));
  }
  const NameId sums = wide.sums_inside(out);
  const auto element = [&](Builder& in, const std::vector<Operand>& at) {
    const Operand before = in.index(array_, at);
    const Operand sum = folded(sums, at, {}, in);
    return in.scalar(ScalarOp::add, element_, {before, sum}, "sum");
  };
  return tabulate(shape_, {}, element, out).name();
}

// The sum of what `sums` has at the place of an element, and along each dimension beyond the end
// that the element is at; `place`: along the first dimensions.
Operand Window::folded(NameId sums, const std::vector<Operand>& element,
                       std::vector<Operand> place, Builder& out) const {
  const std::size_t k = place.size();
  if (k == shape_.size()) return out.index(sums, std::move(place));
  const auto at = [&](const Operand& index, Builder& in) {
    std::vector<Operand> longer = place;
    longer.push_back(index);
    return folded(sums, element, std::move(longer), in);
  };
  const Margin& margin = margins_[k];
  Operand sum = at(out.add_i64(element[k], i64_operand(margin.low)), out);
  const auto add_beyond = [&](std::int64_t count, const Operand& first, const Operand& is_at_end) {
    if (count == 0) return;
    const auto beyond = [&](Builder& in) {
      Operand some = at(first, in);
      for (std::int64_t d = 1; d < count; ++d) {
        const Operand one = at(in.add_i64(first, i64_operand(d)), in);
        some = in.scalar(ScalarOp::add, element_, {some, one}, "sum");
      }
      return std::vector<Operand>{some};
    };
    const auto zero = [&](Builder&) { return std::vector<Operand>{zero_of(element_)}; };
    const Operand more = out.branch(is_at_end, beyond, zero, "x")[0];
    sum = out.scalar(ScalarOp::add, element_, {sum, more}, "sum");
  };
  const Operand last = out.add_i64(shape_[k], i64_operand(-1));
  add_beyond(margin.low, i64_operand(0), is_less(element[k], i64_operand(1), out));
  add_beyond(margin.high, out.add_i64(shape_[k], i64_operand(margin.low)),
             out.scalar(ScalarOp::eq, ScalarType::i64, {element[k], last}, "is_last"));
  return sum;
}

// Of what all points add, to zeros where the array has margins.
NameId Window::sums_inside(Builder& out) const {
  std::vector<std::optional<Padded>> points;
  std::vector<bool> written_out(shape_.size());
  for (const Reach& reach : reaches_) {
    // Conditions of points that are summed stand before each.
    const bool has_zeros = reach.has_edges && !reach.summed.empty() && reach.conditions.empty() &&
                           edges_ != Edges::conditional;
    points.push_back(has_zeros ? std::optional(padded(reach, out)) : std::nullopt);
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      written_out[k] = written_out[k] || reach.solved[k] == no_level;
    }
  }
  const auto element = [&](Builder& in, const std::vector<Operand>& at) {
    Operand total = margins_.empty() ? in.index(array_, at) : Operand(zero_of(element_));
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
