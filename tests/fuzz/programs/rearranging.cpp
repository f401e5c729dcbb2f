// Constructs that move elements without computing: shapes, slices, concatenations, gathers, and
// broadcasts, which are ours.
#include "program_generator.h"

#include <algorithm>

namespace dagaz::fuzz {

bool ProgramGenerator::rearrange(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 3, false);
  if (found == nullptr) return false;
  const Variable from = *found;
  const bool matrix = from.type.rank() > 1;
  switch (below(matrix ? 4 : 2)) {
    case 0:
      bind(scope, out, from.type,
           compose(from.type, "rotate @ @", {scalar(scope, Scalar::i64, 1), variable(from)}), true);
      break;
    case 1:
      bind(scope, out, from.type, compose(from.type, "reverse @", {variable(from)}), false);
      break;
    case 2: {
      Type turned = from.type;
      std::swap(turned.sizes[0], turned.sizes[1]);
      bind(scope, out, turned, compose(turned, "transpose @", {variable(from)}), false);
      break;
    }
    default:
      if (from.type.rank() == 3) {
        Type turned = from.type;
        std::swap(turned.sizes[1], turned.sizes[2]);
        bind(scope, out, turned, compose(turned, "map transpose @", {variable(from)}), true);
      } else {
        bind(scope, out, from.type, compose(from.type, "map reverse @", {variable(from)}), true);
      }
  }
  return true;
}

// Rows behind one another, and back.
bool ProgramGenerator::reshape(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 2, 3, true);
  if (found == nullptr) return false;
  const Variable from = *found;
  const std::string& rows = from.type.sizes[0];
  const std::string& columns = from.type.sizes[1];
  Type flat = from.type;
  flat.sizes.erase(flat.sizes.begin());
  if (one_in(2) && from.type.rank() == 2) {
    Type turned = from.type;
    std::swap(turned.sizes[0], turned.sizes[1]);
    bind(scope, out, turned,
         compose(turned,
                 "unflatten (flatten @ :> [" + columns + " * " + rows + "]" +
                     name_of(from.type.scalar) + ")",
                 {variable(from)}),
         false);
    return true;
  }
  if (scope.level > 1 || !affordable(scope, rows, extent(columns))) return false;
  bind_sized(scope, out, flat, compose(flat, "flatten @", {variable(from)}), false);
  return true;
}

bool ProgramGenerator::slice(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, false);
  if (found == nullptr || scope.level > 1) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  std::string place;
  switch (below(8)) {
    case 0: place = ":" + n + " / 2"; break;
    case 1: place = n + " / 3:"; break;
    case 2: place = n + " / 4:" + n + " / 2"; break;
    case 3: place = "::2"; break;
    case 4: place = "::-1"; break;
    case 5: place = "::-3"; break;
    case 6: place = n + " / 5::3"; break;
    default: place = ":i64.min " + n + " " + std::to_string(1 + below(20)); break;
  }
  const Source sliced = compose(from.type, "@[" + place + "]", {variable(from)});
  bind_sized(scope, out, from.type, sliced, false);
  return true;
}

bool ProgramGenerator::slice_of_rows(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 2, 3, true);
  if (found == nullptr || scope.level > 1) return false;
  const Variable from = *found;
  const std::string& m = from.type.sizes[1];
  if (one_in(3)) {
    const std::string guarded = guard(scope, from.type);
    Type column = from.type;
    column.sizes.erase(column.sizes.begin() + 1);
    if (!guarded.empty() && guarded.find(m) != std::string::npos) return false;
    bind(scope, out, column, compose(column, "@[:, @]", {variable(from), index_below(scope, m)}),
         false);
    return true;
  }
  const std::string place = pick_text({"::-1, ::2", "::2, ::-1", ":, ::3", "::-2, :"});
  Type type = from.type;
  const std::string columns = fresh("k");
  type.sizes[1] = columns;
  bind_sized(scope, out, type, compose(type, "@[" + place + "]", {variable(from)}), false);
  out.back().pattern = "[" + columns + "]" + out.back().pattern;
  scope.sizes.push_back(columns);
  return true;
}

bool ProgramGenerator::join(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, false);
  if (found == nullptr || scope.level > 1) return false;
  const Variable from = *found;
  std::vector<const Variable*> others;
  for (const Variable& each : scope.variables) {
    if (each.type.is_array() && row_of(each.type) == row_of(from.type)) others.push_back(&each);
  }
  const Variable other = *pick(others);
  if (!affordable(scope, from.type.sizes[0], 2)) return false;
  Type type = from.type;
  if (large_.contains(other.type.sizes[0])) type.sizes[0] = other.type.sizes[0];
  switch (below(4)) {
    case 0:
      bind_sized(scope, out, type,
                 compose(type, "@ ++ [@]", {variable(from), value(scope, row_of(from.type))}),
                 true);
      break;
    case 1:
      bind_sized(scope, out, type,
                 compose(type, "concat (map id @) (reverse @)", {variable(from), variable(other)}),
                 true);
      break;
    default:
      bind_sized(scope, out, type, compose(type, "@ ++ @", {variable(from), variable(other)}),
                 true);
  }
  return true;
}

bool ProgramGenerator::make_array(Scope& scope, Statements& out) {
  const std::string count = size(scope);
  if (!affordable(scope, count)) return false;
  const Type integers = array_of({count}, scalar_type(Scalar::i64));
  switch (below(4)) {
    case 0: bind(scope, out, integers, leaf(integers, "iota " + count), true); break;
    case 1: {
      const Type type = array_of({count}, scalar_type(scalar_of_palette()));
      bind(scope, out, type,
           compose(type, "replicate " + count + " @", {scalar(scope, type.scalar, 2)}), true);
      break;
    }
    case 2: {
      const Type element = scalar_type(scalar_of_palette());
      const Type type = array_of({"3"}, element);
      bind(scope, out, type,
           compose(type, "[@, @, @]",
                   {value(scope, element), value(scope, element), value(scope, element)}),
           true);
      break;
    }
    default:
      bind(scope, out, integers, leaf(integers, "map (\\i -> 5 - i * i % 7) (0..<" + count + ")"),
           true);
  }
  return true;
}

bool ProgramGenerator::broadcast(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 3, true);
  if (found == nullptr || found->type.scalar == Scalar::boolean) return false;
  const Variable from = *found;
  const Type& type = from.type;
  const Scalar scalar_made = type.scalar;
  // The other operand lacks dimensions, or none.
  std::vector<const Variable*> others;
  for (const Variable& each : scope.variables) {
    if (each.type.kind != TypeKind::scalar || each.type.scalar != scalar_made) continue;
    if (each.type.rank() > type.rank()) continue;
    const auto lacking = static_cast<std::ptrdiff_t>(type.rank() - each.type.rank());
    if (std::equal(each.type.sizes.begin(), each.type.sizes.end(), type.sizes.begin() + lacking)) {
      others.push_back(&each);
    }
  }
  const Variable other = *pick(others);
  const std::string op = pick_text({".+", ".*", ".-"});
  if (one_in(3)) {
    const std::string name = name_of(scalar_made);
    bind(scope, out, type,
         compose(type,
                 "let f (x: " + name + ") (y: " + name + ") = x " + op.substr(1) + " " + name +
                     ".min x y in f.(@, @)",
                 {variable(from), variable(other)}),
         true);
  } else {
    bind(scope, out, type,
         compose(type, "@ " + op + " @ " + op + " @",
                 {variable(from), variable(other), constant(scalar_made)}),
         true);
  }
  return true;
}

// Reads at computed places: neighbours, multiples, values of other arrays.
bool ProgramGenerator::gather(Scope& scope, Statements& out) {
  const Variable* found = array(scope, 1, 2, false);
  if (found == nullptr || scope.depth <= 0) return false;
  const Variable from = *found;
  const std::string& n = from.type.sizes[0];
  const std::string count = size(scope);
  const double row = from.type.rank() == 2 ? extent(from.type.sizes[1]) : 1;
  if (!affordable(scope, count, row)) return false;
  Scope nested = inside(scope, count, extent(count));
  nested.positive.insert(n);
  const std::string i = fresh("i");
  enter(nested, i, scalar_type(Scalar::i64));
  nested.variables.back().below = count;
  Source place = scalar(nested, Scalar::i64, 2);
  const Type type = array_of({count}, row_of(from.type));
  const std::string reach = std::to_string(1 + below(5));
  std::string read = from.name + "[(" + i + " * " + reach + " + @) % " + n + "]";
  if (count != n && !scope.positive.contains(n)) {
    read = "if " + n + " > 0 then " + read + " else " + plainest(row_of(from.type));
  }
  bind(scope, out, type,
       compose(type, "map (\\" + i + " -> " + read + ") (iota " + count + ")", {std::move(place)}),
       true);
  return true;
}

}  // namespace dagaz::fuzz
