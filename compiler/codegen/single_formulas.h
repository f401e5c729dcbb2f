// Exponential, logarithm and hyperbolic tangent of f32, a number or a vector of them: a few tens of
// instructions without a branch.  Errors stay below two units in the last place.
#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace dagaz::codegen {

/// Puts formulas on values of type `real` where `builder` is.
class SingleFormulas {
 public:
  /// `avx512`: vectors of 16 for a host that has it.
  enum class Side { host, avx512, ptx };
  SingleFormulas(llvm::IRBuilder<>& builder, llvm::Type* real, Side side)
      : b_(builder),
        real_(real),
        word_(real->getWithNewType(llvm::Type::getInt32Ty(real->getContext()))),
        side_(side) {}

  llvm::Value* exponential(llvm::Value* x);
  llvm::Value* logarithm(llvm::Value* x);
  llvm::Value* hyperbolic_tangent(llvm::Value* x);

 private:
  llvm::Value* number(float value) { return llvm::ConstantFP::get(real_, value); }
  llvm::Value* word(std::uint32_t value) { return llvm::ConstantInt::get(word_, value); }
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {real_}, {a, b, c});
  }
  llvm::Value* binary(llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* b) {
    return b_.CreateIntrinsic(id, {real_}, {a, b});
  }
  llvm::Value* bits(llvm::Value* x) { return b_.CreateBitCast(x, word_); }
  llvm::Value* real(llvm::Value* x) { return b_.CreateBitCast(x, real_); }
  llvm::Value* polynomial(llvm::Value* x, const std::vector<float>& coefficients);
  llvm::Value* power_of_two(llvm::Value* k);
  llvm::Value* at_most(llvm::Value* x, float highest);
  llvm::Value* at_least(llvm::Value* x, float lowest);
  /// `shifted` has k in its low bits, `whole` is k, `fraction` is eᶠ.
  struct Reduced {
    llvm::Value* shifted;
    llvm::Value* whole;
    llvm::Value* fraction;
  };
  Reduced reduced_exponential(llvm::Value* x);
  llvm::Value* exponential_by_hardware(llvm::Value* x);
  llvm::Value* scaled_exponential(llvm::Value* x);
  llvm::Value* share(llvm::Value* a, llvm::Value* b);

  llvm::IRBuilder<>& b_;
  llvm::Type* real_;
  llvm::Type* word_;
  Side side_;
};

}  // namespace dagaz::codegen
