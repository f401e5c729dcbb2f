// The generator of whole programs as source text.  It keeps what is in scope with its type, and
// grows bodies statement by statement: a construct takes what it finds and names what it makes.
// Sizes are names (parameters, or bound by `let [k] …`), so every program is well-typed with its
// sizes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "source_tree.h"
#include "types.h"

namespace dagaz::fuzz {

struct GeneratorOptions {
  bool derivatives = false;  // of functions of reals, among the statements
};

struct Parameter {
  std::string name;
  Type type;
};

struct GeneratedProgram {
  Source source;
  std::vector<std::string> sizes;      // the size parameters of `main`
  std::vector<Parameter> parameters;   // of `main`
};

class ProgramGenerator {
 public:
  ProgramGenerator(std::uint64_t seed, GeneratorOptions options)
      : random_(seed), options_(options) {}

  GeneratedProgram program();

 private:
  struct Variable {
    std::string name;
    Type type;
    int level = 0;        // of the function body that binds it
    bool fresh = false;   // no other name shares its memory, so it may be written over
    std::string below;    // an i64 that is at least 0 and below this size
  };
  /// What may be used where code is being made.
  struct Scope {
    std::vector<Variable> variables;
    std::vector<std::string> sizes;
    std::set<std::string> positive;   // sizes that are known to be
    int level = 0;
    double points = 1;                // how often the code runs, about
    int depth = 3;                    // constructs that may still be nested
  };
  struct Statement {
    std::string pattern;
    Source value;
  };
  using Statements = std::vector<Statement>;
  using Construct = bool (ProgramGenerator::*)(Scope&, Statements&);
  struct Choice {
    Construct make;
    int weight;
  };

  // ---- chance
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  std::string pick_text(std::initializer_list<const char*> from) {
    return from.begin()[below(from.size())];
  }
  std::string fresh(const char* base) { return std::string(base) + "_" + std::to_string(names_++); }

  // ---- program_generator.cpp: the program as a whole, bodies
  void choose_palette();
  void add_parameters(Scope& scope, GeneratedProgram& program);
  Type result_type(Scope& scope);
  Source body(Scope scope, const Type& wanted, std::size_t count);
  Source closed(const Type& wanted, Statements statements, Source result);
  void statements(Scope& scope, Statements& out, std::size_t count);
  Source value(Scope& scope, const Type& wanted);
  Source composed(Scope& scope, const Type& wanted);
  void share(Scope& scope, const Source& value);
  const Variable& bind(Scope& scope, Statements& out, const Type& type, Source value, bool fresh);
  void bind_sized(Scope& scope, Statements& out, const Type& type, Source value, bool fresh);
  Scope inside(const Scope& scope, const std::string& size, double points);
  void enter(Scope& scope, const std::string& name, const Type& type);
  std::vector<const Variable*> arrays(const Scope& scope, std::size_t least_rank,
                                      std::size_t most_rank, bool plain);
  const Variable* array(const Scope& scope, std::size_t least_rank, std::size_t most_rank,
                        bool plain);
  const Variable* array_of_reals(const Scope& scope, std::size_t rank);
  const Variable* same_size(const Scope& scope, const std::string& size);
  const Variable* like(const Scope& scope, const Type& type);
  std::string size(const Scope& scope);
  double extent(const std::string& size) const;
  bool affordable(const Scope& scope, const std::string& size, double factor = 1) const;
  Scalar scalar_of_palette() { return pick(palette_); }
  Type element_type(const Scope& scope);
  Source variable(const Variable& from) { return leaf(from.type, from.name); }

  // ---- scalars.cpp
  Source scalar(Scope& scope, Scalar type, int depth);
  Source scalar_leaf(Scope& scope, Scalar type);
  Source scalar_of_array(Scope& scope, const Variable& from);
  Source constant(Scalar type);
  Source converted(Scope& scope, Scalar to, int depth);
  Source integer_operation(Scope& scope, Scalar type, int depth);
  Source real_operation(Scope& scope, Scalar type, int depth);
  Source condition(Scope& scope, int depth);
  Source index_below(Scope& scope, const std::string& size);
  Source any_index(Scope& scope);
  std::string guard(const Scope& scope, const Type& type);
  struct Operator {
    std::string text;
    std::string neutral;
  };
  Operator associative(Scalar type);

  // ---- maps.cpp: what runs for every element
  bool map(Scope& scope, Statements& out);
  bool map_of_rows(Scope& scope, Statements& out);
  bool tabulate(Scope& scope, Statements& out);
  bool reduce(Scope& scope, Statements& out);
  bool reduce_rows(Scope& scope, Statements& out);
  bool reduce_pairs(Scope& scope, Statements& out);
  bool scan(Scope& scope, Statements& out);
  bool histogram(Scope& scope, Statements& out);
  bool scatter(Scope& scope, Statements& out);
  bool filter(Scope& scope, Statements& out);
  bool irregular(Scope& scope, Statements& out);
  bool pipeline(Scope& scope, Statements& out);

  // ---- rearranging.cpp: shapes, slices, broadcasts
  bool rearrange(Scope& scope, Statements& out);
  bool reshape(Scope& scope, Statements& out);
  bool slice(Scope& scope, Statements& out);
  bool slice_of_rows(Scope& scope, Statements& out);
  bool join(Scope& scope, Statements& out);
  bool make_array(Scope& scope, Statements& out);
  bool broadcast(Scope& scope, Statements& out);
  bool gather(Scope& scope, Statements& out);

  // ---- idioms.cpp: what programs are made of
  bool product(Scope& scope, Statements& out);
  bool product_of_three(Scope& scope, Statements& out);
  bool sum_over_two(Scope& scope, Statements& out);
  bool outer_product(Scope& scope, Statements& out);
  bool softmax(Scope& scope, Statements& out);
  bool moments_of_rows(Scope& scope, Statements& out);
  bool stencil(Scope& scope, Statements& out);
  bool stencil_of_rows(Scope& scope, Statements& out);
  bool windows(Scope& scope, Statements& out);
  bool segmented(Scope& scope, Statements& out);
  bool recurrence(Scope& scope, Statements& out);
  bool distances(Scope& scope, Statements& out);
  Source read_near(const Variable& from, const std::string& index, Scalar type);

  // ---- control.cpp: branches, loops, updates
  bool branch(Scope& scope, Statements& out);
  bool alternatives(Scope& scope, Statements& out);
  bool choice_of_sizes(Scope& scope, Statements& out);
  bool loop(Scope& scope, Statements& out);
  bool loop_in_place(Scope& scope, Statements& out);
  bool loop_over_elements(Scope& scope, Statements& out);
  bool while_loop(Scope& scope, Statements& out);
  bool growing_loop(Scope& scope, Statements& out);
  bool iterated_stencil(Scope& scope, Statements& out);
  bool update(Scope& scope, Statements& out);
  bool update_rows(Scope& scope, Statements& out);
  Source consumed(Scope& scope, const Variable& from);
  Source consumed_beside(Scope& scope, const Variable& from,
                         std::initializer_list<const Source*> others, const Variable& other);

  // ---- declarations.cpp: functions, modules, derivatives
  bool local_function(Scope& scope, Statements& out);
  bool call(Scope& scope, Statements& out);
  bool update_of_record(Scope& scope, Statements& out);
  bool use_of_module(Scope& scope, Statements& out);
  bool derivative(Scope& scope, Statements& out);
  bool jacobian(Scope& scope, Statements& out);
  void declare_function();
  void declare_module();
  struct Function {
    std::string name;
    std::vector<Type> parameters;   // sizes `p` and `q` are those of the call
    Type result;
  };
  struct Module {
    std::string name;
    Scalar scalar;
  };

  std::mt19937_64 random_;
  GeneratorOptions options_;
  int names_ = 0;
  bool risky_ = false;               // whether indices may be out of bounds
  int nested_indices_ = 0;           // how many indices the one that is being made stands in
  std::vector<Scalar> palette_;
  std::set<std::string> large_;      // sizes that may be in the hundreds
  std::vector<Source> declarations_;
  std::vector<Function> functions_;
  std::vector<Module> modules_;
};

}  // namespace dagaz::fuzz
