// A scope whose statements are met one after another, while statements are inserted before the one
// that is met: also by what is inside of it, which is found to need them there.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/ops.h"
#include "support/function_ref.h"

namespace dagaz::passes {

class OpenScope {
 public:
  explicit OpenScope(ir::Body& body) : body_(&body) {}

  /// Calls `visit` with each statement, then puts the others between them.
  void walk(FunctionRef<void(ir::Statement&)> visit);
  void insert(std::vector<ir::Statement> statements);

  /// The statement that is met, and which of the scope it is.
  const ir::Statement& met() const { return body_->statements[at_]; }
  std::size_t at() const { return at_; }
  ir::Body& body() { return *body_; }

 private:
  struct Insertion {
    std::size_t at;
    ir::Statement statement;
  };

  ir::Body* body_;
  std::size_t at_ = 0;
  std::vector<Insertion> insertions_;  // in order
};

}  // namespace dagaz::passes
