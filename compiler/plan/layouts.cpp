#include "plan/layouts.h"

#include <algorithm>

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
    const auto from = static_cast<std::size_t>(permutation[k]);
    result.strides[k] = layout.strides[from];
    if (from != k) result.in_row_major_order = false;
  }
  return result;
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
  return Layout{std::move(*strides), false};
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

Layout Layouts::part_of(NameId array, std::size_t indices) const {
  Layout part = of(array);
  part.strides.erase(part.strides.begin(),
                     part.strides.begin() + static_cast<std::ptrdiff_t>(indices));
  return part;
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

std::unordered_set<NameId> points_within(const ir::Body& body, const ir::Names& names) {
  // Most bodies have no such permutation: then what statements mention need not be looked up.
  const bool any = std::any_of(body.statements.begin(), body.statements.end(), [](const auto& one) {
    const auto* permute = as<ir::Permute>(one.operation);
    return permute != nullptr && permute->permutation.front() != 0;
  });
  if (!any) return {};
  std::unordered_set<NameId> made;
  std::unordered_set<NameId> within;
  for (const ir::Statement& one : body.statements) {
    const auto* permute = as<ir::Permute>(one.operation);
    const bool reads_rows = permute != nullptr && permute->permutation.front() != 0;
    for (const NameId name : ir::free_names(one, names)) {
      if (!reads_rows) {
        within.erase(name);
      } else if (made.contains(name)) {
        within.insert(name);
      }
      if (!reads_rows) made.erase(name);
    }
    const auto* map = as<ir::SegmentedMap>(one.operation);
    if (map == nullptr || map->space.size() != 1) continue;
    for (const ir::Binder& result : one.results) {
      const ir::Type& type = names.type(result.name);
      if (type.kind == ir::TypeKind::value && type.rank() > 1) made.insert(result.name);
    }
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) within.erase(result.name());
  }
  return within;
}

void Layouts::turn_rows(const ir::Body& body) {
  for (const NameId name : points_within(body, names_)) {
    std::vector<Operand> shape = names_.type(name).shape;
    std::rotate(shape.begin(), shape.begin() + 1, shape.end());
    Layout turned = row_major(shape);
    std::rotate(turned.strides.begin(), turned.strides.end() - 1, turned.strides.end());
    turned.in_row_major_order = false;
    set(name, std::move(turned));
  }
}

}  // namespace dagaz::plan
