// What editors and documentation ask of a check beside its result: what each written name was
// resolved to, which names belong together, and what is visible at a place.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ids.h"

namespace dagaz::check {

/// A member of a module: a value or another module (one name space), a type or a module type.
enum class MemberKind : std::uint8_t { none, value, module, type, signature };
struct Member {
  MemberKind kind = MemberKind::none;
  std::uint32_t index = 0;

  BindingId value() const { return BindingId(index); }
  ModuleId module() const { return ModuleId(index); }
  TypeNameId type() const { return TypeNameId(index); }
};
enum class NameSpace : std::uint8_t { term, type, signature };

/// Filled while a program is checked, where a tool asks for it.
struct NameRecord {
  struct Use { Range range; Member member; };
  struct Visible { NameSpace space; Symbol name; Member member; };

  /// In the order of checking; a definition that is inferred twice is here twice.
  std::vector<Use> uses;
  /// What a module defines, and what its signature says about the same name.
  std::vector<std::pair<Member, Member>> same;

  /// The place of a name that is still being written: it may mean anything.
  std::optional<Range> wanted;
  /// What could stand there: everything in scope, or the members of a module.
  std::vector<Visible> visible;
  bool found = false;

  bool is_wanted(const Range& range) const {
    return wanted && range.file == wanted->file && range.begin <= wanted->begin &&
           wanted->end <= range.end;
  }
};

}  // namespace dagaz::check
