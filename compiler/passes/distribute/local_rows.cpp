#include "passes/distribute/local_rows.h"

#include <algorithm>

#include "ir/fields.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

// What is bound by loops and maps inside.
void RowIndices::enter(const ir::Operation& operation) {
  if (const auto* loop = as<ir::Loop>(operation)) {
    const auto* form = std::get_if<ir::ForForm>(&loop->form);
    if (form != nullptr) forms.add_index(form->index.name, form->bound);
  } else if (const auto* map = as<ir::MapScanReduce>(operation)) {
    for (std::size_t k = 0; k < map->arrays.size(); ++k) {
      forms.add_elements(map->map.parameters[k].name, map->arrays[k], map->width);
    }
  }
}

Operand RowIndices::in_window(const Operand& index, const Window& window, ir::Builder& out) {
  const auto form = forms.of(index);
  DZ_CHECK(form && form->has_index, "a row outside of the window of an array");
  if (form->low == form->high) {
    return out.add_i64(local_.index, ir::i64_operand(form->low - window.low));
  }
  if (!form->modulo) {
    const Operand row = out.sub_i64(index, local_.first);
    return out.add_i64(row, ir::i64_operand(-window.low));
  }
  const Operand point = out.add_i64(local_.index, local_.first);
  const Operand away = out.sub_i64(index, point);
  // Of all rows that are this one, the lowest that is not below the form.
  const Operand above = out.sub_i64(away, ir::i64_operand(form->low));
  const auto i64 = ir::ScalarType::i64;
  const Operand divisor = out.scalar(ScalarOp::smax, i64, {forms.extent(), ir::i64_operand(1)});
  const Operand lowest = out.scalar(ScalarOp::smod_floor, i64, {above, divisor});
  return out.add_i64(out.add_i64(local_.index, ir::i64_operand(form->low - window.low)), lowest);
}

namespace {

/// Puts the part in the place of the array, also in views.
class PartWalk {
 public:
  PartWalk(const Part& part, const SharedIndex& shared, const LocalRows& local,
           const Definitions& definitions, ir::Names& names)
      : part_(part),
        shared_(shared),
        local_(local),
        names_(names),
        rows_(shared, local, definitions) {
    at_.emplace(part.array, part.position);
  }

  void body(ir::Body& body) {
    ir::Builder out(names_);
    for (ir::Statement& one : body.statements) {
      out.set_location(one.location);
      statement(one, out);
      out.add(std::move(one));
    }
    body.statements = out.take();
  }

 private:
  void statement(ir::Statement& one, ir::Builder& out) {
    rows_.enter(one.operation);
    if (part_.window) rows_.forms.add(one);
    if (auto* read = as<ir::Index>(one.operation)) {
      if (const auto at = take(read->array)) index(*read, *at, one.results[0].name, out);
    } else if (auto* permute = as<ir::Permute>(one.operation)) {
      if (const auto at = take(permute->array)) {
        const auto& order = permute->permutation;
        const auto found = std::find(order.begin(), order.end(), static_cast<int>(*at));
        view(one.results[0].name, static_cast<std::size_t>(found - order.begin()));
      }
    } else if (auto* slice = as<ir::Slice>(one.operation)) {
      if (const auto at = take(slice->array)) this->slice(*slice, *at, one.results[0].name, out);
    } else if (auto* map = as<ir::MapScanReduce>(one.operation)) {
      elements(*map);
    }
    ir::for_each_scope(one.operation, [&](ir::Body& inner) { body(inner); });
  }

  /// The dimension of the view that the ranks share; the part takes the place of the array itself.
  std::optional<std::size_t> take(NameId& array) {
    const auto found = at_.find(array);
    if (found == at_.end()) return std::nullopt;
    if (array == part_.array) array = part_.part;
    return found->second;
  }

  void view(NameId name, std::size_t at) {
    ir::Type type = names_.type(name);
    type.shape[at] = part_.count;
    names_.set_type(name, std::move(type));
    at_.emplace(name, at);
  }

  void index(ir::Index& read, std::size_t at, NameId result, ir::Builder& out) {
    if (at >= read.indices.size()) {
      view(result, at - read.indices.size());
    } else if (part_.window) {
      read.indices[at] = rows_.in_window(read.indices[at], *part_.window, out);
    } else if (shared_.sum == nullptr && read.indices[at] == ir::Operand(shared_.index)) {
      read.indices[at] = local_.index;
    }
  }

  void slice(ir::Slice& slice, std::size_t at, NameId result, ir::Builder& out) {
    ir::SliceDimension& rows = slice.dimensions[at];
    if (part_.window && (rows.fixed || rows_.forms.window_of(rows.start))) {
      rows.start = rows_.in_window(rows.start, *part_.window, out);
      return;
    }
    rows.count = part_.count;
    const auto fixed = std::count_if(slice.dimensions.begin(),
                                     slice.dimensions.begin() + static_cast<std::ptrdiff_t>(at),
                                     [](const ir::SliceDimension& one) { return one.fixed; });
    view(result, at - static_cast<std::size_t>(fixed));
  }

  void elements(ir::MapScanReduce& map) {
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      const auto at = take(map.arrays[k]);
      if (at && &map != shared_.sum) view(map.map.parameters[k].name, *at - 1);
    }
  }

  const Part& part_;
  const SharedIndex& shared_;
  const LocalRows local_;
  ir::Names& names_;
  RowIndices rows_;
  std::unordered_map<NameId, std::size_t> at_;  // the array and its views
};

}  // namespace

void read_part(ir::Body& body, const Part& part, const SharedIndex& shared, const LocalRows& local,
               const Definitions& definitions, ir::Names& names) {
  PartWalk(part, shared, local, definitions, names).body(body);
}

}  // namespace dagaz::passes::distributing
