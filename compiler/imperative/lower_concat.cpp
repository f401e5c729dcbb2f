// Concatenation.
//
// In host code the parts are made where they end up, as far as a map of their scope makes them and
// nothing else reads them: memory for the whole is there before the first of them.  The others are
// copied.  What is put together only to be permuted is put together in that order.
#include <algorithm>

#include "imperative/lowering.h"

namespace dagaz::imperative {

// No origin if something else reads the part, or no map makes it.
Part Lowering::part_made_by_map(NameId name, const ir::Body& body,
                                          const HostScope& scope) {
  Part part{name};
  for (NameId at = name;;) {
    const auto bound = scope.bindings.find(at);
    if (bound == scope.bindings.end() || scope.uses.at(at) != 1) return {name};
    const ir::Statement& statement = body.statements[bound->second];
    if (as<ir::SegmentedMap>(statement.operation)) {
      part.origin = at;
      return part;
    }
    part.views.push_back(&statement);
    if (const auto* reshape = as<ir::Reshape>(statement.operation)) {
      at = reshape->array;
    } else if (const auto* permute = as<ir::Permute>(statement.operation)) {
      at = permute->array;
    } else {
      return {name};
    }
  }
}

bool Lowering::is_known_before(NameId array, const HostScope& scope, std::size_t statement) const {
  const auto& shape = names().type(array).shape;
  return std::all_of(shape.begin(), shape.end(), [&](const Operand& size) {
    if (!size.is_name()) return true;
    const auto bound = scope.bindings.find(size.name());
    return bound == scope.bindings.end() || bound->second < statement;
  });
}

// Whether all sizes that it takes to place a part are known.  The length of a list follows from the
// array whose elements it lists.
bool Lowering::is_sized_before(const Part& part, const HostScope& scope,
                               std::size_t statement) const {
  const bool all_but_first = std::all_of(
      part.views.begin(), part.views.end(), [&](const ir::Statement* view) {
        return view->results[0].name == part.name ||
               is_known_before(view->results[0].name, scope, statement);
      });
  if (!all_but_first || (part.origin && !is_known_before(*part.origin, scope, statement))) {
    return false;
  }
  const bool follows = part.origin && names().type(part.name).rank() == 1;
  return follows || is_known_before(part.name, scope, statement);
}

Operand Lowering::width_of(const Part& part) {
  const ir::Type& type = names().type(part.name);
  return part.origin && type.rank() == 1 ? product(shape_of(*part.origin)) : type.shape[0];
}

// Finds the concatenations of a scope with parts that may be made in place.
void Lowering::plan_concats(const ir::Body& body, HostScope& scope) {
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const auto* concat = as<ir::Concat>(body.statements[k].operation);
    if (concat == nullptr) continue;
    Whole whole{body.statements[k].results[0].name};
    std::size_t first = k;
    std::unordered_set<NameId> made;
    bool repeated = false;
    for (const NameId name : concat->arrays) {
      whole.parts.push_back(part_made_by_map(name, body, scope));
      const auto& origin = whole.parts.back().origin;
      if (!origin) continue;
      repeated = repeated || !made.insert(*origin).second;
      first = std::min(first, scope.bindings.at(*origin));
    }
    const bool known = std::all_of(whole.parts.begin(), whole.parts.end(), [&](const Part& part) {
      return is_sized_before(part, scope, first);
    });
    if (!known || repeated || made.empty()) continue;
    for (const NameId part : made) scope.whole_of.emplace(part, scope.wholes.size());
    scope.wholes.push_back(std::move(whole));
  }
}

// Lets the parts of concatenations among the results of a map be made where they end up.
void Lowering::place_parts(const ir::Statement& s) {
  HostScope& scope = scopes_.back();
  for (const ir::Binder& result : s.results) {
    const auto found = scope.whole_of.find(result.name);
    if (found == scope.whole_of.end()) continue;
    Whole& whole = scope.wholes[found->second];
    if (whole.places.empty()) place_whole(whole);
    for (std::size_t k = 0; k < whole.parts.size(); ++k) {
      if (whole.parts[k].origin != result.name) continue;
      const std::optional<Place> place = place_of_origin(whole.parts[k], whole.places[k]);
      if (place) wish(result.name, *place);
    }
  }
}

void Lowering::place_whole(Whole& whole) {
  const Operand most = ir::i64_operand(std::int64_t{1} << 61);  // that no memory holds
  ir::Type type = names().type(whole.result);
  Operand bytes = ir::i64_operand(0);
  Operand total = ir::i64_operand(0);
  std::vector<Operand> widths;
  for (const Part& part : whole.parts) {
    widths.push_back(width_of(part));
    const Operand count = byte_count(names().type(part.origin.value_or(part.name)));
    bytes = minimum(add(bytes, minimum(count, most)), most);
    total = add(total, widths.back());
  }
  type.shape[0] = total;
  const Place place = place_for_whole(whole.result, type, bytes);
  wish(whole.result, place);
  whole.places = places_of_parts(place, widths);
}

// Memory for the result of a concatenation, in the order in which it is wanted.
Place Lowering::place_for_whole(NameId result, const ir::Type& type, const Operand& bytes) {
  if (const Wish wished = wish_for(result)) return *wished;
  if (mode_ != Mode::host) return new_array(type, names().base(result));
  const NameId block = new_block(bytes, names().base(result));
  keep_alive(block, result);
  const auto turned = scopes_.back().turned.find(result);
  if (turned == scopes_.back().turned.end()) {
    return row_major(*this, block, ir::i64_operand(0), type.shape);
  }
  const auto& permutation = std::get<ir::Permute>(turned->second->operation).permutation;
  std::vector<Operand> shape;
  for (const int k : permutation) shape.push_back(type.shape[static_cast<std::size_t>(k)]);
  const Place place = row_major(*this, block, ir::i64_operand(0), shape);
  scopes_.back().placed_views.insert_or_assign(turned->second->results[0].name, place);
  return permuted_back(place, permutation);
}

std::vector<Place> Lowering::places_of_parts(const Place& whole,
                                             const std::vector<Operand>& widths) {
  std::vector<Place> places;
  Operand start = ir::i64_operand(0);
  for (const Operand& width : widths) {
    places.push_back(whole);
    places.back().offset = element_at(*this, whole, {start});
    start = add(start, width);
  }
  return places;
}

// Where what a map makes lies if the part lies at `place`; nothing if views do not allow for it.
std::optional<Place> Lowering::place_of_origin(const Part& part, Place place) {
  for (const ir::Statement* view : part.views) {
    scopes_.back().placed_views.insert_or_assign(view->results[0].name, place);
    if (const auto* permute = as<ir::Permute>(view->operation)) {
      place = permuted_back(place, permute->permutation);
      continue;
    }
    const NameId inner = std::get<ir::Reshape>(view->operation).array;
    auto before = reshaped(*this, place, names().type(view->results[0].name).shape,
                           shape_of(inner));
    if (!before) return std::nullopt;
    place = std::move(*before);
  }
  return place;
}

// Binds `result`, a view of `array`, if it is known where it lies and the array was made there.
bool Lowering::bind_placed_view(NameId result, NameId array) {
  if (mode_ != Mode::host) return false;
  const auto found = scopes_.back().placed_views.find(result);
  if (found == scopes_.back().placed_views.end()) return false;
  if (found->second.block != place_of(array).block) return false;
  bind(result, Place(found->second));
  return true;
}

void Lowering::lower(const ir::Statement& s, const ir::Concat& e) {
  const NameId result = s.results[0].name;
  const ir::Type& type = names().type(result);
  const Place target = place_for_whole(result, type, byte_count(type));
  bind(result, target);
  std::vector<Operand> widths;
  for (const NameId array : e.arrays) widths.push_back(shape_of(array)[0]);
  const std::vector<Place> places = places_of_parts(target, widths);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place source = place_of(e.arrays[k]);
    if (source.block != target.block) copy(places[k], source, names().type(e.arrays[k]));
  }
}

}  // namespace dagaz::imperative
