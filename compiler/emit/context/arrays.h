// What the names of arrays mean in the code that is being emitted: where they lie, where results
// are wanted, and which arrays have no memory at all.
#pragma once

#include <optional>
#include <unordered_map>

#include "emit/code/place.h"
#include "emit/code/values.h"
#include "ir/program.h"

namespace dagaz::emit {

/// An array that is only read element by element and has no memory: an element is computed.
struct VirtualArray {
  ScalarType element;
  Operand start;
  std::optional<Operand> stride;  // none: all elements are `start`
};

class Arrays {
 public:
  explicit Arrays(const ir::Names& names) : names_(names) {}

  const Place& place_of(NameId array) const;
  bool has_place(NameId array) const { return places_.contains(array); }
  void bind(NameId array, Place place) { places_.insert_or_assign(array, std::move(place)); }

  /// Null where the array has memory.
  const VirtualArray* virtual_array(NameId array) const;
  void bind_virtual(NameId array, VirtualArray values);

  /// Where a result is wanted, if it is wanted anywhere.
  Destination destination_of(NameId result) const;
  void want(NameId result, Place place) {
    destinations_.insert_or_assign(result, std::move(place));
  }

  /// What the name means ends here.
  void unbind(NameId array);
  /// Code may have several versions of a body: each is emitted again, with places of its own.
  void forget(const ir::Statement& statement);

 private:
  const ir::Names& names_;
  std::unordered_map<NameId, Place> places_;
  std::unordered_map<NameId, Place> destinations_;
  std::unordered_map<NameId, VirtualArray> virtual_;
};

}  // namespace dagaz::emit
