// See describe.h.
#include "tools/lsp/describe.h"

namespace dagaz::tools::lsp {

namespace {

std::string with_type(const Analysis& analysis, const std::string& name,
                      const Definition& definition, check::Member use) {
  const BindingId id = use.kind == check::MemberKind::value ? use.value() : definition.value;
  std::string type = value_type(analysis, id);
  if (type.empty() && definition.written != nullptr) {
    type = analysis.files().text(definition.written->range);
  }
  return type.empty() ? name : name + ": " + type;
}

}  // namespace

std::string describe(const Analysis& analysis, const Definition& definition, check::Member use) {
  const std::string name(analysis.names().text(definition.name.symbol));
  switch (definition.kind) {
    case SymbolKind::function:
    case SymbolKind::constant:
      return "def " + with_type(analysis, name, definition, use);
    case SymbolKind::entry: return "entry " + with_type(analysis, name, definition, use);
    case SymbolKind::parameter:
    case SymbolKind::local: return with_type(analysis, name, definition, use);
    case SymbolKind::local_function: return "let " + with_type(analysis, name, definition, use);
    case SymbolKind::size: return "[" + name + "]: i64";
    case SymbolKind::type: {
      const TypeNameId id = use.kind == check::MemberKind::type ? use.type() : definition.type;
      const std::string meaning = type_definition(analysis, id);
      return "type " + name + (meaning.empty() ? "" : " = " + meaning);
    }
    case SymbolKind::type_parameter: return "type parameter '" + name;
    case SymbolKind::module: return "module " + name;
    case SymbolKind::signature: return "module type " + name;
  }
  return name;
}

int symbol_number(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::function:
    case SymbolKind::entry:
    case SymbolKind::local_function: return 12;
    case SymbolKind::constant: return 14;
    case SymbolKind::parameter:
    case SymbolKind::local:
    case SymbolKind::size: return 13;
    case SymbolKind::type: return 23;
    case SymbolKind::type_parameter: return 26;
    case SymbolKind::module: return 2;
    case SymbolKind::signature: return 11;
  }
  return 13;
}

int completion_number(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::function:
    case SymbolKind::entry:
    case SymbolKind::local_function: return 3;
    case SymbolKind::constant: return 21;
    case SymbolKind::parameter:
    case SymbolKind::local:
    case SymbolKind::size: return 6;
    case SymbolKind::type: return 22;
    case SymbolKind::type_parameter: return 25;
    case SymbolKind::module: return 9;
    case SymbolKind::signature: return 8;
  }
  return 6;
}

bool is_local(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::parameter:
    case SymbolKind::local:
    case SymbolKind::local_function:
    case SymbolKind::size:
    case SymbolKind::type_parameter: return true;
    case SymbolKind::function:
    case SymbolKind::constant:
    case SymbolKind::entry:
    case SymbolKind::type:
    case SymbolKind::module:
    case SymbolKind::signature: return false;
  }
  return false;
}

}  // namespace dagaz::tools::lsp
