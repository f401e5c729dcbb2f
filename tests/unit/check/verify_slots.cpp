// Every expression and pattern must have a type without variables; every size in it must be a
// name that something binds; uses of polymorphic values must say how they are instantiated.
#include "verify_slots.h"

#include <unordered_set>

#include "check/expression_walk.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

namespace {

class Verifier {
 public:
  Verifier(const CheckedProgram& checked, const NameTable& names, const SourceFiles& sources)
      : checked_(checked), names_(names), sources_(sources) {}

  std::vector<std::string> run() {
    for (collecting_ = true;; collecting_ = false) {
      for (const ast::File& file : checked_.program->files) visit(file.declarations);
      if (!collecting_) break;
    }
    return std::move(problems_);
  }

 private:
  void problem(const Range& range, const std::string& text) {
    problems_.push_back(sources_.describe(range) + ": " + text);
  }
  void bind(BindingId id) {
    if (id.valid()) bound_.insert(id.index);
  }

  // ---- declarations
  void visit(const std::vector<ast::Declaration*>& declarations) {
    for (const ast::Declaration* d : declarations) visit(*d);
  }
  void visit(const ast::Declaration& declaration) {
    match(
        declaration.node,
        [&](const ast::ValueDeclaration& d) {
          bind(d.id);
          if (d.scheme == nullptr) return problem(d.name.range, "no scheme");
          scheme(*d.scheme, d.name.range);
          function(d.function);
        },
        [](const ast::TypeDeclaration&) {},
        [&](const ast::ModuleDeclaration& d) {
          coercion(d.coercion);
          for (const ast::ModuleParameter& p : d.parameters) signature(*p.signature);
          if (d.signature != nullptr) signature(*d.signature);
          visit(*d.body);
        },
        [](const ast::SignatureDeclaration&) {},
        [&](const ast::OpenDeclaration& d) { visit(*d.module); },
        [&](const ast::LocalDeclaration& d) { visit(*d.declaration); });
  }
  void visit(const ast::ModuleExp& module) {
    match(
        module.node, [](const ast::ModuleName&) {}, [](const ast::ModuleImport&) {},
        [&](const ast::ModuleBody& m) { visit(m.declarations); },
        [&](const ast::ModuleApply& m) {
          visit(*m.function);
          visit(*m.argument);
          if (m.argument_coercion == nullptr || m.result_coercion == nullptr) {
            problem(module.range, "an application without coercions");
          }
          coercion(m.argument_coercion);
          coercion(m.result_coercion);
        },
        [&](const ast::ModuleAscription& m) {
          visit(*m.module);
          if (m.coercion == nullptr) problem(module.range, "an ascription without coercion");
          coercion(m.coercion);
        },
        [&](const ast::ModuleLambda& m) {
          coercion(m.coercion);
          visit(*m.body);
        });
  }
  void signature(const ast::SignatureExp&) {}
  void coercion(const Coercion* c) {
    if (c == nullptr) return;
    for (const Coercion::Value& v : c->values) {
      bind(v.to);
      bind(v.from);
      if (v.scheme != nullptr) scheme(*v.scheme, {});
      if (v.instance != nullptr) instance(*v.instance, {});
    }
    for (const Coercion::Module& m : c->modules) {
      coercion(m.members);
      coercion(m.parameter);
      coercion(m.result);
    }
  }
  void scheme(const Scheme& s, const Range& range) {
    for (const BindingId id : s.size_parameters) bind(id);
    type(s.type, range);
  }

  // ---- types
  void type(const Type* t, const Range& range) {
    if (t == nullptr) {
      if (!collecting_) problem(range, "no type");
      return;
    }
    binders(t);
    if (collecting_) return;
    if (has_variable(t)) problem(range, "a type variable is left");
    for_each_dimension(t, [&](const Size* s, SizePosition, const std::vector<BindingId>& bound) {
      if (in_instance_ && as<AnonymousSize>(s->node)) return;
      if (as<AnonymousSize>(s->node) || as<MetaSize>(s->node)) {
        problem(range, "an anonymous size is left");
      }
      for_each_name(s, [&](BindingId name) {
        if (!name.valid()) return problem(range, "a size without a name");
        if (contains(bound, name) || bound_.contains(name.index)) return;
        if (checked_.bindings[name].intrinsic) return;
        problem(range, "nothing binds size `" +
                           std::string(names_.text(checked_.bindings[name].name)) + "` (" +
                           std::to_string(name.index) + ")");
      });
    });
  }
  void binders(const Type* t) {
    if (!collecting_) return;
    for_each_dimension(t, [&](const Size*, SizePosition, const std::vector<BindingId>& bound) {
      for (const BindingId id : bound) bind(id);
    });
  }
  static bool has_variable(const Type* t) {
    return match(
        t->node, [](const PrimitiveType&) { return false; },
        [](const Array& a) { return has_variable(a.element); },
        [](const Record& r) {
          for (const auto& f : r.fields) {
            if (has_variable(f.second)) return true;
          }
          return false;
        },
        [](const Sum& s) {
          for (const auto& c : s.constructors) {
            for (const Type* payload : c.second) {
              if (has_variable(payload)) return true;
            }
          }
          return false;
        },
        [](const Arrow& a) { return has_variable(a.from) || has_variable(a.to); },
        [](const Named& n) {
          for (const auto& argument : n.arguments) {
            const Type* const* inner = as<const Type*>(argument);
            if (inner != nullptr && has_variable(*inner)) return true;
          }
          return false;
        },
        [](const MetaType&) { return true; });
  }
  void instance(const Instance& i, const Range& range) {
    in_instance_ = true;
    for (const Type* t : i.types) type(t, range);
    in_instance_ = false;
    if (collecting_) return;
    for (const Size* s : i.sizes) {
      for_each_name(s, [&](BindingId name) {
        if (!bound_.contains(name.index) && !checked_.bindings[name].intrinsic) {
          problem(range, "nothing binds size `" +
                             std::string(names_.text(checked_.bindings[name].name)) +
                             "` of an instance");
        }
      });
    }
  }

  // ---- definitions
  void function(const ast::Function& f) {
    for (const ast::TypeParameter& p : f.type_parameters) bind(p.size_id);
    for (const ast::Pattern* p : f.parameters) pattern(*p);
    expression(*f.body);
  }
  void pattern(const ast::Pattern& p) {
    type(p.type, p.range);
    match(
        p.node, [&](const ast::NamePattern& n) { bind(n.id); }, [](const ast::WildcardPattern&) {},
        [&](const ast::TuplePattern& t) {
          for (const ast::Pattern* element : t.elements) pattern(*element);
        },
        [&](const ast::RecordPattern& r) {
          for (const auto& f : r.fields) pattern(*f.second);
        },
        [&](const ast::ConstructorPattern& c) {
          for (const ast::Pattern* argument : c.arguments) pattern(*argument);
        },
        [&](const ast::LiteralPattern& l) { expression(*l.literal); },
        [&](const ast::AscribedPattern& a) { pattern(*a.pattern); },
        [&](const ast::AttributePattern& a) { pattern(*a.pattern); });
  }
  void expression(const ast::Exp& exp) {
    type(exp.type, exp.range);
    for (const BindingId id : exp.existentials) bind(id);
    if (const auto* v = as<ast::Variable>(exp.node)) {
      if (!v->id.valid()) problem(exp.range, "a variable without identity");
      if (v->instance != nullptr) instance(*v->instance, exp.range);
    } else if (const auto* l = as<ast::Lambda>(exp.node)) {
      function(l->function);
      return;
    } else if (const auto* f = as<ast::LetFunction>(exp.node)) {
      bind(f->id);
      if (f->scheme == nullptr) return problem(exp.range, "a local function without scheme");
      scheme(*f->scheme, exp.range);
      function(f->function);
      expression(*f->body);
      return;
    } else if (const auto* let = as<ast::Let>(exp.node)) {
      for (const ast::TypeParameter& p : let->sizes) bind(p.size_id);
      pattern(*let->pattern);
    } else if (const auto* m = as<ast::Match>(exp.node)) {
      for (const ast::Case& c : m->cases) pattern(*c.pattern);
    } else if (const auto* loop = as<ast::Loop>(exp.node)) {
      for (const BindingId id : loop->size_ids) bind(id);
      for (const ast::TypeParameter& p : loop->sizes) bind(p.size_id);
      pattern(*loop->pattern);
      if (const auto* counted = as<ast::ForLoop>(loop->form)) pattern(*counted->index);
      if (const auto* in = as<ast::ForInLoop>(loop->form)) pattern(*in->element);
    } else if (const auto* b = as<ast::Broadcast>(exp.node)) {
      if (b->plan == nullptr) problem(exp.range, "a broadcast without plan");
    }
    for_each_child(exp, [&](const ast::Exp* child) { expression(*child); });
  }

  const CheckedProgram& checked_;
  const NameTable& names_;
  const SourceFiles& sources_;
  bool collecting_ = true;
  bool in_instance_ = false;
  std::unordered_set<std::uint32_t> bound_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify_slots(const CheckedProgram& checked, const NameTable& names,
                                      const SourceFiles& sources) {
  return Verifier(checked, names, sources).run();
}

}  // namespace dagaz::check
