// Functions of the program's own, local and global, parametric modules, and derivatives of
// functions.
#include <map>

#include "program_generator.h"

namespace dagaz::fuzz {

// Used once for each element, or once; it takes what it likes from around it.
bool ProgramGenerator::local_function(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 0, 2, false);
  if (found == nullptr || scope.depth <= 0) return false;
  const Variable from = *found;
  const bool each = from.type.is_array() && !one_in(3);
  if (each && !affordable(scope, from.type.sizes[0])) return false;
  const Type argument = each ? row_of(from.type) : from.type;
  const Type result = element_type(scope);
  Scope nested =
      each ? inside(scope, from.type.sizes[0], extent(from.type.sizes[0])) : inside(scope, "", 1);
  const std::string name = fresh("f");
  const std::string parameter = fresh("a");
  enter(nested, parameter, argument);
  out.push_back(
      Statement{name + " (" + parameter + ": " + text_of(argument) + "): " + text_of(result),
                body(nested, result, 1 + below(2))});
  const Type type = each ? array_of({from.type.sizes[0]}, result) : result;
  // Copies: what the function gives could be an alias of what it takes from around it.
  bind(scope, out, type,
       compose(type, each ? "map " + name + " @" : "copy (" + name + " @)", {variable(from)}),
       false);
  if (!each && one_in(2) && argument == result) {
    bind(scope, out, result,
         compose(result, "copy (iterate 2 " + name + " (" + name + " @))", {variable(from)}),
         false);
  }
  return true;
}

// The type with other names for its sizes.
static Type renamed(const Type& type, const std::map<std::string, std::string>& sizes) {
  Type result = type;
  for (std::string& each : result.sizes) {
    if (const auto found = sizes.find(each); found != sizes.end()) each = found->second;
  }
  for (Type& each : result.parts) each = renamed(each, sizes);
  return result;
}

bool ProgramGenerator::call(Scope& scope, Statements& out) {
  if (functions_.empty() || !affordable(scope, "n", 4)) return false;
  const Function function = pick(functions_);
  std::vector<const Variable*> firsts;
  for (const Variable* each : arrays(scope, 2, 2, true)) {
    if (element_of(each->type) == element_of(function.parameters[0])) firsts.push_back(each);
  }
  if (firsts.empty()) return false;
  const Variable first = *pick(firsts);
  if (!affordable(scope, first.type.sizes[0], 4 * extent(first.type.sizes[1]))) return false;
  const std::map<std::string, std::string> sizes = {{"a", first.type.sizes[0]},
                                                    {"b", first.type.sizes[1]}};
  std::string pattern = function.name + " @";
  std::vector<Source> arguments;
  arguments.push_back(variable(first));
  for (std::size_t i = 1; i < function.parameters.size(); ++i) {
    pattern += " @";
    const Type type = renamed(function.parameters[i], sizes);
    arguments.push_back(i == 1 ? compose(type, "(copy @)", {value(scope, type)})
                               : compose(type, "(@)", {value(scope, type)}));
  }
  const Type result = renamed(function.result, sizes);
  bind(scope, out, result, compose(result, pattern, std::move(arguments)), false);
  return true;
}

// def f [a][b] (matrix) (unique vector) (scalar)
void ProgramGenerator::declare_function() {
  Function function;
  function.name = fresh("g");
  function.parameters = {array_of({"a", "b"}, scalar_type(palette_[0])),
                         array_of({"b"}, scalar_type(scalar_of_palette())),
                         scalar_type(scalar_of_palette())};
  Scope scope;
  scope.sizes = {"a", "b"};
  scope.points = 20;
  scope.depth = 2;
  scope.level = 2;  // sizes that come out of it would be unknown to its callers
  std::string head = "def " + function.name + " [a] [b]";
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Type& type = function.parameters[i];
    const std::string name = fresh("p");
    head += " (" + name + ": " + (i == 1 ? "*" : "") + text_of(type) + ")";
    enter(scope, name, type);
    scope.variables.back().fresh = i == 1;
  }
  function.result = one_in(2) ? array_of({"a"}, scalar_type(scalar_of_palette()))
                              : array_of({"b"}, scalar_type(palette_[0]));
  head += ": " + text_of(function.result) + " =\n  @\n\n";
  declarations_.push_back(declaration(head, {body(scope, function.result, 1 + below(3))}));
  functions_.push_back(std::move(function));
}

void ProgramGenerator::declare_module() {
  const Scalar scalar_made = scalar_of_palette();
  const Operator op = associative(scalar_made);
  const std::string name = fresh("M");
  const std::string type = name_of(scalar_made);
  std::string text = "module type T" + name + " = { type t val zero: t val add: t -> t -> t }\n";
  text += "module F" + name + " (P: T" + name +
          ") = {\n"
          "  def total [a] (xs: [a]P.t): P.t = reduce P.add P.zero xs\n"
          "  def running [a] (xs: [a]P.t): [a]P.t = scan P.add P.zero xs\n"
          "  def rows [a] [b] (xss: [a][b]P.t): [a]P.t = map (\\xs -> P.add (total xs) "
          "(total (running xs))) xss\n}\n";
  text += "module " + name + " = F" + name + " { type t = " + type +
          " def zero: t = " + op.neutral + " def add (x: t) (y: t): t = " + op.text + " x y }\n\n";
  declarations_.push_back(declaration(text, {}));
  modules_.push_back(Module{name, scalar_made});
}

bool ProgramGenerator::use_of_module(Scope& scope, Statements& out) {
  if (modules_.empty()) return false;
  const Module used = pick(modules_);
  std::vector<const Variable*> found;
  for (const Variable* each : arrays(scope, 1, 2, true)) {
    if (each->type.scalar == used.scalar) found.push_back(each);
  }
  if (found.empty()) return false;
  const Variable from = *pick(found);
  Type type = from.type;
  if (from.type.rank() == 2) {
    type.sizes.pop_back();
    bind(scope, out, type, compose(type, used.name + ".rows @", {variable(from)}), false);
  } else if (one_in(2)) {
    bind(scope, out, type, compose(type, used.name + ".running @", {variable(from)}), false);
  } else {
    type.sizes.pop_back();
    bind(scope, out, type, compose(type, used.name + ".total @", {variable(from)}), false);
  }
  return true;
}

// A record with an array in it: one field is written, another read.
bool ProgramGenerator::update_of_record(Scope& scope, Statements& out) {
  const Variable* first = array(scope, 0, 2, true);
  const Variable* second = array(scope, 1, 2, true);
  if (first == nullptr || second == nullptr) return false;
  Type type = tuple_of({first->type, second->type});
  type.kind = TypeKind::record;
  bind(scope, out, type, compose(type, "{a = @, b = @}", {variable(*first), variable(*second)}),
       false);
  const std::string made = scope.variables.back().name;
  const Type changed = type.parts[0];
  bind(scope, out, type, compose(type, made + " with a = @", {value(scope, changed)}), false);
  const std::string name = scope.variables.back().name;
  bind(scope, out, type.parts[1], leaf(type.parts[1], name + ".b"), false);
  return true;
}

// vjp or jvp of a function of a real value, whatever its body does, perhaps with the value.
bool ProgramGenerator::derivative(Scope& scope, Statements& out) {
  std::vector<const Variable*> points;
  for (const Variable* each : arrays(scope, 0, 2, true)) {
    if (each->type.scalar == palette_[0]) points.push_back(each);
  }
  if (points.empty() || scope.depth <= 0) return false;
  const Variable point = *pick(points);
  double cost = 8;
  for (const std::string& each : point.type.sizes) cost *= extent(each);
  if (scope.points * cost > 12000) return false;
  const Type real = scalar_type(palette_[0]);
  const Variable* model = array_of_reals(scope, 1);
  const Type result =
      model != nullptr && model->type.scalar == real.scalar && one_in(2) ? model->type : real;
  Scope nested = inside(scope, "", 4);
  const std::string name = fresh("a");
  enter(nested, name, point.type);
  nested.variables.push_back(nested.variables.back());
  nested.variables.push_back(nested.variables.back());
  const bool forward = one_in(3);
  const Type type = forward ? result : point.type;
  Source function = body(nested, result, 1 + below(4));
  const bool with_value = one_in(2);
  const Type given = with_value ? tuple_of({result, type}) : type;
  bind(scope, out, given,
       compose(given,
               std::string(forward ? "jvp" : "vjp") + (with_value ? "2" : "") + " (\\(" + name +
                   ": " + text_of(point.type) + "): " + text_of(result) + " -> @) @ @",
               {std::move(function), variable(point), value(scope, forward ? point.type : result)}),
       false);
  if (!with_value) return true;
  const std::string both = scope.variables.back().name;
  // Later statements see copies alone: the pair could be an alias of what the function takes from
  // around it, which may be consumed by then.
  scope.variables.pop_back();
  for (std::size_t i = 0; i < 2; ++i) {
    bind(scope, out, given.parts[i],
         leaf(given.parts[i], "(copy " + both + "." + std::to_string(i) + ")"), false);
  }
  return true;
}

// All derivatives of a vector by a vector, one seed at a time.
bool ProgramGenerator::jacobian(Scope& scope, Statements& out) {
  const Variable* found = array_of_reals(scope, 1);
  if (found == nullptr || found->type.scalar != palette_[0] || scope.depth <= 1) return false;
  const Variable point = *found;
  const std::string& n = point.type.sizes[0];
  if (!affordable(scope, n, 8 * extent(n))) return false;
  const std::string name = fresh("a");
  const std::string real = name_of(palette_[0]);
  Scope nested = inside(scope, "", 4 * extent(n));
  enter(nested, name, point.type);
  nested.variables.push_back(nested.variables.back());
  const Type type = array_of({n}, point.type);
  const bool forward = one_in(2);
  bind(scope, out, type,
       compose(type,
               "tabulate " + n + " (\\row -> " + (forward ? "jvp" : "vjp") + " (\\(" + name + ": " +
                   text_of(point.type) + "): " + text_of(point.type) + " -> @) @ (tabulate " + n +
                   " (\\column -> " + real + ".bool (row == column))))",
               {body(nested, point.type, 1 + below(2)), variable(point)}),
       true);
  return true;
}

}  // namespace dagaz::fuzz
