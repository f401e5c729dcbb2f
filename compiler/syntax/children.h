// The expressions directly below an expression, for walks that treat all kinds alike.  Walk with a
// stack of your own where depth matters: `for_each_expression` does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "support/match.h"
#include "syntax/ast.h"

namespace dagaz::ast {

namespace children_detail {

template <typename F>
void visit_dimensions(const std::vector<IndexDimension>& dimensions, const F& visit) {
  for (const IndexDimension& dimension : dimensions) {
    for (const Exp* part :
         {dimension.index, dimension.start, dimension.end, dimension.stride}) {
      if (part != nullptr) visit(*part);
    }
  }
}

template <typename F>
void visit_path(const std::vector<PathStep>& path, const F& visit) {
  for (const PathStep& step : path) {
    if (const auto* dimensions = as<std::vector<IndexDimension>>(step.step)) {
      visit_dimensions(*dimensions, visit);
    }
  }
}

template <typename F>
void visit_loop_form(const Loop& loop, const F& visit) {
  match(
      loop.form, [&](const ForLoop& form) { visit(*form.bound); },
      [&](const ForInLoop& form) { visit(*form.array); },
      [&](const WhileLoop& form) { visit(*form.condition); });
}

}  // namespace children_detail

/// Calls `visit(const Exp&)` for each expression directly below `exp`, in the order they are
/// written.  Expressions inside types are not among them.
template <typename F>
void for_each_child(const Exp& exp, const F& visit) {
  using namespace children_detail;
  const auto all = [&](const std::vector<Exp*>& list) {
    for (const Exp* item : list) visit(*item);
  };
  match(
      exp.node, [](const IntegerLiteral&) {}, [](const FloatLiteral&) {},
      [](const BoolLiteral&) {}, [](const StringLiteral&) {}, [](const Hole&) {},
      [](const Variable&) {}, [&](const LocalOpen& e) { visit(*e.body); },
      [&](const Tuple& e) { all(e.elements); },
      [&](const Record& e) {
        for (const auto& field : e.fields) visit(*field.second);
      },
      [&](const Project& e) { visit(*e.record); },
      [&](const ArrayLiteral& e) { all(e.elements); },
      [&](const Index& e) {
        visit(*e.array);
        visit_dimensions(e.dimensions, visit);
      },
      [&](const Update& e) {
        visit(*e.source);
        visit_path(e.path, visit);
        visit(*e.value);
      },
      [&](const RangeExp& e) {
        visit(*e.start);
        if (e.second != nullptr) visit(*e.second);
        visit(*e.end);
      },
      [&](const Ascription& e) { visit(*e.value); },
      [&](const Coercion& e) { visit(*e.value); },
      [&](const Apply& e) {
        visit(*e.function);
        all(e.arguments);
      },
      [&](const Binary& e) {
        visit(*e.left);
        visit(*e.operation);
        visit(*e.right);
      },
      [&](const Logical& e) {
        visit(*e.left);
        visit(*e.right);
      },
      [&](const Negate& e) { visit(*e.value); }, [&](const Not& e) { visit(*e.value); },
      [&](const Lambda& e) { visit(*e.function.body); },
      [&](const OperatorSection& e) { visit(*e.operation); },
      [&](const LeftSection& e) {
        visit(*e.left);
        visit(*e.operation);
      },
      [&](const RightSection& e) {
        visit(*e.operation);
        visit(*e.right);
      },
      [&](const PathSection& e) { visit_path(e.path, visit); },
      [&](const Let& e) {
        visit(*e.value);
        visit(*e.body);
      },
      [&](const LetFunction& e) {
        visit(*e.function.body);
        visit(*e.body);
      },
      [&](const If& e) {
        visit(*e.condition);
        visit(*e.then_branch);
        visit(*e.else_branch);
      },
      [&](const Match& e) {
        visit(*e.value);
        for (const Case& alternative : e.cases) visit(*alternative.body);
      },
      [&](const Loop& e) {
        visit(*e.initial);
        visit_loop_form(e, visit);
        visit(*e.body);
      },
      [&](const Construct& e) { all(e.arguments); },
      [&](const Assert& e) {
        visit(*e.condition);
        visit(*e.value);
      },
      [&](const Attributed& e) {
        if (e.argument != nullptr) visit(*e.argument);
        visit(*e.value);
      },
      [&](const Broadcast& e) {
        visit(*e.function);
        all(e.operands);
      });
}

/// Calls `visit(const Exp&)` for `root` and everything below it, parents before children.
template <typename F>
void for_each_expression(const Exp& root, const F& visit) {
  std::vector<const Exp*> pending{&root};
  while (!pending.empty()) {
    const Exp* next = pending.back();
    pending.pop_back();
    visit(*next);
    const auto first_child = static_cast<std::ptrdiff_t>(pending.size());
    for_each_child(*next, [&](const Exp& child) { pending.push_back(&child); });
    std::reverse(pending.begin() + first_child, pending.end());
  }
}

/// Calls `visit(const ValueDeclaration&, const Declaration&)` for every value that the
/// declarations define, those of modules in them included.
template <typename F>
void for_each_value(const std::vector<Declaration*>& declarations, const F& visit);

template <typename F>
void for_each_value(const ModuleExp& module, const F& visit) {
  match(
      module.node, [](const ModuleName&) {}, [](const ModuleImport&) {},
      [&](const ModuleBody& m) { for_each_value(m.declarations, visit); },
      [&](const ModuleApply& m) {
        for_each_value(*m.function, visit);
        for_each_value(*m.argument, visit);
      },
      [&](const ModuleAscription& m) { for_each_value(*m.module, visit); },
      [&](const ModuleLambda& m) { for_each_value(*m.body, visit); });
}

template <typename F>
void for_each_value(const std::vector<Declaration*>& declarations, const F& visit) {
  for (const Declaration* declaration : declarations) {
    match(
        declaration->node,
        [&](const ValueDeclaration& value) { visit(value, *declaration); },
        [](const TypeDeclaration&) {},
        [&](const ModuleDeclaration& module) { for_each_value(*module.body, visit); },
        [](const SignatureDeclaration&) {},
        [&](const OpenDeclaration& open) { for_each_value(*open.module, visit); },
        [&](const LocalDeclaration& local) {
          for_each_value(std::vector<Declaration*>{local.declaration}, visit);
        });
  }
}

}  // namespace dagaz::ast
