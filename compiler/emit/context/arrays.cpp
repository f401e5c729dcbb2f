#include "emit/context/arrays.h"

namespace dagaz::emit {

const Place& Arrays::place_of(NameId array) const {
  const auto found = places_.find(array);
  DZ_CHECK(found != places_.end(), names_.text(array) + " has no place");
  return found->second;
}

const VirtualArray* Arrays::virtual_array(NameId array) const {
  const auto found = virtual_.find(array);
  return found == virtual_.end() ? nullptr : &found->second;
}

void Arrays::bind_virtual(NameId array, VirtualArray values) {
  virtual_.insert_or_assign(array, std::move(values));
}

Destination Arrays::destination_of(NameId result) const {
  const auto found = destinations_.find(result);
  return found == destinations_.end() ? std::nullopt : Destination(found->second);
}

void Arrays::unbind(NameId array) {
  places_.erase(array);
  virtual_.erase(array);
}

void Arrays::forget(const ir::Statement& statement) {
  for (const ir::Binder& result : statement.results) {
    places_.erase(result.name);
    destinations_.erase(result.name);
  }
}

}  // namespace dagaz::emit
