// What numerical programs are made of, with parts chosen at random: contractions, stencils and
// windows, segmented operations, chains of reductions and maps over rows.
#include "program_generator.h"

namespace dagaz::fuzz {

// Σ over l of a[i,l] · b[j,l], as nested maps, with either operand turned, any pair of operators,
// and a computation before or after.
bool ProgramGenerator::product(Scope& scope, Statements& out) {
  const Variable* first = array(scope, 2, 2, true);
  if (first == nullptr || first->type.scalar == Scalar::boolean || scope.depth <= 0) return false;
  const Variable a = *first;
  const Scalar scalar_made = a.type.scalar;
  const bool a_turned = one_in(3);
  const std::string& shared = a.type.sizes[a_turned ? 0 : 1];
  const std::string& rows = a.type.sizes[a_turned ? 1 : 0];
  std::vector<std::pair<const Variable*, bool>> others;
  for (const Variable* each : arrays(scope, 1, 2, true)) {
    if (each->type.scalar != scalar_made) continue;
    if (each->type.sizes.back() == shared) others.emplace_back(each, false);
    if (each->type.rank() == 2 && each->type.sizes[0] == shared) others.emplace_back(each, true);
  }
  if (others.empty()) return false;
  const auto [found, b_turned] = pick(others);
  const Variable b = *found;
  const bool vector = b.type.rank() == 1;
  const std::string columns = vector ? "1" : b.type.sizes[b_turned ? 1 : 0];
  if (!affordable(scope, rows, extent(columns) * extent(shared))) return false;
  const std::string name = name_of(scalar_made);
  const Operator op = one_in(3) ? associative(scalar_made) : Operator{"(+)", "0" + name};
  const std::string times = one_in(4) ? "(\\x y -> x * y + x)" : one_in(4) ? "(+)" : "(*)";
  Scope inner = inside(scope, shared, extent(rows) * extent(columns));
  enter(inner, "row", array_of({shared}, scalar_type(scalar_made)));
  enter(inner, "column", array_of({shared}, scalar_type(scalar_made)));
  enter(inner, "sum", scalar_type(scalar_made));
  const Type made = scalar_type(scalar_made);
  const std::string summed =
      "reduce " + op.text + " " + op.neutral + " (map2 " + times + " row column)";
  const std::string left = a_turned ? "(transpose @)" : "@";
  const std::string right = b_turned ? "(transpose @)" : "@";
  const std::string point =
      one_in(2) ? "let sum = " + summed + " in @" : "let sum = " + summed + " in sum + 0 * @";
  Source after = scalar(inner, scalar_made, one_in(2) ? 2 : 0);
  if (vector) {
    const Type type = array_of({rows}, made);
    bind(scope, out, type,
         compose(type, "let column = @ in map (\\row -> " + point + ") " + left,
                 {variable(b), std::move(after), variable(a)}),
         true);
    return true;
  }
  const Type type = array_of({rows, columns}, made);
  bind(scope, out, type,
       compose(type, "map (\\row -> map (\\column -> " + point + ") " + right + ") " + left,
               {std::move(after), variable(b), variable(a)}),
       true);
  return true;
}

// Products over a batch, or of rank-3 arrays: contractions of more than two dimensions.
bool ProgramGenerator::product_of_three(Scope& scope, Statements& out) {
  const Variable* cube = array(scope, 3, 3, true);
  const Variable* flat = array(scope, 2, 2, true);
  if (cube == nullptr || flat == nullptr || cube->type.scalar != flat->type.scalar ||
      cube->type.scalar == Scalar::boolean) {
    return false;
  }
  const Variable a = *cube;
  const Variable b = *flat;
  const std::string& batch = a.type.sizes[0];
  const std::string& rows = a.type.sizes[1];
  const std::string& shared = a.type.sizes[2];
  const std::string name = name_of(a.type.scalar);
  const Type made = scalar_type(a.type.scalar);
  if (!affordable(scope, batch, extent(rows) * extent(shared) * extent(b.type.sizes[0]))) {
    return false;
  }
  const std::string sum = "reduce (+) 0" + name + " (map2 (*) x y)";
  if (b.type.sizes[1] == shared) {
    const Type type = one_in(2) ? array_of({batch, rows, b.type.sizes[0]}, made)
                                : array_of({batch, b.type.sizes[0], rows}, made);
    const bool in_order = type.sizes[1] == rows;
    bind(scope, out, type,
         compose(type,
                 in_order ? "map (\\xs -> map (\\x -> map (\\y -> " + sum + ") @) xs) @"
                          : "map (\\xs -> map (\\y -> map (\\x -> " + sum + ") xs) @) @",
                 {variable(b), variable(a)}),
         true);
    return true;
  }
  if (b.type.sizes[0] != rows || b.type.sizes[1] != shared) return false;
  const Type type = array_of({batch}, made);
  bind(scope, out, type,
       compose(type, "map (\\xs -> reduce (+) 0" + name + " (map2 (\\x y -> " + sum + ") xs @)) @",
               {variable(b), variable(a)}),
       true);
  return true;
}

bool ProgramGenerator::sum_over_two(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 2, 2, true);
  if (found == nullptr || found->type.scalar == Scalar::boolean) return false;
  const Variable a = *found;
  const Variable b = *like(scope, a.type);
  const Type made = scalar_type(a.type.scalar);
  const std::string sum = std::string(name_of(a.type.scalar)) + ".sum";
  switch (below(3)) {
    case 0:
      bind(scope, out, made,
           compose(made, sum + " (map2 (\\x y -> " + sum + " (map2 (*) x y)) @ @)",
                   {variable(a), variable(b)}),
           false);
      break;
    case 1:
      bind(scope, out, made,
           compose(made, sum + " (flatten (map2 (map2 (*)) @ @))", {variable(a), variable(b)}),
           false);
      break;
    default:
      bind(scope, out, made,
           compose(made, sum + " (map " + sum + " (transpose (@ .* @)))",
                   {variable(a), variable(b)}),
           false);
  }
  return true;
}

bool ProgramGenerator::outer_product(Scope& scope, Statements& out) {
  const Variable* first = array(scope, 1, 1, true);
  if (first == nullptr || first->type.scalar == Scalar::boolean || scope.depth <= 0) return false;
  const Variable a = *first;
  std::vector<const Variable*> others;
  for (const Variable* each : arrays(scope, 1, 1, true)) {
    if (each->type.scalar == a.type.scalar) others.push_back(each);
  }
  const Variable b = *pick(others);
  if (!affordable(scope, a.type.sizes[0], extent(b.type.sizes[0]))) return false;
  Scope nested = inside(scope, a.type.sizes[0], extent(a.type.sizes[0]));
  nested.positive.insert(b.type.sizes[0]);
  nested.points *= extent(b.type.sizes[0]);
  enter(nested, "x", element_of(a.type));
  enter(nested, "y", element_of(b.type));
  const Type type = array_of({a.type.sizes[0], b.type.sizes[0]}, element_of(a.type));
  bind(scope, out, type,
       compose(type, "map (\\x -> map (\\y -> x * y + @) @) @",
               {scalar(nested, a.type.scalar, 2), variable(b), variable(a)}),
       true);
  return true;
}

// exp (x - greatest) / Σ, of a vector or of each row.
bool ProgramGenerator::softmax(Scope& scope, Statements& out) {
  const Variable* found = array_of_reals(scope, one_in(2) ? 2 : 1);
  if (found == nullptr) return false;
  const Variable from = *found;
  const std::string name = name_of(from.type.scalar);
  const std::string row = "[" + from.type.sizes.back() + "]" + name;
  std::string chain = "(\\(xs: " + row + ") -> let greatest = " + name +
                      ".maximum xs in let es = map (\\x -> " + name +
                      ".exp (x - greatest)) xs in let " + "total = " + name + ".sum es in ";
  const bool summed = one_in(3);
  chain += summed ? "greatest + " + name + ".log total)" : "map (/ total) es)";
  Type type = from.type;
  if (summed) type.sizes.pop_back();
  const std::string guarded =
      "(\\(xs: " + row + ") -> if " + from.type.sizes.back() + " > 0 then " + chain + " xs else 0)";
  const std::string& function = summed ? guarded : chain;
  bind(scope, out, type,
       compose(type, (from.type.rank() == 2 ? "map " : "") + function + " @", {variable(from)}),
       true);
  return true;
}

// Mean and deviation of each row, and the row by them: several reductions and a map over one space.
bool ProgramGenerator::moments_of_rows(Scope& scope, Statements& out) {
  const Variable* found = array_of_reals(scope, one_in(3) ? 1 : 2);
  if (found == nullptr) return false;
  const Variable from = *found;
  const std::string name = name_of(from.type.scalar);
  const std::string size = from.type.sizes.back();
  const std::string row = "[" + size + "]" + name;
  const std::string chain =
      "(\\(xs: " + row + ") -> let mean = " + name + ".sum xs / " + name + ".i64 (i64.max 1 " +
      size + ") in let square = " + name + ".sum (map (\\x -> (x - mean) * (x - mean)) xs) in " +
      (one_in(2) ? "map (\\x -> (x - mean) / " + name + ".sqrt (square + 0.5)) xs)"
                 : "scan (+) 0 (map (\\x -> (x - mean) / (1 + square)) xs))");
  bind(scope, out, from.type,
       compose(from.type, (from.type.rank() == 2 ? "map " : "") + chain + " @", {variable(from)}),
       true);
  return true;
}

// An element of a vector near `index`, with one of the usual borders.
Source ProgramGenerator::read_near(const Variable& from, const std::string& index, Scalar type) {
  const Type as = scalar_type(type);
  const std::string& n = from.type.sizes[0];
  const std::string far = std::to_string(1 + below(3));
  switch (below(5)) {
    case 0: return leaf(as, from.name + "[(" + index + " + " + far + ") % " + n + "]");
    case 1: return leaf(as, from.name + "[(" + index + " - " + far + ") % " + n + "]");
    case 2:
      return leaf(as, "(if " + index + " >= " + far + " then " + from.name + "[" + index + " - " +
                          far + "] else " + plainest(as) + ")");
    case 3: return leaf(as, from.name + "[i64.min (" + n + " - 1) (" + index + " + " + far + ")]");
    default: return leaf(as, from.name + "[" + index + "]");
  }
}

bool ProgramGenerator::stencil(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 1, true);
  if (found == nullptr || found->type.scalar == Scalar::boolean) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  if (!affordable(scope, n, 2)) return false;
  const Scalar type = from.type.scalar;
  std::string pattern =
      "tabulate " + n + " (\\i -> @ + @ * " + (is_real(type) ? "0.25" : "3") + " - @)";
  bind(
      scope, out, from.type,
      compose(from.type, pattern,
              {read_near(from, "i", type), read_near(from, "i", type), read_near(from, "i", type)}),
      true);
  return true;
}

bool ProgramGenerator::stencil_of_rows(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 2, 2, true);
  if (found == nullptr || found->type.scalar == Scalar::boolean) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  const std::string& m = from.type.sizes[1];
  if (!affordable(scope, n, 2 * extent(m))) return false;
  const std::string& x = from.name;
  std::string pattern;
  switch (below(3)) {
    case 0:
      pattern = x + "[i, j] + " + x + "[(i - 1) % " + n + ", j] - " + x + "[(i + 1) % " + n +
                ", j] + " + x + "[i, (j - 1) % " + m + "] * " + x + "[i, (j + 1) % " + m + "]";
      break;
    case 1:
      pattern = x + "[i64.max 0 (i - 1), j] + " + x + "[i, i64.min (" + m + " - 1) (j + 1)] - " +
                x + "[i, j]";
      break;
    default:
      pattern = "if i > 0 && i < " + n + " - 1 && j > 0 && j < " + m + " - 1 then " + x +
                "[i - 1, j] + " + x + "[i + 1, j] + " + x + "[i, j - 1] + " + x +
                "[i, j + 1] else " + x + "[i, j]";
  }
  bind(scope, out, from.type,
       leaf(from.type, "tabulate_2d " + n + " " + m + " (\\i j -> " + pattern + ")"), true);
  return true;
}

// Reads at affine places: sums over windows, with a stride, of a product with weights.
bool ProgramGenerator::windows(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, true);
  if (found == nullptr || found->type.scalar == Scalar::boolean || scope.level > 1) return false;
  const Variable from = *found;
  const std::string name = name_of(from.type.scalar);
  const std::string width = std::to_string(2 + below(4));
  const std::string stride = std::to_string(1 + below(3));
  const std::string& n = from.type.sizes[0];
  if (!affordable(scope, n, 6 * (from.type.rank() > 1 ? 6 * extent(from.type.sizes[1]) : 1))) {
    return false;
  }
  const std::string count = "i64.max 0 ((" + n + " - " + width + ") / " + stride + " + 1)";
  if (from.type.rank() == 1) {
    const std::string sum = one_in(2) ? name + ".sum (tabulate " + width + " (\\j -> " + from.name +
                                            "[i * " + stride + " + j] * " + name + ".i64 (j + 1)))"
                                      : name + ".maximum " + from.name + "[i * " + stride +
                                            ":i * " + stride + " + " + width + "]";
    bind_sized(scope, out, from.type,
               leaf(from.type, "tabulate (" + count + ") (\\i -> " + sum + ")"), true);
    return true;
  }
  const std::string& m = from.type.sizes[1];
  const std::string columns = fresh("k");
  Type type = from.type;
  type.sizes[1] = columns;
  bind_sized(
      scope, out, type,
      leaf(type, "tabulate_2d (" + count + ") (i64.max 0 (" + m + " - 1)) (\\i j -> " + name +
                     ".sum (flatten (tabulate_2d " + width + " 2 (\\k l -> " + from.name + "[i * " +
                     stride + " + k, j + l] * " + name + ".i64 (k + 2 * l)))))"),
      true);
  out.back().pattern = "[" + columns + "]" + out.back().pattern;
  scope.sizes.push_back(columns);
  return true;
}

// A scan that begins again where a flag is set; the last of each segment, scattered.
bool ProgramGenerator::segmented(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 1, true);
  if (found == nullptr || found->type.scalar == Scalar::boolean || scope.depth <= 0) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  if (!affordable(scope, n, 3)) return false;
  const std::string name = name_of(from.type.scalar);
  const Operator op = associative(from.type.scalar);
  Scope nested = inside(scope, n, extent(n));
  enter(nested, "i", scalar_type(Scalar::i64));
  nested.variables.back().below = n;
  std::vector<Source> children;
  children.push_back(condition(nested, 2));
  children.push_back(variable(from));
  const std::string scanned = "let flags = map (\\i -> @) (iota " + n +
                              ") in let (_, sums) = "
                              "unzip (scan (\\(f: bool, v: " +
                              name + ") (g: bool, w: " + name + ") -> (f || g, if g then w else " +
                              op.text + " v w)) (false, " + op.neutral + ") (zip flags @)) in ";
  if (one_in(2)) {
    bind(scope, out, from.type, compose(from.type, scanned + "sums", std::move(children)), true);
    return true;
  }
  const std::string packed =
      "let ends = map (\\i -> i == " + n + " - 1 || flags[(i + 1) % " + n + "]) (iota " + n +
      ") in let places = scan (+) 0 (map i64.bool ends) in scatter (replicate " + n + " 0" + name +
      ") (map2 (\\e p -> if e then p - 1 else -1) ends places) sums";
  bind(scope, out, from.type, compose(from.type, scanned + packed, std::move(children)), true);
  return true;
}

// x_i = a_i x_(i-1) + b_i, as a scan of functions.
bool ProgramGenerator::recurrence(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 1, true);
  if (found == nullptr || found->type.scalar == Scalar::boolean) return false;
  const Variable from = *found;
  const Variable other = *like(scope, from.type);
  const std::string name = name_of(from.type.scalar);
  const std::string factor = is_real(from.type.scalar) ? "(\\x -> " + name + ".sin x * 0.9)" : "id";
  bind(scope, out, from.type,
       compose(from.type,
               "let (_, values) = unzip (scan (\\(a1: " + name + ", b1: " + name +
                   ") (a2: " + name + ", b2: " + name +
                   ") -> (a1 * a2, b1 * a2 + b2)) (1, 0) (zip (map " + factor + " @) @)) in values",
               {variable(from), variable(other)}),
       true);
  return true;
}

// The nearest of some rows to each row: a contraction, and a reduction of pairs over it.
bool ProgramGenerator::distances(Scope& scope, Statements& out) {
  const Variable* first = array(scope, 2, 2, true);
  if (first == nullptr || first->type.scalar == Scalar::boolean) return false;
  const Variable a = *first;
  std::vector<const Variable*> others;
  for (const Variable* each : arrays(scope, 2, 2, true)) {
    if (each->type.scalar == a.type.scalar && each->type.sizes[1] == a.type.sizes[1]) {
      others.push_back(each);
    }
  }
  const Variable b = *pick(others);
  if (!affordable(scope, a.type.sizes[0], extent(a.type.sizes[1]) * extent(b.type.sizes[0]))) {
    return false;
  }
  const std::string name = name_of(a.type.scalar);
  const Type type = array_of({a.type.sizes[0]}, element_of(a.type));
  const std::string reduced = one_in(2) ? name + ".minimum" : name + ".sum";
  bind(scope, out, type,
       compose(type,
               "map (\\x -> " + reduced + " (map (\\y -> " + name +
                   ".sum (map2 (\\p q -> (p - q) * (p - q)) x y)) @)) @",
               {variable(b), variable(a)}),
       true);
  return true;
}

}  // namespace dagaz::fuzz
