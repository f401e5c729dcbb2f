// In each function that is differentiated: what depends on its parameters, and which integers are
// such after a conversion.  Where one of those becomes a real number again, the user is told.
#include "driver/integer_derivatives.h"

#include <algorithm>
#include <unordered_set>

#include "ir/fields.h"
#include "ir/names.h"
#include "support/library_folder.h"
#include "support/match.h"

namespace dagaz::driver {

namespace {

using NameSet = std::unordered_set<ir::NameId>;

bool is_to_integer(ir::ScalarOp op) {
  return op == ir::ScalarOp::float_to_signed || op == ir::ScalarOp::float_to_unsigned;
}
bool is_from_integer(ir::ScalarOp op) {
  return op == ir::ScalarOp::signed_to_float || op == ir::ScalarOp::unsigned_to_float;
}

class Finder {
 public:
  Finder(const ir::Program& program, const SourceFiles& files, Diagnostics& diagnostics)
      : program_(program), files_(files), diagnostics_(diagnostics) {}

  void visit(const ir::Body& body) {
    for (const ir::Statement& statement : body.statements) {
      if (const auto* derivative = as<ir::Differentiate>(statement.operation)) {
        NameSet varying;
        for (const ir::Binder& parameter : derivative->function.parameters) {
          varying.insert(parameter.name);
        }
        NameSet rounded;
        follow(derivative->function.body, varying, rounded);
      } else {
        ir::for_each_scope(statement.operation, [&](const ir::Body& inner) { visit(inner); });
      }
    }
  }

 private:
  // `varying`: names that depend on what is differentiated; `rounded`: integers made of such.
  void follow(const ir::Body& body, NameSet& varying, NameSet& rounded) {
    for (const ir::Statement& statement : body.statements) {
      const std::vector<ir::NameId> used = ir::free_names(statement, program_.names);
      const auto is_among = [&](const NameSet& names) {
        return std::any_of(used.begin(), used.end(),
                           [&](ir::NameId name) { return names.contains(name); });
      };
      const bool varies = is_among(varying);
      if (const auto* scalar = as<ir::Scalar>(statement.operation)) {
        const bool is_rounded = is_among(rounded);
        if (is_from_integer(scalar->op) && is_rounded) report(statement);
        const bool stays = is_rounded && !ir::is_float(scalar->result) &&
                           scalar->result != ir::ScalarType::boolean;
        if ((is_to_integer(scalar->op) && varies) || stays) add(statement, rounded);
      }
      if (!varies) continue;
      add(statement, varying);
      ir::for_each_lambda(statement.operation, [&](const ir::Lambda& lambda) {
        for (const ir::Binder& parameter : lambda.parameters) varying.insert(parameter.name);
      });
      ir::for_each_scope(statement.operation,
                         [&](const ir::Body& inner) { follow(inner, varying, rounded); });
    }
  }

  static void add(const ir::Statement& statement, NameSet& names) {
    for (const ir::Binder& result : statement.results) names.insert(result.name);
  }

  // Where the user wrote what became the statement: conversions are functions of the library.
  Range place_of(const ir::Statement& statement) const {
    for (ir::LocationId at = statement.location; at.valid();) {
      const ir::Location& location = program_.locations[at.index];
      const Range& range = location.range;
      if (!range.valid() || !is_library_file(files_.file(range.file).name())) return range;
      at = location.inlined_at;
    }
    return {};
  }

  void report(const ir::Statement& statement) {
    const Range range = place_of(statement);
    for (const Diagnostic& earlier : diagnostics_.all()) {
      const bool is_known = earlier.kind == DiagnosticKind::integer_derivative;
      if (is_known && earlier.range == range) return;
    }
    Diagnostic& d = diagnostics_.report(
        DiagnosticKind::integer_derivative, range,
        "the derivative of this goes through a conversion to an integer, as if it did not round");
    d.hints.emplace_back("`f64.floor` rounds down, `f64.trunc` as the conversion does: their "
                         "derivative is 0");
  }

  const ir::Program& program_;
  const SourceFiles& files_;
  Diagnostics& diagnostics_;
};

}  // namespace

void warn_of_integer_derivatives(const ir::Program& program, const SourceFiles& files,
                                 Diagnostics& diagnostics) {
  Finder finder(program, files, diagnostics);
  for (const ir::Function& function : program.functions) finder.visit(function.body);
}

}  // namespace dagaz::driver
