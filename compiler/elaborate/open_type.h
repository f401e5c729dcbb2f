// Types whose sizes something else will tell: the results of a branch, the parameters of a loop or
// of a function of the IR.
#pragma once

#include <vector>

#include "elaborate/value.h"

namespace dagaz::elaborate {

class Elaborator;

/// A type in which some sizes are names that something else will bind (the results of a branch,
/// the parameters of a loop).
struct OpenType {
  TypeRef type = nullptr;
  std::vector<ir::NameId> sizes = {};
};

/// The parameters of an IR function made for a function of the program: sizes, then leaves.
struct OpenParameters {
  std::vector<OpenType> types;            // of each source parameter
  std::vector<BindingId> loose_sizes;     // size parameters that no parameter determines
  std::vector<ir::NameId> loose_names;    // and their names
  std::vector<ir::NameId> leaves;
  Frame* frame = nullptr;                 // of the body: types and sizes are bound in it

  /// All names, in the order of the IR function's parameters.
  std::vector<ir::NameId> all() const;
};

/// Fresh parameters of these types for `closure`; sizes that only a call can tell are open.
OpenParameters open_parameters(Elaborator& e, const Closure& closure,
                               const std::vector<const check::Type*>& types);

}  // namespace dagaz::elaborate
