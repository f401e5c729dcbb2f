// The program as a whole; bodies, and values of a wanted type.
#include "program_generator.h"

#include <algorithm>

namespace dagaz::fuzz {

// Nominal extents, for the cost of code: what the interpreter can run a few thousand times.
double ProgramGenerator::extent(const std::string& size) const {
  if (large_.contains(size)) return 100;
  if (!size.empty() && size[0] >= '0' && size[0] <= '9') return std::stod(size);
  return 12;
}

bool ProgramGenerator::affordable(const Scope& scope, const std::string& size,
                                  double factor) const {
  return scope.points * extent(size) * factor <= 12000;
}

std::string ProgramGenerator::size(const Scope& scope) {
  return one_in(8) ? std::to_string(1 + below(4)) : pick(scope.sizes);
}

Type ProgramGenerator::element_type(const Scope& scope) {
  Type type = scalar_type(scalar_of_palette());
  switch (below(10)) {
    case 0: type = tuple_of({type, scalar_type(scalar_of_palette())}); break;
    case 1:
      type = tuple_of({type, scalar_type(scalar_of_palette())});
      type.kind = TypeKind::record;
      break;
    case 2:
      type = tuple_of({type, scalar_type(scalar_of_palette())});
      type.kind = TypeKind::sum;
      break;
    case 3:
    case 4:
    case 5: {
      const std::string row = size(scope);
      if (affordable(scope, row, 4)) type = array_of({row}, type);
      break;
    }
    default: break;
  }
  return type;
}

// ---- what is in scope

static bool is_plain(const Type& type) { return type.kind == TypeKind::scalar; }

std::vector<const ProgramGenerator::Variable*> ProgramGenerator::arrays(const Scope& scope,
                                                                        std::size_t least_rank,
                                                                        std::size_t most_rank,
                                                                        bool plain) {
  std::vector<const Variable*> found;
  for (const Variable& each : scope.variables) {
    if (each.type.rank() >= least_rank && each.type.rank() <= most_rank &&
        (!plain || is_plain(each.type))) {
      found.push_back(&each);
    }
  }
  return found;
}

// One of them, the later ones more often: what is never read is removed before it is tested.
const ProgramGenerator::Variable* ProgramGenerator::array(const Scope& scope,
                                                          std::size_t least_rank,
                                                          std::size_t most_rank, bool plain) {
  const auto found = arrays(scope, least_rank, most_rank, plain);
  if (found.empty()) return nullptr;
  return found[std::max(below(found.size()), below(found.size()))];
}

const ProgramGenerator::Variable* ProgramGenerator::array_of_reals(const Scope& scope,
                                                                   std::size_t rank) {
  std::vector<const Variable*> found;
  for (const Variable* each : arrays(scope, rank, rank, true)) {
    if (is_real(each->type.scalar)) found.push_back(each);
  }
  return found.empty() ? nullptr : pick(found);
}

const ProgramGenerator::Variable* ProgramGenerator::same_size(const Scope& scope,
                                                              const std::string& size) {
  std::vector<const Variable*> found;
  for (const Variable& each : scope.variables) {
    if (each.type.is_array() && each.type.sizes[0] == size) found.push_back(&each);
  }
  return found.empty() ? nullptr : pick(found);
}

const ProgramGenerator::Variable* ProgramGenerator::like(const Scope& scope, const Type& type) {
  std::vector<const Variable*> found;
  for (const Variable& each : scope.variables) {
    if (each.type == type) found.push_back(&each);
  }
  if (found.empty()) return nullptr;
  return found[std::max(below(found.size()), below(found.size()))];
}

ProgramGenerator::Scope ProgramGenerator::inside(const Scope& scope, const std::string& size,
                                                 double points) {
  Scope nested = scope;
  ++nested.level;
  --nested.depth;
  nested.points *= points;
  if (!size.empty()) nested.positive.insert(size);
  return nested;
}

// A parameter; what had its name before cannot be seen any more.
void ProgramGenerator::enter(Scope& scope, const std::string& name, const Type& type) {
  std::erase_if(scope.variables, [&](const Variable& each) { return each.name == name; });
  scope.variables.push_back(Variable{name, type, scope.level, false, ""});
}

// ---- statements

// A value that may share the memory of what it mentions.
void ProgramGenerator::share(Scope& scope, const Source& value) {
  for (const Source& child : value.children) share(scope, child);
  if (!value.children.empty()) return;
  for (Variable& each : scope.variables) {
    if (value.text[0].find(each.name) != std::string::npos) each.fresh = false;
  }
}

const ProgramGenerator::Variable& ProgramGenerator::bind(Scope& scope, Statements& out,
                                                         const Type& type, Source value,
                                                         bool is_fresh) {
  if (!is_fresh && !type.is_scalar()) share(scope, value);
  const std::string name = fresh(type.is_array() ? "xs" : "x");
  out.push_back(Statement{name + ": " + text_of(type), std::move(value)});
  scope.variables.push_back(Variable{name, type, scope.level, is_fresh, ""});
  return scope.variables.back();
}

// An array whose outer size is found out by binding it; `type` has any name there.
void ProgramGenerator::bind_sized(Scope& scope, Statements& out, const Type& type, Source value,
                                  bool is_fresh) {
  Type sized = type;
  const std::string name = fresh("k");
  if (large_.contains(type.sizes[0])) large_.insert(name);
  sized.sizes[0] = name;
  bind(scope, out, sized, std::move(value), is_fresh);
  out.back().pattern = "[" + name + "] (" + out.back().pattern + ")";
  scope.sizes.push_back(name);
}

Source ProgramGenerator::closed(const Type& wanted, Statements statements, Source result) {
  for (std::size_t i = statements.size(); i-- > 0;) {
    std::vector<Source> children;
    children.push_back(std::move(statements[i].value));
    children.push_back(std::move(result));
    result =
        compose(wanted, "let " + statements[i].pattern + " =\n    @\n  in @", std::move(children));
  }
  return result;
}

Source ProgramGenerator::body(Scope scope, const Type& wanted, std::size_t count) {
  Statements list;
  statements(scope, list, scope.depth > 0 ? count : 0);
  Source result = value(scope, wanted);
  return compose(wanted, "(@)", {closed(wanted, std::move(list), std::move(result))});
}

void ProgramGenerator::statements(Scope& scope, Statements& out, std::size_t count) {
  using G = ProgramGenerator;
  static constexpr Choice choices[] = {{&G::map, 8},
                                       {&G::map_of_rows, 7},
                                       {&G::tabulate, 4},
                                       {&G::reduce, 4},
                                       {&G::reduce_rows, 3},
                                       {&G::reduce_pairs, 2},
                                       {&G::scan, 5},
                                       {&G::histogram, 4},
                                       {&G::scatter, 4},
                                       {&G::filter, 3},
                                       {&G::irregular, 4},
                                       {&G::pipeline, 3},
                                       {&G::rearrange, 4},
                                       {&G::reshape, 3},
                                       {&G::slice, 4},
                                       {&G::slice_of_rows, 2},
                                       {&G::join, 3},
                                       {&G::make_array, 3},
                                       {&G::broadcast, 3},
                                       {&G::gather, 4},
                                       {&G::product, 6},
                                       {&G::product_of_three, 3},
                                       {&G::sum_over_two, 2},
                                       {&G::outer_product, 2},
                                       {&G::softmax, 4},
                                       {&G::moments_of_rows, 3},
                                       {&G::stencil, 4},
                                       {&G::stencil_of_rows, 4},
                                       {&G::windows, 4},
                                       {&G::segmented, 3},
                                       {&G::recurrence, 2},
                                       {&G::distances, 2},
                                       {&G::branch, 4},
                                       {&G::alternatives, 3},
                                       {&G::choice_of_sizes, 2},
                                       {&G::loop, 5},
                                       {&G::loop_in_place, 5},
                                       {&G::loop_over_elements, 2},
                                       {&G::while_loop, 3},
                                       {&G::growing_loop, 2},
                                       {&G::iterated_stencil, 3},
                                       {&G::update, 5},
                                       {&G::update_rows, 3},
                                       {&G::local_function, 2},
                                       {&G::call, 4},
                                       {&G::update_of_record, 2},
                                       {&G::use_of_module, 2}};
  std::size_t all = 0;
  for (const Choice& each : choices) all += static_cast<std::size_t>(each.weight);
  for (std::size_t made = 0, tried = 0; made < count && tried < 6 * count; ++tried) {
    if (options_.derivatives && one_in(8)) {
      if (one_in(3) ? jacobian(scope, out) : derivative(scope, out)) ++made;
      continue;
    }
    std::size_t at = below(all);
    const Choice* choice = choices;
    while (at >= static_cast<std::size_t>(choice->weight)) {
      at -= static_cast<std::size_t>(choice->weight);
      ++choice;
    }
    if ((this->*choice->make)(scope, out)) ++made;
  }
}

// ---- values of a type

Source ProgramGenerator::composed(Scope& scope, const Type& wanted) {
  if (wanted.kind == TypeKind::sum) {
    const std::size_t which = below(wanted.parts.size());
    return compose(wanted, "(#" + part_name(which) + " @ : " + text_of(wanted) + ")",
                   {value(scope, wanted.parts[which])});
  }
  const bool record = wanted.kind == TypeKind::record;
  std::string pattern = record ? "{" : "(";
  std::vector<Source> children;
  for (std::size_t i = 0; i < wanted.parts.size(); ++i) {
    if (i > 0) pattern += ", ";
    if (record) pattern += part_name(i) + " = ";
    pattern += "@";
    children.push_back(value(scope, wanted.parts[i]));
  }
  return compose(wanted, pattern + (record ? "}" : ")"), std::move(children));
}

Source ProgramGenerator::value(Scope& scope, const Type& wanted) {
  if (wanted.is_scalar()) return scalar(scope, wanted.scalar, 2);
  const Variable* found = like(scope, wanted);
  if (found != nullptr && !one_in(4)) {
    // From here on two names may stand for the array.
    for (Variable& each : scope.variables) {
      if (each.name == found->name) each.fresh = false;
    }
    return variable(*found);
  }
  if (!wanted.is_array()) return composed(scope, wanted);
  const std::string& size = wanted.sizes[0];
  if (!affordable(scope, size, wanted.rank() > 1 ? extent(wanted.sizes[1]) : 1) || one_in(6)) {
    return compose(wanted, "(replicate " + size + " @)", {value(scope, row_of(wanted))});
  }
  Scope nested = inside(scope, size, extent(size));
  nested.depth = std::min(nested.depth, 1);
  const std::string index = fresh("i");
  enter(nested, index, scalar_type(Scalar::i64));
  nested.variables.back().below = size;
  const Variable* along = same_size(scope, size);
  if (along == nullptr || one_in(3)) {
    return compose(wanted, "(tabulate " + size + " (\\(" + index + ": i64) -> @))",
                   {value(nested, row_of(wanted))});
  }
  const std::string element = fresh("e");
  nested.variables.pop_back();
  enter(nested, element, row_of(along->type));
  return compose(wanted, "(map (\\(" + element + ": " + text_of(row_of(along->type)) + ") -> @) @)",
                 {value(nested, row_of(wanted)), variable(*along)});
}

// ---- the program

void ProgramGenerator::choose_palette() {
  static const std::vector<Scalar> all = {Scalar::i8,  Scalar::i16, Scalar::u8,     Scalar::u16,
                                          Scalar::u32, Scalar::u64, Scalar::boolean};
  palette_ = {one_in(3) ? Scalar::f64 : Scalar::f32, one_in(2) ? Scalar::i64 : Scalar::i32};
  if (one_in(2)) palette_.push_back(pick(all));
  if (one_in(4)) palette_.push_back(Scalar::boolean);
  if (one_in(2)) palette_.push_back(palette_[0]);
  if (options_.derivatives) palette_.insert(palette_.end(), 2, palette_[0]);
}

void ProgramGenerator::add_parameters(Scope& scope, GeneratedProgram& program) {
  const auto parameter = [&](const Type& type) {
    const std::string name = fresh("p");
    program.parameters.push_back(Parameter{name, type});
    enter(scope, name, type);
  };
  const Scalar first = palette_[0];
  parameter(array_of({"n"}, scalar_type(first)));
  parameter(array_of({one_in(2) ? "n" : "m", one_in(2) ? "m" : "n"}, scalar_type(first)));
  // Every size is that of some parameter.
  for (const std::string& each : program.sizes) {
    parameter(array_of({each}, scalar_type(scalar_of_palette())));
  }
  if (one_in(2)) parameter(array_of({"m", pick(program.sizes)}, scalar_type(scalar_of_palette())));
  if (one_in(4)) {
    parameter(array_of({"m", pick(program.sizes) == "n" ? "m" : "3", "m"}, scalar_type(first)));
  }
  parameter(scalar_type(scalar_of_palette()));
  parameter(scalar_type(Scalar::i64));
}

// A tuple of types that are in scope; some of what is composed leaves it.
Type ProgramGenerator::result_type(Scope& scope) {
  std::vector<Type> results;
  const std::size_t count = 1 + below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const Variable* found = array(scope, 0, 3, true);
    results.push_back(found != nullptr ? found->type : scalar_type(palette_[0]));
    std::erase_if(scope.variables, [&](const Variable& each) {
      return scope.variables.size() > 4 && !is_plain(each.type) && one_in(3);
    });
  }
  results.push_back(scalar_type(scalar_of_palette()));
  return tuple_of(std::move(results));
}

GeneratedProgram ProgramGenerator::program() {
  choose_palette();
  risky_ = one_in(24);
  GeneratedProgram result;
  result.sizes = {"n", "m"};
  if (one_in(2)) result.sizes.push_back("q");
  large_.insert("n");
  if (one_in(2)) declare_function();
  if (one_in(3)) declare_function();
  if (one_in(3)) declare_module();

  Scope scope;
  scope.sizes = result.sizes;
  add_parameters(scope, result);
  std::string head = "entry main";
  for (const std::string& each : result.sizes) head += " [" + each + "]";
  for (const Parameter& each : result.parameters) {
    head += " (" + each.name + ": " + text_of(each.type) + ")";
  }
  Statements list;
  statements(scope, list, 3 + below(8));
  const Type type = result_type(scope);
  Source last = compose(type, "@", {composed(scope, type)});
  std::string pattern;
  std::vector<Source> children = std::move(declarations_);
  for (std::size_t i = 0; i < children.size(); ++i) pattern += "@";
  children.push_back(closed(type, std::move(list), std::move(last)));
  // Sizes of results that are bound inside are named by the checker.
  result.source = declaration(pattern + head + " =\n  @\n", std::move(children));
  return result;
}

}  // namespace dagaz::fuzz
