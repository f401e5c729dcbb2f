// Operations on vectors with a value for each lane.
//
// Operations for which the machine has vector instructions take whole vectors; functions of reals
// go to the C library's vector functions, in pieces as long as these take; what is left is done
// lane by lane.
#include "codegen/scalar_operations.h"

namespace dagaz::codegen {

using llvm::Value;

Value* splat(FunctionFrame& frame, Value* value, unsigned lanes) {
  if (lanes == 0 || value->getType()->isVectorTy()) return value;
  return frame.builder().CreateVectorSplat(lanes, value);
}

Value* part_of(llvm::IRBuilder<>& builder, Value* vector, unsigned begin, unsigned count) {
  std::vector<int> lanes;
  for (unsigned k = 0; k < count; ++k) lanes.push_back(static_cast<int>(begin + k));
  return builder.CreateShuffleVector(vector, lanes);
}

namespace {

/// Operations that emit_scalar.cpp emits for vectors as for scalars.
bool has_vector_form(ScalarOp op, ScalarType type) {
  switch (op) {
    case ScalarOp::fmod: return false;
    case ScalarOp::float_to_signed: case ScalarOp::float_to_unsigned:
    case ScalarOp::round:
    case ScalarOp::float_convert: return type != ScalarType::f16;
    case ScalarOp::add: case ScalarOp::sub: case ScalarOp::mul: case ScalarOp::neg:
    case ScalarOp::sdiv_floor:
    case ScalarOp::smod_floor:
    case ScalarOp::sdiv:
    case ScalarOp::srem:
    case ScalarOp::udiv:
    case ScalarOp::urem:
    case ScalarOp::fdiv: case ScalarOp::iabs: case ScalarOp::fabs: case ScalarOp::fsgn:
    case ScalarOp::smin: case ScalarOp::smax: case ScalarOp::umin: case ScalarOp::umax:
    case ScalarOp::fmin: case ScalarOp::fmax: case ScalarOp::eq: case ScalarOp::ne:
    case ScalarOp::slt: case ScalarOp::sle: case ScalarOp::ult: case ScalarOp::ule:
    case ScalarOp::flt: case ScalarOp::fle: case ScalarOp::bit_and: case ScalarOp::bit_or:
    case ScalarOp::bit_xor: case ScalarOp::bit_not: case ScalarOp::select:
    case ScalarOp::sign_extend: case ScalarOp::zero_extend: case ScalarOp::signed_to_float:
    case ScalarOp::unsigned_to_float: case ScalarOp::to_boolean: case ScalarOp::float_to_bits:
    case ScalarOp::bits_to_float: case ScalarOp::sqrt: case ScalarOp::rsqrt:
    case ScalarOp::ceil: case ScalarOp::floor: case ScalarOp::trunc: case ScalarOp::fma:
    case ScalarOp::isinf: case ScalarOp::isnan: case ScalarOp::copysign: return true;
    default: return false;
  }
}

/// The two halves one after the other.
Value* joined(llvm::IRBuilder<>& builder, std::vector<Value*> parts) {
  while (parts.size() > 1) {
    std::vector<Value*> pairs;
    for (std::size_t k = 0; k < parts.size(); k += 2) {
      const unsigned count =
          2 * llvm::cast<llvm::FixedVectorType>(parts[k]->getType())->getNumElements();
      std::vector<int> lanes;
      for (unsigned l = 0; l < count; ++l) lanes.push_back(static_cast<int>(l));
      pairs.push_back(builder.CreateShuffleVector(parts[k], parts[k + 1], lanes));
    }
    parts = std::move(pairs);
  }
  return parts[0];
}

/// Null where the C library has no such function, or not for vectors.
Value* vector_function(FunctionFrame& frame, ScalarOp op, ScalarType type,
                       const std::vector<Value*>& arguments, unsigned lanes) {
  const char* scalar_name = library_function(op);
  if (scalar_name == nullptr || (type != ScalarType::f32 && type != ScalarType::f64)) {
    return nullptr;
  }
  const std::string name = std::string(scalar_name) + (type == ScalarType::f32 ? "f" : "");
  unsigned width = lanes;
  llvm::StringRef vector_name;
  for (; width > 1 && vector_name.empty(); width /= 2) {
    vector_name = frame.part().library.getVectorizedFunction(
        name, llvm::ElementCount::getFixed(width), false);
    if (!vector_name.empty()) break;
  }
  if (vector_name.empty()) return nullptr;
  auto* vector = llvm::FixedVectorType::get(frame.value_type(type), width);
  const std::vector<llvm::Type*> types(arguments.size(), vector);
  llvm::FunctionCallee callee = frame.part().module.getOrInsertFunction(
      vector_name, llvm::FunctionType::get(vector, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  llvm::IRBuilder<>& builder = frame.builder();
  std::vector<Value*> parts;
  for (unsigned begin = 0; begin < lanes; begin += width) {
    std::vector<Value*> piece;
    for (Value* argument : arguments) piece.push_back(part_of(builder, argument, begin, width));
    parts.push_back(builder.CreateCall(callee, piece));
  }
  return joined(builder, std::move(parts));
}

}  // namespace

Value* lane_operation(FunctionFrame& frame, ScalarOp op, ScalarType type, ScalarType result,
                      std::vector<Value*> arguments, unsigned lanes) {
  llvm::IRBuilder<>& builder = frame.builder();
  for (Value*& argument : arguments) argument = splat(frame, argument, lanes);
  if (has_vector_form(op, type)) return scalar_operation(frame, op, type, result, arguments, lanes);
  if (Value* called = vector_function(frame, op, type, arguments, lanes)) return called;
  Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(frame.value_type(result), lanes));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    std::vector<Value*> one;
    for (Value* argument : arguments) one.push_back(builder.CreateExtractElement(argument, lane));
    all = builder.CreateInsertElement(all, scalar_operation(frame, op, type, result, one), lane);
  }
  return all;
}

}  // namespace dagaz::codegen
