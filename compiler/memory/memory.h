// Where the arrays of a function lie, and how long: decided here, before any code is emitted.
//
// An array that an operation makes has a home; a view (index, slice, reshape, permute, update, what
// a loop or an accumulation hands on) lies where its operand lies.  Homes are values: `inspect
// --stage=memory` prints them, and emission computes blocks, offsets and strides from them and
// chooses nothing.  Each file of this folder finds one kind of home.
//
// In host code arrays lie in counted blocks, released when they are dead.  In a thread they lie in
// the thread's own memory, or at once where the body's result is wanted.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ir/program.h"

namespace dagaz::memory {

/// A block of its own.  `order`: the dimensions from the outermost in memory inwards; empty:
/// row-major.
struct Own {
  std::vector<int> order = {};
  bool operator==(const Own&) const = default;
};
/// Nowhere: nothing outside the loop that computes the elements needs them.
struct Nowhere {
  bool operator==(const Nowhere&) const = default;
};
/// In the memory of `array`, whose elements it replaces one by one; the block has another owner
/// then.
struct Over {
  ir::NameId array;
  bool operator==(const Over&) const = default;
};
/// In the memory of `view`, a part of an array, whose elements it replaces one by one; an update
/// then puts nothing.
struct OverPart {
  ir::NameId view;
  bool operator==(const OverPart&) const = default;
};
/// In the part of `array` that an update replaces by it; the update then puts nothing.
struct Within {
  ir::NameId array;
  std::vector<ir::SliceDimension> part;
  bool operator==(const Within&) const = default;
};
/// In its place in concatenation `whole`.
struct PieceOf {
  ir::NameId whole;
  bool operator==(const PieceOf&) const = default;
};
/// The next state of a loop: in row `index` + 1 of `rows`, where the loop keeps its states, the
/// first `bound` of them; or else in a block of its own.
struct Checkpoint {
  ir::NameId rows;
  ir::NameId index;
  ir::Operand bound;
  bool operator==(const Checkpoint&) const = default;
};
/// In the memory of `array`, a copy of which nobody can tell from it.
struct SameAs {
  ir::NameId array;
  bool operator==(const SameAs&) const = default;
};
/// Where `result` lies, as which the branch around gives it.
struct OfBranch {
  ir::NameId result;
  bool operator==(const OfBranch&) const = default;
};
using Home =
    std::variant<Own, Nowhere, Over, OverPart, Within, PieceOf, Checkpoint, SameAs, OfBranch>;

/// A piece of a concatenation.  `views` lead from the piece to what a map makes to be it, `origin`.
struct View {
  ir::NameId result;
  ir::NameId array;
  std::optional<std::vector<int>> permutation;  // none: a reshape
};
struct Piece {
  ir::NameId name;
  std::optional<ir::NameId> origin = {};
  std::vector<View> views = {};
};
/// A concatenation whose memory is there before its first piece.
struct Whole {
  ir::NameId result;
  std::vector<Piece> pieces = {};
};

/// How a loop carries an array.
enum class Carry {
  in_place,     // it stays where it is before the loop
  renewed,      // host: a reference that each iteration renews
  copied,       // thread: two arrays; the next value is copied back
  alternating,  // thread: two halves of a buffer, by turns
  following,    // thread: wherever each iteration makes it; its size changes
};

/// Result number `result` of the body is this array, its dimensions in order `permutation`.
struct Destination {
  std::size_t result;
  std::vector<int> permutation;  // empty: as they are
};

/// What was decided.
struct Memory {
  // ---- host code
  std::unordered_map<ir::NameId, Home> homes;  // absent: Own
  std::unordered_map<ir::NameId, Whole> wholes;
  // Wholes that are only needed permuted, and that permuted view.
  std::unordered_map<ir::NameId, ir::NameId> turned;
  // The array that keeps the memory of this one alive: itself, unless it is a view or lies in
  // another.
  std::unordered_map<ir::NameId, ir::NameId> owners;
  // The last statement of the body that binds an owner to need its memory.
  std::unordered_map<ir::NameId, std::size_t> lives;
  // Parameters of loops whose initial array nothing else needs: it dies in the first iteration.
  std::unordered_set<ir::NameId> given;
  // Updates that keep a loop's state where it is made, but for the first.
  std::unordered_set<ir::NameId> kept_before;
  // Reshapes that copy.
  std::unordered_set<ir::NameId> copying;
  // ---- threads
  int carried_array = 0;  // as in the settings
  std::unordered_map<ir::NameId, Destination> destinations;
  // Results of a map's body, and the arrays in whose memory they may be made (plan/array_uses.h).
  std::unordered_map<ir::NameId, ir::NameId> overwritten;
  // ---- both
  std::unordered_map<ir::NameId, Carry> carries;  // of a loop's parameters
  // Iotas and replicated scalars that are read by element alone.
  std::unordered_set<ir::NameId> element_only;

  const Home& home(ir::NameId array) const;
  ir::NameId owner(ir::NameId array) const;
  /// Whether what an update writes to a part of an array lies there.
  bool is_in_place(const ir::Update& update) const;
};

/// What memory depends on besides the function.
struct Context {
  const ir::Names& names;
  const std::vector<ir::Function>& functions;  // those it may call
  const ir::Settings& settings;

  bool on_cpu() const { return settings.points == ir::PointsBy::tasks; }
};

/// Of a function that runs on the host, and of the threads in it.
Memory place_host(const ir::Function& function, const Context& context);
/// Of a function that threads call.
Memory place_thread(const ir::Function& function, const Context& context);
/// Of a statement of a thread that was not there before: a copy with names of its own.
void place_thread(const ir::Statement& statement, const ir::Names& names, Memory& memory);
void place_thread(const ir::Body& body, const ir::Names& names, Memory& memory);

}  // namespace dagaz::memory
