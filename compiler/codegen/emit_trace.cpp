#include "codegen/emit_trace.h"

#include <algorithm>
#include <cstddef>

#include "abi.h"
#include "ir/traces.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

// Whoever copies the function adds to its name.
std::string own_name(const std::string& function) {
  return ir::trace_function(ir::traced_by(function));
}

/// A scalar, or the dense array of these sizes that begins at `start`.
struct Leaf {
  ScalarType type;
  Operand value;
  Operand start = {};
  std::vector<Operand> sizes = {};
};

std::vector<Leaf> leaves_of(const tree::Call& call) {
  const ir::Traced traced = ir::traced_by(call.function);
  std::size_t size = 0;
  std::size_t argument = 0;
  for (const ir::TracedLeaf& leaf : traced.leaves) argument += leaf.rank;
  std::vector<Leaf> leaves;
  for (const ir::TracedLeaf& one : traced.leaves) {
    Leaf leaf{one.element, call.arguments[argument++]};
    if (one.rank > 0) leaf.start = call.arguments[argument++];
    for (std::size_t k = 0; k < one.rank; ++k) leaf.sizes.push_back(call.arguments[size++]);
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

class TraceEmitter {
 public:
  TraceEmitter(FunctionFrame& emitter, const tree::Call& call)
      : emitter_(emitter), b_(emitter.builder()), leaves_(leaves_of(call)) {
    const std::vector<std::string> all = traces_of(emitter.part().unit.program);
    const auto found = std::lower_bound(all.begin(), all.end(), own_name(call.function));
    number_ = static_cast<std::uint64_t>(found - all.begin());
  }

  /// The status of printing; each array is the address of its first element and its sizes.
  Value* print(Value* context) {
    std::vector<Value*> words;
    for (const Leaf& leaf : leaves_) {
      const bool array = !leaf.sizes.empty();
      words.push_back(array ? b_.CreatePtrToInt(first_of(leaf), b_.getInt64Ty())
                            : word_of(emitter_.value(leaf.value), leaf.type));
      for (const Operand& size : leaf.sizes) words.push_back(emitter_.value(size));
    }
    llvm::AllocaInst* list = emitter_.stack_slot(
        llvm::ArrayType::get(b_.getInt64Ty(), std::max<std::size_t>(words.size(), 1)), "traced");
    for (unsigned i = 0; i < words.size(); ++i) b_.CreateStore(words[i], word_at(list, i));
    Value* number = b_.getInt32(static_cast<unsigned>(number_));
    return emitter_.runtime_call("dz_print_trace", {context, number, list});
  }

  /// Writes a record, if there is room for it.
  void record(Value* failure_word) {
    Value* buffer = b_.CreateAlignedLoad(
        b_.getPtrTy(), byte_at(failure_word, offsetof(dz_failure_word, traces)), llvm::Align(8));
    Value* length = length_of_record();
    Value* taken = b_.CreateAdd(length, b_.getInt64(header_words));
    Value* start = add_atomically(byte_at(buffer, offsetof(dz_trace_buffer, used)), taken);
    Value* capacity = b_.CreateAlignedLoad(
        b_.getInt64Ty(), byte_at(buffer, offsetof(dz_trace_buffer, capacity)), llvm::Align(8));
    llvm::BasicBlock* fits = emitter_.block("trace");
    llvm::BasicBlock* full = emitter_.block("trace.lost");
    llvm::BasicBlock* after = emitter_.block("traced");
    b_.CreateCondBr(b_.CreateICmpSLE(b_.CreateAdd(start, taken), capacity), fits, full);
    b_.SetInsertPoint(full);
    add_atomically(byte_at(buffer, offsetof(dz_trace_buffer, lost)), b_.getInt64(1));
    b_.CreateBr(after);
    b_.SetInsertPoint(fits);
    write(word_at(byte_at(buffer, offsetof(dz_trace_buffer, words)), start), length);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

 private:
  static constexpr std::uint64_t header_words = 2;  // of a record

  Value* byte_at(Value* base, std::size_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
  }
  Value* word_at(Value* base, std::uint64_t index) { return word_at(base, b_.getInt64(index)); }
  Value* word_at(Value* base, Value* index) {
    return b_.CreateInBoundsGEP(b_.getInt64Ty(), base, index);
  }
  Value* add_atomically(Value* place, Value* value) {
    return b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, place, value, llvm::Align(8),
                              llvm::AtomicOrdering::Monotonic);
  }
  /// A word whose low bytes are those of a scalar.
  Value* word_of(Value* scalar, ScalarType type) {
    llvm::Type* bits = b_.getIntNTy(static_cast<unsigned>(8 * ir::byte_size(type)));
    return b_.CreateZExt(b_.CreateBitCast(emitter_.to_memory(scalar, type), bits),
                         b_.getInt64Ty());
  }
  Value* first_of(const Leaf& leaf) {
    return b_.CreateInBoundsGEP(emitter_.memory_type(leaf.type), emitter_.value(leaf.value),
                                emitter_.value(leaf.start));
  }
  Value* count_of(const Leaf& leaf) {
    Value* count = b_.getInt64(1);
    for (const Operand& size : leaf.sizes) count = b_.CreateMul(count, emitter_.value(size));
    return count;
  }
  Value* length_of_record() {
    Value* length = b_.getInt64(0);
    for (const Leaf& leaf : leaves_) {
      length = b_.CreateAdd(length,
                            b_.CreateAdd(count_of(leaf), b_.getInt64(leaf.sizes.size())));
    }
    return length;
  }

  void write(Value* record, Value* length) {
    Value* next = record;
    const auto put = [&](Value* word) {
      b_.CreateStore(word, next);
      next = word_at(next, 1);
    };
    put(b_.getInt64(number_ + 1));
    put(length);
    for (const Leaf& leaf : leaves_) {
      if (leaf.sizes.empty()) {
        put(word_of(emitter_.value(leaf.value), leaf.type));
        continue;
      }
      for (const Operand& size : leaf.sizes) put(emitter_.value(size));
      Value* count = count_of(leaf);
      write_elements(leaf, next, count);
      next = word_at(next, count);
    }
  }
  void write_elements(const Leaf& leaf, Value* target, Value* count) {
    llvm::Type* type = emitter_.memory_type(leaf.type);
    const llvm::Align alignment(static_cast<std::uint64_t>(ir::byte_size(leaf.type)));
    Value* source = first_of(leaf);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* body = emitter_.block("trace.element");
    llvm::BasicBlock* after = emitter_.block("trace.elements");
    b_.CreateCondBr(b_.CreateICmpSGT(count, b_.getInt64(0)), body, after);
    b_.SetInsertPoint(body);
    llvm::PHINode* index = b_.CreatePHI(b_.getInt64Ty(), 2);
    Value* element = b_.CreateAlignedLoad(type, b_.CreateInBoundsGEP(type, source, index),
                                          alignment);
    b_.CreateStore(word_of(emitter_.from_memory(element, leaf.type), leaf.type),
                   word_at(target, index));
    Value* next = b_.CreateAdd(index, b_.getInt64(1));
    index->addIncoming(b_.getInt64(0), before);
    index->addIncoming(next, body);
    b_.CreateCondBr(b_.CreateICmpSLT(next, count), body, after);
    b_.SetInsertPoint(after);
  }

  FunctionFrame& emitter_;
  llvm::IRBuilder<>& b_;
  const std::vector<Leaf> leaves_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::vector<std::string> traces_of(const tree::Program& program) {
  std::vector<std::string> names;
  for (const tree::Function& function : program.functions) {
    if (ir::is_trace(function.name)) names.push_back(own_name(function.name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Value* emit_trace(FunctionFrame& emitter, const tree::Call& call, Value* context) {
  return TraceEmitter(emitter, call).print(context);
}

void emit_kernel_trace(FunctionFrame& emitter, const tree::Call& call, Value* failure_word) {
  TraceEmitter(emitter, call).record(failure_word);
}

}  // namespace dagaz::codegen
