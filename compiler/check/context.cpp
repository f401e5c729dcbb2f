// See context.h.
#include "check/context.h"

#include "check/type_size.h"
#include "support/check.h"

namespace dagaz::check {

static std::uint64_t key(NameSpace space, Symbol name) {
  return (static_cast<std::uint64_t>(space) << 32) | name.index;
}

void Environment::add(NameSpace space, Symbol name, Member member) {
  index_[key(space, name)] = items_.size();
  items_.push_back({space, name, member});
}

void Environment::add_all(const Environment& other) {
  for (std::size_t i = 0; i < other.items_.size(); ++i) {
    const Item& item = other.items_[i];
    if (other.is_visible(i)) add(item.space, item.name, item.member);
  }
}

Member Environment::find(NameSpace space, Symbol name) const {
  const auto found = index_.find(key(space, name));
  return found == index_.end() ? Member{} : items_[found->second].member;
}

bool Environment::is_visible(std::size_t position) const {
  const Item& item = items_[position];
  return index_.at(key(item.space, item.name)) == position;
}

Context::Context(ast::Program& the_program, NameTable& the_names, Diagnostics& the_diagnostics,
                 CheckedProgram& the_result)
    : program(the_program),
      names(the_names),
      diagnostics(the_diagnostics),
      result(the_result),
      types(the_result.types, the_names) {}

BindingId Context::new_binding(Symbol name, const Range& range) {
  const BindingId id = result.bindings.add({name, range, false});
  values.add({});
  return id;
}

BindingId Context::new_size(std::string_view name, const Range& range) {
  const BindingId id = new_binding(names.intern(name), range);
  set_type(id, types.i64());
  return id;
}

TypeNameId Context::new_type_name(TypeNameInfo info) {
  if (info.definition != nullptr && is_too_large(info.definition)) {
    report_too_large(*this, info.range);
    info.definition = types.unit();
  }
  return type_names.add(std::move(info));
}

ModuleId Context::new_module(ModuleInfo info) {
  module_storage_.push_back(std::move(info));
  return modules.add(&module_storage_.back());
}

const ModuleType* Context::new_module_type(ModuleType type) {
  return &module_types_.emplace_back(std::move(type));
}

void Context::set_type(BindingId id, const Type* type) {
  ValueInfo& info = values[id];
  info.unsized = types.erase(type);
  info.scheme = types.scheme({{}, {}, type});
}

}  // namespace dagaz::check
