// Names, patterns, types and declarations.
#include "syntax/ast_print.h"

#include "support/match.h"
#include "syntax/ast_printer.h"

namespace dagaz::ast {

// ---------------------------------------------------------------- names

bool Printer::is_operator(std::string_view spelling) {
  return std::string_view("+-*/%=!><|&^").find(spelling.front()) != std::string_view::npos;
}

void Printer::qualified(const QualifiedName& name) {
  for (const Name& qualifier : name.qualifiers) out_ << text(qualifier.symbol) << '.';
  out_ << text(name.name.symbol);
}

void Printer::binding(const Name& name) {
  const bool in_parentheses = is_operator(text(name.symbol));
  if (in_parentheses) out_ << "(";
  out_ << text(name.symbol);
  if (in_parentheses) out_ << ")";
}

void Printer::infix(const Exp& operation) {
  const QualifiedName& name = std::get<Variable>(operation.node).name;
  const bool in_backticks = !is_operator(text(name.name.symbol));
  if (in_backticks) out_ << "`";
  qualified(name);
  if (in_backticks) out_ << "`";
}

void Printer::attribute(const Attribute& attribute) {
  const auto inside = [&](const auto& self, const Attribute& item) -> void {
    if (!item.name.valid()) {
      out_ << static_cast<std::uint64_t>(item.number);
      return;
    }
    out_ << text(item.name);
    if (!item.has_arguments) return;
    out_ << "(";
    separated(item.arguments, ", ", [&](const Attribute& argument) { self(self, argument); });
    out_ << ")";
  };
  out_ << "#[";
  inside(inside, attribute);
  out_ << "]";
}

// ---------------------------------------------------------------- patterns and parameters

void Printer::pattern(const Pattern& pattern) {
  match(
      pattern.node,
      [&](const NamePattern& p) {
        binding(p.name);
        note_type(pattern.type);
      },
      [&](const WildcardPattern&) {
        out_ << "_";
        note_type(pattern.type);
      },
      [&](const TuplePattern& p) {
        out_ << "(";
        separated(p.elements, ", ", [&](const Pattern* element) { this->pattern(*element); });
        out_ << ")";
      },
      [&](const RecordPattern& p) {
        out_ << "{";
        separated(p.fields, ", ", [&](const auto& field) {
          out_ << text(field.first.symbol) << " = ";
          this->pattern(*field.second);
        });
        out_ << "}";
      },
      [&](const ConstructorPattern& p) {
        out_ << "#" << text(p.constructor.symbol);
        for (const Pattern* argument : p.arguments) {
          out_ << " ";
          parameter(*argument);
        }
      },
      [&](const LiteralPattern& p) { expression(*p.literal); },
      [&](const AscribedPattern& p) {
        if (notes_ != nullptr) return this->pattern(*p.pattern);
        parameter(*p.pattern);
        out_ << " : ";
        type(*p.type);
      },
      [&](const AttributePattern& p) {
        attribute(p.attribute);
        out_ << " ";
        this->pattern(*p.pattern);
      });
}

void Printer::note_scheme(const Name& name, const check::Scheme* scheme) {
  if (notes_ == nullptr || scheme == nullptr) return;
  out_ << "-- " << text(name.symbol) << " : " << notes_->scheme(scheme) << "\n";
}

void Printer::note_type(const check::Type* type) {
  if (notes_ != nullptr && type != nullptr) out_ << " : " << notes_->type(type);
}

void Printer::parameter(const Pattern& pattern) {
  const auto* constructor = as<ConstructorPattern>(pattern.node);
  const auto* literal = as<LiteralPattern>(pattern.node);
  if (const auto* ascribed = as<AscribedPattern>(pattern.node); ascribed && notes_ != nullptr) {
    return parameter(*ascribed->pattern);
  }
  const bool is_noted = notes_ != nullptr &&
                        (as<NamePattern>(pattern.node) || as<WildcardPattern>(pattern.node));
  const bool in_parentheses =
      is_noted || as<AscribedPattern>(pattern.node) || as<AttributePattern>(pattern.node) ||
      (constructor != nullptr && !constructor->arguments.empty()) ||
      (literal != nullptr && as<Negate>(literal->literal->node));
  if (in_parentheses) out_ << "(";
  this->pattern(pattern);
  if (in_parentheses) out_ << ")";
}

void Printer::type_parameter(const TypeParameter& parameter) {
  const std::string_view name = text(parameter.name.symbol);
  switch (parameter.kind) {
    case ParameterKind::size: out_ << "[" << name << "]"; break;
    case ParameterKind::type: out_ << "'" << name; break;
    case ParameterKind::size_lifted: out_ << "'~" << name; break;
    case ParameterKind::lifted: out_ << "'^" << name; break;
  }
}

void Printer::type_parameters(const std::vector<TypeParameter>& parameters) {
  for (const TypeParameter& item : parameters) {
    out_ << " ";
    type_parameter(item);
  }
}

void Printer::function_head(const Function& function) {
  type_parameters(function.type_parameters);
  for (const Pattern* item : function.parameters) {
    out_ << " ";
    parameter(*item);
  }
  if (function.result_type != nullptr) {
    out_ << " : ";
    type(*function.result_type);
  }
  out_ << " =";
}

// ---------------------------------------------------------------- types

void Printer::dimension(const Dimension& dimension) {
  out_ << "[";
  if (dimension.size != nullptr) expression(*dimension.size);
  out_ << "]";
}

void Printer::type(const TypeExp& type) {
  match(
      type.node, [&](const TypeName& t) { qualified(t.name); },
      [&](const TupleType& t) {
        out_ << "(";
        separated(t.elements, ", ", [&](const TypeExp* element) { this->type(*element); });
        out_ << ")";
      },
      [&](const RecordType& t) {
        out_ << "{";
        separated(t.fields, ", ", [&](const auto& field) {
          out_ << text(field.first.symbol) << ": ";
          this->type(*field.second);
        });
        out_ << "}";
      },
      [&](const SumType& t) {
        separated(t.constructors, " | ", [&](const auto& constructor) {
          out_ << "#" << text(constructor.first.symbol);
          for (const TypeExp* payload : constructor.second) {
            out_ << " ";
            type_primary(*payload);
          }
        });
      },
      [&](const ArrayType& t) {
        dimension(t.dimension);
        as<ArrayType>(t.element->node) ? this->type(*t.element) : type_primary(*t.element);
      },
      [&](const UniqueType& t) {
        out_ << "*";
        as<ArrayType>(t.type->node) ? this->type(*t.type) : type_primary(*t.type);
      },
      [&](const ArrowType& t) {
        if (t.parameter) {
          out_ << "(" << text(t.parameter->symbol) << ": ";
          this->type(*t.from);
          out_ << ")";
        } else {
          type_term(*t.from);
        }
        out_ << " -> ";
        this->type(*t.to);
      },
      [&](const ExistentialType& t) {
        out_ << "?";
        for (const Name& size : t.sizes) out_ << "[" << text(size.symbol) << "]";
        out_ << ".";
        this->type(*t.type);
      },
      [&](const TypeApplication& t) {
        type_primary(*t.function);
        for (const TypeArgument& argument : t.arguments) {
          out_ << " ";
          match(
              argument.value, [&](const Dimension& size) { dimension(size); },
              [&](const TypeExp* inner) { type_primary(*inner); });
        }
      });
}

void Printer::type_term(const TypeExp& type) {
  const bool in_parentheses = as<ArrowType>(type.node) || as<ExistentialType>(type.node);
  if (in_parentheses) out_ << "(";
  this->type(type);
  if (in_parentheses) out_ << ")";
}

void Printer::type_primary(const TypeExp& type) {
  const bool bare = as<TypeName>(type.node) || as<TupleType>(type.node) ||
                    as<RecordType>(type.node);
  if (!bare) out_ << "(";
  this->type(type);
  if (!bare) out_ << ")";
}

// ---------------------------------------------------------------- declarations

void Printer::documentation(const std::string& documentation) {
  out_ << "-- | ";
  for (const char c : documentation) {
    if (c == '\n') {
      out_ << "\n-- ";
    } else {
      out_ << c;
    }
  }
  out_ << "\n";
}

void Printer::file(const File& file) {
  // The first comment of a file is always the file's.
  const bool first_is_documented =
      !file.declarations.empty() && !file.declarations.front()->documentation.empty();
  if (!file.declarations.empty() && (!file.documentation.empty() || first_is_documented)) {
    documentation(file.documentation);
    out_ << "\n";
  }
  declarations(file.declarations);
}

void Printer::declarations(const std::vector<Declaration*>& declarations) {
  for (const Declaration* item : declarations) {
    declaration(*item);
    out_ << "\n\n";
  }
}

void Printer::declaration(const Declaration& declaration) {
  if (!declaration.documentation.empty()) documentation(declaration.documentation);
  for (const Attribute& item : declaration.attributes) {
    attribute(item);
    out_ << " ";
  }
  match(
      declaration.node, [&](const ValueDeclaration& d) { value(d); },
      [&](const TypeDeclaration& d) {
        out_ << "type";
        liftedness(d.liftedness);
        out_ << " " << text(d.name.symbol);
        type_parameters(d.parameters);
        out_ << " = ";
        type(*d.definition);
      },
      [&](const ModuleDeclaration& d) {
        out_ << "module " << text(d.name.symbol);
        for (const ModuleParameter& parameter : d.parameters) {
          out_ << " ";
          module_parameter(parameter);
        }
        if (d.signature != nullptr) {
          out_ << " : ";
          signature(*d.signature);
        }
        out_ << " = ";
        module(*d.body);
      },
      [&](const SignatureDeclaration& d) {
        out_ << "module type " << text(d.name.symbol) << " = ";
        signature(*d.signature);
      },
      [&](const OpenDeclaration& d) {
        out_ << "open ";
        module(*d.module);
      },
      [&](const LocalDeclaration& d) {
        out_ << "local\n";
        this->declaration(*d.declaration);
      });
}

void Printer::value(const ValueDeclaration& value) {
  note_scheme(value.name, value.scheme);
  switch (value.keyword) {
    case ValueKeyword::def: out_ << "def "; break;
    case ValueKeyword::let: out_ << "let "; break;
    case ValueKeyword::entry: out_ << "entry "; break;
  }
  binding(value.name);
  function_head(value.function);
  out_.indent();
  out_ << "\n";
  expression(*value.function.body);
  out_.dedent();
}

void Printer::liftedness(Liftedness liftedness) {
  switch (liftedness) {
    case Liftedness::unlifted: break;
    case Liftedness::size_lifted: out_ << "~"; break;
    case Liftedness::lifted: out_ << "^"; break;
  }
}

void Printer::module_parameter(const ModuleParameter& parameter) {
  out_ << "(" << text(parameter.name.symbol) << ": ";
  signature(*parameter.signature);
  out_ << ")";
}

void Printer::module(const ModuleExp& module) {
  match(
      module.node, [&](const ModuleName& m) { qualified(m.name); },
      [&](const ModuleImport& m) {
        out_ << "import ";
        string({m.path});
      },
      [&](const ModuleBody& m) {
        out_ << "{\n";
        out_.indent();
        declarations(m.declarations);
        out_.dedent();
        out_ << "}";
      },
      [&](const ModuleApply& m) {
        as<ModuleApply>(m.function->node) ? this->module(*m.function) : module_atom(*m.function);
        out_ << " ";
        module_atom(*m.argument);
      },
      [&](const ModuleAscription& m) {
        as<ModuleLambda>(m.module->node) ? module_atom(*m.module) : this->module(*m.module);
        out_ << " : ";
        signature(*m.signature);
      },
      [&](const ModuleLambda& m) {
        out_ << "\\";
        module_parameter(m.parameter);
        if (m.result != nullptr) {
          out_ << " : ";
          simple_signature(*m.result);
        }
        out_ << " -> ";
        as<ModuleAscription>(m.body->node) ? module_atom(*m.body) : this->module(*m.body);
      });
}

void Printer::module_atom(const ModuleExp& module) {
  const bool bare = as<ModuleName>(module.node) || as<ModuleBody>(module.node);
  if (!bare) out_ << "(";
  this->module(module);
  if (!bare) out_ << ")";
}

void Printer::signature(const SignatureExp& signature) {
  match(
      signature.node, [&](const SignatureName& s) { qualified(s.name); },
      [&](const SignatureBody& s) {
        out_ << "{\n";
        out_.indent();
        for (const Spec& item : s.specs) {
          spec(item);
          out_ << "\n";
        }
        out_.dedent();
        out_ << "}";
      },
      [&](const SignatureWith& s) {
        simple_signature(*s.signature);
        out_ << " with ";
        qualified(s.type_name);
        type_parameters(s.parameters);
        out_ << " = ";
        type(*s.definition);
      },
      [&](const SignatureArrow& s) {
        if (s.parameter) {
          out_ << "(" << text(s.parameter->symbol) << ": ";
          this->signature(*s.from);
          out_ << ")";
        } else {
          simple_signature(*s.from);
        }
        out_ << " -> ";
        this->signature(*s.to);
      });
}

void Printer::simple_signature(const SignatureExp& signature) {
  const bool bare = as<SignatureName>(signature.node) != nullptr;
  if (!bare) out_ << "(";
  this->signature(signature);
  if (!bare) out_ << ")";
}

void Printer::spec(const Spec& spec) {
  if (!spec.documentation.empty()) documentation(spec.documentation);
  match(
      spec.node,
      [&](const ValueSpec& s) {
        for (const Attribute& item : s.attributes) {
          attribute(item);
          out_ << " ";
        }
        out_ << "val ";
        binding(s.name);
        type_parameters(s.type_parameters);
        out_ << " : ";
        type(*s.type);
      },
      [&](const TypeSpec& s) {
        out_ << "type";
        liftedness(s.liftedness);
        out_ << " " << text(s.name.symbol);
        type_parameters(s.parameters);
        if (s.definition == nullptr) return;
        out_ << " = ";
        type(*s.definition);
      },
      [&](const ModuleSpec& s) {
        out_ << "module " << text(s.name.symbol) << " : ";
        signature(*s.signature);
      },
      [&](const IncludeSpec& s) {
        out_ << "include ";
        signature(*s.signature);
      });
}

// ---------------------------------------------------------------- the interface

std::string print(const File& file, const NameTable& names) {
  Printer printer(names);
  printer.file(file);
  return printer.take();
}
std::string print(const File& file, const NameTable& names, const Notes& notes) {
  Printer printer(names, &notes);
  printer.file(file);
  return printer.take();
}
std::string print(const Declaration& declaration, const NameTable& names) {
  Printer printer(names);
  printer.declaration(declaration);
  return printer.take();
}
std::string print(const Exp& exp, const NameTable& names) {
  Printer printer(names);
  printer.expression(exp);
  return printer.take();
}
std::string print(const Pattern& pattern, const NameTable& names) {
  Printer printer(names);
  printer.pattern(pattern);
  return printer.take();
}
std::string print(const TypeExp& type, const NameTable& names) {
  Printer printer(names);
  printer.type(type);
  return printer.take();
}

}  // namespace dagaz::ast
