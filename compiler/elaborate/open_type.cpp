// The parameters of functions of the IR.  A size that no parameter's type tells is one of its own.
#include "elaborate/open_type.h"

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

std::vector<ir::NameId> OpenParameters::all() const {
  std::vector<ir::NameId> names;
  for (const OpenType& type : types) {
    names.insert(names.end(), type.sizes.begin(), type.sizes.end());
  }
  names.insert(names.end(), loose_names.begin(), loose_names.end());
  names.insert(names.end(), leaves.begin(), leaves.end());
  return names;
}

OpenParameters open_parameters(Elaborator& e, const Closure& closure,
                               const std::vector<const check::Type*>& types) {
  OpenParameters open;
  open.frame = e.arena.frame(closure.frame);
  e.bind_instance(closure, open.frame);
  std::vector<BindingId> sizes;
  if (closure.scheme != nullptr) sizes = closure.scheme->size_parameters;
  for (const BindingId size : sizes) open.frame->values[size] = e.arena.value(UnknownValue{});
  const std::size_t mark = e.names().size();
  std::unordered_set<ir::NameId> own;
  for (const check::Type* parameter : types) {
    OpenType type = e.open_type(parameter, open.frame, {});
    // A size computed from others can be no part of a parameter's type.
    own.insert(type.sizes.begin(), type.sizes.end());
    const OpenType computed = e.open_type(type.type, mark, own);
    type.type = computed.type;
    type.sizes.insert(type.sizes.end(), computed.sizes.begin(), computed.sizes.end());
    own.insert(computed.sizes.begin(), computed.sizes.end());
    std::vector<BindingId> unbound;
    for (const BindingId size : sizes) {
      if (std::holds_alternative<UnknownValue>(open.frame->values[size]->node)) {
        unbound.push_back(size);
      }
    }
    e.bind_sizes(parameter, type.type, open.frame, unbound);
    open.types.push_back(std::move(type));
  }
  for (const BindingId size : sizes) {
    if (!std::holds_alternative<UnknownValue>(open.frame->values[size]->node)) continue;
    open.loose_sizes.push_back(size);
    open.loose_names.push_back(e.names().fresh("size", ir::scalar_of(ir::ScalarType::i64)));
    open.frame->values[size] = e.i64_value(open.loose_names.back());
  }
  const ValueRef self = e.arena.value(closure);
  for (std::size_t i = 0; i < open.types.size(); ++i) {
    const TypeRef type = open.types[i].type;
    const std::vector<std::string> hints = e.parameter_hints(self, i, type);
    const std::vector<ir::Type> leaves = leaf_types(type);
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      open.leaves.push_back(e.names().fresh(hints[leaf], leaves[leaf]));
    }
  }
  return open;
}

}  // namespace dagaz::elaborate
