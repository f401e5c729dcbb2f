// Adding the tuple types that entry points return.
#include "single_results.h"

namespace dagaz::runtime {

SingleResultProgram::SingleResultProgram(const dz_program& original)
    : program_(original),
      types_(original.types, original.types + original.type_count),
      entries_(original.entries, original.entries + original.entry_count) {
  for (dz_entry& entry : entries_) {
    if (entry.output_count == 1) {
      continue;
    }
    int32_t unique = 1;
    for (int32_t i = 0; i < entry.output_count; ++i) {
      unique &= entry.outputs[i].unique;
    }
    results_.push_back({"", tuple_of(entry.outputs, entry.output_count), unique});
    entry.outputs = &results_.back();
    entry.output_count = 1;
  }
  program_.types = types_.data();
  program_.type_count = static_cast<int32_t>(types_.size());
  program_.entries = entries_.data();
}

const char* SingleResultProgram::keep(std::string text) {
  return texts_.emplace_back(std::move(text)).c_str();
}

/// The tuple type of these components: the program's own if it has one.
int32_t SingleResultProgram::tuple_of(const dz_parameter* components, int32_t count) {
  std::string name = "(";
  for (int32_t i = 0; i < count; ++i) {
    name += (i > 0 ? ", " : "") + std::string(types_[static_cast<size_t>(components[i].type)].name);
  }
  name += ")";
  for (size_t i = 0; i < types_.size(); ++i) {
    if (name == types_[i].name) {
      return static_cast<int32_t>(i);
    }
  }
  append_tuple(name, components, count);
  return static_cast<int32_t>(types_.size()) - 1;
}

void SingleResultProgram::append_tuple(const std::string& name, const dz_parameter* components,
                                       int32_t count) {
  std::vector<dz_member>& members = members_.emplace_back();
  std::vector<dz_leaf_type>& leaves = leaves_.emplace_back();
  for (int32_t i = 0; i < count; ++i) {
    const dz_type& component = types_[static_cast<size_t>(components[i].type)];
    leaves.insert(leaves.end(), component.leaves, component.leaves + component.leaf_count);
    member_types_.push_back(components[i].type);
    members.push_back({keep(std::to_string(i)), 1, &member_types_.back(), nullptr});
  }
  dz_type tuple{};
  tuple.name = keep(name);
  tuple.c_name = tuple.name;
  tuple.kind = DZ_OPAQUE_TYPE;
  tuple.opaque_kind = DZ_RECORD;
  tuple.leaf_count = static_cast<int32_t>(leaves.size());
  tuple.leaves = leaves.data();
  tuple.member_count = count;
  tuple.members = members.data();
  types_.push_back(tuple);
}

}  // namespace dagaz::runtime
