// Expressions are walked with a stack of their own: rows of operators may be long.
#include "query/walk.h"

#include <variant>
#include <vector>

#include "support/match.h"
#include "syntax/children.h"

namespace dagaz::query {

namespace {

class Walk {
 public:
  explicit Walk(const Visitor& visitor) : visitor_(visitor) {}

  void declarations(const std::vector<ast::Declaration*>& list) {
    for (const ast::Declaration* d : list) declaration(*d, *d);
  }

 private:
  void define(Definition definition) {
    if (visitor_.definition) visitor_.definition(definition);
  }

  // `outer` is the declaration with the documentation: that around a `local` one.
  void declaration(const ast::Declaration& d, const ast::Declaration& outer) {
    const std::string* text =
        d.documentation.empty() ? &outer.documentation : &d.documentation;
    match(
        d.node, [&](const ast::ValueDeclaration& v) { value(v, outer.range, text); },
        [&](const ast::TypeDeclaration& t) {
          define({SymbolKind::type, t.name, outer.range, text, {}, t.id});
          for (const ast::TypeParameter& p : t.parameters) type_parameter(p);
          if (t.definition != nullptr) type(*t.definition);
        },
        [&](const ast::ModuleDeclaration& m) {
          define({SymbolKind::module, m.name, outer.range, text});
          for (const ast::ModuleParameter& p : m.parameters) parameter(p);
          if (m.signature != nullptr) signature(*m.signature);
          module(*m.body);
        },
        [&](const ast::SignatureDeclaration& s) {
          define({SymbolKind::signature, s.name, outer.range, text});
          signature(*s.signature);
        },
        [&](const ast::OpenDeclaration& o) { module(*o.module); },
        [&](const ast::LocalDeclaration& l) { declaration(*l.declaration, outer); });
  }

  void value(const ast::ValueDeclaration& v, const Range& whole, const std::string* text) {
    const bool is_function = !v.function.parameters.empty();
    const SymbolKind kind = v.keyword == ast::ValueKeyword::entry ? SymbolKind::entry
                            : is_function                         ? SymbolKind::function
                                                                  : SymbolKind::constant;
    define({kind, v.name, whole, text, v.id, {}, &v.function});
    if (!visitor_.only_declarations) function(v.function);
  }

  void parameter(const ast::ModuleParameter& p) {
    define({SymbolKind::module, p.name, p.name.range});
    if (p.signature != nullptr) signature(*p.signature);
  }

  void module(const ast::ModuleExp& m) {
    if (visitor_.module) visitor_.module(m);
    match(
        m.node, [](const ast::ModuleName&) {}, [](const ast::ModuleImport&) {},
        [&](const ast::ModuleBody& body) { declarations(body.declarations); },
        [&](const ast::ModuleApply& apply) {
          module(*apply.function);
          module(*apply.argument);
        },
        [&](const ast::ModuleAscription& a) {
          module(*a.module);
          signature(*a.signature);
        },
        [&](const ast::ModuleLambda& l) {
          parameter(l.parameter);
          if (l.result != nullptr) signature(*l.result);
          module(*l.body);
        });
  }

  void signature(const ast::SignatureExp& s) {
    match(
        s.node, [](const ast::SignatureName&) {},
        [&](const ast::SignatureBody& body) {
          for (const ast::Spec& each : body.specs) spec(each);
        },
        [&](const ast::SignatureWith& with) {
          signature(*with.signature);
          for (const ast::TypeParameter& p : with.parameters) type_parameter(p);
          type(*with.definition);
        },
        [&](const ast::SignatureArrow& arrow) {
          if (arrow.parameter) {
            define({SymbolKind::module, *arrow.parameter, arrow.parameter->range});
          }
          signature(*arrow.from);
          signature(*arrow.to);
        });
  }

  void spec(const ast::Spec& s) {
    const std::string* text = &s.documentation;
    match(
        s.node,
        [&](const ast::ValueSpec& v) {
          const bool is_function = std::holds_alternative<ast::ArrowType>(v.type->node);
          Definition d{is_function ? SymbolKind::function : SymbolKind::constant, v.name, s.range,
                       text};
          d.written = v.type;
          d.is_specification = true;
          define(d);
          for (const ast::TypeParameter& p : v.type_parameters) type_parameter(p);
          type(*v.type);
        },
        [&](const ast::TypeSpec& t) {
          Definition d{SymbolKind::type, t.name, s.range, text};
          d.is_specification = true;
          define(d);
          for (const ast::TypeParameter& p : t.parameters) type_parameter(p);
          if (t.definition != nullptr) type(*t.definition);
        },
        [&](const ast::ModuleSpec& m) {
          Definition d{SymbolKind::module, m.name, s.range, text};
          d.is_specification = true;
          define(d);
          signature(*m.signature);
        },
        [&](const ast::IncludeSpec& include) { signature(*include.signature); });
  }

  void type_parameter(const ast::TypeParameter& p) {
    if (visitor_.only_declarations) return;
    if (p.kind == ast::ParameterKind::size) {
      define({SymbolKind::size, p.name, p.range, nullptr, p.size_id});
    } else {
      define({SymbolKind::type_parameter, p.name, p.range, nullptr, {}, p.type_id});
    }
  }

  void dimension(const ast::Dimension& d) {
    if (d.size != nullptr) expression(*d.size);
  }

  void type(const ast::TypeExp& t) {
    if (visitor_.only_declarations) return;
    if (visitor_.type) visitor_.type(t);
    match(
        t.node, [](const ast::TypeName&) {},
        [&](const ast::TupleType& tuple) {
          for (const ast::TypeExp* element : tuple.elements) type(*element);
        },
        [&](const ast::RecordType& record) {
          for (const auto& field : record.fields) type(*field.second);
        },
        [&](const ast::SumType& sum) {
          for (const auto& constructor : sum.constructors) {
            for (const ast::TypeExp* part : constructor.second) type(*part);
          }
        },
        [&](const ast::ArrayType& array) {
          dimension(array.dimension);
          type(*array.element);
        },
        [&](const ast::UniqueType& unique) { type(*unique.type); },
        [&](const ast::ArrowType& arrow) {
          if (arrow.parameter) {
            define({SymbolKind::parameter, *arrow.parameter, arrow.parameter->range, nullptr,
                    arrow.parameter_id});
          }
          type(*arrow.from);
          type(*arrow.to);
        },
        [&](const ast::ExistentialType& existential) {
          for (std::size_t i = 0; i < existential.sizes.size(); ++i) {
            const bool checked = i < existential.size_ids.size();
            define({SymbolKind::size, existential.sizes[i], existential.sizes[i].range, nullptr,
                    checked ? existential.size_ids[i] : BindingId()});
          }
          type(*existential.type);
        },
        [&](const ast::TypeApplication& application) {
          type(*application.function);
          for (const ast::TypeArgument& argument : application.arguments) {
            match(
                argument.value, [&](const ast::Dimension& d) { dimension(d); },
                [&](const ast::TypeExp* inner) { type(*inner); });
          }
        });
  }

  void function(const ast::Function& f) {
    for (const ast::TypeParameter& p : f.type_parameters) type_parameter(p);
    for (const ast::Pattern* p : f.parameters) pattern(*p, SymbolKind::parameter);
    if (f.result_type != nullptr) type(*f.result_type);
    if (f.body != nullptr) expression(*f.body);
  }

  void pattern(const ast::Pattern& p, SymbolKind kind, bool is_pun = false) {
    if (visitor_.pattern) visitor_.pattern(p);
    match(
        p.node,
        [&](const ast::NamePattern& n) {
          Definition d{kind, n.name, p.range, nullptr, n.id};
          d.is_pun = is_pun;
          define(d);
        },
        [](const ast::WildcardPattern&) {},
        [&](const ast::TuplePattern& tuple) {
          for (const ast::Pattern* element : tuple.elements) pattern(*element, kind);
        },
        [&](const ast::RecordPattern& record) {
          for (const auto& [name, field] : record.fields) {
            pattern(*field, kind, name.range.begin == field->range.begin);
          }
        },
        [&](const ast::ConstructorPattern& constructor) {
          for (const ast::Pattern* argument : constructor.arguments) pattern(*argument, kind);
        },
        [](const ast::LiteralPattern&) {},
        [&](const ast::AscribedPattern& ascribed) {
          pattern(*ascribed.pattern, kind, is_pun);
          type(*ascribed.type);
        },
        [&](const ast::AttributePattern& attributed) {
          pattern(*attributed.pattern, kind, is_pun);
        });
  }

  // A walk that is inside another one hands its expressions over.
  void expression(const ast::Exp& root) {
    ast::for_each_expression(root, [&](const ast::Exp& exp) {
      if (visitor_.expression) visitor_.expression(exp);
      own_parts(exp);
    });
  }

  // The patterns and types of one expression.
  void own_parts(const ast::Exp& exp) {
    if (const auto* lambda = as<ast::Lambda>(exp.node)) {
      head(lambda->function);
    } else if (const auto* let = as<ast::Let>(exp.node)) {
      for (const ast::TypeParameter& p : let->sizes) type_parameter(p);
      pattern(*let->pattern, SymbolKind::local);
    } else if (const auto* local = as<ast::LetFunction>(exp.node)) {
      define({SymbolKind::local_function, local->name, local->name.range, nullptr, local->id, {},
              &local->function});
      head(local->function);
    } else if (const auto* cases = as<ast::Match>(exp.node)) {
      for (const ast::Case& c : cases->cases) pattern(*c.pattern, SymbolKind::local);
    } else if (const auto* loop = as<ast::Loop>(exp.node)) {
      for (const ast::TypeParameter& p : loop->sizes) type_parameter(p);
      pattern(*loop->pattern, SymbolKind::local);
      if (const auto* f = as<ast::ForLoop>(loop->form)) pattern(*f->index, SymbolKind::local);
      if (const auto* in = as<ast::ForInLoop>(loop->form)) {
        pattern(*in->element, SymbolKind::local);
      }
    } else if (const auto* ascription = as<ast::Ascription>(exp.node)) {
      type(*ascription->type);
    } else if (const auto* coercion = as<ast::Coercion>(exp.node)) {
      type(*coercion->type);
    }
  }

  // A function but for its body, which is a child of its expression.
  void head(const ast::Function& f) {
    for (const ast::TypeParameter& p : f.type_parameters) type_parameter(p);
    for (const ast::Pattern* p : f.parameters) pattern(*p, SymbolKind::parameter);
    if (f.result_type != nullptr) type(*f.result_type);
  }

  const Visitor& visitor_;
};

}  // namespace

void walk(const ast::File& file, const Visitor& visitor) {
  Walk(visitor).declarations(file.declarations);
}

}  // namespace dagaz::query
