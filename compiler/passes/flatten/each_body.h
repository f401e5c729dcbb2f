// The bodies directly inside an operation.
#pragma once

#include <utility>

#include "ir/fields.h"
#include "ir/program.h"

namespace dagaz::passes::flattening {

/// Calls `on_body` for the body of each lambda, branch and loop of the operation.
template <typename OnBody>
void for_each_body(ir::Operation& operation, OnBody&& on_body) {
  struct Visitor {
    OnBody& on_body;
    void use(ir::NameId&) {}
    void use(ir::Operand&) {}
    void bind(ir::Binder&) {}
    void type(ir::Type&) {}
    void body(ir::Body& body) { on_body(body); }
    void lambda(ir::Lambda& lambda) { on_body(lambda.body); }
  };
  Visitor visitor{on_body};
  ir::walk_fields(visitor, operation);
}

}  // namespace dagaz::passes::flattening
