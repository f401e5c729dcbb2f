// Histograms of rows whose operators work element by element are histograms of elements, on a GPU:
//
//   reduce_by_index (replicate k (replicate d ne)) (map2 ⊕) (replicate d ne) is rows
//     =  reduce_by_index (replicate (k × d) ne) ⊕ ne (is × iota d) (flatten rows)
//
// Neighbouring threads then read and add what lies side by side, where each would walk a row.
#include <algorithm>

#include "ir/fields.h"
#include "ir/names.h"
#include "passes/flatten/element_operators.h"
#include "passes/flatten/nest.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class ElementBins {
 public:
  ElementBins(Names& names, const Tunables& tunables)
      : names_(names), tunables_(tunables), by_elements_(names) {}

  bool changed() const { return changed_; }

  void body(Body& body) {
    std::vector<Statement> statements;
    for (Statement& one : body.statements) {
      by_elements_.note(one);
      if (auto* histogram = as<SegmentedHistogram>(one.operation)) {
        bin_elements(*histogram, statements);
      } else {
        for_each_scope(one.operation, [&](Body& inner) { this->body(inner); });
      }
      statements.push_back(std::move(one));
    }
    body.statements = std::move(statements);
  }

 private:
  /// `before` is run by the host before the histogram.
  void bin_elements(SegmentedHistogram& e, std::vector<Statement>& before) {
    if (e.operators.size() != 1 || e.space.size() != 1) return;
    HistogramOperator& one = e.operators[0];
    const std::vector<Operand> shape = names_.type(one.neutral[0]).shape;
    const bool alike =
        std::all_of(one.neutral.begin(), one.neutral.end(),
                    [&](const Operand& value) { return names_.type(value).shape == shape; });
    if (shape.size() != 1 || !alike ||
        !flattening::repeats_cheaply(e.body.statements, names_, tunables_.nested_operations)) {
      return;
    }
    std::optional<ReduceOperator> element = by_elements_.of({one.op, one.neutral}, 1);
    if (!element) return;
    const std::size_t places = one.shape.size();
    one.op = std::move(element->op);
    one.neutral = std::move(element->neutral);
    one.shape.push_back(shape[0]);
    count_elements(e, shape[0], places, before);
    changed_ = true;
  }

  /// Makes the points of `e`, each of a row of `width` elements, those of elements.  `places`: how
  /// many of a point's results tell a row's bin.
  void count_elements(SegmentedHistogram& e, const Operand& width, std::size_t places,
                      std::vector<Statement>& before) {
    const Type number = scalar_of(ScalarType::i64);
    const auto computed = [&](std::vector<Statement>& out, ScalarOp op, const Operand& a) {
      const NameId name = names_.fresh("t", number);
      out.push_back({{{name}}, Scalar{op, ScalarType::i64, ScalarType::i64, {a, width}}});
      return name;
    };
    SpaceDimension& rows = e.space[0];
    const NameId row = rows.index.name;
    rows.index = {names_.fresh("i", number)};
    rows.extent = computed(before, ScalarOp::mul, rows.extent);
    std::vector<Statement> found;
    const NameId at = computed(found, ScalarOp::urem, rows.index.name);
    found.push_back({{{row}}, Identity{computed(found, ScalarOp::udiv, rows.index.name)}});
    std::vector<Operand>& results = e.body.results;
    e.body.statements.insert(e.body.statements.begin(), found.begin(), found.end());
    for (std::size_t k = places; k < results.size(); ++k) {
      e.result_types[k].shape.clear();
      const NameId value = names_.fresh("x", e.result_types[k]);
      e.body.statements.push_back({{{value}}, Index{results[k].name(), {at}}});
      results[k] = value;
    }
    const auto end = static_cast<std::ptrdiff_t>(places);
    results.insert(results.begin() + end, at);
    e.result_types.insert(e.result_types.begin() + end, number);
  }

  Names& names_;
  const Tunables& tunables_;
  flattening::ElementOperators by_elements_;
  bool changed_ = false;
};

}  // namespace

bool bin_elements(FlatProgram& program, const Tunables& tunables) {
  ElementBins bins(program.program.names, tunables);
  for (Function& function : program.program.functions) bins.body(function.body);
  return bins.changed();
}

}  // namespace dagaz::passes
