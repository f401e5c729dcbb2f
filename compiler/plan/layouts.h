// Where the elements of arrays are expected to lie, as far as strides are constants.
//
// A plan asks which dimension of an array has its neighbours side by side.  What memory/ decides
// later may differ; then a plan is less good, but not wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// A distance in elements; nothing: known only when the program runs.
using Step = std::optional<std::int64_t>;
Step operator+(const Step& a, const Step& b);
Step operator*(const Step& a, const Step& b);
Step step_of(const ir::Operand& operand);

struct Layout {
  std::vector<Step> strides;
  bool in_row_major_order = true;  // elements at equal distances, so that any reshape is a view
  std::vector<int> turned = {};    // if any: in row-major order once the dimensions come in this
};

Layout row_major(const std::vector<ir::Operand>& shape, Step unit = 1);
Layout sliced(const Layout& layout, const std::vector<ir::SliceDimension>& dimensions,
              const std::vector<ir::Operand>& shape);
/// What is left of the dimensions where the `fixed` outermost ones are fixed.
Layout without_outermost(const Layout& layout, std::size_t fixed);
/// A block of its own, with the dimensions in this order, the outermost first.
Layout laid_out(const std::vector<ir::Operand>& shape, const std::vector<int>& order);
/// The order of so many dimensions with the first one innermost.
std::vector<int> first_innermost(std::size_t rank);
Layout permuted(const Layout& layout, const std::vector<int>& permutation);
/// Nothing where a reshape must copy.
std::optional<Layout> reshaped(const Layout& layout, const std::vector<ir::Operand>& from,
                               const std::vector<ir::Operand>& to);

/// The layouts of the arrays of a function.
class Layouts {
 public:
  explicit Layouts(const ir::Names& names, const Layouts* outer = nullptr)
      : names_(names), outer_(outer) {}

  /// Row-major order where nothing else is known.
  Layout of(ir::NameId array) const;
  void set(ir::NameId array, Layout layout) { known_.insert_or_assign(array, std::move(layout)); }
  /// Of an element of the outermost `indices` dimensions.
  Layout part_of(ir::NameId array, std::size_t indices) const;
  /// Notes what the statement binds.
  void enter(const ir::Statement& statement);
  /// Arrays of a body of host code that are read with their rows outermost, and lie so.
  std::unordered_set<ir::NameId> turn_rows(const ir::Body& body);

 private:
  const Layout* find(ir::NameId array) const;

  const ir::Names& names_;
  const Layouts* outer_;  // what is known around these
  std::unordered_map<ir::NameId, Layout> known_;
};

/// Whether points of a map are lanes, by some version.
bool is_in_lanes(const ir::Schedule& schedule);

/// Results of maps in `body`, host code of a CPU, that are only read as rows of all points: there
/// the points are neighbours in memory, but for maps that are planned otherwise than in lanes.  With
/// the order of their dimensions, the outermost first.
std::unordered_map<ir::NameId, std::vector<int>> points_within(const ir::Body& body,
                                                               const ir::Names& names);

}  // namespace dagaz::plan
