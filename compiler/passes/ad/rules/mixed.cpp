// Mixed mode: a map whose lambda is a scalar function is differentiated forward inside the reverse
// sweep (Revels et al., arXiv:1810.08297).
//
// The lambda has k active scalar inputs: elements, and scalars from outside.  It runs once on
// numbers with k tangents, which are multiplied by the incoming adjoints in registers,
//   x̄ⱼ += Σᵣ ȳᵣ·∂fᵣ/∂xⱼ.
// The Jacobian of the map is diagonal along the nest, so nothing else is needed: no backward pass
// over the lambda, hence no restriction on its control flow.  Around it, map.cpp keeps the nest:
// adjoints of elements are mapped results, those of stretched operands are sums.
#include <algorithm>
#include <cmath>

#include "passes/ad/forward.h"
#include "passes/ad/rules/return_map.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// What a scalar function costs, in statements, and what stands in its way.
struct CoreShape {
  std::string obstacle;  // an active value that is no real scalar
  bool loops = false;
  double forward = 0;  // with tangents
  double reverse = 0;  // executed again, in a branch twice, then swept back
};

bool is_obstacle(const Type& type) { return !type.is_scalar() || !is_float(type.element); }

std::string obstacle(NameId name, const Names& names) {
  const std::string quoted = "`" + names.base(name) + "`";
  return names.type(name).is_scalar() ? "works on " + quoted + ", no real number"
                                      : "works on the array " + quoted;
}

class CoreSurvey {
 public:
  CoreSurvey(const Names& names, const Dependence& directions)
      : names_(&names), directions_(&directions) {}

  /// `executions`: how often the reverse sweep executes them.
  void statements(const std::vector<Statement>& all, double executions) {
    for (const Statement& each : all) statement(each, executions);
  }
  const CoreShape& shape() const { return shape_; }

 private:
  void statement(const Statement& statement, double executions);

  const Names* names_;
  const Dependence* directions_;
  CoreShape shape_;
};

int population(Directions directions) {
  int count = 0;
  for (; directions != 0; directions &= directions - 1) ++count;
  return count;
}

void CoreSurvey::statement(const Statement& statement, double executions) {
  int tangents = 0;
  for (const Binder& result : statement.results) {
    const Directions directions = directions_->of(result.name);
    if (directions == 0) continue;
    const Type& type = names_->type(result.name);
    if (is_obstacle(type)) shape_.obstacle = obstacle(result.name, *names_);
    tangents += population(directions);
  }
  const bool active = tangents > 0;
  if (const auto* branch = as<Branch>(statement.operation)) {
    const double inside = active ? executions + 1 : executions;
    statements(branch->then_body.statements, inside);
    statements(branch->else_body.statements, inside);
    return;
  }
  if (const auto* loop = as<Loop>(statement.operation)) {
    if (active) shape_.loops = true;
    statements(loop->body.statements, executions);
    return;
  }
  if (active && std::holds_alternative<CustomDerivative>(statement.operation)) {
    shape_.obstacle = "has a derivative of its own inside";
  } else if (active && std::holds_alternative<Call>(statement.operation)) {
    shape_.obstacle = "calls a function";
  }
  shape_.forward += 1 + tangents;
  shape_.reverse += executions + (active ? 2 : 0);
}

std::string rounded(double count) { return std::to_string(std::llround(count)); }

}  // namespace

bool core_goes_forward(Reverse& r, const MapSite& site, const std::vector<NameId>& inputs) {
  const auto decide = [&](bool forward, const std::string& reason) {
    if (site.statement != nullptr) {
      r.note(*site.statement, "map", forward ? "forward" : "reverse", reason);
    }
    return forward;
  };
  if (site.mode == ModeRequest::reverse) return decide(false, "#[reverse]");
  Dependence directions(r.names());
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    if (is_obstacle(r.names().type(inputs[j])))
      return decide(false, obstacle(inputs[j], r.names()));
    directions.seed(inputs[j], Directions{1} << (j % max_directions));
  }
  directions.run(site.lambda->body.statements);
  CoreSurvey survey(r.names(), directions);
  survey.statements(site.lambda->body.statements, 1);
  const CoreShape& shape = survey.shape();
  if (!shape.obstacle.empty()) return decide(false, shape.obstacle);
  if (site.mode == ModeRequest::forward) return decide(true, "#[forward]");
  if (shape.loops) return decide(true, "scalar core with loops");
  const std::string estimate = " (operations of one element: " + rounded(shape.forward) +
                               " forward, " + rounded(shape.reverse) + " reverse)";
  if (shape.forward <= shape.reverse) return decide(true, "scalar core" + estimate);
  return decide(false, "scalar core" + estimate);
}

void core_forward(Reverse& r, const Lambda& lambda, const std::vector<NameId>& inputs,
                  const std::vector<std::optional<Operand>>& result_adjoints) {
  // More inputs than directions: several runs.
  for (std::size_t first = 0; first < inputs.size(); first += max_directions) {
    const std::size_t count =
        std::min(inputs.size() - first, static_cast<std::size_t>(max_directions));
    Forward forward(r.environment, static_cast<int>(count));
    for (std::size_t j = 0; j < count; ++j) {
      const NameId input = inputs[first + j];
      forward.tangents.seed(input, static_cast<int>(j),
                            Operand(one_of(r.names().type(input).element)));
    }
    differentiate_forward(forward, lambda.body.statements);
    for (std::size_t j = 0; j < count; ++j) {
      const NameId input = inputs[first + j];
      const ScalarType type = r.names().type(input).element;
      for (std::size_t k = 0; k < result_adjoints.size(); ++k) {
        if (!result_adjoints[k]) continue;
        const Operand& result = lambda.body.results[k];
        const auto tangent = forward.tangents.of(result, static_cast<int>(j));
        if (!tangent) continue;
        const ScalarType result_type = r.names().type(result).element;
        const Operand product = r.environment.multiply(result_type, *result_adjoints[k], *tangent);
        r.adjoints.add(Operand(input),
                       r.out().convert(ScalarOp::float_convert, result_type, type, product),
                       Ownership::owned);
      }
    }
  }
}

}  // namespace dagaz::passes::ad
