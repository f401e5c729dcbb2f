// Additions of a nest at places that the indices of its points tell, as arrays that the nest makes.
#pragma once

#include <optional>
#include <vector>

#include "passes/scatter_to_gather/additions.h"
#include "passes/tunables.h"

namespace dagaz::passes::gathering {

/// Where an addition goes along one dimension of the accumulator.
struct Target {
  enum class Kind {
    fixed,    // at `offset`
    moved,    // at the index of `level` plus `offset`
    wrapped,  // the same modulo the extent of the dimension, which is that of the level
  };
  Kind kind = Kind::fixed;
  int level = -1;
  Affine offset;
  bool operator==(const Target&) const = default;
};

/// What is added at these places by the points of these levels: a value, and further out arrays of
/// values.
struct Stored {
  std::vector<Target> places;
  std::vector<int> levels;  // outermost first
  Operand value;
};

/// All additions to one accumulator.
class StoredAdditions {
 public:
  /// Nothing where elements do not know who adds to them, or are added to by several points, or
  /// where it does not pay; `inside` other maps that takes a nest of many points.
  static std::optional<StoredAdditions> of(const WithAccumulator& with, std::size_t input,
                                           Names& names, const Outside& outside, bool inside,
                                           const Tunables& tunables);

  /// Takes the accumulator out of the statement's body, which gives what is added instead as
  /// further results; the accumulator itself remains without use.
  void store(Statement& statement, std::size_t input);
  /// The array with all that is added to it, behind the statement.
  NameId sums(Builder& out) const;
  /// Of what places need.
  const std::vector<NameId>& tokens() const { return tokens_; }

 private:
  StoredAdditions(const AccumulatorInput& input, Names& names, NestValues values)
      : array_(input.array),
        shape_(input.shape),
        element_(names.type(input.array).element),
        names_(names),
        values_(std::move(values)) {}

  std::optional<std::vector<Target>> places_of(const Addition& addition);
  std::optional<Target> target_of(const Operand& index, const Operand& extent);
  bool is_worthwhile(const Addition& addition, bool inside) const;

  std::vector<Stored> take(Body& body, NameId enters);
  std::vector<Stored> take_from(Statement& statement, NameId enters, std::size_t exit);
  std::vector<Stored> take_from_branch(Statement& statement, Branch& branch, NameId enters,
                                       std::size_t exit);
  void add(std::vector<Stored>& all, const Stored& one, Builder& out) const;
  Operand read(const Stored& one, const std::vector<Operand>& element, Builder& out) const;

  NameId array_;
  std::vector<Operand> shape_;
  ScalarType element_;
  Names& names_;
  NestValues values_;
  std::vector<Stored> additions_;  // in the order of the nest
  std::size_t taken_ = 0;
  std::vector<Stored> arrays_;
  std::vector<NameId> tokens_;
};

}  // namespace dagaz::passes::gathering
