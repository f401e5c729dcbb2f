// The types that cross the C interface, with the names that the outside knows them by.
//
// A type is named after what the program writes where the type meets the interface: the name of
// an abbreviation without its sizes, or the type itself.  The parts of a type are named after what
// its abbreviation writes, where that stands at the top level of a file; all other parts after
// their structure.  The peer names types so, and bindings for its libraries rely on the names.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "elaborate/value.h"
#include "ir/program.h"
#include "support/name_table.h"

namespace dagaz::elaborate {

/// The outer sizes of an array without leaves, such as one of units; none for other types.
/// Outside the program such an array is one of false, which holds its sizes.
std::vector<ir::Operand> sizes_without_leaves(TypeRef type);

/// Makes external types, each once, in ir::Program::external_types.
class InterfaceTypes {
 public:
  InterfaceTypes(const NameTable& symbols, const ast::Program& program,
                 std::vector<ir::ExternalType>& types);

  /// The index of `type`, for which the program writes `written`, which may be null.
  int index_of(TypeRef type, const ast::TypeExp* written);

 private:
  /// What the program writes for a type: `exp` under `rank` more dimensions, or nothing.
  struct Written {
    const ast::TypeExp* exp = nullptr;
    std::size_t rank = 0;
  };
  /// A type under `rank` more dimensions.
  struct Outside {
    TypeRef type;
    std::size_t rank = 0;
  };

  int add(Outside outside, Written written);
  void describe_array(ir::ExternalType& external, TypeRef element, Written written);
  void describe_record(ir::ExternalType& external, const RecordShape& record, Written written);
  void describe_sum(ir::ExternalType& external, const SumShape& sum, Written written);
  int insert(ir::ExternalType type);

  Written element(Written written, std::size_t rank) const;
  /// What an abbreviation stands for, followed as long as it is itself a name.
  const ast::TypeExp* definition(Written written) const;
  Written field(Written written, Symbol name) const;
  const std::vector<ast::TypeExp*>* payload(Written written, Symbol constructor) const;

  std::string name(const ast::TypeExp& written) const;
  std::string name(const ast::TypeApplication& application) const;
  std::string name(TypeRef type, bool tight) const;

  const NameTable& symbols_;
  std::unordered_map<TypeNameId, const ast::TypeExp*> definitions_;
  std::vector<ir::ExternalType>& types_;
};

}  // namespace dagaz::elaborate
