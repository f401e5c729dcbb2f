#include "plan/layouts.h"

#include <algorithm>
#include <numeric>

#include "ir/names.h"
#include "plan/views.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

Step operator+(const Step& a, const Step& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

Step operator*(const Step& a, const Step& b) {
  if (a == 0 || b == 0) return 0;
  if (!a || !b) return std::nullopt;
  return *a * *b;
}

Step step_of(const Operand& operand) {
  if (!operand.is_constant() || !ir::is_integer(operand.constant().type)) return std::nullopt;
  return ir::integer_value(operand.constant());
}

Layout row_major(const std::vector<Operand>& shape, Step unit) {
  Layout layout{std::vector<Step>(shape.size()), true};
  Step stride = unit;
  for (std::size_t k = shape.size(); k-- > 0;) {
    layout.strides[k] = stride;
    stride = stride * step_of(shape[k]);
  }
  return layout;
}

Layout sliced(const Layout& layout, const std::vector<ir::SliceDimension>& dimensions,
              const std::vector<Operand>& shape) {
  Layout result{{}, layout.in_row_major_order && keeps_order(dimensions, shape)};
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const ir::SliceDimension& one = dimensions[k];
    if (!one.fixed) result.strides.push_back(layout.strides[k] * step_of(one.stride));
  }
  return result;
}

Layout permuted(const Layout& layout, const std::vector<int>& permutation) {
  Layout result = layout;
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    result.strides[k] = layout.strides[static_cast<std::size_t>(permutation[k])];
  }
  if (std::is_sorted(permutation.begin(), permutation.end())) return result;
  result.turned = layout.in_row_major_order ? inverse(permutation) : std::vector<int>();
  result.in_row_major_order = permutation == layout.turned;
  return result;
}

std::vector<int> first_innermost(std::size_t rank) {
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 1);
  order.back() = 0;
  return order;
}

Layout laid_out(const std::vector<Operand>& shape, const std::vector<int>& order) {
  std::vector<Operand> turned;
  for (const int dimension : order) turned.push_back(shape[static_cast<std::size_t>(dimension)]);
  return permuted(row_major(turned), inverse(order));
}

std::optional<Layout> reshaped(const Layout& layout, const std::vector<Operand>& from,
                               const std::vector<Operand>& to) {
  if (layout.in_row_major_order || from.size() == 1) {
    return row_major(to, layout.strides.empty() ? Step(1) : layout.strides.back());
  }
  const auto times = [](const Step& stride, const Operand& size) {
    return stride * step_of(size);
  };
  auto strides = reshaped_strides(layout.strides, from, to, Step(1), times);
  if (!strides) return std::nullopt;
  return Layout{std::move(*strides), false, {}};
}

// ---------------------------------------------------------------- of a function

const Layout* Layouts::find(NameId array) const {
  const auto found = known_.find(array);
  if (found != known_.end()) return &found->second;
  return outer_ == nullptr ? nullptr : outer_->find(array);
}

Layout Layouts::of(NameId array) const {
  const Layout* const known = find(array);
  return known != nullptr ? *known : row_major(names_.type(array).shape);
}

Layout without_outermost(const Layout& layout, std::size_t fixed) {
  Layout part = layout;
  if (fixed == 0) return part;
  part.strides.erase(part.strides.begin(),
                     part.strides.begin() + static_cast<std::ptrdiff_t>(fixed));
  part.turned.clear();
  part.in_row_major_order = layout.in_row_major_order || leaves_order(layout.turned, fixed);
  return part;
}

Layout Layouts::part_of(NameId array, std::size_t indices) const {
  return without_outermost(of(array), indices);
}

void Layouts::enter(const ir::Statement& statement) {
  const ir::Operation& operation = statement.operation;
  if (statement.results.size() != 1 || !names_.type(statement.results[0].name).is_array()) return;
  const NameId result = statement.results[0].name;
  if (find(result) != nullptr) return;
  if (const auto* index = as<ir::Index>(operation)) {
    set(result, part_of(index->array, index->indices.size()));
  } else if (const auto* slice = as<ir::Slice>(operation)) {
    set(result, sliced(of(slice->array), slice->dimensions, names_.type(slice->array).shape));
  } else if (const auto* permute = as<ir::Permute>(operation)) {
    set(result, permuted(of(permute->array), permute->permutation));
  } else if (const auto* reshape = as<ir::Reshape>(operation)) {
    const auto layout = reshaped(of(reshape->array), names_.type(reshape->array).shape,
                                 names_.type(result).shape);
    if (layout) set(result, *layout);
  } else if (const auto* update = as<ir::Update>(operation)) {
    set(result, of(update->array));
  } else if (const auto* identity = as<ir::Identity>(operation)) {
    if (identity->value.is_name()) set(result, of(identity->value.name()));
  }
}

// The order in memory of what points over `space` dimensions make, of which readers take
// `permutation`: rows of all points outermost, where these take some.  What is `given` on as it is
// read lies in that order.
static std::optional<std::vector<int>> order_for(std::size_t space,
                                                 const std::vector<int>& permutation, bool given) {
  if (space == 1) {
    if (permutation.front() == 0) return std::nullopt;
    return given ? permutation : first_innermost(permutation.size());
  }
  // The points in their order, neighbours innermost.
  int next = 0;
  for (const int dimension : permutation) {
    if (dimension >= static_cast<int>(space)) continue;
    if (dimension != next) return std::nullopt;
    ++next;
  }
  if (permutation.back() + 1 != static_cast<int>(space)) return std::nullopt;
  return permutation;
}

bool is_in_lanes(const ir::Schedule& schedule) {
  return std::any_of(schedule.versions.begin(), schedule.versions.end(),
                     [](const ir::Version& one) { return as<ir::LaneBlocks>(one.strategy); });
}

std::unordered_map<NameId, std::vector<int>> points_within(const ir::Body& body,
                                                           const ir::Names& names) {
  // Most bodies have no permutation: then what statements mention need not be looked up.
  const bool any = std::any_of(body.statements.begin(), body.statements.end(), [](const auto& one) {
    return as<ir::Permute>(one.operation) != nullptr;
  });
  if (!any) return {};
  std::unordered_map<NameId, std::size_t> made;  // over how many dimensions
  std::unordered_map<NameId, std::vector<int>> within;
  const auto is_given = [&](const ir::Binder& array) {
    return std::find(body.results.begin(), body.results.end(), Operand(array.name)) !=
           body.results.end();
  };
  const auto forget = [&](NameId name) {
    made.erase(name);
    within.erase(name);
  };
  for (const ir::Statement& one : body.statements) {
    const auto* permute = as<ir::Permute>(one.operation);
    for (const NameId name : ir::free_names(one, names)) {
      const auto found = made.find(name);
      if (found == made.end()) continue;
      const auto order = permute == nullptr
                             ? std::nullopt
                             : order_for(found->second, permute->permutation,
                                         is_given(one.results.front()));
      if (!order || within.try_emplace(name, *order).first->second != *order) forget(name);
    }
    const auto* map = as<ir::SegmentedMap>(one.operation);
    if (map == nullptr || map->space.empty()) continue;
    if (!map->schedule.versions.empty() && !is_in_lanes(map->schedule)) continue;
    for (const ir::Binder& result : one.results) {
      const ir::Type& type = names.type(result.name);
      const bool has_rows = type.rank() > map->space.size();
      if (type.kind == ir::TypeKind::value && has_rows) made[result.name] = map->space.size();
    }
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) within.erase(result.name());
  }
  return within;
}

std::unordered_set<NameId> Layouts::turn_rows(const ir::Body& body) {
  std::unordered_set<NameId> turned;
  for (const auto& [name, order] : points_within(body, names_)) {
    set(name, laid_out(names_.type(name).shape, order));
    turned.insert(name);
  }
  return turned;
}

}  // namespace dagaz::plan
