// Sizes of slices, and updates in place.  See sizes.h.
#include "check/expression_walk.h"

#include <algorithm>

#include "check/print_type.h"
#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

void Sizes::check_dimensions(std::vector<ast::IndexDimension>& dimensions) {
  for (ast::IndexDimension& d : dimensions) {
    for (ast::Exp* part : {d.index, d.start, d.end, d.stride}) {
      if (part != nullptr) check(*part);
    }
  }
}

/// `known()`, unless one of `parts` binds names: then a new unknown size, with a warning.
const Size* Sizes::unless_binding(std::initializer_list<const ast::Exp*> parts,
                                  const Range& range, const std::function<const Size*()>& known,
                                  Names* created) {
  for (const ast::Exp* part : parts) {
    if (part == nullptr || !has_binding(*part)) continue;
    error(DiagnosticKind::size_expression_binding, part->range,
          "size expression with binding is replaced by unknown size");
    const BindingId name = solver_.unknown(range, "it is computed by an expression with bindings");
    if (created != nullptr) created->push_back(name);
    return context_.types.named_size(name);
  }
  return known();
}

const Size* Sizes::slice_size(const Size* size, const ast::IndexDimension& d, Slicing slicing,
                              const Range& range, Names* created) {
  if (slicing == Slicing::flexible) {
    return context_.types.named_size(
        solver_.fresh(SizeKind::free, {range, "size of slice"}, "slice_dim"));
  }
  const auto is = [](const ast::Exp* exp, std::int64_t value) {
    return exp != nullptr && integer_literal(exp) == value;
  };
  const bool forward = d.stride == nullptr || is(d.stride, 1);
  const bool backward = is(d.stride, -1);
  if (forward && (d.start == nullptr || is(d.start, 0))) {
    if (d.end == nullptr) return size;
    return unless_binding({d.end}, range, [&] { return size_of(d.end); },
                          created);
  }
  if (forward) {
    return unless_binding({d.start, d.end}, range, [&] {
      if (d.end != nullptr) return difference(d.end, d.start, false);
      ast::Exp* whole =
          expression_of_size(context_.types, context_.program.arena, size, d.start->range);
      return difference(whole, d.start, false);
    }, created);
  }
  if (backward && d.start == nullptr && d.end == nullptr) return size;
  if (backward && d.start != nullptr && d.end != nullptr) {
    return unless_binding({d.start, d.end}, range,
                          [&] { return difference(d.start, d.end, false); }, created);
  }
  const BindingId name = solver_.unknown(range, "this slice's size is not known", "slice");
  if (created != nullptr) created->push_back(name);
  return context_.types.named_size(name);
}

const Type* Sizes::slice(const Type* array, const std::vector<ast::IndexDimension>& dimensions,
                         Slicing slicing, const Range& range, Names* created) {
  std::vector<const Size*> kept;
  const Type* element = array;
  for (const ast::IndexDimension& d : dimensions) {
    const auto* a = as<Array>(element->node);
    if (a == nullptr) return element;
    if (d.is_slice) kept.push_back(slice_size(a->size, d, slicing, range, created));
    element = a->element;
  }
  for (auto size = kept.rbegin(); size != kept.rend(); ++size) {
    element = context_.types.array(*size, element);
  }
  return element;
}

const Type* Sizes::check_index(ast::Index& index, ast::Exp& exp) {
  check_dimensions(index.dimensions);
  const Type* array = normal(check(*index.array));
  return slice(array, index.dimensions, Slicing::exact, exp.range, &exp.existentials);
}

const Type* Sizes::check_update(ast::Update& update) {
  const Type* source = normal(check(*update.source));
  const bool fields_only = std::all_of(
      update.path.begin(), update.path.end(),
      [](const ast::PathStep& step) { return std::get_if<ast::Name>(&step.step) != nullptr; });
  if (fields_only) {
    const Type* value = check(*update.value);
    return update_fields(source, update.path, 0, value, update.source->range);
  }
  const Type* target = source;
  for (ast::PathStep& step : update.path) {
    if (const auto* name = std::get_if<ast::Name>(&step.step)) {
      target = field(normal(target), name->symbol);
      continue;
    }
    auto& dimensions = std::get<std::vector<ast::IndexDimension>>(step.step);
    check_dimensions(dimensions);
    target = slice(normal(target), dimensions, Slicing::flexible, step.range, nullptr);
  }
  const Type* value = check(*update.value);
  unify(target, value, update.value->range, Site::update);
  return normal(source);
}

const Type* Sizes::update_fields(const Type* type, const std::vector<ast::PathStep>& path,
                                 std::size_t step, const Type* value, const Range& range) {
  if (step == path.size()) {
    // The new value may have other sizes, but nothing else may differ.
    const Type* old = solver_.with_fresh_sizes(context_.types.erase(type), SizeKind::free,
                                               {range, "record update"}, Liftedness::unlifted);
    unify(old, value, range, Site::update);
    return context_.types.not_unique(value);
  }
  const auto* record = as<Record>(type->node);
  if (record == nullptr) return type;
  Record copy = *record;
  const Symbol name = std::get<ast::Name>(path[step].step).symbol;
  for (auto& f : copy.fields) {
    if (f.first == name) f.second = update_fields(f.second, path, step + 1, value, range);
  }
  return context_.types.arena().make(Type{std::move(copy)});
}

const Type* Sizes::check_path_section(ast::PathSection& section, const ast::Exp& exp) {
  const auto* arrow = as<Arrow>(exp.type->node);
  if (arrow == nullptr) return exp.type;
  const Type* source = fresh_sizes(arrow->from, exp.range, Liftedness::unlifted);
  const Type* target = source;
  Names created;
  for (ast::PathStep& step : section.path) {
    target = normal(target);
    if (const auto* name = std::get_if<ast::Name>(&step.step)) {
      target = field(target, name->symbol);
      continue;
    }
    auto& dimensions = std::get<std::vector<ast::IndexDimension>>(step.step);
    check_dimensions(dimensions);
    bool slices = false;
    for (const ast::IndexDimension& d : dimensions) slices = slices || d.is_slice;
    target = slices ? slice(target, dimensions, Slicing::exact, step.range, &created)
                    : slice(target, dimensions, Slicing::exact, step.range, nullptr);
  }
  return context_.types.arrow({BindingId(), source, false, created, target});
}

}  // namespace dagaz::check
