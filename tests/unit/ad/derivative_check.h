// What a derivative must satisfy, checked by the interpreter on one function of the array IR.
//
// For the function `f` of a program, its f64 parameters are differentiated and the others (sizes,
// indices, flags) are constants.  Checked are: forward mode against central differences,
// ⟨w, J v⟩ = ⟨Jᵀ w, v⟩, zero adjoints for zero cotangents, the optimised program against the plain
// one, seeds in batches, and, on request, derivatives of derivatives.
#pragma once

#include <string>
#include <vector>

#include "ir/interpret.h"
#include "ir/program.h"

namespace dagaz::ad_test {

struct DerivativeOptions {
  double difference_tolerance = 1e-6;
  double product_tolerance = 1e-10;
  bool second_order = false;
  bool optimise = false;  // before and after differentiation
  std::uint64_t seed = 1;
};

/// The program of a text, which must parse.
ir::Program program_of(const std::string& source);

ir::Value scalar(double value);
ir::Value integer(std::int64_t value);
ir::Value vector(const std::vector<double>& values);
ir::Value integers(const std::vector<std::int64_t>& values);
ir::Value matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values);
double number(const ir::Value& value, std::size_t index = 0);

/// What is wrong with the derivatives of `f` at `arguments`; empty if nothing.
std::string derivative_fault(const ir::Program& program, const std::vector<ir::Value>& arguments,
                             const DerivativeOptions& options = {});

/// The adjoints of the f64 parameters of `f` for the given cotangents, in order.
std::vector<ir::Value> vjp(const ir::Program& program, const std::vector<ir::Value>& arguments,
                           const std::vector<ir::Value>& cotangents);
std::vector<ir::Value> jvp(const ir::Program& program, const std::vector<ir::Value>& arguments,
                           const std::vector<ir::Value>& tangents);
/// The program with the function `vjp` beside `f`, after the AD pass.
ir::Program with_vjp(const ir::Program& program);
/// The same, optimised before and after.
ir::Program optimised_vjp(const ir::Program& program);

}  // namespace dagaz::ad_test
