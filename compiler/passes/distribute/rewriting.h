// A function while it is made to do what a placement says: what is known of what its ranks have,
// and what the files of this folder ask and note of that.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/alias.h"
#include "ir/builder.h"
#include "passes/distribute/collectives.h"
#include "passes/distribute/notes.h"
#include "passes/distribute/placement.h"

namespace dagaz::passes::distributing {

/// The rows of a rank.
struct Rows {
  ir::NameId first;
  ir::NameId count;
};

/// Values that each rank has, and that are to be combined by an operator: `own` and `whole` are
/// scalars of its, or arrays of them over `outer`.
struct Combined {
  ir::Lambda op;
  std::vector<ir::Operand> neutral;
  std::vector<ir::Operand> outer;
  std::vector<ir::NameId> own = {};
  std::vector<ir::NameId> whole = {};
  bool commutative = false;
};

/// A window that statements of the same body want.
struct WantedWindow {
  ir::NameId array;
  const WindowOver* window;
};

/// The rows of a window, in memory of this rank.
struct FetchedWindow {
  ir::Operand points;
  ir::NameId memory;
  ir::Operand count;
};

/// A scope whose points add to windows.
struct OpenAdditions {
  Accumulators accumulators;
  std::vector<const WindowOver*> windows;  // of its inputs; null: none
};

struct Rewriting {
  Rewriting(ir::Program& the_program, const Placement& what, const ir::Function& function,
            std::int64_t elements_asked)
      : program(the_program),
        names(the_program.names),
        placement(what),
        asked(elements_asked),
        definitions(function),
        aliases(ir::analyse_aliases(function, the_program)),
        collectives(the_program) {}

  ir::Program& program;
  ir::Names& names;
  const Placement& placement;
  const std::int64_t asked;  // elements more that rows count which are asked for or delivered
  const Definitions definitions;
  const ir::AliasInfo aliases;
  Collectives collectives;
  std::vector<std::pair<ir::Operand, Rows>> rows;  // of the extents that are shared
  std::vector<ir::Operand> shared_extents;
  std::unordered_map<ir::NameId, ir::NameId> own;          // the rows of split arrays
  std::unordered_map<ir::NameId, ir::Operand> replicated;  // the value of each element
  std::unordered_map<ir::NameId, std::vector<std::pair<Split, ir::NameId>>> turned;
  ir::NameSet scratch;                                     // memory that nothing was written to
  std::vector<OpenAdditions> open;
  std::vector<WantedWindow> wanted;                                     // in this body
  std::unordered_map<ir::NameId, std::vector<FetchedWindow>> fetched;  // in it and around it
  std::vector<ir::NameId> answers;  // that are asked for in this body
  std::vector<Combined> pending;    // what nobody has wanted to know yet
  bool unagreed = false;            // whether one rank alone may have failed
};

/// Extents that are shared, and what this rank has of them from where they are known.
void note_extent(Rewriting& c, const ir::Operand& extent);
void add_rows(Rewriting& c, const ir::Operand& extent, ir::Builder& out);
void add_shared(Rewriting& c, ir::NameId name, ir::Builder& out);
const Rows& rows_of(const Rewriting& c, const ir::Operand& extent);
/// A name for the rows of `whole` that this rank has.
ir::NameId own_rows(Rewriting& c, ir::NameId whole, const Rows& rows, std::size_t dimension = 0);
bool reads_own_rows(const Rewriting& c, ir::NameId array, const Positions& positions,
                    const ir::Operand& extent);
/// What this rank reads of an array at one of the positions, and at which.
std::pair<ir::NameId, std::size_t> part_of(Rewriting& c, ir::NameId array,
                                           const Positions& positions, const ir::Operand& extent,
                                           const Rows& rows, ir::Builder& out);
/// Gives the statement results of its own; those that it had are what ranks have together.
Combined take_results(Rewriting& c, ir::Statement& statement, std::size_t first,
                      std::size_t count);
/// Gathers and turns what was made.
void send_made(Rewriting& c, const std::vector<ir::NameId>& all, ir::Builder& out);
bool shares_what_may_fail(const Rewriting& c, const ir::Body& body);
/// To be done before ranks meet.
void agree(Rewriting& c, ir::Builder& out);
/// The lambda's results, with its parameters replaced by `arguments`.
std::vector<ir::Operand> apply(const ir::Lambda& lambda, const std::vector<ir::Operand>& arguments,
                               ir::Builder& b);

}  // namespace dagaz::passes::distributing
