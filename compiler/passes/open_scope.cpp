#include "passes/open_scope.h"

namespace dagaz::passes {

void OpenScope::walk(FunctionRef<void(ir::Statement&)> visit) {
  for (at_ = 0; at_ < body_->statements.size(); ++at_) visit(body_->statements[at_]);
  std::vector<ir::Statement> statements;
  auto next = insertions_.begin();
  for (std::size_t i = 0; i < body_->statements.size(); ++i) {
    for (; next != insertions_.end() && next->at == i; ++next) {
      statements.push_back(std::move(next->statement));
    }
    statements.push_back(std::move(body_->statements[i]));
  }
  body_->statements = std::move(statements);
}

void OpenScope::insert(std::vector<ir::Statement> statements) {
  for (ir::Statement& one : statements) insertions_.push_back({at_, std::move(one)});
}

}  // namespace dagaz::passes
