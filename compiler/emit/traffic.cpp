// What a statement reads are its free names, what it writes its results; which of them a loop of it
// works on is known by their blocks.  Blocks that the code makes for itself (partial results, packed
// panels) are not counted.
#include "emit/traffic.h"

#include <algorithm>

#include "ir/names.h"
#include "tree/walk.h"

namespace dagaz::emit {

static Operand bytes_of(Context& c, const ir::Type& type) {
  return c.mul(c.product(type.shape), ir::i64_operand(ir::byte_size(type.element)));
}

std::optional<Operand> bytes_moved(Context& c, const Code& code) {
  if (c.host_statement == nullptr) return std::nullopt;
  std::vector<NameId> arrays = ir::free_names(c.host_statement->operation, c.names());
  for (const ir::Binder& result : c.host_statement->results) arrays.push_back(result.name);
  const std::vector<NameId> captured = tree::captured_variables(code);
  std::optional<Operand> sum;
  for (const NameId array : arrays) {
    if (!c.names().type(array).is_array() || !c.arrays.has_place(array)) continue;
    const NameId block = c.arrays.place_of(array).block;
    if (std::find(captured.begin(), captured.end(), block) == captured.end()) continue;
    const Operand bytes = bytes_of(c, c.names().type(array));
    sum = sum ? c.add(*sum, bytes) : bytes;
  }
  return sum;
}

}  // namespace dagaz::emit
