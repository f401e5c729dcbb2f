// The generator of random functions.  It keeps what is in scope by type and size, and grows a body
// statement by statement; each member adds one construct and puts its results into the scope.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/program.h"

namespace dagaz::fuzz {

/// The sizes of the parameters: rows of vectors and matrices.
constexpr std::int64_t outer_size = 3;
constexpr std::int64_t inner_size = 2;

class FunctionGenerator {
 public:
  explicit FunctionGenerator(std::uint64_t seed) : random_(seed) {}

  ir::Program program();

 private:
  using Operand = ir::Operand;
  using NameId = ir::NameId;
  using Builder = ir::Builder;

  /// Vectors of one size, which is at least inner_size.
  struct Family {
    Operand size;
    std::vector<NameId> members;
  };
  /// What may be used where code is being made.
  struct Scope {
    std::vector<Operand> reals;
    std::vector<Operand> integers;    // below all sizes
    std::vector<Family> vectors;      // [inner_size], [outer_size], others
    std::vector<NameId> matrices;     // [outer_size][inner_size]
    Family& rows() { return vectors[0]; }
    Family& columns() { return vectors[1]; }
  };

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_()) % limit; }
  template <typename T>
  T& pick(std::vector<T>& from) {
    return from[below(from.size())];
  }
  NameId pick(Family& family) { return pick(family.members); }
  Operand number(double value) const {
    return Operand(ir::make_float(ir::ScalarType::f64, value));
  }
  Operand constant();
  Operand real(Scope& scope) { return below(8) == 0 ? constant() : pick(scope.reals); }
  NameId copied(NameId array, Builder& out) { return out.add(ir::Copy{array}, "copy"); }

  // function_generator.cpp
  void statements(Scope& scope, Builder& out, std::size_t count, int depth);
  void statement(Scope& scope, Builder& out, int depth);
  void nesting_statement(Scope& scope, Builder& out, int depth);
  Operand arithmetic(Scope& scope, Builder& out);
  void map(Scope& scope, Builder& out, int depth);
  void map_of_rows(Scope& scope, Builder& out, int depth);
  void read(Scope& scope, Builder& out);
  void rearrange(Scope& scope, Builder& out);
  void derivative(Scope& scope, Builder& out, int depth);
  void custom_derivative(Scope& scope, Builder& out);

  // generate_operators.cpp
  struct Operator {
    ir::Lambda op;
    std::vector<Operand> neutral;
  };
  Operator any_operator(Builder& out);
  void reduce_or_scan(Scope& scope, Builder& out);
  void histogram(Scope& scope, Builder& out);
  void scatter(Scope& scope, Builder& out);
  NameId scattered(Scope& scope, Builder& out, NameId consumed);
  void accumulation(Scope& scope, Builder& out);
  void update(Scope& scope, Builder& out);
  void segments(Scope& scope, Builder& out);

  // generate_control.cpp
  void loop(Scope& scope, Builder& out, int depth);
  void while_loop(Scope& scope, Builder& out, int depth);
  void loop_over_array(Scope& scope, Builder& out, int depth);
  void growing_loop(Scope& scope, Builder& out, int depth);
  NameId loops_over_rows(Scope& scope, Builder& out, int depth, NameId matrix);
  int kept();
  Operand condition(Scope& scope, Builder& out);
  void branch(Scope& scope, Builder& out, int depth);
  void branch_of_sizes(Scope& scope, Builder& out, int depth);
  void branch_that_writes(Scope& scope, Builder& out);
  void alternatives(Scope& scope, Builder& out, int depth);

  std::mt19937_64 random_;
};

}  // namespace dagaz::fuzz
