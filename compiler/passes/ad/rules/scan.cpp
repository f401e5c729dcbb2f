// Scans, yᵢ = yᵢ₋₁ ⊙ xᵢ.
//
// With Jᵢ = ∂(yᵢ ⊙ xᵢ₊₁)/∂yᵢ the total adjoints satisfy the linear recurrence
//   r̄ᵢ = ȳᵢ + Jᵢᵀ·r̄ᵢ₊₁,
// which is itself a scan, from the right, of the affine maps (ȳᵢ, Jᵢᵀ); then the elements'
// adjoints are those of the map xᵢ ↦ yᵢ₋₁ ⊙ xᵢ for the adjoints r̄.  For + all Jᵢ are 1, so the
// recurrence is a sum.  Entries of the Jacobian that are zero for every i are left out, so an
// operator whose components are independent gives independent recurrences.
// Operators on arrays other than a sum run as a sequential loop and are differentiated as one.
#include <algorithm>

#include "passes/ad/emitted_arrays.h"
#include "passes/ad/forward.h"
#include "passes/ad/report.h"
#include "passes/ad/rules/map_site.h"
#include "passes/ad/rules/rules.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

// Whether the linear recurrence does not apply: the active components must be reals of one type.
bool scan_needs_loop(const Reverse& r, const MapScanReduce& map) {
  if (map.scans.empty() || is_addition(map.scans[0].op)) return false;
  const Lambda& op = map.scans[0].op;
  std::optional<ScalarType> common;
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    const NameId parameter = op.parameters[i].name;
    if (!r.adjoints.is_active(Operand(parameter))) continue;
    const Type& type = r.environment.names().type(parameter);
    if (!type.is_scalar() || type.element == ScalarType::boolean ||
        (common && *common != type.element)) {
      return true;
    }
    common = type.element;
  }
  return false;
}

// ys = loop (acc, out) for i < n do acc ⊙ xs[i]
std::vector<Statement> scan_as_loop(Reverse& r, const Statement& statement,
                                    const MapScanReduce& map) {
  const ScanOperator& scan = map.scans[0];
  const std::size_t arity = scan.neutral.size();
  std::vector<Statement> result;
  Loop loop;
  Statement looped{{}, Identity{}, statement.tokens, statement.location};
  const NameId index = r.names().fresh("i", scalar_of(ScalarType::i64));
  loop.form = ForForm{Binder{index}, map.width};
  std::vector<NameId> outputs;
  for (std::size_t i = 0; i < arity; ++i) {
    const Type type = r.names().type(statement.results[i].name);
    const NameId sum = r.names().fresh_like(scan.op.parameters[i].name);
    loop.values.push_back(LoopValue{Binder{sum}, scan.neutral[i]});
    looped.results.push_back(Binder{r.names().fresh_like(sum)});
    const NameId empty = r.names().fresh("scanned", type);
    result.push_back(
        Statement{{Binder{empty}}, Scratch{type.element, type.shape}, {}, statement.location});
    outputs.push_back(empty);
  }
  std::vector<NameId> parameters;
  for (std::size_t i = 0; i < arity; ++i) {
    parameters.push_back(r.names().fresh_like(outputs[i]));
    loop.values.push_back(LoopValue{Binder{parameters[i]}, outputs[i]});
    looped.results.push_back(statement.results[i]);
  }
  const Lambda op = renamed(scan.op, r.names());
  auto& body = loop.body;
  for (std::size_t i = 0; i < arity; ++i) {
    body.statements.push_back(Statement{
        {op.parameters[i]}, Identity{loop.values[i].parameter.name}, {}, statement.location});
    body.statements.push_back(Statement{
        {op.parameters[arity + i]}, Index{map.arrays[i], {index}}, {}, statement.location});
  }
  body.statements.insert(body.statements.end(), op.body.statements.begin(),
                         op.body.statements.end());
  body.results = op.body.results;
  for (std::size_t i = 0; i < arity; ++i) {
    const auto row = part_at({index}, r.names().type(parameters[i]));
    const NameId next = r.names().fresh_like(parameters[i]);
    body.statements.push_back(Statement{
        {Binder{next}}, Update{parameters[i], row, op.body.results[i]}, {}, statement.location});
    body.results.push_back(next);
  }
  // The scanned arrays are only written, and read after the loop: nothing needs their past.
  loop.attributes.true_dependence.assign(arity, false);
  loop.attributes.true_dependence.insert(loop.attributes.true_dependence.end(), arity, true);
  looped.operation = std::move(loop);
  result.push_back(std::move(looped));
  r.note(statement, "scan", "reverse", "an operator on arrays: run as a sequential loop");
  return result;
}

namespace {

// Which entries of a k×k matrix may be nonzero in products of matrices with this pattern; the
// diagonal is always kept, for the unit matrix.
std::vector<std::vector<bool>> closure(std::vector<std::vector<bool>> pattern) {
  const std::size_t n = pattern.size();
  for (std::size_t i = 0; i < n; ++i) pattern[i][i] = true;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (pattern[i][k] && pattern[k][j]) pattern[i][j] = true;
      }
    }
  }
  return pattern;
}

// The active components of a scan, and its arrays.
struct ScanSite {
  const MapScanReduce* map;
  Operand width;
  ScalarType type;
  std::vector<std::size_t> active;
  std::vector<NameId> elements;                  // emitted xs
  std::vector<NameId> prefixes;                  // emitted ys
  std::vector<std::optional<Operand>> adjoints;  // ȳ of the active components
};

// The recurrence of the total adjoints, as a scan of affine maps: its parts while it is being
// built.
struct ScanRecurrence {
  using Entry = std::pair<std::size_t, std::size_t>;  // column and row

  Reverse& r;
  const ScanSite& site;
  const Lambda& op;
  std::size_t count;                // of active components
  std::vector<Entry> entries = {};  // of the transposed Jacobian, that may be nonzero

  Operand zero() const { return Operand(zero_of(site.type)); }

  // Which ∂yᵢ₊₁,row/∂yᵢ,c there are: entry (c, row) of the transposed Jacobian.
  void find_entries() {
    Dependence dependence(r.names());
    for (std::size_t c = 0; c < count; ++c) {
      dependence.seed(op.parameters[site.active[c]].name, Directions{1} << c);
    }
    dependence.run(op.body.statements);
    std::vector<std::vector<bool>> pattern(count, std::vector<bool>(count));
    for (std::size_t row = 0; row < count; ++row) {
      const Directions directions = dependence.of(op.body.results[site.active[row]]);
      for (std::size_t c = 0; c < count; ++c) pattern[c][row] = (directions >> c & 1) != 0;
    }
    pattern = closure(std::move(pattern));
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t row = 0; row < count; ++row) {
        if (pattern[c][row]) entries.emplace_back(c, row);
      }
    }
  }

  // The affine maps (ȳᵢ, Jᵢ), from right to left.
  std::vector<NameId> affine_maps() {
    MapScanReduce affine;
    affine.width = site.width;
    const NameId position = r.names().fresh("j", scalar_of(ScalarType::i64));
    affine.arrays = {r.out().add(Iota{ScalarType::i64, site.width, i64_operand(0), i64_operand(1)},
                                 "positions")};
    affine.map.parameters = {Binder{position}};
    NestedScope scope(r.environment);
    const Operand last = r.out().sub_i64(site.width, i64_operand(1));
    const Operand i = r.out().sub_i64(last, position);
    const Operand at_end = r.out().scalar(ScalarOp::eq, ScalarType::i64, {i, last});
    Forward forward(r.environment, static_cast<int>(count));
    differentiate_step(forward, i, last);
    std::vector<Operand> results;
    for (std::size_t c = 0; c < count; ++c) results.push_back(adjoint_at(c, i));
    for (const auto& [c, row] : entries) {
      const auto tangent =
          forward.tangents.of(op.body.results[site.active[row]], static_cast<int>(c));
      // Nothing follows the last element.
      results.push_back(tangent ? r.out().select(site.type, at_end, zero(), *tangent) : zero());
    }
    affine.map.result_types.assign(results.size(), scalar_of(site.type));
    affine.map.body = scope.take(std::move(results));
    scope.leave();
    return r.out().add_results(std::move(affine), "affine");
  }

  // The operator at yᵢ and xᵢ₊₁, with a tangent per active component of yᵢ.
  void differentiate_step(Forward& forward, const Operand& i, const Operand& last) {
    const std::size_t arity = op.parameters.size() / 2;
    const Operand after =
        r.out().scalar(ScalarOp::smin, ScalarType::i64, {r.out().add_i64(i, i64_operand(1)), last});
    for (std::size_t k = 0; k < arity; ++k) {
      r.environment.bind(op.parameters[k].name, r.out().index(site.prefixes[k], {i}));
      r.environment.bind(op.parameters[arity + k].name, r.out().index(site.elements[k], {after}));
    }
    for (std::size_t c = 0; c < count; ++c) {
      forward.tangents.seed(op.parameters[site.active[c]].name, static_cast<int>(c),
                   Operand(one_of(site.type)));
    }
    differentiate_forward(forward, op.body.statements);
  }

  Operand adjoint_at(std::size_t component, const Operand& i) {
    const auto& adjoint = site.adjoints[component];
    if (!adjoint) return zero();
    if (const auto row = r.environment.uniform_row(adjoint->name())) return *row;
    return r.out().index(adjoint->name(), {i});
  }

  // Where an entry lies among the components of an affine map.
  std::optional<std::size_t> place(std::size_t c, std::size_t row) const {
    const auto found = std::find(entries.begin(), entries.end(), Entry(c, row));
    if (found == entries.end()) return std::nullopt;
    return count + static_cast<std::size_t>(found - entries.begin());
  }

  // (b₁, A₁) then (b₂, A₂):  (b₂ + A₂·b₁, A₂·A₁)
  ScanOperator compose() {
    const std::size_t size = count + entries.size();
    ScanOperator result;
    result.op = r.out().lambda(
        std::vector<Type>(2 * size, scalar_of(site.type)), {},
        [&](Builder& inner, const std::vector<NameId>& p) {
          std::vector<Operand> results;
          const auto product = [&](std::size_t a, std::size_t b) {
            return inner.scalar(ScalarOp::mul, site.type, {Operand(p[a]), Operand(p[b])});
          };
          const auto add = [&](const Operand& a, const Operand& b) {
            return inner.scalar(ScalarOp::add, site.type, {a, b});
          };
          for (std::size_t c = 0; c < count; ++c) {
            Operand sum = p[size + c];
            for (std::size_t row = 0; row < count; ++row) {
              if (const auto e = place(c, row)) sum = add(sum, product(size + *e, row));
            }
            results.push_back(sum);
          }
          for (const auto& [c, row] : entries) {
            std::optional<Operand> sum;
            for (std::size_t k = 0; k < count; ++k) {
              const auto left = place(c, k);
              const auto right = place(k, row);
              if (!left || !right) continue;
              const Operand term = product(size + *left, *right);
              sum = sum ? add(*sum, term) : term;
            }
            results.push_back(sum.value_or(zero()));
          }
          return results;
        });
    result.neutral.assign(count, zero());
    for (const auto& [c, row] : entries) {
      result.neutral.push_back(c == row ? Operand(one_of(site.type)) : zero());
    }
    return result;
  }
};

// The total adjoints r̄ of the active components, as arrays.
std::vector<NameId> scan_recurrence(Reverse& r, const ScanSite& site) {
  ScanRecurrence recurrence{r, site, site.map->scans[0].op, site.active.size()};
  recurrence.find_entries();
  const std::vector<NameId> maps = recurrence.affine_maps();
  std::vector<NameId> totals = r.out().scan(site.width, maps, recurrence.compose(), "total");
  totals.resize(recurrence.count);
  for (NameId& total : totals) total = reversed(r.environment, total, site.width);
  return totals;
}

}  // namespace

void return_scan(Reverse& r, const Statement& statement, const MapScanReduce& map) {
  const ScanOperator& scan = map.scans[0];
  const std::size_t arity = scan.neutral.size();
  ScanSite site{&map, r.environment.operand(map.width), ScalarType::f64, {}, {}, {}, {}};
  if (is_addition(scan.op)) {
    const NameId adjoint = r.adjoints.take_or_zero(statement.results[0].name).name();
    const Type row = r.environment.type_of(Operand(scan.op.parameters[0].name));
    ScanOperator sum{r.environment.copy_lambda(scan.op), {r.environment.zero(row)}};
    const NameId total = r.out().scan(site.width, {reversed(r.environment, adjoint, site.width)},
                                      std::move(sum), "total")[0];
    r.adjoints.add(Operand(map.arrays[0]), reversed(r.environment, total, site.width),
                   Ownership::owned);
    r.note(statement, "scan +", "reverse", "a sum from the right");
    return;
  }
  site.elements = r.environment.names_of(map.arrays);
  for (std::size_t k = 0; k < arity; ++k) {
    site.prefixes.push_back(r.environment.name(statement.results[k].name));
    if (!r.adjoints.is_active(Operand(scan.op.parameters[k].name))) continue;
    site.active.push_back(k);
    site.type = r.names().type(scan.op.parameters[k].name).element;
    const auto adjoint = r.adjoints.take(statement.results[k].name);
    site.adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
  }
  const std::vector<NameId> totals = scan_recurrence(r, site);

  // xᵢ ↦ yᵢ₋₁ ⊙ xᵢ as original code, with the elements alone active.
  const Lambda step = renamed(scan.op, r.names());
  MapSite last;
  last.width = site.width;
  last.lambda = &step;
  last.sequential = map.sequential;
  for (std::size_t k = 0; k < arity; ++k) {
    last.arrays.push_back(shifted(r.environment, site.prefixes[k],
                                  r.environment.operand(scan.neutral[k]), site.width));
    last.originals.push_back(std::nullopt);
    last.adjoints.push_back(std::nullopt);
  }
  for (std::size_t k = 0; k < arity; ++k) {
    const bool active = r.adjoints.is_active(Operand(map.arrays[k]));
    last.arrays.push_back(site.elements[k]);
    last.originals.push_back(active ? std::optional(map.arrays[k]) : std::nullopt);
    if (active) r.adjoints.activate(step.parameters[arity + k].name);
  }
  for (std::size_t c = 0; c < site.active.size(); ++c) {
    last.adjoints[site.active[c]] = totals[c];
  }
  r.adjoints.analyse(step.body.statements);
  return_map(r, last);
  r.note(statement, "scan", "reverse", "a linear recurrence from the right",
         size_formulas(r.environment, "scanned", map.arrays));
}

}  // namespace dagaz::passes::ad
