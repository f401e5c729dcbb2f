#include "emit/memory/joins.h"

#include "emit/memory/elements.h"

namespace dagaz::emit {

Join new_join(Context& c, NameId name) {
  return Join{c.block_variable(c.names().base(name)), c.variable("offset", ScalarType::i64)};
}

void set_join(Context& c, const Join& join, const Value& value) {
  const Place place = dense(c, *value.place, value.type);
  c.emit(Share{join.block, place.block});
  c.move(join.offset, place.offset);
}

}  // namespace dagaz::emit
