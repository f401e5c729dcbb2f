// Concatenation.  In host code memory for the whole may be there before its pieces, which are then
// made where they end up (memory/concatenations.cpp); the others are copied.
#include <algorithm>

#include "imperative/lowering.h"

namespace dagaz::imperative {

// The rows of a piece.  The length of a list follows from the array whose elements it lists.
Operand Lowering::width_of(const memory::Piece& piece) {
  const ir::Type& type = names().type(piece.name);
  return piece.origin && type.rank() == 1 ? product(shape_of(*piece.origin)) : type.shape[0];
}

// Memory for a whole before its shape is known, and the places of its pieces.
const std::vector<Place>& Lowering::place_whole(NameId result) {
  HostScope& scope = scopes_.back();
  if (const auto found = scope.pieces.find(result); found != scope.pieces.end()) {
    return found->second;
  }
  const memory::Whole& whole = memory_.wholes.at(result);
  const Operand most = ir::i64_operand(std::int64_t{1} << 61);  // that no memory holds
  std::vector<Operand> shape = shape_of(result);
  Operand bytes = ir::i64_operand(0);
  Operand total = ir::i64_operand(0);
  std::vector<Operand> widths;
  for (const memory::Piece& piece : whole.pieces) {
    widths.push_back(width_of(piece));
    const Operand count = byte_count(names().type(piece.origin.value_or(piece.name)));
    bytes = minimum(add(bytes, minimum(count, most)), most);
    total = add(total, widths.back());
  }
  shape[0] = total;
  const Place place = place_concatenation(result, shape, bytes);
  return scope.pieces.emplace(result, places_of_pieces(place, widths)).first->second;
}

// Memory for the result of a concatenation, in the order in which it is wanted.
Place Lowering::place_concatenation(NameId result, const std::vector<Operand>& shape,
                                    const Operand& bytes) {
  const NameId block = own_block(bytes, names().base(result), result);
  const auto& order = std::get<memory::Own>(memory_.home(result)).order;
  const Place place = in_order(block, shape, order);
  HostScope& scope = scopes_.back();
  scope.placed_views.emplace(result, place);
  if (const auto turned = memory_.turned.find(result); turned != memory_.turned.end()) {
    Place view = permuted(place, order);
    view.unit = ir::i64_operand(1);
    scope.placed_views.emplace(turned->second, std::move(view));
  }
  return place;
}

std::vector<Place> Lowering::places_of_pieces(const Place& whole,
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

// Where what a map makes lies so that it is a piece of `whole`, seen through views.
Place Lowering::place_of_origin(NameId origin, NameId whole) {
  const std::vector<Place> places = place_whole(whole);
  const std::vector<memory::Piece>& pieces = memory_.wholes.at(whole).pieces;
  const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const memory::Piece& one) {
    return one.origin == origin;
  });
  Place place = places[static_cast<std::size_t>(piece - pieces.begin())];
  for (const memory::View& view : piece->views) {
    scopes_.back().placed_views.insert_or_assign(view.result, place);
    if (view.permutation) {
      place = permuted_back(place, *view.permutation);
      continue;
    }
    auto before = reshaped(*this, place, shape_of(view.result), shape_of(view.array));
    DZ_CHECK(before, "a piece of a concatenation cannot lie in it");
    place = std::move(*before);
  }
  return place;
}

// Binds a view that lies where it is wanted, if `result` is one.
bool Lowering::bind_placed_view(NameId result) {
  if (mode_ != Mode::host) return false;
  const auto found = scopes_.back().placed_views.find(result);
  if (found == scopes_.back().placed_views.end()) return false;
  bind(result, Place(found->second));
  return true;
}

void Lowering::lower(const ir::Statement& s, const ir::Concat& e) {
  const NameId result = s.results[0].name;
  const ir::Type& type = names().type(result);
  if (!bind_placed_view(result)) {
    bind(result, mode_ == Mode::host ? place_concatenation(result, type.shape, byte_count(type))
                                     : result_array(result));
  }
  const Place target = place_of(result);
  std::vector<Operand> widths;
  for (const NameId array : e.arrays) widths.push_back(shape_of(array)[0]);
  const std::vector<Place> places = places_of_pieces(target, widths);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place source = place_of(e.arrays[k]);
    if (source.block != target.block) copy(places[k], source, names().type(e.arrays[k]));
  }
}

}  // namespace dagaz::imperative
