#include "emit/memory/concatenations.h"

#include <algorithm>

#include "emit/memory/allocation.h"
#include "emit/memory/homes.h"

namespace dagaz::emit {

// The rows of a piece.  The length of a list follows from the array whose elements it lists.
static Operand width_of(Context& c, const memory::Piece& piece) {
  const ir::Type& type = c.names().type(piece.name);
  return piece.origin && type.rank() == 1 ? c.product(c.shape_of(*piece.origin)) : type.shape[0];
}

// Memory for a whole before its shape is known, and the places of its pieces.
static const std::vector<Place>& place_whole(Context& c, NameId result) {
  if (const std::vector<Place>* known = c.scopes.pieces_of(result)) return *known;
  const memory::Whole& whole = c.memory.wholes.at(result);
  const Operand most = ir::i64_operand(std::int64_t{1} << 61);  // that no memory holds
  std::vector<Operand> shape = c.shape_of(result);
  Operand bytes = ir::i64_operand(0);
  Operand total = ir::i64_operand(0);
  std::vector<Operand> widths;
  for (const memory::Piece& piece : whole.pieces) {
    widths.push_back(width_of(c, piece));
    const Operand count = byte_count(c, c.names().type(piece.origin.value_or(piece.name)));
    bytes = c.minimum(c.add(bytes, c.minimum(count, most)), most);
    total = c.add(total, widths.back());
  }
  shape[0] = total;
  const Place place = place_concatenation(c, result, shape, bytes);
  return c.scopes.set_pieces(result, places_of_pieces(c, place, widths));
}

Place place_concatenation(Context& c, NameId result, const std::vector<Operand>& shape,
                          const Operand& bytes) {
  const NameId block = own_block(c, bytes, c.names().base(result), result);
  const auto& order = std::get<memory::Own>(c.memory.home(result)).order;
  const Place place = in_order(c, block, shape, order);
  c.scopes.set_placed_view(result, place);
  if (const auto turned = c.memory.turned.find(result); turned != c.memory.turned.end()) {
    Place view = permuted(place, order);
    view.unit = ir::i64_operand(1);
    c.scopes.set_placed_view(turned->second, std::move(view));
  }
  return place;
}

std::vector<Place> places_of_pieces(Context& c, const Place& whole,
                                    const std::vector<Operand>& widths) {
  std::vector<Place> places;
  Operand start = ir::i64_operand(0);
  for (const Operand& width : widths) {
    places.push_back(whole);
    places.back().offset = element_at(c, whole, {start});
    places.back().turned.reset();  // the rows are turned columns, with others between
    start = c.add(start, width);
  }
  return places;
}

Place place_of_origin(Context& c, NameId origin, NameId whole) {
  const std::vector<Place> places = place_whole(c, whole);
  const std::vector<memory::Piece>& pieces = c.memory.wholes.at(whole).pieces;
  const auto piece = std::find_if(pieces.begin(), pieces.end(),
                                  [&](const memory::Piece& one) { return one.origin == origin; });
  Place place = places[static_cast<std::size_t>(piece - pieces.begin())];
  for (const memory::View& view : piece->views) {
    c.scopes.set_placed_view(view.result, place);
    if (view.permutation) {
      place = permuted_back(place, *view.permutation);
      continue;
    }
    auto before = reshaped(c, place, c.shape_of(view.result), c.shape_of(view.array));
    DZ_CHECK(before, "a piece of a concatenation cannot lie in it");
    place = std::move(*before);
  }
  return place;
}

bool bind_placed_view(Context& c, NameId result) {
  if (c.mode != Mode::host) return false;
  const Place* place = c.scopes.placed_view(result);
  if (place == nullptr) return false;
  c.arrays.bind(result, *place);
  return true;
}

}  // namespace dagaz::emit
