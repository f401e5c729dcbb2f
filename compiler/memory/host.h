// What the files of this folder that find homes in host code share.  Private to it.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "memory/memory.h"
#include "memory/uses.h"
#include "plan/layouts.h"

namespace dagaz::memory {

/// A body of host code while its statements get their homes, and what is known around it.
struct Scope {
  const ir::Body& body;
  const Uses& uses;
  const ir::Names& names;
  const plan::Layouts& layouts;                     // of the arrays bound so far
  const std::unordered_set<ir::NameId>& carried;    // arrays that loops around carry
};

// ---- concatenations.cpp
/// The concatenations of a body with pieces that may be made in place, by result.
std::unordered_map<ir::NameId, Whole> find_wholes(const Scope& scope);
/// Concatenations that are only needed permuted, and the permuted arrays.
std::unordered_map<ir::NameId, ir::NameId> find_turned(const Scope& scope);

// ---- in_place.cpp
/// Results of maps that are computed point by point of a part of an array that they then replace,
/// and the part.
std::unordered_map<ir::NameId, ir::NameId> find_replaced_parts(const Scope& scope);
/// Results of maps that may be made where updates put them, and where.
std::unordered_map<ir::NameId, Within> find_written_parts(const Scope& scope);
/// Next values of loop variables that may take the place of the value before, and these variables.
std::unordered_map<ir::NameId, ir::NameId> find_replaced_states(const ir::Loop& loop,
                                                                const Scope& scope);
/// An array that dies with a map, or a reduction, and may become its result.
std::optional<ir::NameId> dying_array(const ir::SegmentedMap& map, ir::NameId result,
                                      const Scope& scope, const Memory& memory);
std::optional<ir::NameId> dying_array(const ir::SegmentedReduce& reduction, ir::NameId result,
                                      const Scope& scope, const Memory& memory);

// ---- branches.cpp
/// The array as which a result of a body begins its life, in the memory where it ends.
struct Origin {
  ir::NameId name;
  bool is_complete;  // or it is new memory, changed afterwards
};
/// Those of a result on both sides, each made for the branch alone.
std::optional<std::array<Origin, 2>> origins_on_sides(const ir::Branch& branch,
                                                      std::size_t result);
/// Whether a loop leaves one of its values where it is, and changes parts of it.
bool is_updated_in(const ir::Loop& loop, std::size_t value);
/// Whether `statement` makes its result by a map or a reduction, or on each side of a branch: it
/// can make that in a place which is known before.
bool is_made_where_wanted(const ir::Statement& statement, ir::NameId result);
/// How many of its results a reduction reduces; the others are mapped.
std::size_t reduced_results(const ir::SegmentedReduce& reduction);

// ---- checkpoints.cpp
/// Next states of a loop that keeps every state, with where they are kept; the updates that keep
/// them go to `kept_before`.
std::unordered_map<ir::NameId, Checkpoint> find_checkpoints(
    const ir::Loop& loop, const ir::Names& names, std::unordered_set<ir::NameId>& kept_before);

/// Whether an array's elements lie side by side in row-major order.
bool is_dense(const plan::Layout& layout);

}  // namespace dagaz::memory
