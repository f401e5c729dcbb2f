// See interface_names.h and interface_types.h.
#include "elaborate/interface_names.h"

#include <algorithm>
#include <cctype>

#include "elaborate/interface_types.h"
#include "support/match.h"

namespace dagaz::elaborate {

namespace {

constexpr std::string_view element_names[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                              "u16",  "u32", "u64", "f16", "f32", "f64"};

/// Whether the fields are 0, 1, …, and more than one or none.
bool is_tuple(const NameTable& symbols, const RecordShape& record) {
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (symbols.text(record.fields[i].first) != std::to_string(i)) return false;
  }
  return record.fields.size() != 1;
}

bool is_identifier(std::string_view text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(), [&](char c) { return fits(c) || c == '_'; });
}

/// Reads the name of a type; `failed` where it holds what no identifier can be made of.
class Identifier {
 public:
  explicit Identifier(std::string_view name) : rest_(name) {}

  std::string type();
  bool failed = false;
  bool at_end() const { return rest_.empty(); }

 private:
  bool eat(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string word();

  std::string_view rest_;
};

std::string Identifier::word() {
  const std::size_t length = std::min(rest_.find_first_of("[]{}(),.:"), rest_.size());
  std::string text(rest_.substr(0, length));
  rest_.remove_prefix(length);
  failed = failed || text.empty();
  return text;
}

std::string Identifier::type() {
  if (rest_.starts_with("[]")) {
    int rank = 0;
    while (eat("[]")) ++rank;
    return "arr" + std::to_string(rank) + "d_" + type();
  }
  if (eat("(")) {
    if (eat(")")) return "unit";
    int count = 0;
    std::string parts;
    do {
      parts += "_" + type();
      ++count;
    } while (!failed && eat(", "));
    failed = failed || !eat(")");
    return "tup" + std::to_string(count) + parts;
  }
  const std::string first = word();
  return eat(".") ? first + "_" + word() : first;
}

/// The sizes that type arguments are written with: numbers and names.
std::string dimension(const NameTable& symbols, const ast::Dimension& dimension) {
  if (dimension.size == nullptr) return "[]";
  if (const auto* number = as<ast::IntegerLiteral>(dimension.size->node)) {
    return "[" + std::to_string(number->value) + "]";
  }
  const auto* variable = as<ast::Variable>(dimension.size->node);
  return variable == nullptr
             ? "[…]"
             : "[" + std::string(symbols.text(variable->name.name.symbol)) + "]";
}

/// A type argument as it is written, its sizes included.
std::string argument_text(const NameTable& symbols, const ast::TypeExp& written, bool tight);

std::string joined(const NameTable& symbols, const std::vector<ast::TypeExp*>& types,
                   const char* separator, bool tight) {
  std::string text;
  for (const ast::TypeExp* type : types) {
    if (!text.empty()) text += separator;
    text += argument_text(symbols, *type, tight);
  }
  return text;
}

std::string qualified(const NameTable& symbols, const ast::QualifiedName& name) {
  std::string text;
  for (const ast::Name& qualifier : name.qualifiers) {
    text += std::string(symbols.text(qualifier.symbol)) + ".";
  }
  return text + std::string(symbols.text(name.name.symbol));
}

std::string argument_text(const NameTable& symbols, const ast::TypeArgument& argument) {
  if (const auto* size = as<ast::Dimension>(argument.value)) return dimension(symbols, *size);
  return argument_text(symbols, *std::get<ast::TypeExp*>(argument.value), true);
}

std::string argument_text(const NameTable& symbols, const ast::TypeExp& written, bool tight) {
  const auto grouped = [&](const std::string& text) { return tight ? "(" + text + ")" : text; };
  return match(
      written.node, [&](const ast::TypeName& t) { return qualified(symbols, t.name); },
      [&](const ast::TupleType& t) { return "(" + joined(symbols, t.elements, ", ", false) + ")"; },
      [&](const ast::RecordType& t) {
        std::string text;
        for (const auto& [name, type] : t.fields) {
          text += (text.empty() ? "" : ", ") + std::string(symbols.text(name.symbol)) + ": " +
                  argument_text(symbols, *type, false);
        }
        return "{" + text + "}";
      },
      [&](const ast::SumType& t) {
        std::string text;
        for (const auto& [name, types] : t.constructors) {
          text += (text.empty() ? "#" : " | #") + std::string(symbols.text(name.symbol)) +
                  (types.empty() ? "" : " ") + joined(symbols, types, " ", true);
        }
        return grouped(text);
      },
      [&](const ast::ArrayType& t) {
        return grouped(dimension(symbols, t.dimension) + argument_text(symbols, *t.element, false));
      },
      [&](const ast::UniqueType& t) { return "*" + argument_text(symbols, *t.type, false); },
      [&](const ast::ArrowType& t) {
        return grouped(argument_text(symbols, *t.from, true) + " -> " +
                       argument_text(symbols, *t.to, false));
      },
      [&](const ast::ExistentialType& t) { return argument_text(symbols, *t.type, tight); },
      [&](const ast::TypeApplication& t) {
        std::vector<const ast::TypeArgument*> arguments;
        std::string text = argument_text(symbols, *type_arguments(t, arguments), true);
        for (const ast::TypeArgument* argument : arguments) {
          text += " " + argument_text(symbols, *argument);
        }
        return grouped(text);
      });
}

}  // namespace

std::string brackets(std::size_t rank) {
  std::string text;
  for (std::size_t i = 0; i < rank; ++i) text += "[]";
  return text;
}

const ast::TypeExp* type_arguments(const ast::TypeApplication& application,
                                   std::vector<const ast::TypeArgument*>& arguments) {
  std::vector<const ast::TypeApplication*> chain{&application};
  while (const auto* inner = as<ast::TypeApplication>(chain.back()->function->node)) {
    chain.push_back(inner);
  }
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    for (const ast::TypeArgument& argument : (*link)->arguments) arguments.push_back(&argument);
  }
  return chain.back()->function;
}

std::string readable_identifier(std::string_view type_name) {
  Identifier reader(type_name);
  std::string text = reader.type();
  if (!reader.failed && reader.at_end() && is_identifier(text)) return text;
  return is_identifier(type_name) ? std::string(type_name) : std::string();
}

// ---------------------------------------------------------------- names

std::string InterfaceTypes::name(const ast::TypeApplication& application) const {
  std::vector<const ast::TypeArgument*> arguments;
  const ast::TypeExp* function = type_arguments(application, arguments);
  while (!arguments.empty() && as<ast::Dimension>(arguments.back()->value) != nullptr) {
    arguments.pop_back();
  }
  std::string text = argument_text(symbols_, *function, true);
  for (const ast::TypeArgument* argument : arguments) {
    text += " " + argument_text(symbols_, *argument);
  }
  return text;
}

std::string InterfaceTypes::name(const ast::TypeExp& written) const {
  return match(
      written.node, [&](const ast::TypeName& t) { return qualified(symbols_, t.name); },
      [&](const ast::TupleType& t) {
        std::string text;
        for (const ast::TypeExp* type : t.elements) {
          text += (text.empty() ? "" : ", ") + name(*type);
        }
        return "(" + text + ")";
      },
      [&](const ast::RecordType& t) {
        std::string text;
        for (const auto& [field, type] : t.fields) {
          text += (text.empty() ? "" : ", ") + std::string(symbols_.text(field.symbol)) + ": " +
                  name(*type);
        }
        return "{" + text + "}";
      },
      [&](const ast::SumType& t) {
        std::string text;
        for (const auto& [constructor, types] : t.constructors) {
          text +=
              (text.empty() ? "" : " | ") + std::string(symbols_.text(constructor.symbol)) + ":";
          for (std::size_t i = 0; i < types.size(); ++i)
            text += (i > 0 ? " " : "") + name(*types[i]);
        }
        return text;
      },
      [&](const ast::ArrayType& t) { return "[]" + name(*t.element); },
      [&](const ast::UniqueType& t) { return name(*t.type); },
      [&](const ast::ArrowType&) { return argument_text(symbols_, written, false); },
      [&](const ast::ExistentialType& t) { return name(*t.type); },
      [&](const ast::TypeApplication& t) { return name(t); });
}

std::string InterfaceTypes::name(TypeRef type, bool tight) const {
  return match(
      type->node,
      [](const ScalarShape& t) {
        return std::string(element_names[static_cast<std::size_t>(t.primitive)]);
      },
      [&](const ArrayShape& t) { return "[]" + name(t.element, true); },
      [&](const RecordShape& t) {
        const bool tuple = is_tuple(symbols_, t);
        std::string text = tuple ? "(" : "{";
        for (std::size_t i = 0; i < t.fields.size(); ++i) {
          if (i > 0) text += ", ";
          if (!tuple) text += std::string(symbols_.text(t.fields[i].first)) + ": ";
          text += name(t.fields[i].second, false);
        }
        return text + (tuple ? ")" : "}");
      },
      [&](const SumShape& t) {
        std::string text;
        for (const ConstructorShape& constructor : t.constructors) {
          if (!text.empty()) text += " | ";
          text += "#" + std::string(symbols_.text(constructor.name));
          for (const TypeRef part : constructor.payload) text += " " + name(part, true);
        }
        return tight ? "(" + text + ")" : text;
      },
      [](const AccumulatorShape&) { return std::string("acc"); },
      [](const FunctionShape&) { return std::string("function"); });
}

}  // namespace dagaz::elaborate
