// Scalar expressions.  Reals stay bounded, so that what rounding changes stays small; integers wrap
// around as they like.
#include "program_generator.h"

#include <algorithm>

namespace dagaz::fuzz {

constexpr int most_nested_indices = 3;

Source ProgramGenerator::constant(Scalar type) {
  const Type as = scalar_type(type);
  const std::string name = name_of(type);
  if (type == Scalar::boolean) return leaf(as, one_in(2) ? "true" : "false");
  if (is_real(type)) {
    static const std::vector<std::string> reals = {"0", "1", "0.5", "2", "0.25", "1.5", "0.1", "3"};
    const std::string text = pick(reals) + name;
    return leaf(as, one_in(3) ? "(-" + text + ")" : text);
  }
  if (one_in(20)) return leaf(as, name + (one_in(2) ? ".highest" : ".lowest"));
  const std::string text = std::to_string(below(one_in(3) ? 100 : 5)) + name;
  return leaf(as, is_signed(type) && one_in(4) ? "(-" + text + ")" : text);
}

// An index that is in bounds wherever there are elements, or now and then any.
Source ProgramGenerator::index_below(Scope& scope, const std::string& size) {
  const Type type = scalar_type(Scalar::i64);
  const bool may_nest = nested_indices_ < most_nested_indices;
  if (risky_ && may_nest && one_in(6)) return compose(type, "(@)", {any_index(scope)});
  std::vector<std::string> indices;
  for (const Variable& each : scope.variables) {
    if (each.below == size) indices.push_back(each.name);
  }
  if (!indices.empty() && !one_in(4)) {
    const std::string& index = pick(indices);
    switch (below(6)) {
      case 0: return leaf(type, "((" + index + " + 1) % " + size + ")");
      case 1: return leaf(type, "(" + size + " - 1 - " + index + ")");
      case 2:
        return leaf(type, "(i64.max 0 (" + index + " - " + std::to_string(1 + below(3)) + "))");
      default: return leaf(type, index);
    }
  }
  if (!may_nest || one_in(4)) {
    return leaf(type, "(" + std::to_string(below(9)) + " % " + size + ")");
  }
  return compose(type, "(@ % " + size + ")", {any_index(scope)});
}

// An integer that may be an element of an array, at an index that may be one…
Source ProgramGenerator::any_index(Scope& scope) {
  ++nested_indices_;
  Source index = scalar(scope, Scalar::i64, 1);
  --nested_indices_;
  return index;
}

// "n > 0 && m > 0" for what is not known to be; empty when all is.
std::string ProgramGenerator::guard(const Scope& scope, const Type& type) {
  std::string text;
  for (const std::string& size : type.sizes) {
    const bool literal = size[0] >= '1' && size[0] <= '9';
    if (literal || scope.positive.contains(size)) continue;
    text += (text.empty() ? "" : " && ") + size + " > 0";
  }
  return text;
}

Source ProgramGenerator::scalar_of_array(Scope& scope, const Variable& from) {
  const Type type = element_of(from.type);
  std::string pattern = from.name + "[";
  std::vector<Source> indices;
  for (const std::string& size : from.type.sizes) {
    pattern += indices.empty() ? "@" : ", @";
    indices.push_back(index_below(scope, size));
  }
  pattern += "]";
  const std::string guarded = risky_ && one_in(4) ? "" : guard(scope, from.type);
  if (!guarded.empty()) {
    pattern = "(if " + guarded + " then " + pattern + " else " + plainest(type) + ")";
  }
  return compose(type, pattern, std::move(indices));
}

Source ProgramGenerator::scalar_leaf(Scope& scope, Scalar type) {
  const Type as = scalar_type(type);
  std::vector<Source> found;
  std::vector<const Variable*> readable;
  for (const Variable& each : scope.variables) {
    if (each.type == as) found.push_back(variable(each));
    const bool fields = each.type.kind == TypeKind::tuple || each.type.kind == TypeKind::record;
    if (!each.type.is_array() && fields) {
      for (std::size_t i = 0; i < each.type.parts.size(); ++i) {
        if (each.type.parts[i] != as) continue;
        const bool tuple = each.type.kind == TypeKind::tuple;
        found.push_back(leaf(as, each.name + "." + (tuple ? std::to_string(i) : part_name(i))));
      }
    }
    if (each.type.is_array() && element_of(each.type) == as) readable.push_back(&each);
  }
  if (type == Scalar::i64 && one_in(4)) found.push_back(leaf(as, pick(scope.sizes)));
  if (!readable.empty() && (found.empty() || one_in(3))) {
    return scalar_of_array(scope, *pick(readable));
  }
  if (found.empty() || one_in(8)) return constant(type);
  return found[std::max(below(found.size()), below(found.size()))];
}

// From another type.  Reals that become integers are cut off first, for what lies outside the type
// is not what is tested; integers that become reals stay small.
Source ProgramGenerator::converted(Scope& scope, Scalar to, int depth) {
  const Type type = scalar_type(to);
  const Scalar from = one_in(4) ? Scalar::i64 : scalar_of_palette();
  if (from == to || to == Scalar::boolean) return scalar_leaf(scope, to);
  const std::string name = std::string(name_of(to)) + "." + name_of(from) + " ";
  Source inner = scalar(scope, from, depth - 1);
  if (is_real(from) && is_integer(to)) {
    const std::string module = name_of(from);
    const std::string low = is_signed(to) ? "(-100)" : "0";
    return compose(type,
                   "(" + name + "(" + module + ".max " + low + " (" + module + ".min 100 @)))",
                   {std::move(inner)});
  }
  if (is_integer(from) && is_real(to)) {
    return compose(type, "(" + name + "(@ % 11))", {std::move(inner)});
  }
  return compose(type, "(" + name + "@)", {std::move(inner)});
}

Source ProgramGenerator::integer_operation(Scope& scope, Scalar type, int depth) {
  const Type as = scalar_type(type);
  const std::string name = name_of(type);
  const auto inner = [&] { return scalar(scope, type, depth - 1); };
  const std::string bits = std::to_string(1 + below(static_cast<std::size_t>(bits_of(type)) - 1));
  switch (below(12)) {
    case 0:
    case 1:
    case 2: return compose(as, "(@ " + pick_text({"+", "-", "*"}) + " @)", {inner(), inner()});
    case 3: return compose(as, "(@ " + pick_text({"&", "|", "^"}) + " @)", {inner(), inner()});
    case 4:
      return compose(as, "(" + name + pick_text({".min", ".max"}) + " @ @)", {inner(), inner()});
    case 5:
      return compose(as,
                     "(@ " + pick_text({"/", "%", "//", "%%"}) + " " +
                         std::to_string(2 + below(9)) + name + ")",
                     {inner()});
    case 6:
      // Odd, so never zero.
      return compose(as, "(@ " + pick_text({"/", "%", "//", "%%"}) + " (@ | 1" + name + "))",
                     {inner(), inner()});
    case 7:
      return compose(as, "(@ " + pick_text({"<<", ">>"}) + " " + bits + name + ")", {inner()});
    case 8: return compose(as, "(@ ** " + std::to_string(below(4)) + name + ")", {inner()});
    case 9: return compose(as, pick_text({"(!@)", "(-@)"}), {inner()});
    case 10: return compose(as, "(" + name + pick_text({".abs", ".sgn"}) + " @)", {inner()});
    default: return compose(as, "(@ + @)", {inner(), inner()});
  }
}

Source ProgramGenerator::real_operation(Scope& scope, Scalar type, int depth) {
  const Type as = scalar_type(type);
  const std::string name = name_of(type);
  const auto inner = [&] { return scalar(scope, type, depth - 1); };
  switch (below(12)) {
    case 0:
    case 1: return compose(as, "(@ + @)", {inner(), inner()});
    case 2: return compose(as, "(@ - @)", {inner(), inner()});
    case 3: return compose(as, "(0.5" + name + " * @ * @)", {inner(), inner()});
    case 4:
    case 5: return compose(as, "(" + name + ".tanh (@ * @))", {inner(), inner()});
    case 6:
      return compose(as, "(@ / (1 + " + name + ".abs (@ * @)))", {inner(), inner(), inner()});
    case 7:
      return compose(as, "(" + name + pick_text({".min", ".max"}) + " @ @)", {inner(), inner()});
    case 8:
      return compose(as, "(" + name + pick_text({".sin", ".cos", ".atan", ".abs"}) + " @)",
                     {inner()});
    case 9: return compose(as, "(" + name + ".exp (-(" + name + ".abs @)))", {inner()});
    case 10:
      return compose(as,
                     "(" + name + pick_text({".sqrt", ".log"}) + " (1 + " + name + ".abs (@ * @)))",
                     {inner(), inner()});
    default: return compose(as, "(-@)", {inner()});
  }
}

Source ProgramGenerator::condition(Scope& scope, int depth) {
  const Type type = scalar_type(Scalar::boolean);
  if (depth > 1 && one_in(4)) {
    return compose(type, "(@ " + pick_text({"&&", "||"}) + " @)",
                   {condition(scope, depth - 1), condition(scope, depth - 1)});
  }
  const Scalar of = one_in(4) ? Scalar::i64 : scalar_of_palette();
  if (of == Scalar::boolean) return scalar_leaf(scope, of);
  // Reals are compared with constants that no rounding comes near.
  if (is_real(of)) {
    return compose(type, "(@ " + pick_text({"<", ">"}) + " 0.30103" + name_of(of) + ")",
                   {scalar(scope, of, depth - 1)});
  }
  return compose(type, "(@ " + pick_text({"<", ">", "<=", ">=", "==", "!="}) + " @)",
                 {scalar(scope, of, depth - 1), scalar(scope, of, depth - 1)});
}

Source ProgramGenerator::scalar(Scope& scope, Scalar type, int depth) {
  if (depth <= 0 || one_in(4)) return scalar_leaf(scope, type);
  const Type as = scalar_type(type);
  if (one_in(10)) {
    return compose(as, "(if @ then @ else @)",
                   {condition(scope, depth - 1), scalar(scope, type, depth - 1),
                    scalar(scope, type, depth - 1)});
  }
  if (type == Scalar::boolean) {
    return one_in(5) ? compose(as, "(!@)", {condition(scope, depth)}) : condition(scope, depth);
  }
  if (one_in(6)) return converted(scope, type, depth);
  return is_real(type) ? real_operation(scope, type, depth) : integer_operation(scope, type, depth);
}

// An associative operator with its neutral element.
ProgramGenerator::Operator ProgramGenerator::associative(Scalar type) {
  const std::string name = name_of(type);
  if (type == Scalar::boolean) {
    return one_in(2) ? Operator{"(&&)", "true"} : Operator{"(||)", "false"};
  }
  const std::size_t choice = below(is_real(type) ? 5 : 8);
  switch (choice) {
    case 0: return {name + ".max", name + ".lowest"};
    case 1: return {name + ".min", name + ".highest"};
    case 5: return {"(*)", "1" + name};
    case 6: return {"(^)", "0" + name};
    case 7: return {"(|)", "0" + name};
    default: return {"(+)", "0" + name};
  }
}

}  // namespace dagaz::fuzz
