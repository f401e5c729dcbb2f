// Makes calls of collective operations, and the functions that they call.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/ranks.h"
#include "passes/distribute/forms.h"

namespace dagaz::passes::distributing {

/// The operation, if the operator is x ∘ y for one that ranks know, or the same for the elements of
/// rows.
std::optional<ir::ScalarOp> known_operation(const ir::Lambda& lambda);

/// An array of which this rank has `part`, and what it has then: of another dimension its own.
struct PartTurned {
  ir::NameId part;
  std::size_t from;  // the dimension of which it has its own
  std::size_t to;
  ir::Type whole;
  ir::NameId turned;  // bound to that
};

/// Rows of a window over `points`, of an array with `rows` rows of which this rank has `part`.
struct RowsSent {
  ir::NameId part;
  ir::Operand rows;
  ir::Operand points;
  Window window;
  ir::NameId memory;  // bound to them
};

/// Rows that this rank has added to, in a window: those of others are added to theirs.
struct RowsAdded {
  ir::NameId own;    // what is there already
  ir::Operand rows;  // of all ranks
  ir::Operand points;
  Window window;
  ir::NameId added;  // of the window
  ir::NameId sum;    // bound to the sums of this rank's rows
};

/// Rows that this rank asks for, of an array of which it has `part`.
struct RowsAsked {
  ir::NameId part;
  ir::NameId answers;  // bound to them
};

/// Rows at places, of arrays with `rows` of them, asked for by the points of all ranks.
struct PlacesAsked {
  ir::Operand rows;
  ir::Operand points;
  ir::NameId places;  // those of this rank
};

/// What points have for rows that others have: arrays over the points, the places first.
struct PlacesGiven {
  ir::Operand rows;    // of what the places are in
  ir::Operand points;  // of all ranks
  ir::NameId places;   // those of this rank
  std::vector<ir::NameId> values;
};

/// What all ranks have for rows of this one.
struct Delivered {
  ir::Operand total;
  ir::NameId places;  // its rows
  std::vector<ir::NameId> values;
};

class Collectives {
 public:
  explicit Collectives(ir::Program& program) : program_(program) {}

  ir::NameId index(ir::Builder& b);
  ir::NameId size(ir::Builder& b);
  ir::NameId first(ir::Builder& b, const ir::Operand& rows);
  ir::NameId count(ir::Builder& b, const ir::Operand& rows);
  void agree(ir::Builder& b);
  /// Binds `whole` to all rows of what `part` has some of.
  void gather(ir::Builder& b, ir::NameId part, ir::NameId whole);
  /// The same for the callers of an entry point, when they ask for more than a rank's own rows.
  void leave(ir::Builder& b, ir::NameId part, ir::NameId whole);
  /// Gathers arguments of which callers have passed the rows of each rank.
  void whole(ir::Builder& b, const std::vector<ir::NameId>& arguments);
  /// All to all.
  void turn(ir::Builder& b, const std::vector<PartTurned>& all);
  /// Sends rows to the ranks whose points read them.
  void windows(ir::Builder& b, const std::vector<RowsSent>& all);
  /// Makes a call for windows one that does not wait for the rows of others, and has the windows
  /// without them; returns the call that waits, and has the results that the other had.
  ir::Statement start(ir::Statement& windows);
  void add_rows(ir::Builder& b, const std::vector<RowsAdded>& all);
  void request(ir::Builder& b, const PlacesAsked& places, const std::vector<RowsAsked>& all);
  Delivered deliver(ir::Builder& b, const PlacesGiven& given);
  /// What each rank has, along a new outermost dimension of extent `ranks`.
  std::vector<ir::NameId> collect(ir::Builder& b, ir::NameId ranks,
                                  const std::vector<ir::NameId>& values);
  /// Binds each of `whole` to what all ranks have in `own`, combined element by element.
  void reduce(ir::Builder& b, const std::vector<ir::ScalarOp>& ops,
              const std::vector<ir::NameId>& own, const std::vector<ir::NameId>& whole);

 private:
  std::string function(const ir::RankCall& call);
  ir::NameId number(ir::Builder& b, ir::RankKind kind, std::vector<ir::Operand> arguments,
                    std::string_view base);
  void all_rows(ir::RankKind kind, ir::Builder& b, ir::NameId part, ir::NameId whole);

  ir::Program& program_;
  std::int64_t numbered_ = 0;  // calls so far
};

}  // namespace dagaz::passes::distributing
