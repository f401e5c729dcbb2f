// Results that tasks make strip by strip in their cache, and copy past the caches to where they
// belong: plan/strips.h says why.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Points from `low` to `high` of a row of a space, and where their results go.
using StripFunction = std::function<void(const std::vector<Destination>& targets,
                                         const Operand& low, const Operand& high)>;

/// Where the part from `begin` on of a dense row is made: in `buffer` if `large`, else where it
/// belongs.
Place strip_of_row(Context& c, const Operand& large, NameId buffer, const Place& row,
                   const Operand& begin, ScalarType type);
/// How far on what is fetched lies: `ahead`, or `near` where that is 0.
Operand ahead_or(Context& c, const Operand& ahead, const Operand& near);
/// Whether caches hold less than so many bytes, read and written, so that results go past them.
Operand are_large(Context& c, const Operand& bytes);

class Strips {
 public:
  /// Code of the host, before its tasks: whether the results of an operation over a space of these
  /// `extents` are as large as the settings want.
  Strips(Context& c, const ir::Statement& s, const ir::Schedule& schedule,
         const std::vector<Destination>& targets, const std::vector<Operand>& extents);

  bool any() const { return !streams_.empty(); }
  /// Whether they are, asked here once and for all.
  Operand take_large();

  /// Code of a task: `body` for the points from `low` to `high` of the row at `outer`; in strips
  /// the results that have an element at each point go to the cache first.  Points `ahead` of them
  /// are those that the task comes to next, if it is not 0.
  void run(const std::vector<Operand>& outer, const Operand& low, const Operand& high,
           const StripFunction& body, const Operand& ahead = ir::i64_operand(0)) const;

 private:
  struct Stream {
    std::size_t result;
    ScalarType type;
  };
  /// What points read at their own place: a dimension of the space for each of the array's.
  struct Source {
    Place place;
    ScalarType type;
    std::vector<std::size_t> dimensions;
    bool operator==(const Source&) const = default;
  };
  void find_sources(const std::vector<ir::SpaceDimension>& space, const ir::Body& body);
  Operand strip_in_turn(const Operand& k, const Operand& share) const;
  void fetch(const Source& source, const std::vector<Operand>& point, const Operand& ahead) const;
  void run_strip(const std::vector<Operand>& outer, const std::vector<NameId>& buffers,
                 const Operand& begin, const Operand& end, const StripFunction& body,
                 const Operand& ahead) const;

  Context& c_;
  const std::vector<Destination>& targets_;
  std::vector<Stream> streams_;
  std::vector<Source> sources_;
  std::int64_t elements_ = 1;  // of a strip
  int places_ = 1;             // of a row, which have strips in turn
  Operand large_;
};

}  // namespace dagaz::emit
