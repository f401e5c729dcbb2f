// Constructs that run a function for every element: maps, reductions, scans, histograms, scatters,
// filters, and nests whose inner sizes differ.
#include "program_generator.h"

namespace dagaz::fuzz {

static std::string parameter_of(const std::string& name, const Type& type) {
  return "(" + name + ": " + text_of(type) + ")";
}

// map over one to three arrays of one outer size.
bool ProgramGenerator::map(Scope& scope, Statements& out) {
  const Variable* first = array(scope, 1, 3, false);
  if (first == nullptr || scope.depth <= 0) return false;
  const std::string size = first->type.sizes[0];
  if (!affordable(scope, size)) return false;
  std::vector<Variable> inputs = {*first};
  while (inputs.size() < 3 && one_in(2)) inputs.push_back(*same_size(scope, size));
  Scope nested = inside(scope, size, extent(size));
  std::string pattern =
      inputs.size() == 1 ? "map (\\" : "map" + std::to_string(inputs.size()) + " (\\";
  std::vector<Source> children(1);
  for (const Variable& input : inputs) {
    const std::string name = fresh("e");
    enter(nested, name, row_of(input.type));
    pattern += parameter_of(name, row_of(input.type)) + " ";
    children.push_back(variable(input));
  }
  pattern += "-> @)";
  for (std::size_t i = 0; i < inputs.size(); ++i) pattern += " @";
  const Type element = element_type(scope);
  children[0] = body(nested, element, below(3));
  const Type type = array_of({size}, element);
  bind(scope, out, type, compose(type, pattern, std::move(children)), true);
  return true;
}

// map of map, with what the rows share.
bool ProgramGenerator::map_of_rows(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 2, 3, true);
  if (found == nullptr || scope.depth <= 1) return false;
  const Variable matrix = *found;
  const std::string outer = matrix.type.sizes[0];
  const std::string inner = matrix.type.sizes[1];
  if (!affordable(scope, outer, extent(inner))) return false;
  Scope rows = inside(scope, outer, extent(outer));
  const std::string row = fresh("row");
  enter(rows, row, row_of(matrix.type));
  Statements list;
  statements(rows, list, below(2));
  Scope elements = inside(rows, inner, extent(inner));
  const std::string element = fresh("e");
  const Type element_type = row_of(row_of(matrix.type));
  enter(elements, element, element_type);
  const Type made = scalar_type(scalar_of_palette());
  const Type row_type = array_of({inner}, made);
  Source result = compose(row_type, "map (\\" + parameter_of(element, element_type) + " -> @) @",
                          {body(elements, made, below(2)), leaf(row_of(matrix.type), row)});
  Source mapped = compose(row_type, "(@)", {closed(row_type, std::move(list), std::move(result))});
  const Type type = array_of({outer}, row_type);
  bind(scope, out, type,
       compose(type, "map (\\" + parameter_of(row, row_of(matrix.type)) + " -> @) @",
               {std::move(mapped), variable(matrix)}),
       true);
  return true;
}

bool ProgramGenerator::tabulate(Scope& scope, Statements& out) {
  const std::string rows = size(scope);
  if (scope.depth <= 0 || !affordable(scope, rows)) return false;
  Scope nested = inside(scope, rows, extent(rows));
  const std::string i = fresh("i");
  enter(nested, i, scalar_type(Scalar::i64));
  nested.variables.back().below = rows;
  const std::string columns = size(scope);
  if (one_in(2) || !affordable(nested, columns, 2)) {
    const Type element = element_type(scope);
    const Type type = array_of({rows}, element);
    bind(scope, out, type,
         compose(type, "tabulate " + rows + " (\\" + i + " -> @)",
                 {body(nested, element, below(3))}),
         true);
    return true;
  }
  const std::string j = fresh("j");
  Scope both = inside(nested, columns, extent(columns));
  enter(both, j, scalar_type(Scalar::i64));
  both.variables.back().below = columns;
  const Type element = scalar_type(scalar_of_palette());
  const Type type = array_of({rows, columns}, element);
  bind(scope, out, type,
       compose(type, "tabulate_2d " + rows + " " + columns + " (\\" + i + " " + j + " -> @)",
               {body(both, element, below(2))}),
       true);
  return true;
}

bool ProgramGenerator::reduce(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 1, true);
  if (from == nullptr) return false;
  const Scalar scalar = from->type.scalar;
  const Type type = scalar_type(scalar);
  const Operator op = associative(scalar);
  const std::string how = one_in(4) ? "reduce_comm " : "reduce ";
  bind(scope, out, type, compose(type, how + op.text + " " + op.neutral + " @", {variable(*from)}),
       false);
  return true;
}

// Rows are summed, or each row is.
bool ProgramGenerator::reduce_rows(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 2, 2, true);
  if (from == nullptr) return false;
  const Variable matrix = *from;
  const Scalar scalar = matrix.type.scalar;
  const Operator op = associative(scalar);
  const std::string& columns = matrix.type.sizes[1];
  if (one_in(2)) {
    const Type type = row_of(matrix.type);
    const std::string neutral = "(replicate " + columns + " " + op.neutral + ")";
    const std::string how = one_in(4) ? "scan" : "reduce";
    const Type result = how == "scan" ? matrix.type : type;
    bind(scope, out, result,
         compose(result, how + " (map2 " + op.text + ") " + neutral + " @", {variable(matrix)}),
         how == "scan");  // a reduction may be one of the rows itself
  } else {
    const Type type = array_of({matrix.type.sizes[0]}, scalar_type(scalar));
    bind(scope, out, type,
         compose(type, "map (reduce " + op.text + " " + op.neutral + ") @", {variable(matrix)}),
         true);
  }
  return true;
}

// The largest element and where it is: the first of equals.
bool ProgramGenerator::reduce_pairs(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 1, true);
  if (from == nullptr || from->type.scalar == Scalar::boolean) return false;
  const Variable vector = *from;
  const Type type = tuple_of({element_of(vector.type), scalar_type(Scalar::i64)});
  const std::string name = name_of(vector.type.scalar);
  const std::string scanned = one_in(3) ? "scan" : "reduce";
  const Type result = scanned == "scan" ? array_of({vector.type.sizes[0]}, type) : type;
  const std::string pair = text_of(type);
  bind(scope, out, result,
       compose(result,
               scanned + " (\\((v, i): " + pair + ") ((w, j): " + pair +
                   ") -> if v > w || (v == w && i < j) then (v, i) else (w, j)) (" + name +
                   ".lowest, i64.highest) (zip @ (iota " + vector.type.sizes[0] + "))",
               {variable(vector)}),
       true);
  return true;
}

bool ProgramGenerator::scan(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 2, true);
  if (from == nullptr) return false;
  const Variable input = *from;
  const Operator op = associative(input.type.scalar);
  std::string pattern = std::string(one_in(4) ? "exscan " : "scan ") + op.text + " " + op.neutral;
  if (input.type.rank() == 2) pattern = "map (" + pattern + ")";
  bind(scope, out, input.type, compose(input.type, pattern + " @", {variable(input)}), true);
  return true;
}

// Bins are computed from an array of integers, or from places; some lie outside.
bool ProgramGenerator::histogram(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 1, true);
  if (from == nullptr) return false;
  const Variable values = *from;
  const std::string& count = values.type.sizes[0];
  const std::string bins = size(scope);
  if (!affordable(scope, count) || !affordable(scope, bins)) return false;
  Scope nested = inside(scope, count, extent(count));
  const std::string i = fresh("i");
  enter(nested, i, scalar_type(Scalar::i64));
  nested.variables.back().below = count;
  const Type places = array_of({count}, scalar_type(Scalar::i64));
  Source chosen =
      compose(places, "(map (\\" + i + " -> " + i + " * 7 % 5 + (@ % 9)) (iota " + count + "))",
              {scalar(nested, Scalar::i64, 1)});
  const Operator op = associative(values.type.scalar);
  const Type type = array_of({bins}, element_of(values.type));
  const Variable* into = one_in(2) ? like(scope, type) : nullptr;
  if (into != nullptr) {
    Source destination = consumed_beside(scope, Variable(*into), {&chosen}, values);
    bind(scope, out, type,
         compose(type, "reduce_by_index @ " + op.text + " " + op.neutral + " @ @",
                 {std::move(destination), std::move(chosen), variable(values)}),
         true);
  } else {
    bind(scope, out, type,
         compose(type, "hist " + op.text + " " + op.neutral + " " + bins + " @ @",
                 {std::move(chosen), variable(values)}),
         true);
  }
  return true;
}

// To distinct places: moved, turned round, spread out, or packed by what holds.
bool ProgramGenerator::scatter(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 2, true);
  if (from == nullptr) return false;
  const Variable values = *from;
  const std::string& count = values.type.sizes[0];
  const Type type = array_of({size(scope)}, row_of(values.type));
  const double row = values.type.rank() == 2 ? extent(values.type.sizes[1]) : 1;
  if (!affordable(scope, type.sizes[0], row) || !affordable(scope, count, row)) return false;
  const Type places = array_of({count}, scalar_type(Scalar::i64));
  std::vector<Source> inner;
  std::string pattern = "(map (\\i -> ";
  switch (below(4)) {
    case 0: pattern += "(i + " + std::to_string(below(4)) + ") % " + count; break;
    case 1: pattern += count + " - 1 - i"; break;
    case 2: pattern += "i * 2 - " + std::to_string(below(3)); break;
    default: {
      Scope nested = inside(scope, count, extent(count));
      enter(nested, "i", scalar_type(Scalar::i64));
      nested.variables.back().below = count;
      inner.push_back(condition(nested, 2));
      pattern = "(let flags = map (\\i -> if @ then 1i64 else 0) (iota " + count +
                ")\n     in map2 (\\flag end -> if flag > 0 then end - 1 else -1) flags "
                "(scan (+) 0 flags";
    }
  }
  pattern += inner.empty() ? ") (iota " + count + "))" : "))";
  Source chosen = compose(places, pattern, std::move(inner));
  const Variable* into = like(scope, type);
  Source destination =
      into != nullptr && !one_in(3)
          ? consumed_beside(scope, Variable(*into), {&chosen}, values)
          : compose(type, "(replicate " + type.sizes[0] + " @)", {value(scope, row_of(type))});
  bind(
      scope, out, type,
      compose(type, "scatter @ @ @", {std::move(destination), std::move(chosen), variable(values)}),
      true);
  return true;
}

bool ProgramGenerator::filter(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 2, true);
  if (from == nullptr || scope.level > 1 || scope.depth <= 0) return false;
  const Variable input = *from;
  const std::string& size = input.type.sizes[0];
  if (!affordable(scope, size, 2)) return false;
  Scope nested = inside(scope, size, extent(size));
  const std::string element = fresh("e");
  enter(nested, element, row_of(input.type));
  Source holds = body(nested, scalar_type(Scalar::boolean), 0);
  const std::string function = " (\\" + parameter_of(element, row_of(input.type)) + " -> @) @";
  // A copy: for all that is known of it, a part is what the function takes from around it.
  const std::string call = one_in(3) ? "copy (partition" + function + ").0" : "filter" + function;
  bind_sized(scope, out, input.type,
             compose(input.type, call, {std::move(holds), variable(input)}), true);
  return true;
}

// Each element has as many parts as it says: summed inside a map, or all in one array.
bool ProgramGenerator::irregular(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 1, true);
  if (from == nullptr || scope.depth <= 0) return false;
  const Variable input = *from;
  const std::string& size = input.type.sizes[0];
  if (!affordable(scope, size, 5)) return false;
  Scope nested = inside(scope, size, extent(size));
  const std::string element = fresh("e");
  enter(nested, element, row_of(input.type));
  Source count = compose(scalar_type(Scalar::i64), "(@ % 6)", {scalar(nested, Scalar::i64, 2)});
  const Scalar scalar_made = scalar_of_palette();
  const Type made = scalar_type(scalar_made);
  const std::string many = fresh("k");
  const std::string index = fresh("i");
  Scope parts = inside(nested, many, 3);
  parts.depth = one_in(3) ? parts.depth : 0;
  parts.sizes.push_back(many);
  enter(parts, index, scalar_type(Scalar::i64));
  parts.variables.back().below = many;
  const std::string head =
      "(\\" + parameter_of(element, row_of(input.type)) + " -> let " + many + " = @ in ";
  std::vector<Source> children;
  children.push_back(std::move(count));
  children.push_back(body(parts, made, below(2)));
  children.push_back(variable(input));
  const std::string tabulated = "tabulate " + many + " (\\" + index + " -> @)";
  if (one_in(3) && scope.level <= 1) {
    // A copy: the result could be an alias of what the function reads.
    bind_sized(scope, out, array_of({size}, made),
               compose(array_of({size}, made), "copy (flatmap' " + head + tabulated + ") @).3",
                       std::move(children)),
               false);
    return true;
  }
  const Operator op = associative(scalar_made);
  const Type type = array_of({size}, made);
  const std::string inner = one_in(3)
                                ? "(scan " + op.text + " " + op.neutral + " (" + tabulated + "))"
                                : "(" + tabulated + ")";
  bind(scope, out, type,
       compose(type, "map " + head + "reduce " + op.text + " " + op.neutral + " " + inner + ") @",
               std::move(children)),
       true);
  return true;
}

// A chain that fuses: map, scan, map, reduction.
bool ProgramGenerator::pipeline(Scope& scope, Statements& out) {
  const Variable* from = array(scope, 1, 1, true);
  if (from == nullptr || scope.depth <= 0) return false;
  const Variable input = *from;
  const std::string& size = input.type.sizes[0];
  if (!affordable(scope, size, 3)) return false;
  const Scalar scalar_made = scalar_of_palette();
  const Type made = scalar_type(scalar_made);
  Type at = input.type;
  std::string pattern = "@";
  std::vector<Source> children;
  children.push_back(variable(input));
  const std::size_t stages = 1 + below(4);
  for (std::size_t i = 0; i < stages; ++i) {
    if (i > 0 && one_in(3)) {
      const Operator op = associative(at.scalar);
      pattern += " |> scan " + op.text + " " + op.neutral;
      continue;
    }
    Scope nested = inside(scope, size, extent(size));
    const std::string element = fresh("e");
    enter(nested, element, row_of(at));
    pattern += " |> map (\\" + parameter_of(element, row_of(at)) + " -> @)";
    children.push_back(body(nested, made, below(2)));
    at = array_of({size}, made);
  }
  if (one_in(2)) {
    const Operator op = associative(at.scalar);
    pattern += " |> reduce " + op.text + " " + op.neutral;
    at = element_of(at);
  }
  bind(scope, out, at, compose(at, pattern, std::move(children)), false);
  return true;
}

}  // namespace dagaz::fuzz
