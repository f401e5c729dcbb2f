// An accumulator that the points of nests add to, as a sum for each of its elements.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "passes/scatter_to_gather/additions.h"
#include "passes/tunables.h"

namespace dagaz::passes::gathering {

constexpr int no_level = -1;

/// What becomes of indices beyond the ends of a dimension.
struct Ends {
  bool wrapped = false;  // they go round: (i + c) mod n
  bool low = false;      // those below 0 are 0: max(i + c, 0)
  bool high = false;     // those from n on are n - 1: min(i + c, n - 1)
  bool any() const { return wrapped || low || high; }
};

/// So many elements stand before those of a dimension, and behind them.
struct Margin {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// A point of a few levels: the index of each.
using Taps = std::map<int, std::int64_t>;

/// Which points of an addition add to element Y: those whose index of `solved[k]`, times
/// `steps[k]`, is Y[k] - rest[k], for all indices of `summed`.
struct Reach {
  std::vector<int> solved;  // no_level: all points add at one place, rest[k]
  std::vector<std::int64_t> steps;
  std::vector<Affine> rest;
  std::vector<Ends> ends;
  std::vector<int> summed;
  Taps tap;  // the one of the addition whose points these are, if there is one reach for each
  std::vector<Addition::Condition> conditions;
  Operand value;
  bool has_taps = false;   // points that add to one element are of several indices of `solved`
  bool has_edges = false;  // where points are not there that others have beside them
  // value = product of these, of which the first depend on no tap and the others on no solved level
  // (see window.cpp), where something is summed.
  std::vector<Operand> of_points;
  std::vector<Operand> of_taps;
  bool negative = false;
  std::vector<NameId> tokens;  // that indices carry
};

/// How sums leave out the points that there are not.
enum class Edges {
  padded,       // zeros stand around the values of points, in an array of their own
  conditional,  // a condition stands before each value
  apart         // padded; what indices held at ends, or going round, tell stays additions: ranks know
                // which rows of others those touch
};

/// All additions to one accumulator.
class Window {
 public:
  /// Nothing where elements do not know in closed form who adds to them, or where it does not pay.
  static std::optional<Window> of(const WithAccumulator& with, std::size_t input, Names& names,
                                  const Outside& outside, Edges edges, const Tunables& tunables);

  /// Whether sums are right only if what is_exact() says holds.
  bool is_padded() const;
  /// Whether all taps are finite numbers.
  Operand is_exact(Builder& out) const;
  /// The array with all that is added to it.
  NameId sums(Builder& out) const;
  const std::vector<NameId>& tokens() const { return tokens_; }
  /// Values that the nest has to give, and the arrays that they are in.
  const std::vector<std::pair<NameId, NameId>>& kept() const { return kept_; }

 private:
  Window(const AccumulatorInput& input, const Names& names, NestValues values, Edges edges)
      : array_(input.array),
        shape_(input.shape),
        element_(names.type(input.array).element),
        values_(std::move(values)),
        edges_(edges) {}

  bool find(const Additions& additions, const Body& nest, Names& names, const Tunables& tunables);
  bool have_margins(const std::vector<Addition>& additions);
  bool widen_margin(const Reach& reach, std::size_t dimension);
  bool has_margin(std::size_t dimension) const {
    return !margins_.empty() && margins_[dimension].low + margins_[dimension].high != 0;
  }
  std::optional<Reach> reach_of(const Addition& addition, const Taps& tap) const;
  std::vector<Reach> reaches_of(const Addition& addition, std::int64_t most) const;
  bool take(const Addition& addition, Reach reach, const Body& nest, Names& names,
            const Tunables& tunables);
  std::int64_t cost_of(const Reach& reach) const;
  std::int64_t reads_of(const Reach& reach) const;
  std::int64_t beyond(const Reach& reach, std::size_t dimension) const;
  std::int64_t cost_at_one_distance() const;
  bool keep_common_factor(const Addition& addition, const Body& nest, Names& names);
  bool keep_common_factors(const Body& nest, Names& names, const Tunables& tunables);
  Operand common_factor(const Operand& value) const;
  Operand without_ends(const Operand& index, const Operand& extent, Ends& ends,
                       std::vector<NameId>& tokens) const;
  bool may_have_ends(const Reach& reach, std::size_t dimension) const;
  bool solve(const Addition& addition, Reach& reach) const;
  bool are_ends_known(const Reach& reach) const;
  void keep_conditions(const Addition::Condition& condition, Reach& reach) const;
  bool is_inside(const Scalar& comparison, const Reach& reach) const;
  bool split(const Operand& value, Reach& reach) const;
  bool is_at_edges(const Reach& reach, std::size_t dimension) const;
  bool is_one_place(std::size_t dimension) const;
  bool is_missed(const Reach& reach, const std::vector<Operand>& element) const;
  Operand is_inside_at(const Reach& reach, const std::vector<Operand>& element,
                       const std::vector<std::int64_t>& beyond, Builder& in) const;
  Operand is_at_end(const Reach& reach, std::size_t dimension, const Operand& element,
                    std::int64_t beyond, Builder& in) const;
  Operand index_at(const Reach& reach, std::size_t dimension, const Operand& element,
                   std::int64_t beyond, Builder& in) const;

  struct Padded;  // the values of points, and zeros around them
  Padded padded(const Reach& reach, Builder& out) const;
  /// The product of the values of points, or zero outside of these.
  Operand padded_element(const Reach& reach, const Padded& padded, Builder& in,
                         const std::vector<Operand>& at) const;
  NameId sums_inside(Builder& out) const;
  Operand folded(NameId sums, const std::vector<Operand>& element, std::vector<Operand> place,
                 Builder& out) const;
  Operand read(const Reach& reach, const std::vector<Operand>& element, Builder& out) const;
  Operand read_one(const Reach& reach, const std::vector<Operand>& element,
                   const std::vector<std::int64_t>& beyond, Builder& out) const;
  Operand sum_inside(const Reach& reach, const std::vector<Operand>& element, Builder& out) const;
  Operand sum(const Reach& reach, const Padded& points, const std::vector<Operand>& element,
              Builder& out) const;

  NameId array_;
  std::vector<Operand> shape_;
  ScalarType element_;
  NestValues values_;
  Edges edges_;
  std::vector<Margin> margins_;  // of dimensions, if some have any: in an array of its own
  std::vector<Reach> reaches_;
  std::vector<const Addition*> additions_;  // of these
  std::vector<NameId> tokens_;
  std::vector<std::pair<NameId, NameId>> kept_;
};

}  // namespace dagaz::passes::gathering
