// The functions behind the entry points: from leaves to parameters, and from results to leaves.
// A wrapper reads the sizes from the arrays' shapes, reports sizes that contradict each other,
// and passes blocks that start at element 0 (an array that does not is copied first).
#include <map>

#include "codegen/emit.h"
#include "codegen/runtime_calls.h"
#include "ir/globals.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Type;
using llvm::Value;

namespace {

/// Where the members of a dz_array and a dz_block are; see runtime/abi.h.
constexpr std::uint64_t array_offset_at = 8;
constexpr std::uint64_t array_shape_at = 24;

/// One leaf of an argument: the parameter it belongs to and its type.
struct Leaf {
  std::string parameter;
  ir::Type type;
  ir::ExternalLeaf external;
};

ir::ExternalElement signed_element(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return ir::ExternalElement::boolean;
    case ScalarType::i8: return ir::ExternalElement::i8;
    case ScalarType::i16: return ir::ExternalElement::i16;
    case ScalarType::i32: return ir::ExternalElement::i32;
    case ScalarType::i64: return ir::ExternalElement::i64;
    case ScalarType::f16: return ir::ExternalElement::f16;
    case ScalarType::f32: return ir::ExternalElement::f32;
    case ScalarType::f64: return ir::ExternalElement::f64;
  }
  DZ_UNREACHABLE("a scalar type");
}

std::vector<Leaf> leaves_of(const Unit& unit, const std::vector<ir::ExternalValue>& values,
                            const std::vector<ir::Type>& types) {
  std::vector<Leaf> leaves;
  for (const ir::ExternalValue& value : values) {
    const auto& external = unit.program.external_types[static_cast<std::size_t>(value.type)];
    for (const ir::ExternalLeaf& leaf : external.leaves) {
      DZ_CHECK(leaves.size() < types.size(), "an entry point has more leaves than types");
      leaves.push_back(Leaf{value.name, types[leaves.size()], leaf});
    }
  }
  return leaves;
}

/// The leaves of globals, of which only the types are known.
std::vector<Leaf> leaves_of(const std::vector<ir::Type>& types) {
  std::vector<Leaf> leaves;
  for (const ir::Type& type : types) {
    leaves.push_back({"of a constant", type, {signed_element(type.element),
                                              static_cast<int>(type.rank())}});
  }
  return leaves;
}

/// i32 dense(context, array, element bytes, out): a new block with the array's elements.
llvm::Function* dense_copy(PartModule& part) {
  constexpr const char* name = "dz.dense_copy";
  if (llvm::Function* known = part.module.getFunction(name)) return known;
  llvm::IRBuilder<> b(part.context);
  auto* type = llvm::FunctionType::get(
      b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty(), b.getPtrTy()}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, part.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  auto* entry = llvm::BasicBlock::Create(part.context, "", function);
  auto* loop = llvm::BasicBlock::Create(part.context, "", function);
  auto* counted = llvm::BasicBlock::Create(part.context, "", function);
  auto* allocated = llvm::BasicBlock::Create(part.context, "", function);
  auto* failed = llvm::BasicBlock::Create(part.context, "", function);
  Value* array = function->getArg(1);
  const auto member = [&](Type* of, std::uint64_t at) {
    return b.CreateLoad(of, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), array, at));
  };
  b.SetInsertPoint(entry);
  Value* rank = b.CreateZExt(member(b.getInt32Ty(), 20), b.getInt64Ty());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2);
  llvm::PHINode* bytes = b.CreatePHI(b.getInt64Ty(), 2);
  Value* shape = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), array, array_shape_at);
  Value* size = b.CreateLoad(b.getInt64Ty(), b.CreateGEP(b.getInt64Ty(), shape, i));
  Value* product = b.CreateMul(bytes, size);
  Value* next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, loop);
  bytes->addIncoming(function->getArg(2), entry);
  bytes->addIncoming(product, loop);
  b.CreateCondBr(b.CreateICmpULT(next, rank), loop, counted);
  b.SetInsertPoint(counted);
  Value* status = b.CreateCall(runtime_function(part.module, "dz_allocate"),
                               {function->getArg(0), product, function->getArg(3)});
  b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(0)), allocated, failed);
  b.SetInsertPoint(failed);
  b.CreateRet(status);
  b.SetInsertPoint(allocated);
  Value* from = b.CreateMul(member(b.getInt64Ty(), array_offset_at), function->getArg(2));
  b.CreateRet(b.CreateCall(runtime_function(part.module, "dz_copy"),
                           {function->getArg(0), b.CreateLoad(b.getPtrTy(), function->getArg(3)),
                            b.getInt64(0), member(b.getPtrTy(), 0), from, product}));
  return function;
}

/// Emits the wrapper of one entry point, or of the function that computes the globals.
class EntryEmitter {
 public:
  EntryEmitter(PartModule& part, std::size_t number,
               std::vector<tree::Failure>& failures)
      : part_(part), entry_(part.unit.program.entries[number]), failures_(failures),
        builder_(part.context) {
    const std::vector<ir::Type>& given = part.unit.program.entry_inputs[number];
    const std::vector<ir::Type>& results = part.unit.program.entry_outputs[number];
    if (ir::computes_globals(entry_)) {
      inputs_ = leaves_of(given);
      outputs_ = leaves_of(results);
      return;
    }
    inputs_ = leaves_of(part.unit, entry_.inputs, given);
    outputs_ = leaves_of(part.unit, entry_.outputs, results);
    DZ_CHECK(outputs_.size() == results.size(), "an entry point has fewer leaves than types");
    // What follows the arguments are the globals.
    const auto own = static_cast<std::ptrdiff_t>(inputs_.size());
    globals_ = leaves_of(std::vector<ir::Type>(given.begin() + own, given.end()));
  }

  llvm::Function* emit();

 private:
  /// Where a size was first seen.
  struct SeenSize {
    Value* value;
    std::string description;
  };

  Value* call(std::string_view name, const std::vector<Value*>& arguments) {
    return builder_.CreateCall(runtime_function(part_.module, name), arguments);
  }
  Value* member(Value* base, std::uint64_t at, Type* type) {
    return builder_.CreateLoad(type, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(),
                                                                         base, at));
  }
  llvm::BasicBlock* block() {
    return llvm::BasicBlock::Create(part_.context, "", function_);
  }
  llvm::AllocaInst* slot(Type* type) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  }
  void check(Value* status);
  void read_inputs(const std::vector<Leaf>& leaves, Value* from);
  void read_shape(const Leaf& leaf, Value* array);
  void compare_size(Value* size, Value* expected, const std::string& found,
                    const std::string& wanted);
  Value* read_array(const Leaf& leaf, Value* array);
  Value* scalar_from_bits(Value* bits, ScalarType type);
  Value* bits_from_scalar(Value* value, ScalarType type);
  void write_outputs(Value* all);
  void write_array(std::size_t leaf, Value* reference, Value* place);
  Type* value_type(ScalarType type);

  PartModule& part_;
  const ir::EntryPoint& entry_;
  std::vector<tree::Failure>& failures_;
  std::vector<Leaf> inputs_;
  std::vector<Leaf> globals_;
  std::vector<Leaf> outputs_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* leave_ = nullptr;
  llvm::AllocaInst* status_ = nullptr;
  std::map<NameId, SeenSize> sizes_;
  std::vector<Value*> arguments_;             // leaves only
  std::vector<llvm::AllocaInst*> releases_;   // slots of references that the wrapper owns
};

Type* EntryEmitter::value_type(ScalarType type) {
  return FunctionFrame(part_, function_, Side::host).value_type(type);
}

void EntryEmitter::check(Value* status) {
  llvm::BasicBlock* next = block();
  builder_.CreateStore(status, status_);
  builder_.CreateCondBr(builder_.CreateICmpEQ(status, builder_.getInt32(0)), next, leave_);
  builder_.SetInsertPoint(next);
}

Value* EntryEmitter::scalar_from_bits(Value* bits, ScalarType type) {
  if (type == ScalarType::boolean) return builder_.CreateTrunc(bits, builder_.getInt1Ty());
  Type* integer = builder_.getIntNTy(static_cast<unsigned>(ir::bit_width(type)));
  return builder_.CreateBitCast(builder_.CreateTrunc(bits, integer), value_type(type));
}

Value* EntryEmitter::bits_from_scalar(Value* value, ScalarType type) {
  Type* integer = builder_.getIntNTy(static_cast<unsigned>(ir::bit_width(type)));
  return builder_.CreateZExt(builder_.CreateBitCast(value, integer), builder_.getInt64Ty());
}

/// Fails unless `size` is `expected`.
void EntryEmitter::compare_size(Value* size, Value* expected, const std::string& found,
                                const std::string& wanted) {
  llvm::BasicBlock* bad = block();
  llvm::BasicBlock* good = block();
  builder_.CreateCondBr(builder_.CreateICmpEQ(size, expected), good, bad);
  builder_.SetInsertPoint(bad);
  const auto number = static_cast<unsigned>(failures_.size());
  failures_.push_back(tree::Failure{
      "Entry point arguments have invalid sizes: " + found + " is {}, but " + wanted + " is {}.",
      ir::LocationId()});
  llvm::AllocaInst* list = slot(llvm::ArrayType::get(builder_.getInt64Ty(), 2));
  builder_.CreateStore(size, list);
  builder_.CreateStore(expected,
                       builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), list, 1));
  check(call("dz_fail", {function_->getArg(0), builder_.getInt32(number), builder_.getInt32(2),
                         list}));
  builder_.CreateBr(good);
  builder_.SetInsertPoint(good);
}

void EntryEmitter::read_shape(const Leaf& leaf, Value* array) {
  for (std::size_t i = 0; i < leaf.type.rank(); ++i) {
    Value* size = member(array, array_shape_at + 8 * i, builder_.getInt64Ty());
    const std::string here =
        "dimension " + std::to_string(i) + " of argument `" + leaf.parameter + "`";
    const Operand& expected = leaf.type.shape[i];
    if (expected.is_constant()) {
      compare_size(size, builder_.getInt64(expected.constant().bits), here,
                   "the size it must have");
      continue;
    }
    const auto [seen, first] = sizes_.try_emplace(expected.name(), SeenSize{size, here});
    if (!first) compare_size(size, seen->second.value, here, seen->second.description);
  }
}

Value* EntryEmitter::read_array(const Leaf& leaf, Value* array) {
  read_shape(leaf, array);
  llvm::AllocaInst* copy = slot(builder_.getPtrTy());
  releases_.push_back(copy);
  Value* given = member(array, 0, builder_.getPtrTy());
  Value* offset = member(array, array_offset_at, builder_.getInt64Ty());
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* shifted = block();
  llvm::BasicBlock* after = block();
  builder_.CreateCondBr(builder_.CreateICmpEQ(offset, builder_.getInt64(0)), after, shifted);
  builder_.SetInsertPoint(shifted);
  Value* bytes = builder_.getInt64(static_cast<std::uint64_t>(ir::byte_size(leaf.type.element)));
  check(builder_.CreateCall(dense_copy(part_), {function_->getArg(0), array, bytes, copy}));
  Value* copied = builder_.CreateLoad(builder_.getPtrTy(), copy);
  llvm::BasicBlock* copied_in = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  llvm::PHINode* reference = builder_.CreatePHI(builder_.getPtrTy(), 2);
  reference->addIncoming(given, before);
  reference->addIncoming(copied, copied_in);
  return reference;
}

void EntryEmitter::read_inputs(const std::vector<Leaf>& leaves, Value* from) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Leaf& leaf = leaves[i];
    Value* bits = member(from, 8 * i,
                         leaf.type.is_scalar() ? static_cast<Type*>(builder_.getInt64Ty())
                                               : builder_.getPtrTy());
    arguments_.push_back(leaf.type.is_scalar() ? scalar_from_bits(bits, leaf.type.element)
                                               : read_array(leaf, bits));
    if (leaf.type.is_scalar() && leaf.type.element == ScalarType::i64) {
      // Shapes of later arguments and of results may mention it.
      const std::vector<NameId>& names = part_.unit.function(entry_.function).parameters;
      const std::size_t place = arguments_.size() - 1;
      const NameId name = names[static_cast<std::size_t>(entry_.size_parameters) + place];
      sizes_.try_emplace(name, SeenSize{arguments_.back(), "argument `" + leaf.parameter + "`"});
    }
  }
}

void EntryEmitter::write_array(std::size_t i, Value* reference, Value* place) {
  const Leaf& leaf = outputs_[i];
  const std::size_t rank = leaf.type.rank();
  llvm::AllocaInst* shape = slot(llvm::ArrayType::get(builder_.getInt64Ty(), rank));
  for (std::size_t k = 0; k < rank; ++k) {
    const Operand& size = leaf.type.shape[k];
    Value* known = nullptr;
    if (size.is_constant()) {
      known = builder_.getInt64(size.constant().bits);
    } else {
      const auto found = sizes_.find(size.name());
      DZ_CHECK(found != sizes_.end(), "a result of an entry point has an unknown size");
      known = found->second.value;
    }
    builder_.CreateStore(
        known, builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), shape, k));
  }
  check(call("dz_make_array",
             {function_->getArg(0), reference, builder_.getInt64(0),
              builder_.getInt32(static_cast<unsigned>(leaf.external.element)),
              builder_.getInt32(static_cast<unsigned>(rank)), shape, place}));
}

void EntryEmitter::write_outputs(Value* all) {
  const auto first = static_cast<unsigned>(1 + entry_.size_results);
  const auto is_scalar = [&](std::size_t i) { return outputs_[i].type.is_scalar(); };
  const auto result = [&](std::size_t i) {
    return builder_.CreateExtractValue(all, first + static_cast<unsigned>(i));
  };
  // The references are owned from here on, whatever fails.
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (is_scalar(i)) continue;
    releases_.push_back(slot(builder_.getPtrTy()));
    builder_.CreateStore(result(i), releases_.back());
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Value* place = builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(),
                                                       function_->getArg(2), i);
    if (is_scalar(i)) {
      builder_.CreateStore(bits_from_scalar(result(i), outputs_[i].type.element), place);
    } else {
      write_array(i, result(i), place);
    }
  }
}

llvm::Function* EntryEmitter::emit() {
  Type* pointer = builder_.getPtrTy();
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, pointer, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                     symbol(part_.unit, "entry." + entry_.name), part_.module);
  function_->setDoesNotThrow();
  llvm::BasicBlock* start = block();
  llvm::BasicBlock* body = block();
  leave_ = block();
  builder_.SetInsertPoint(start);
  status_ = slot(builder_.getInt32Ty());
  llvm::BranchInst* to_body = builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  read_inputs(inputs_, function_->getArg(1));
  if (!globals_.empty()) {
    read_inputs(globals_, call("dz_global", {function_->getArg(0), builder_.getInt64(0)}));
  }

  const tree::Function& target = part_.unit.function(entry_.function);
  std::vector<Value*> arguments = {function_->getArg(0)};
  for (int i = 0; i < entry_.size_parameters; ++i) {
    const NameId name = target.parameters[static_cast<std::size_t>(i)];
    const auto size = sizes_.find(name);
    DZ_CHECK(size != sizes_.end(), "a size of an entry point occurs in no argument");
    arguments.push_back(size->second.value);
  }
  arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
  Value* all = builder_.CreateCall(declare_function(part_, target), arguments);
  check(builder_.CreateExtractValue(all, 0));
  for (int i = 0; i < entry_.size_results; ++i) {
    const Operand& size = target.results[static_cast<std::size_t>(i)];
    if (!size.is_name()) continue;
    sizes_[size.name()] = {builder_.CreateExtractValue(all, static_cast<unsigned>(i + 1)), ""};
  }
  write_outputs(all);
  builder_.CreateBr(leave_);

  builder_.SetInsertPoint(leave_);
  for (llvm::AllocaInst* owned : releases_) {
    call("dz_release", {builder_.CreateLoad(pointer, owned)});
  }
  builder_.CreateRet(builder_.CreateLoad(builder_.getInt32Ty(), status_));
  builder_.SetInsertPoint(to_body);
  builder_.CreateStore(builder_.getInt32(0), status_);
  for (llvm::AllocaInst* owned : releases_) {
    builder_.CreateStore(llvm::ConstantPointerNull::get(builder_.getPtrTy()), owned);
  }
  return function_;
}

}  // namespace

EntryPoints emit_entry_points(PartModule& part) {
  EntryPoints made{{}, part.unit.program.failures};
  for (std::size_t i = 0; i < part.unit.program.entries.size(); ++i) {
    made.functions.push_back(EntryEmitter(part, i, made.failures).emit());
  }
  return made;
}

}  // namespace dagaz::codegen
