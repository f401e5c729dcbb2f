#include "passes/distribute/reads.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "ir/fields.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

namespace {

using ir::NameId;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

bool is_all_of(const ir::SliceDimension& one, const ir::Operand& extent) {
  return !one.fixed && one.start == ir::i64_operand(0) && one.count == extent &&
         one.stride == ir::i64_operand(1);
}

/// Collects the reads of one operation.
class ReadsWalk {
 public:
  ReadsWalk(const SharedIndex& shared, const Definitions& definitions, const ir::Names& names,
            Reads& reads)
      : shared_(shared),
        names_(names),
        reads_(reads),
        forms_(definitions, shared.index, shared.extent) {
    for (const ir::SpaceDimension& one : *shared.space) add_index(one.index.name, one.extent);
    for (const auto& [array, found] : reads) {
      View view{array, {}};
      for (std::size_t k = 0; k < names.type(array).rank(); ++k) view.dimensions.push_back(k);
      views_.emplace(array, std::move(view));
    }
  }

  void walk(const ir::Operation& operation) {
    if (const auto* loop = as<ir::Loop>(operation)) {
      if (const auto* form = std::get_if<ir::ForForm>(&loop->form)) {
        add_index(form->index.name, form->bound);
      }
    }
    ir::walk_fields(*this, operation);
  }

  // What any other operation mentions, it may read everywhere.
  void use(const NameId& name) {
    const auto found = views_.find(name);
    if (found == views_.end()) return;
    note(found->second.array, {});
    if (has_rows(found->second)) note_window(found->second.array, std::nullopt);
  }
  void use(const ir::Operand& operand) {
    if (operand.is_name()) use(operand.name());
  }
  void bind(const ir::Binder&) {}
  void type(const ir::Type&) {}
  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) statement(one);
    for (const ir::Operand& result : body.results) use(result);
  }
  void lambda(const ir::Lambda& lambda) { body(lambda.body); }

 private:
  /// What a name is of an array from outside: the dimensions of that, one for each of its own.
  struct View {
    NameId array;
    std::vector<std::size_t> dimensions;  // `none`: not all of one
  };
  static bool has_rows(const View& view) {
    return std::find(view.dimensions.begin(), view.dimensions.end(), 0) != view.dimensions.end();
  }

  void add_index(NameId index, const ir::Operand& bound) {
    if (index != shared_.index) forms_.add_index(index, bound);
  }

  void statement(const ir::Statement& one) {
    const NameId result = one.results.empty() ? NameId{} : one.results[0].name;
    if (const auto* read = as<ir::Index>(one.operation)) return index(*read, result);
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) return elements(*map);
    if (const auto* permute = as<ir::Permute>(one.operation)) return view(*permute, result);
    if (const auto* slice = as<ir::Slice>(one.operation)) return view(*slice, result);
    if (as<ir::Scalar>(one.operation)) return forms_.add(one);
    walk(one.operation);
  }

  void view(const ir::Permute& permute, NameId result) {
    const auto found = views_.find(permute.array);
    if (found == views_.end()) return;
    View view{found->second.array, {}};
    for (const int k : permute.permutation) {
      view.dimensions.push_back(found->second.dimensions[static_cast<std::size_t>(k)]);
    }
    add_view(result, std::move(view));
  }

  void view(const ir::Slice& slice, NameId result) {
    const auto found = views_.find(slice.array);
    if (found == views_.end()) return;
    View view{found->second.array, {}};
    const std::vector<ir::Operand>& shape = names_.type(slice.array).shape;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const ir::SliceDimension& one = slice.dimensions[k];
      const bool is_all = is_all_of(one, shape[k]);
      if (found->second.dimensions[k] == 0 && !is_all) note_window(view.array, window_of(one));
      if (one.fixed) continue;
      view.dimensions.push_back(is_all ? found->second.dimensions[k] : none);
    }
    add_view(result, std::move(view));
  }

  std::optional<Window> window_of(const ir::SliceDimension& slice) {
    auto window = forms_.window_of(slice.start);
    if (slice.fixed || !window) return window;
    const bool is_short = slice.count.is_constant() && slice.stride == ir::i64_operand(1);
    // What wraps lies in two pieces.
    if (!is_short || window->wraps) return std::nullopt;
    window->high += std::max<std::int64_t>(ir::integer_value(slice.count.constant()) - 1, 0);
    return window;
  }

  // It may be read at what is left of the array, or not at all.
  void add_view(NameId name, View view) {
    Positions left;
    for (const std::size_t k : view.dimensions) {
      if (k != none) left.push_back(k);
    }
    note(view.array, std::move(left));
    views_.insert_or_assign(name, std::move(view));
  }

  void index(const ir::Index& read, NameId result) {
    if (names_.type(result).is_scalar()) forms_.add({{{result}}, read, {}, {}});
    const auto found = views_.find(read.array);
    if (found == views_.end()) return;
    const View& view = found->second;
    Positions positions;
    for (std::size_t k = 0; k < read.indices.size(); ++k) {
      const bool is_shared =
          shared_.sum == nullptr && read.indices[k] == ir::Operand(shared_.index);
      if (is_shared && view.dimensions[k] != none) positions.push_back(view.dimensions[k]);
      if (view.dimensions[k] == 0) note_window(view.array, forms_.window_of(read.indices[k]));
    }
    View rest = rest_of(view, read.indices.size());
    if (!positions.empty() || names_.type(result).is_scalar()) {
      if (has_rows(rest)) note_window(view.array, std::nullopt);
      return note(view.array, std::move(positions));
    }
    add_view(result, std::move(rest));
  }

  static View rest_of(const View& view, std::size_t from) {
    return {view.array,
            {view.dimensions.begin() + static_cast<std::ptrdiff_t>(from), view.dimensions.end()}};
  }

  void elements(const ir::MapScanReduce& map) {
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      forms_.add_elements(map.map.parameters[k].name, map.arrays[k], map.width);
      const auto found = views_.find(map.arrays[k]);
      if (found == views_.end()) continue;
      const View& view = found->second;
      const NameId parameter = map.map.parameters[k].name;
      const std::size_t outer = view.dimensions.front();
      if (outer == 0) note_window(view.array, std::nullopt);
      if (&map == shared_.sum && outer != none) {
        note(view.array, {outer});
      } else if (names_.type(parameter).is_scalar()) {
        note(view.array, {});
      } else {
        add_view(parameter, rest_of(view, 1));
      }
    }
    lambda(map.map);
    ir::walk_field(*this, map.scans);
    ir::walk_field(*this, map.reductions);
    ir::walk_field(*this, map.post);
  }

  void note(NameId array, Positions positions) {
    Positions& known = reads_.at(array).positions;
    if (!seen_.insert(array).second) {
      std::erase_if(known, [&](std::size_t k) {
        return std::find(positions.begin(), positions.end(), k) == positions.end();
      });
    } else {
      known = std::move(positions);
    }
  }

  void note_window(NameId array, const std::optional<Window>& window) {
    std::optional<Window>& known = reads_.at(array).window;
    if (!windowed_.insert(array).second) {
      if (known && window) known->include(*window);
      if (!window) known.reset();
    } else {
      known = window;
    }
  }

  const SharedIndex& shared_;
  const ir::Names& names_;
  Reads& reads_;
  Forms forms_;
  std::unordered_map<NameId, View> views_;
  ir::NameSet seen_;
  ir::NameSet windowed_;  // of whose windows something is known
};

}  // namespace

Reads reads_at(const ir::Operation& operation, const SharedIndex& shared,
               const Definitions& definitions, const ir::Names& names) {
  Reads reads;
  for (const NameId name : ir::free_names(operation, names)) {
    if (names.type(name).is_array()) reads.emplace(name, ArrayReads{});
  }
  ReadsWalk(shared, definitions, names, reads).walk(operation);
  return reads;
}

}  // namespace dagaz::passes::distributing
