// Makes a function do what a placement says.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

/// Rows that are asked for or delivered count `asked` elements more than they have.
void rewrite(ir::Program& program, const Placement& placement, std::int64_t asked,
             ir::Function& function);

/// A body in which `bound` are known from its start on.
ir::Body rewrite_body(Rewriting& c, ir::Body body, const std::vector<ir::NameId>& bound);
ir::Body rewrite_body(Rewriting& c, ir::Body body, const std::vector<ir::NameId>& bound,
                      ir::Builder& out);
/// The points of an operation become those of this rank.
void share_space(Rewriting& c, ir::Operation& operation, const Share& share, const Rows& rows,
                 ir::Builder& out);

}  // namespace dagaz::passes::distributing
