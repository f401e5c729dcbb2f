// Writes and additions at places that points compute, in arrays that ranks have by rows: each rank
// computes places and values for its own points, they go to those who have the rows, and these
// write or add what they get.
//
//   scatter xs (map g is) (map f is)   =   let places = map g is
//                                          let values = map f is
//                                          let (own places, own values) = deliver places values
//                                          in scatter (own xs) (own places) (own values)
//
// What comes is in the order of ranks, and of their points: that of the points.
#pragma once

#include <vector>

#include "ir/program.h"

namespace dagaz::passes::distributing {

/// What points have for rows of others: for each point of so many dimensions some values.
struct Brought {
  std::vector<ir::Operand> points;
  std::vector<ir::Type> values;
};

/// What a scatter writes to, or what a histogram adds to by one operator.
struct Target {
  std::vector<ir::Operand> shape;  // that is indexed
  std::vector<ir::NameId> destinations;
  std::size_t inputs;   // the first of its indices among the results of points
  std::size_t results;  // the first of its results
};
/// Of a scatter or a histogram; none for others.
std::vector<Target> targets_of(const ir::Operation& operation);

/// Targets with as many rows and the same places, which go together.
struct SamePlaces {
  ir::Operand rows;
  ir::Operand place;  // among the results of points
  std::vector<std::size_t> targets;
  std::vector<ir::Operand> values;  // names of them: other indices and values
};
std::vector<SamePlaces> same_places(const ir::Operation& operation);

}  // namespace dagaz::passes::distributing
