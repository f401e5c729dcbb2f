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
  ReadsWalk(const SharedIndex& shared, const ir::Names& names,
            std::unordered_map<NameId, Positions>& reads)
      : shared_(shared), names_(names), reads_(reads) {
    for (const auto& [array, positions] : reads) {
      View view{array, {}};
      for (std::size_t k = 0; k < names.type(array).rank(); ++k) view.dimensions.push_back(k);
      views_.emplace(array, std::move(view));
    }
  }

  void walk(const ir::Operation& operation) { ir::walk_fields(*this, operation); }

  // What any other operation mentions, it may read everywhere.
  void use(const NameId& name) {
    const auto found = views_.find(name);
    if (found != views_.end()) note(found->second.array, {});
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

  void statement(const ir::Statement& one) {
    const NameId result = one.results.empty() ? NameId{} : one.results[0].name;
    if (const auto* read = as<ir::Index>(one.operation)) return index(*read, result);
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) return elements(*map);
    if (const auto* permute = as<ir::Permute>(one.operation)) return view(*permute, result);
    if (const auto* slice = as<ir::Slice>(one.operation)) return view(*slice, result);
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
      if (one.fixed) continue;
      view.dimensions.push_back(is_all_of(one, shape[k]) ? found->second.dimensions[k] : none);
    }
    add_view(result, std::move(view));
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
    const auto found = views_.find(read.array);
    if (found == views_.end()) return;
    const View& view = found->second;
    Positions positions;
    for (std::size_t k = 0; k < read.indices.size(); ++k) {
      const bool is_shared =
          shared_.sum == nullptr && read.indices[k] == ir::Operand(shared_.index);
      if (is_shared && view.dimensions[k] != none) positions.push_back(view.dimensions[k]);
    }
    if (!positions.empty() || names_.type(result).is_scalar()) {
      return note(view.array, std::move(positions));
    }
    add_view(result, rest_of(view, read.indices.size()));
  }

  static View rest_of(const View& view, std::size_t from) {
    return {view.array,
            {view.dimensions.begin() + static_cast<std::ptrdiff_t>(from), view.dimensions.end()}};
  }

  void elements(const ir::MapScanReduce& map) {
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      const auto found = views_.find(map.arrays[k]);
      if (found == views_.end()) continue;
      const View& view = found->second;
      const NameId parameter = map.map.parameters[k].name;
      const std::size_t outer = view.dimensions.front();
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
    Positions& known = reads_.at(array);
    if (!seen_.insert(array).second) {
      std::erase_if(known, [&](std::size_t k) {
        return std::find(positions.begin(), positions.end(), k) == positions.end();
      });
    } else {
      known = std::move(positions);
    }
  }

  const SharedIndex& shared_;
  const ir::Names& names_;
  std::unordered_map<NameId, Positions>& reads_;
  std::unordered_map<NameId, View> views_;
  ir::NameSet seen_;
};

/// Puts the part in the place of the array, also in views.
class PartWalk {
 public:
  PartWalk(const Part& part, const SharedIndex& shared, NameId local, ir::Names& names)
      : part_(part), shared_(shared), local_(local), names_(names) {
    at_.emplace(part.array, part.position);
  }

  void body(ir::Body& body) {
    for (ir::Statement& one : body.statements) statement(one);
  }

 private:
  void statement(ir::Statement& one) {
    if (auto* read = as<ir::Index>(one.operation)) {
      if (const auto at = take(read->array)) index(*read, *at, one.results[0].name);
    } else if (auto* permute = as<ir::Permute>(one.operation)) {
      if (const auto at = take(permute->array)) {
        const auto& order = permute->permutation;
        const auto found = std::find(order.begin(), order.end(), static_cast<int>(*at));
        view(one.results[0].name, static_cast<std::size_t>(found - order.begin()));
      }
    } else if (auto* slice = as<ir::Slice>(one.operation)) {
      if (const auto at = take(slice->array)) this->slice(*slice, *at, one.results[0].name);
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

  void index(ir::Index& read, std::size_t at, NameId result) {
    if (at >= read.indices.size()) {
      view(result, at - read.indices.size());
    } else if (shared_.sum == nullptr && read.indices[at] == ir::Operand(shared_.index)) {
      read.indices[at] = local_;
    }
  }

  void slice(ir::Slice& slice, std::size_t at, NameId result) {
    slice.dimensions[at].count = part_.count;
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
  const NameId local_;
  ir::Names& names_;
  std::unordered_map<NameId, std::size_t> at_;  // the array and its views
};

}  // namespace

std::unordered_map<NameId, Positions> reads_at(const ir::Operation& operation,
                                               const SharedIndex& shared, const ir::Names& names) {
  std::unordered_map<NameId, Positions> reads;
  for (const NameId name : ir::free_names(operation, names)) {
    if (names.type(name).is_array()) reads.emplace(name, Positions{});
  }
  ReadsWalk(shared, names, reads).walk(operation);
  return reads;
}

void read_part(ir::Body& body, const Part& part, const SharedIndex& shared, NameId local,
               ir::Names& names) {
  PartWalk(part, shared, local, names).body(body);
}

}  // namespace dagaz::passes::distributing
