// Numbers that points compute from the index that is shared, as far as they are it, moved by
// little: i + c, min (n - 1) (i + c), (i + c) mod n, i + j where j is the index of a short loop. An
// array that is read at such rows alone is read through a window.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::distributing {

/// Rows i + low … i + high of an array, for the point with shared index i.
struct Window {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool wraps = false;  // rows are counted modulo the extent

  void include(const Window& other);
};

/// A number between `low` and `high`, plus the shared index.
struct Form {
  bool has_index = false;
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool modulo = false;  // up to a multiple of the extent
  // What is known for all points:
  bool not_negative = false;
  bool below_extent = false;
};

/// Numbers and ranges that a function defines anywhere.
struct Definitions {
  explicit Definitions(const ir::Function& function);

  std::unordered_map<ir::NameId, ir::Scalar> scalars;
  std::unordered_map<ir::NameId, ir::Iota> ranges;
  ir::NameSet hold;  // conditions that hold wherever they are computed
};

/// The forms of the numbers of one operation.
class Forms {
 public:
  Forms(const Definitions& definitions, ir::NameId index, ir::Operand extent)
      : definitions_(definitions), index_(index), extent_(std::move(extent)) {}

  /// Indices of loops inside, and elements of ranges that maps inside go through.
  void add_index(ir::NameId index, const ir::Operand& bound);
  void add_elements(ir::NameId parameter, ir::NameId array, const ir::Operand& width);
  /// A statement of the points.
  void add(const ir::Statement& statement);

  std::optional<Form> of(const ir::Operand& operand) { return of(operand, 0); }
  /// The rows that an index stands for.
  std::optional<Window> window_of(const ir::Operand& index);
  /// Whether it is an index for each point.
  bool is_within(const ir::Operand& operand);
  const ir::Operand& extent() const { return extent_; }

 private:
  std::optional<Form> of(const ir::Operand& operand, int depth);
  std::optional<Form> of(const ir::Scalar& scalar, int depth);
  std::optional<Form> sum(const ir::Scalar& scalar, int depth);
  std::optional<Form> clamped(const ir::Scalar& scalar, int depth);
  std::optional<Form> element_of(ir::NameId array, const std::optional<Form>& index) const;
  bool is_extent(const ir::Operand& operand) const;
  bool is_last(const ir::Operand& operand) const;

  const Definitions& definitions_;
  ir::NameId index_;
  ir::Operand extent_;
  std::unordered_map<ir::NameId, std::optional<Form>> known_;
};

}  // namespace dagaz::passes::distributing
