// Formulas that become functions of a module, written with the operators of C++: a Term is a value
// with the place where instructions go.
//
// Products and sums may become fused multiplications and additions when machine code is made, so
// what counts on the rounding of a product takes rounded_product.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/Intrinsics.h>

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// A real number, an integer or a truth value.
struct Term {
  llvm::IRBuilder<>* builder = nullptr;
  llvm::Value* value = nullptr;

  Term with(llvm::Value* other) const { return {builder, other}; }
  llvm::Type* type() const { return value->getType(); }
  bool is_real() const { return type()->isFloatingPointTy(); }
  /// A number of the same type.
  Term like(double number) const;
};

Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
/// Of reals.
Term operator/(Term a, Term b);
Term operator-(Term a);
inline Term operator+(Term a, double b) { return a + a.like(b); }
inline Term operator-(Term a, double b) { return a - a.like(b); }
inline Term operator*(Term a, double b) { return a * a.like(b); }
inline Term operator-(double a, Term b) { return b.like(a) - b; }
inline Term operator*(double a, Term b) { return b.like(a) * b; }
inline Term operator/(double a, Term b) { return b.like(a) / b; }

/// Of reals; false where one of them is NaN.
Term less(Term a, Term b);
Term equal(Term a, Term b);
inline Term less(Term a, double b) { return less(a, a.like(b)); }
inline Term equal(Term a, double b) { return equal(a, a.like(b)); }
inline Term more(Term a, double b) { return less(a.like(b), a); }
Term where(Term condition, Term yes, Term no);

/// One rounding.
Term fma(Term a, Term b, Term c);
inline Term fma(Term a, double b, Term c) { return fma(a, a.like(b), c); }
/// A product that is not fused with the sum that takes it.
Term rounded_product(Term a, Term b);
Term magnitude(Term a);
Term with_sign(Term a, Term sign);
/// The nearest integer, to even ones in the middle; and the next one towards zero.
Term rounded(Term a);
Term truncated(Term a);
/// c₀ + x (c₁ + x (c₂ + …))
Term polynomial(Term x, std::span<const double> coefficients);

/// The bits of a real as an integer, and back.
Term bits(Term a);
Term real_of_bits(Term a, llvm::Type* type);

/// high + low, where low is at most half a unit in the last place of high.
struct Pair {
  Term high;
  Term low;
};

/// a + b without an error (Knuth), and where |a| ≥ |b| (Dekker).
Pair exact_sum(Term a, Term b);
Pair quick_sum(Term a, Term b);
Pair exact_product(Term a, Term b);

/// An internal function of reals of the module `part`, while its body is written.
class KernelFormula {
 public:
  KernelFormula(PartModule& part, llvm::Function* function)
      : frame_(part, function, Side::kernel), function_(function) {
    b().SetInsertPoint(llvm::BasicBlock::Create(part.context, "", function));
  }

  llvm::IRBuilder<>& b() { return frame_.builder(); }
  Term term(llvm::Value* value) { return {&b(), value}; }
  Term parameter(unsigned number) { return term(function_->getArg(number)); }
  Term number(double value) { return term(llvm::ConstantFP::get(b().getDoubleTy(), value)); }
  /// Of the type of another.
  Term infinity(Term like) { return term(llvm::ConstantFP::getInfinity(like.type())); }
  Term not_a_number(Term like) { return term(llvm::ConstantFP::getNaN(like.type())); }
  Term word(std::uint64_t value) { return term(b().getInt64(value)); }
  Term widened(Term x) { return term(b().CreateFPCast(x.value, b().getDoubleTy())); }
  Term narrowed(Term x, llvm::Type* type) { return term(b().CreateFPCast(x.value, type)); }
  /// Of f64, by any function that kernels have.
  Term math(ScalarOp op, const std::vector<Term>& arguments);
  Term call(llvm::Function* function, const std::vector<Term>& arguments);
  Term member(Term structure, unsigned number) {
    return term(b().CreateExtractValue(structure.value, number));
  }

  /// Goes to one of two new blocks.
  std::pair<llvm::BasicBlock*, llvm::BasicBlock*> branch(Term condition);
  void continue_in(llvm::BasicBlock* block) { b().SetInsertPoint(block); }
  llvm::BasicBlock* block() { return frame_.block(""); }
  llvm::BasicBlock* here() { return b().GetInsertBlock(); }
  Term choice(llvm::Type* type) { return term(b().CreatePHI(type, 2)); }
  void give(Term result) { b().CreateRet(result.value); }
  void give(const std::vector<Term>& results);
  PartModule& part() { return frame_.part(); }

 private:
  FunctionFrame frame_;
  llvm::Function* function_;
};

/// What `choice` made is `value` when control comes from `block`.
void comes(Term choice, Term value, llvm::BasicBlock* block);

/// The function of that name, and whether it is there already.
struct FoundFunction {
  llvm::Function* function;
  bool known;
};
FoundFunction find_function(PartModule& part, const std::string& name, llvm::Type* result,
                            const std::vector<llvm::Type*>& parameters);

}  // namespace dagaz::codegen
