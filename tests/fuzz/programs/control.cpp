// Branches, sum types, loops whose state are arrays, and updates in place.
#include "program_generator.h"

namespace dagaz::fuzz {

// An array that may be written over: a fresh one, which is gone then, or a copy.
Source ProgramGenerator::consumed(Scope& scope, const Variable& from) {
  if (from.fresh && from.level == scope.level && !one_in(3)) {
    std::erase_if(scope.variables, [&](const Variable& each) { return each.name == from.name; });
    return leaf(from.type, from.name);
  }
  return compose(from.type, "(copy @)", {variable(from)});
}

// The same in an expression that has other operands.
Source ProgramGenerator::consumed_beside(Scope& scope, const Variable& from,
                                         std::initializer_list<const Source*> others,
                                         const Variable& other) {
  bool mentioned = from.name == other.name;
  for (const Source* each : others) {
    mentioned = mentioned || render(*each).find(from.name) != std::string::npos;
  }
  return mentioned ? compose(from.type, "(copy @)", {variable(from)}) : consumed(scope, from);
}

bool ProgramGenerator::branch(Scope& scope, Statements& out) {
  if (scope.depth <= 0) return false;
  const Variable* model = array(scope, 0, 2, false);
  const Type type = model != nullptr && !one_in(4) ? model->type : element_type(scope);
  Scope nested = scope;
  --nested.depth;
  // What a branch writes over would be gone after it.
  ++nested.level;
  bind(scope, out, type,
       compose(type, "if @ then @ else @",
               {condition(scope, 2), body(nested, type, below(3)), body(nested, type, below(3))}),
       false);
  return true;
}

// A sum value, made in a branch and matched.
bool ProgramGenerator::alternatives(Scope& scope, Statements& out) {
  if (scope.depth <= 0) return false;
  Type sum = tuple_of({element_type(scope), element_type(scope)});
  sum.kind = TypeKind::sum;
  const Variable& made =
      bind(scope, out, sum,
           compose(sum, "if @ then @ else @",
                   {condition(scope, 2), composed(scope, sum), composed(scope, sum)}),
           false);
  const std::string name = made.name;
  if (one_in(4)) return true;
  const Type type = element_type(scope);
  std::string pattern = "match " + name;
  std::vector<Source> cases;
  for (std::size_t i = 0; i < sum.parts.size(); ++i) {
    Scope nested = scope;
    --nested.depth;
    ++nested.level;
    const std::string payload = fresh("v");
    enter(nested, payload, sum.parts[i]);
    pattern += " case #" + part_name(i) + " " + payload + " -> @";
    cases.push_back(body(nested, type, below(2)));
  }
  bind(scope, out, type, compose(type, pattern, std::move(cases)), false);
  return true;
}

bool ProgramGenerator::choice_of_sizes(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, true);
  if (found == nullptr || scope.level > 1) return false;
  const Variable from = *found;
  std::vector<const Variable*> others;
  for (const Variable& each : scope.variables) {
    if (each.type.is_array() && row_of(each.type) == row_of(from.type)) others.push_back(&each);
  }
  const Variable other = *pick(others);
  Type unsized = from.type;
  unsized.sizes[0] = "";
  Type named = from.type;
  if (large_.contains(other.type.sizes[0])) named = other.type;
  bind_sized(
      scope, out, named,
      compose(named, "if @ then (@ : " + text_of(unsized) + ") else (@ : " + text_of(unsized) + ")",
              {condition(scope, 2), variable(from), variable(other)}),
      false);
  return true;
}

// A few values, arrays among them, that a body makes again.
bool ProgramGenerator::loop(Scope& scope, Statements& out) {
  if (scope.depth <= 0) return false;
  const Variable* model = array(scope, 0, 2, false);
  if (model == nullptr) return false;
  std::vector<Type> parts = {model->type};
  while (parts.size() < 3 && one_in(2)) parts.push_back(scalar_type(scalar_of_palette()));
  const Type state = parts.size() == 1 ? parts[0] : tuple_of(parts);
  double points = 3;
  for (const std::string& each : parts[0].sizes) points *= extent(each);
  if (scope.points * points > 12000) return false;
  Scope nested = inside(scope, "", 3);
  const std::string index = fresh("t");
  enter(nested, index, scalar_type(Scalar::i64));
  std::string pattern;
  for (const Type& part : parts) {
    const std::string name = fresh("s");
    enter(nested, name, part);
    nested.variables.push_back(nested.variables.back());  // twice as likely
    pattern += (pattern.empty() ? "" : ", ") + name + ": " + text_of(part);
  }
  std::vector<Source> children;
  children.push_back(value(scope, state));
  const bool by_size = one_in(4);
  const Type integer = scalar_type(Scalar::i64);
  Source count = by_size ? compose(integer, "(@ % 5)", {scalar(scope, Scalar::i64, 1)})
                         : leaf(integer, std::to_string(below(4)));
  children.push_back(std::move(count));
  children.push_back(body(nested, state, 1 + below(2)));
  const std::string text = "loop (" + pattern + ") = @ for " + index + " < @ do @";
  if (parts.size() == 1) {
    bind(scope, out, state, compose(state, text, std::move(children)), false);
    return true;
  }
  bind(scope, out, state, compose(state, text, std::move(children)), false);
  const std::string whole = scope.variables.back().name;
  bind(scope, out, parts[0], leaf(parts[0], whole + ".0"), false);
  return true;
}

// Elements are written over in order, some of them several times, from what was written before.
bool ProgramGenerator::loop_in_place(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, true);
  if (found == nullptr || scope.depth <= 0) return false;
  const Variable from = *found;
  const std::string n = from.type.sizes[0];
  if (!affordable(scope, n, 2)) return false;
  Scope nested = inside(scope, n, extent(n));
  const std::string state = fresh("s");
  const std::string index = fresh("t");
  enter(nested, index, scalar_type(Scalar::i64));
  nested.variables.back().below = n;
  Source start = consumed(scope, from);
  std::erase_if(nested.variables, [&](const Variable& each) { return each.name == from.name; });
  const Type& type = from.type;
  const std::string place = one_in(2) ? index : index + " * 3 % " + n;
  std::vector<Source> children;
  children.push_back(std::move(start));
  if (type.rank() == 2) {
    const std::string row = text_of(row_of(type));
    enter(nested, "row", row_of(type));
    children.push_back(body(nested, row_of(type), below(2)));
    bind(scope, out, type,
         compose(type,
                 "loop (" + state + ": *" + text_of(type) + ") = @ for " + index + " < " + n +
                     " do let row: " + row + " = copy " + state + "[(" + index + " + 1) % " + n +
                     "] in " + state + " with [" + place + "] = copy @",
                 std::move(children)),
         true);
    return true;
  }
  enter(nested, "before", element_of(type));
  nested.variables.push_back(nested.variables.back());
  children.push_back(body(nested, element_of(type), below(2)));
  bind(scope, out, type,
       compose(type,
               "loop (" + state + ": *" + text_of(type) + ") = @ for " + index + " < " + n +
                   " do let before: " + name_of(type.scalar) + " = " + state + "[(" + index +
                   " - 1) % " + n + "] in " + state + " with [" + place + "] = @",
               std::move(children)),
       true);
  return true;
}

bool ProgramGenerator::loop_over_elements(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, false);
  if (found == nullptr || scope.depth <= 0) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  if (!affordable(scope, n, 2)) return false;
  const Type state = scalar_type(scalar_of_palette());
  Scope nested = inside(scope, n, extent(n));
  const std::string element = fresh("e");
  const std::string name = fresh("s");
  enter(nested, element, row_of(from.type));
  enter(nested, name, state);
  bind(scope, out, state,
       compose(state,
               "loop (" + name + ": " + text_of(state) + ") = @ for (" + element + ": " +
                   text_of(row_of(from.type)) + ") in @ do @",
               {value(scope, state), variable(from), body(nested, state, below(2))}),
       false);
  return true;
}

// Ends after a few steps, or when a condition on the state no longer holds.
bool ProgramGenerator::while_loop(Scope& scope, Statements& out) {
  if (scope.depth <= 0) return false;
  const Variable* model = array(scope, 0, 1, true);
  if (model == nullptr) return false;
  const Type part = model->type;
  const double points = part.is_array() ? extent(part.sizes[0]) : 1;
  if (scope.points * points * 4 > 12000) return false;
  Scope nested = inside(scope, "", 4);
  const std::string count = fresh("t");
  const std::string name = fresh("s");
  enter(nested, count, scalar_type(Scalar::i64));
  enter(nested, name, part);
  Source start = value(scope, part);
  Source goes_on = condition(nested, 1);
  Source next = body(nested, part, 1);
  const Type state = tuple_of({scalar_type(Scalar::i64), part});
  bind(scope, out, state,
       compose(state,
               "loop (" + count + ", " + name + ": " + text_of(part) + ") = (0i64, @) while " +
                   count + " < " + std::to_string(below(6)) + " && @ do (" + count + " + 1, @)",
               {std::move(start), std::move(goes_on), std::move(next)}),
       false);
  const std::string whole = scope.variables.back().name;
  bind(scope, out, part, leaf(part, whole + ".1"), false);
  return true;
}

bool ProgramGenerator::growing_loop(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 1, true);
  if (found == nullptr || scope.level > 0 || scope.depth <= 0) return false;
  const Variable from = *found;
  Type unsized = from.type;
  unsized.sizes[0] = "";
  const std::string state = fresh("s");
  const std::string many = fresh("k");
  Scope nested = inside(scope, "", 3);
  nested.sizes.push_back(many);
  Type named = from.type;
  named.sizes[0] = many;
  enter(nested, state, named);
  if (large_.contains(from.type.sizes[0])) large_.insert(many);
  const std::string grown = one_in(2)
                                ? "(" + state + " ++ [@]) : " + text_of(unsized)
                                : "filter (\\(e: " + std::string(name_of(from.type.scalar)) +
                                      ") -> e == e) (" + state + " ++ [@]) : " + text_of(unsized);
  const std::string unsized_text = text_of(unsized);
  bind_sized(scope, out, from.type,
             compose(from.type,
                     "loop (before: " + unsized_text + ") = @ for _t < " +
                         std::to_string(below(4)) + " do let [" + many + "] (" + state + ": " +
                         text_of(named) + ") = before in (" + grown + ")",
                     {variable(from), scalar(nested, from.type.scalar, 2)}),
             false);
  return true;
}

// Steps of a stencil, with two arrays or one.
bool ProgramGenerator::iterated_stencil(Scope& scope, Statements& out) {
  const Variable* found = array_of_reals(scope, one_in(2) ? 2 : 1);
  if (found == nullptr) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  const bool matrix = from.type.rank() == 2;
  if (!affordable(scope, n, 6 * (matrix ? extent(from.type.sizes[1]) : 1))) return false;
  const std::string state = fresh("s");
  const Variable current{state, from.type, 0, false, ""};
  const Scalar type = from.type.scalar;
  std::string step;
  std::vector<Source> children;
  children.push_back(variable(from));
  if (matrix) {
    const std::string& m = from.type.sizes[1];
    step = "tabulate_2d " + n + " " + m + " (\\i j -> 0.5 * " + state + "[i, j] + 0.25 * (" +
           state + "[(i + 1) % " + n + ", j] + " + state + "[i, i64.max 0 (j - 1)]))";
  } else {
    step = "tabulate " + n + " (\\i -> 0.5 * @ + 0.25 * @)";
    children.push_back(read_near(current, "i", type));
    children.push_back(read_near(current, "i", type));
  }
  bind(scope, out, from.type,
       compose(from.type,
               "loop (" + state + ": " + text_of(from.type) + ") = @ for _t < " +
                   std::to_string(1 + below(4)) + " do " + step,
               std::move(children)),
       false);
  return true;
}

bool ProgramGenerator::update(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, false);
  if (found == nullptr) return false;
  const Variable from = *found;
  const Type& type = from.type;
  const std::string& n = type.sizes[0];
  const bool element = one_in(2) && type.rank() == 1;
  if (element || type.rank() == 2) {
    const std::string guarded = guard(scope, type);
    const std::string at = fresh("at");
    const Type index = scalar_type(Scalar::i64);
    out.push_back(Statement{at, guarded.empty() ? compose(index, "@", {index_below(scope, n)})
                                                : compose(index, "if " + guarded + " then @ else 0",
                                                          {index_below(scope, n)})});
    Source new_value = value(scope, row_of(type));
    // The value may be of the array that is consumed.
    const std::string name = fresh(type.rank() == 2 ? "row" : "x");
    out.push_back(Statement{name + ": " + text_of(row_of(type)), std::move(new_value)});
    Source start = consumed(scope, from);
    const std::string state = fresh("u");
    std::string written = "let " + state + " = @ in ";
    if (!guarded.empty()) written += "if " + guarded + " then ";
    written += state + " with [" + at + "] = " + (type.rank() == 2 ? "copy " : "") + name;
    if (!guarded.empty()) written += " else " + state;
    std::vector<Source> children;
    children.push_back(std::move(start));
    bind(scope, out, type, compose(type, written, std::move(children)), guarded.empty());
    enter(scope, name, row_of(type));
    return true;
  }
  const std::string place = pick_text({"0:@ / 2", "@ / 2:@", "@ / 4:@ / 2"});
  std::string slice;
  for (const char c : place) slice += c == '@' ? n : std::string(1, c);
  const Variable source = *like(scope, type);
  const std::string name = fresh("part");
  const std::string written = "let " + name + " = copy " + source.name + "[" + slice +
                              "] in @ with [" + slice + "] = " + name;
  bind(scope, out, type, compose(type, written, {consumed(scope, from)}), true);
  return true;
}

// Each row, or column, made anew in place by a loop.
bool ProgramGenerator::update_rows(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 2, 2, true);
  if (found == nullptr || scope.depth <= 0 || found->type.scalar == Scalar::boolean) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  const std::string& m = from.type.sizes[1];
  if (!affordable(scope, n, extent(m))) return false;
  const std::string state = fresh("s");
  const bool columns = one_in(2);
  const std::string place = columns ? ":, t" : "t";
  Scope nested = inside(scope, n, extent(n) * extent(m));
  nested.positive.insert(m);
  std::erase_if(nested.variables, [&](const Variable& each) { return each.name == from.name; });
  enter(nested, "e", element_of(from.type));
  enter(nested, "t", scalar_type(Scalar::i64));
  Source made = scalar(nested, from.type.scalar, 2);
  std::vector<Source> children;
  children.push_back(consumed(scope, from));
  children.push_back(std::move(made));
  bind(scope, out, from.type,
       compose(from.type,
               "loop (" + state + ": *" + text_of(from.type) + ") = @ for t < " +
                   (columns ? m : n) + " do let line = map (\\e -> @) " + state + "[" + place +
                   "] in " + state + " with [" + place + "] = line",
               std::move(children)),
       true);
  return true;
}

}  // namespace dagaz::fuzz
