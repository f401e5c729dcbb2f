// Additions of points that are noted instead of made: at which place, and what, in arrays with an
// element for each of them.  So a rank can send them to those who have the rows.
//
//   map (\i -> accumulate sum (g i) (f i)) is   =   map (\i -> places[i] <- g i; values[i] <- f i)
//   is
//
// A point may add more than once, in loops and in maps inside of it: these are dimensions, too.
// Where such a dimension goes through the elements of a row that is added to, the row is noted as
// a whole, with one place.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/program.h"
#include "passes/distribute/additions.h"

namespace dagaz::passes::distributing {

/// A dimension of notes: an index of a space, or of a loop or a map inside of it.
struct NoteDimension {
  ir::Operand extent;
  ir::NameId index;              // invalid: of a map that has none yet
  ir::NameId around = {};        // the loop or the map
  bool may_be_negative = false;  // a loop that then has no steps
};

/// An addition of points, as it is noted.
struct NotedAddition {
  ir::NameId sum;     // what it gives
  std::size_t input;  // of the scope that opens accumulators
  ir::Operand value;
  std::vector<ir::Operand> indices;       // of the element that is added to
  std::vector<NoteDimension> dimensions;  // of the places; the first is that which ranks share
  std::vector<NoteDimension> row;         // what the last indices go through
  std::vector<ir::NameId> around;         // statements, and those in whose second scope it is twice
  /// Whether they are in the same scope, but for rows, and have the same place.
  bool has_place_of(const NotedAddition& other) const;
  /// Indices that are noted beside the place.
  std::vector<ir::Operand> further() const;
};

struct Notes {
  std::vector<NotedAddition> all;  // in the order in which they are made
  std::vector<bool> possible;      // of each input
};

/// Which dimension of its space ranks share, for each statement that adds.
using SharedDimension = std::function<std::size_t(const ir::Statement&)>;

/// How additions to each input can be noted.  Those to inputs where they cannot are not in it.
Notes notes_of(const ir::WithAccumulator& with, const Accumulators& accumulators,
               const Definitions& definitions, const SharedDimension& shared,
               const ir::Names& names);

/// Gives maps inside of points that add an index of their elements.
void give_indices(ir::WithAccumulator& with, Definitions& definitions, ir::Builder& out);

/// Where an addition is noted: arrays over a rank's points.
struct NoteArrays {
  std::size_t place_of;  // which addition notes the place for this one, too: the first of those
  ir::NameId places;     // of that
  std::vector<ir::NameId> further;
  ir::NameId values;
};

/// The points of a rank, of an extent.
struct OwnPoints {
  ir::NameId first;
  ir::NameId count;
};
using OwnPointsOf = std::function<OwnPoints(const ir::Operand&)>;

/// Notes all additions to the inputs that are in `notes`, in arrays that the scope has instead.
std::vector<NoteArrays> take_notes(ir::Statement& statement,
                                   const std::vector<NotedAddition>& notes,
                                   const Accumulators& accumulators, const OwnPointsOf& own,
                                   ir::Builder& out);

}  // namespace dagaz::passes::distributing
