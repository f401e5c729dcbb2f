// Segments cut into pieces, and their partial results; and segments as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Segments cut into `count` pieces of `chunk` elements; `outer` are the segments' dimensions.
struct Pieces {
  std::vector<Operand> outer;
  Operand width;
  Operand count;
  Operand chunk;
};

/// Partial results that are combined, `stride` apart.
struct Groups {
  Operand count;
  Operand stride;
};
/// How partial results lie in memory: pieces of a segment side by side, or segments.
enum class PartialOrder : std::uint8_t { pieces_inside, segments_inside };
using GroupFunction = std::function<void(const std::vector<Operand>& outer, const Operand& first,
                                         const Groups& group)>;

/// Partial results that a thread combines, so many rounds as there are more.
struct CombiningRounds {
  template <typename Strategy>
  explicit CombiningRounds(const Strategy& plan)
      : rounds(plan.rounds), at_once(plan.at_once), most_at_once(plan.most_at_once) {}
  int rounds;
  int at_once;
  int most_at_once;
};

/// The pieces that the schedule speaks of.
ir::InPieces pieces_of(const ir::Schedule& schedule);
/// How many pieces each of `segments` is worth.
Operand piece_count(Context& c, const Operand& segments, const Operand& width, const Operand& cost,
                    const ir::InPieces& plan);
/// Threads of a GPU combine some partial results each, several times over, until a few are left.
/// `combine` does so for `count` results, `stride` apart, and leaves the result in the place of the
/// first.  Neighbouring threads take what lies side by side.
Groups combine_groups(Context& c, const CombiningRounds& plan, const std::vector<Operand>& outer,
                      const Operand& count, PartialOrder order, const GroupFunction& combine);
/// Of so many partial results.
Operand cost_of_combining(Context& c, const Operand& count);
/// Pieces of a multiple of `unit` elements each, but for those at the end, which have what is left.
Pieces cut_segments(Context& c, const std::vector<ir::SpaceDimension>& space, const Operand& cost,
                    const ir::InPieces& plan, std::int64_t unit = 1);
/// The longest of `parts` of a piece whose lengths are equal odd multiples of `unit`, so that they
/// begin in different sets of a cache; 0 where there is none.
Operand length_of_part(Context& c, const Operand& length, std::int64_t parts, std::int64_t unit);
void for_each_piece(
    Context& c, const Pieces& pieces, const Operand& cost,
    const std::function<void(const std::vector<Operand>&, Operand, Operand, Operand)>& body);
/// Each segment of a space as a whole, in parallel where this is host code.
void for_each_segment(Context& c, const std::vector<ir::SpaceDimension>& space,
                      const Operand& element_cost, std::string_view kernel,
                      const std::function<void(const std::vector<Operand>& segment)>& body);
std::vector<Place> partial_arrays(Context& c, const std::vector<ir::Type>& types,
                                  const Pieces& pieces);
std::vector<Value> values_at(Context& c, const std::vector<Place>& arrays,
                             const std::vector<ir::Type>& types, const std::vector<Operand>& point);
void write_all(Context& c, const std::vector<Place>& arrays, const std::vector<Operand>& point,
               const std::vector<Value>& values);

}  // namespace dagaz::emit
