// See interface_types.h; the spelling of names is in interface_names.cpp.
#include "elaborate/interface_types.h"

#include <algorithm>
#include <optional>

#include "elaborate/interface_names.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::elaborate {

namespace {

ir::ExternalElement external_element(check::Primitive primitive) {
  // Both enumerations list the same types in the same order.
  return static_cast<ir::ExternalElement>(primitive);
}

/// The leaves of a value as the outside sees them: with signs, under `rank` dimensions.
void append_leaves(TypeRef type, int rank, std::vector<ir::ExternalLeaf>& out) {
  if (const auto sizes = sizes_without_leaves(type); !sizes.empty()) {
    out.push_back({ir::ExternalElement::boolean, rank + static_cast<int>(sizes.size())});
    return;
  }
  match(
      type->node,
      [&](const ScalarShape& t) { out.push_back({external_element(t.primitive), rank}); },
      [&](const ArrayShape& t) { append_leaves(t.element, rank + 1, out); },
      [&](const RecordShape& t) {
        for (const auto& [name, field] : t.fields) append_leaves(field, rank, out);
      },
      [&](const SumShape& t) {
        out.push_back({ir::ExternalElement::i8, rank});
        // A slot that constructors share looks as in the first of them.
        std::vector<std::optional<ir::ExternalLeaf>> slots(t.slot_types.size());
        for (const ConstructorShape& constructor : t.constructors) {
          std::vector<ir::ExternalLeaf> leaves;
          for (const TypeRef part : constructor.payload) append_leaves(part, rank, leaves);
          for (std::size_t i = 0; i < leaves.size(); ++i) {
            auto& slot = slots[constructor.slots[i]];
            if (!slot.has_value()) slot = leaves[i];
          }
        }
        for (const auto& slot : slots) out.push_back(*slot);
      },
      [](const AccumulatorShape&) { DZ_UNREACHABLE("no accumulator leaves the program"); },
      [](const FunctionShape&) {});
}

bool is_same(const ir::ExternalType& a, const ir::ExternalType& b) {
  const auto same_leaf = [](const ir::ExternalLeaf& x, const ir::ExternalLeaf& y) {
    return x.fields() == y.fields();
  };
  const auto same_member = [](const ir::ExternalMember& x, const ir::ExternalMember& y) {
    return x.fields() == y.fields();
  };
  return a.kind == b.kind && a.element_type == b.element_type && a.rank == b.rank &&
         std::equal(a.leaves.begin(), a.leaves.end(), b.leaves.begin(), b.leaves.end(),
                    same_leaf) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                    same_member);
}

/// The element of an array of any rank, which is added to `rank`.
TypeRef innermost(TypeRef type, std::size_t& rank) {
  while (const auto* array = as<ArrayShape>(type->node)) {
    type = array->element;
    ++rank;
  }
  return type;
}

/// Whether the arguments of an application from `first` on are all sizes.
bool only_sizes(const std::vector<const ast::TypeArgument*>& arguments) {
  return std::all_of(arguments.begin(), arguments.end(), [](const ast::TypeArgument* argument) {
    return as<ast::Dimension>(argument->value) != nullptr;
  });
}

/// The type under the parts that say nothing about names: `*t`, `?[n].t`, `t [n]`.
const ast::TypeExp* root(const ast::TypeExp* written) {
  while (true) {
    if (const auto* unique = as<ast::UniqueType>(written->node)) {
      written = unique->type;
    } else if (const auto* open = as<ast::ExistentialType>(written->node)) {
      written = open->type;
    } else {
      const auto* application = as<ast::TypeApplication>(written->node);
      if (application == nullptr) return written;
      std::vector<const ast::TypeArgument*> arguments;
      const ast::TypeExp* function = type_arguments(*application, arguments);
      if (!only_sizes(arguments)) return written;
      written = function;
    }
  }
}

}  // namespace

std::vector<ir::Operand> sizes_without_leaves(TypeRef type) {
  std::vector<ir::Operand> sizes;
  if (type->leaf_count > 0) return sizes;
  while (const auto* array = as<ArrayShape>(type->node)) {
    sizes.push_back(array->size);
    type = array->element;
  }
  return sizes;
}

InterfaceTypes::InterfaceTypes(const NameTable& symbols, const ast::Program& program,
                               std::vector<ir::ExternalType>& types)
    : symbols_(symbols), types_(types) {
  for (const ast::File& file : program.files) {
    for (const ast::Declaration* declaration : file.declarations) {
      const auto* type = as<ast::TypeDeclaration>(declaration->node);
      if (type != nullptr) definitions_.emplace(type->id, type->definition);
    }
  }
}

int InterfaceTypes::index_of(TypeRef type, const ast::TypeExp* written) {
  return add({type}, {written});
}

int InterfaceTypes::add(Outside outside, Written written) {
  ir::ExternalType external;
  append_leaves(outside.type, static_cast<int>(outside.rank), external.leaves);
  std::size_t rank = outside.rank;
  const TypeRef inner = innermost(outside.type, rank);
  const std::string dimensions = brackets(rank);
  external.rank = static_cast<int>(rank);
  if (std::holds_alternative<ScalarShape>(inner->node)) {
    external.c_name = name(inner, false);
    external.name = dimensions + external.c_name;
    external.kind = rank == 0 ? ir::ExternalKind::scalar : ir::ExternalKind::array;
    if (rank > 0) external.c_name += "_" + std::to_string(rank) + "d";
    return insert(std::move(external));
  }
  external.name = written.exp != nullptr ? brackets(written.rank) + name(*written.exp)
                                         : dimensions + name(inner, rank > 0);
  if (rank > 0) {
    describe_array(external, inner, written);
  } else if (const auto* record = as<RecordShape>(inner->node)) {
    describe_record(external, *record, written);
  } else if (const auto* sum = as<SumShape>(inner->node)) {
    describe_sum(external, *sum, written);
  } else {
    external.kind = ir::ExternalKind::opaque;
  }
  return insert(std::move(external));
}

// ---------------------------------------------------------------- kinds of types

/// An array of records can be taken apart into an array for each field, and be made of these.
void InterfaceTypes::describe_array(ir::ExternalType& external, TypeRef element_type,
                                    Written written) {
  const auto rank = static_cast<std::size_t>(external.rank);
  external.kind = ir::ExternalKind::opaque_array;
  const Written one = element(written, rank);
  external.element_type = add({element_type}, one);
  const auto* record = as<RecordShape>(element_type->node);
  if (record == nullptr) return;
  // An array of a field without leaves would not know its size.
  if (std::any_of(record->fields.begin(), record->fields.end(),
                  [](const auto& each) { return each.second->leaf_count == 0; })) {
    return;
  }
  for (const auto& [symbol, type] : record->fields) {
    Written part = field(one, symbol);
    if (part.exp != nullptr) part.rank += rank;
    external.members.push_back({std::string(symbols_.text(symbol)), {add({type, rank}, part)}, {}});
  }
}

void InterfaceTypes::describe_record(ir::ExternalType& external, const RecordShape& record,
                                     Written written) {
  external.kind = ir::ExternalKind::record;
  for (const auto& [symbol, type] : record.fields) {
    const int index = add({type}, field(written, symbol));
    external.members.push_back({std::string(symbols_.text(symbol)), {index}, {}});
  }
}

void InterfaceTypes::describe_sum(ir::ExternalType& external, const SumShape& sum,
                                  Written written) {
  external.kind = ir::ExternalKind::sum;
  for (const ConstructorShape& constructor : sum.constructors) {
    ir::ExternalMember member{std::string(symbols_.text(constructor.name)), {}, {}};
    const auto* parts = payload(written, constructor.name);
    for (std::size_t i = 0; i < constructor.payload.size(); ++i) {
      const Written part{parts == nullptr ? nullptr : (*parts)[i]};
      member.types.push_back(add({constructor.payload[i]}, part));
    }
    for (const std::size_t slot : constructor.slots) {
      member.leaf_index.push_back(static_cast<int>(slot + 1));
    }
    external.members.push_back(std::move(member));
  }
}

/// Two types of one name are told apart by a number.
int InterfaceTypes::insert(ir::ExternalType type) {
  const std::string written = type.name;
  const bool opaque =
      type.kind != ir::ExternalKind::scalar && type.kind != ir::ExternalKind::array;
  for (int number = 2;; ++number) {
    const auto same = std::find_if(types_.begin(), types_.end(),
                                   [&](const auto& other) { return other.name == type.name; });
    if (opaque) type.c_name = readable_identifier(type.name);
    if (same == types_.end()) break;
    if (is_same(type, *same)) return static_cast<int>(same - types_.begin());
    type.name = written + "_" + std::to_string(number);
  }
  if (opaque && std::any_of(types_.begin(), types_.end(), [&](const auto& other) {
        return other.c_name == type.c_name;
      })) {
    type.c_name.clear();
  }
  types_.push_back(std::move(type));
  return static_cast<int>(types_.size() - 1);
}

// ---------------------------------------------------------------- what is written

InterfaceTypes::Written InterfaceTypes::element(Written written, std::size_t rank) const {
  const std::size_t outer = std::min(rank, written.rank);
  written.rank -= outer;
  rank -= outer;
  while (written.exp != nullptr && rank > 0) {
    if (const auto* unique = as<ast::UniqueType>(written.exp->node)) {
      written.exp = unique->type;
    } else if (const auto* array = as<ast::ArrayType>(written.exp->node)) {
      written.exp = array->element;
      --rank;
    } else {
      return {};
    }
  }
  return written;
}

const ast::TypeExp* InterfaceTypes::definition(Written written) const {
  if (written.exp == nullptr) return nullptr;
  const ast::TypeExp* at = root(written.exp);
  while (const auto* name = as<ast::TypeName>(at->node)) {
    const auto found = definitions_.find(name->id);
    if (found == definitions_.end()) return nullptr;
    at = found->second;
  }
  return at;
}

InterfaceTypes::Written InterfaceTypes::field(Written written, Symbol name) const {
  const ast::TypeExp* at = definition(written);
  if (at == nullptr) return {};
  if (const auto* record = as<ast::RecordType>(at->node)) {
    for (const auto& [field, type] : record->fields) {
      if (field.symbol == name) return {type};
    }
  } else if (const auto* tuple = as<ast::TupleType>(at->node)) {
    for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
      if (symbols_.text(name) == std::to_string(i)) return {tuple->elements[i]};
    }
  }
  return {};
}

const std::vector<ast::TypeExp*>* InterfaceTypes::payload(Written written,
                                                          Symbol constructor) const {
  const ast::TypeExp* at = definition(written);
  const auto* sum = at == nullptr ? nullptr : as<ast::SumType>(at->node);
  if (sum == nullptr) return nullptr;
  for (const auto& [name, types] : sum->constructors) {
    if (name.symbol == constructor) return &types;
  }
  return nullptr;
}

}  // namespace dagaz::elaborate
