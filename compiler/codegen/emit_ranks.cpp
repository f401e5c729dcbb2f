#include "codegen/emit_ranks.h"

#include <cstddef>

#include "abi.h"
#include "ir/ranks.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

dz_combine combine_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::add: return DZ_ADD;
    case ScalarOp::mul: return DZ_MULTIPLY;
    case ScalarOp::smin: return DZ_SIGNED_MINIMUM;
    case ScalarOp::smax: return DZ_SIGNED_MAXIMUM;
    case ScalarOp::umin: return DZ_UNSIGNED_MINIMUM;
    case ScalarOp::umax: return DZ_UNSIGNED_MAXIMUM;
    case ScalarOp::bit_and: return DZ_BIT_AND;
    case ScalarOp::bit_or: return DZ_BIT_OR;
    case ScalarOp::bit_xor: return DZ_BIT_XOR;
    default: break;
  }
  DZ_UNREACHABLE("an operation that ranks do not combine by");
}

/// Signs are in the operation, not in the type.
dz_element element_of(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return DZ_BOOL;
    case ScalarType::i8: return DZ_I8;
    case ScalarType::i16: return DZ_I16;
    case ScalarType::i32: return DZ_I32;
    case ScalarType::i64: return DZ_I64;
    case ScalarType::f16: return DZ_F16;
    case ScalarType::f32: return DZ_F32;
    case ScalarType::f64: return DZ_F64;
  }
  DZ_UNREACHABLE("scalar type");
}

class RankCallEmitter {
 public:
  RankCallEmitter(FunctionFrame& emitter, const tree::Call& call, Value* context, Value* place,
                  Arena arena)
      : emitter_(emitter),
        b_(emitter.builder()),
        call_(call),
        context_(context),
        place_(place),
        arena_(arena),
        what_(ir::rank_call_of(call.function)) {}

  void emit() {
    if (sends()) runtime("dz_rank_place", {place_});
    if (sends() && may_begin() && arena_ == Arena::may_lack) {
      emitter_.check_status(runtime("dz_rank_agree", {}));
    }
    switch (what_.kind) {
      case ir::RankKind::index: return gives(runtime("dz_rank_index", {}));
      case ir::RankKind::size: return gives(runtime("dz_rank_size", {}));
      case ir::RankKind::first: return gives(runtime("dz_rank_first", {next()}));
      case ir::RankKind::count: return gives(runtime("dz_rank_count", {next()}));
      case ir::RankKind::agree: return emitter_.check_status(runtime("dz_rank_agree", {}));
      case ir::RankKind::gather: return gather("dz_rank_gather");
      case ir::RankKind::leave: return gather("dz_rank_leave");
      case ir::RankKind::whole: return whole();
      case ir::RankKind::turn: return turn();
      case ir::RankKind::windows: return windows("dz_rank_windows");
      case ir::RankKind::start_windows: return windows("dz_rank_start_windows");
      case ir::RankKind::wait_windows: return wait_windows();
      case ir::RankKind::add_rows: return add_rows();
      case ir::RankKind::request: return request();
      case ir::RankKind::deliver: return deliver();
      case ir::RankKind::collect: return collect();
      case ir::RankKind::reduce: return reduce();
    }
    DZ_UNREACHABLE("kind of collective operation");
  }

 private:
  /// A part of a dense array: its block, and where it begins.
  struct Memory {
    Value* block;
    Value* offset;  // in bytes
  };

  bool sends() const {
    return what_.kind == ir::RankKind::agree ||
           (what_.kind != ir::RankKind::leave && !what_.leaves.empty());
  }
  /// Whether a thread of a kernel may have lacked memory since ranks met.
  bool may_begin() const {
    return what_.kind != ir::RankKind::agree && what_.kind != ir::RankKind::wait_windows;
  }
  Value* runtime(std::string_view name, std::vector<Value*> arguments) {
    arguments.insert(arguments.begin(), context_);
    return emitter_.runtime_call(name, arguments);
  }
  const Operand& operand() { return call_.arguments[argument_++]; }
  Value* next() { return emitter_.value(operand()); }
  Memory next_memory(ScalarType type) {
    Value* block = emitter_.reference(operand().name());
    return {block, b_.CreateMul(next(), emitter_.integer(ir::byte_size(type)))};
  }
  Value* product(std::size_t count) {
    Value* all = emitter_.integer(1);
    for (std::size_t k = 0; k < count; ++k) all = b_.CreateMul(all, next());
    return all;
  }
  void gives(Value* scalar) { emitter_.assign(call_.results[result_++], scalar); }
  void gives_block(Value* slot) {
    emitter_.assign_reference(call_.results[result_++], b_.CreateLoad(b_.getPtrTy(), slot));
    gives(emitter_.integer(0));
  }
  /// The memory belongs to the function as soon as the runtime has made it.
  Value* result_slot() {
    Value* slot = emitter_.stack_slot(b_.getPtrTy(), "whole");
    b_.CreateStore(llvm::ConstantPointerNull::get(b_.getPtrTy()), slot);
    return slot;
  }

  void gather(std::string_view function) {
    const ir::RankLeaf& leaf = what_.leaves.front();
    next();  // the rows of this rank
    Value* rows = next();
    Value* row_bytes =
        b_.CreateMul(product(leaf.rank - 1), emitter_.integer(ir::byte_size(leaf.element)));
    const Memory part = next_memory(leaf.element);
    Value* slot = result_slot();
    emitter_.check_status(
        runtime(function, {part.block, part.offset, rows, row_bytes, slot}));
    gives_block(slot);
  }

  /// What a list in memory has at a place, for calls with windows.
  void set(Value* memory, std::size_t offset, Value* value) {
    b_.CreateStore(value, byte_of(memory, offset));
  }
  void describe_window(Value* memory, const ir::RankLeaf& leaf) {
    next();  // the rows of this rank
    for (const std::size_t member :
         {offsetof(dz_rank_window, rows), offsetof(dz_rank_window, points),
          offsetof(dz_rank_window, low), offsetof(dz_rank_window, high),
          offsetof(dz_rank_window, wraps)}) {
      set(memory, member, next());
    }
    next();  // the rows of the window
    Value* row = product(leaf.rank - 1);
    set(memory, offsetof(dz_rank_window, row_bytes),
        b_.CreateMul(row, emitter_.integer(ir::byte_size(leaf.element))));
  }
  void set_memory(Value* memory, std::size_t block, std::size_t offset, ScalarType element) {
    const Memory part = next_memory(element);
    set(memory, block, part.block);
    set(memory, offset, part.offset);
  }

  void whole() {
    for (const ir::RankLeaf& leaf : what_.leaves) {
      product(leaf.rank);
      emitter_.check_status(runtime("dz_rank_whole", {next_memory(leaf.element).block}));
    }
  }

  void turn() {
    const std::size_t count = what_.leaves.size();
    llvm::AllocaInst* all = list(count * sizeof(dz_rank_turned), "turned");
    for (std::size_t i = 0; i < count; ++i) {
      Value* one = byte_of(all, i * sizeof(dz_rank_turned));
      const ScalarType element = what_.leaves[i].element;
      for (const std::size_t member :
           {offsetof(dz_rank_turned, later), offsetof(dz_rank_turned, rows),
            offsetof(dz_rank_turned, columns), offsetof(dz_rank_turned, outer)}) {
        set(one, member, next());
      }
      next();  // the rows of this rank, or all
      set(one, offsetof(dz_rank_turned, middle), next());
      next();
      set(one, offsetof(dz_rank_turned, inner_bytes),
          b_.CreateMul(next(), emitter_.integer(ir::byte_size(element))));
      next();  // and what is then
      next();
      set_memory(one, offsetof(dz_rank_turned, block), offsetof(dz_rank_turned, offset), element);
    }
    emitter_.check_status(
        runtime("dz_rank_turn", {b_.getInt32(static_cast<unsigned>(count)), all}));
    for (std::size_t i = 0; i < count; ++i) {
      gives_block(byte_of(all, i * sizeof(dz_rank_turned) + offsetof(dz_rank_turned, turned)));
    }
  }

  void windows(std::string_view function) {
    const std::size_t count = what_.leaves.size();
    llvm::AllocaInst* all = list(count * sizeof(dz_rank_window), "windows");
    for (std::size_t i = 0; i < count; ++i) {
      Value* one = byte_of(all, i * sizeof(dz_rank_window));
      describe_window(one, what_.leaves[i]);
      set_memory(one, offsetof(dz_rank_window, block), offsetof(dz_rank_window, offset),
                 what_.leaves[i].element);
    }
    emitter_.check_status(
        runtime(function, {b_.getInt32(static_cast<unsigned>(count)), all}));
    for (std::size_t i = 0; i < count; ++i) {
      gives_block(byte_of(all, i * sizeof(dz_rank_window) + offsetof(dz_rank_window, window)));
    }
  }
  void wait_windows() {
    emitter_.check_status(runtime("dz_rank_wait_windows", {}));
    for (const ir::RankLeaf& leaf : what_.leaves) {
      product(leaf.rank);
      Value* block = emitter_.reference(operand().name());
      emitter_.runtime_call("dz_retain", {block});
      emitter_.assign_reference(call_.results[result_++], block);
      gives(next());
    }
  }

  void add_rows() {
    const std::size_t count = what_.leaves.size();
    llvm::AllocaInst* all = list(count * sizeof(dz_rank_added), "added");
    for (std::size_t i = 0; i < count; ++i) {
      const ScalarType element = what_.leaves[i].element;
      Value* one = byte_of(all, i * sizeof(dz_rank_added));
      describe_window(one, what_.leaves[i]);
      set_memory(one, offsetof(dz_rank_added, own), offsetof(dz_rank_added, own_offset), element);
      set_memory(one, offsetof(dz_rank_window, block), offsetof(dz_rank_window, offset), element);
      set(one, offsetof(dz_rank_added, element), emitter_.integer(element_of(element)));
    }
    emitter_.check_status(
        runtime("dz_rank_add_rows", {b_.getInt32(static_cast<unsigned>(count)), all}));
    for (std::size_t i = 0; i < count; ++i) {
      gives_block(byte_of(all, i * sizeof(dz_rank_added) + offsetof(dz_rank_window, window)));
    }
  }

  void request() {
    Value* number = next();
    next();  // the rows of this rank
    Value* rows = next();
    next();  // the points of all ranks
    Value* places = product(what_.leaves.front().rank);
    const Memory asked = next_memory(ScalarType::i64);
    const std::size_t count = what_.leaves.size() - 1;
    llvm::AllocaInst* all = list(count * sizeof(dz_rank_requested), "requested");
    for (std::size_t i = 0; i < count; ++i) {
      const ir::RankLeaf& leaf = what_.leaves[i + 1];
      Value* one = byte_of(all, i * sizeof(dz_rank_requested));
      Value* row = product(leaf.rank - 1);
      set(one, offsetof(dz_rank_requested, row_bytes),
          b_.CreateMul(row, emitter_.integer(ir::byte_size(leaf.element))));
      set_memory(one, offsetof(dz_rank_requested, block), offsetof(dz_rank_requested, offset),
                 leaf.element);
    }
    emitter_.check_status(runtime("dz_rank_request",
                                  {number, rows, places, asked.block, asked.offset,
                                   b_.getInt32(static_cast<unsigned>(count)), all}));
    for (std::size_t i = 0; i < count; ++i) {
      gives_block(
          byte_of(all, i * sizeof(dz_rank_requested) + offsetof(dz_rank_requested, answers)));
    }
  }

  void deliver() {
    Value* number = next();
    Value* rows = next();
    next();  // the points of all ranks
    Value* points = product(what_.leaves.front().rank);
    const Memory places = next_memory(ScalarType::i64);
    const std::size_t count = what_.leaves.size() - 1;
    llvm::AllocaInst* all = list(count * sizeof(dz_rank_delivered), "delivered");
    for (std::size_t i = 0; i < count; ++i) {
      const ir::RankLeaf& leaf = what_.leaves[i + 1];
      Value* one = byte_of(all, i * sizeof(dz_rank_delivered));
      set(one, offsetof(dz_rank_delivered, row_bytes),
          b_.CreateMul(product(leaf.rank), emitter_.integer(ir::byte_size(leaf.element))));
      set_memory(one, offsetof(dz_rank_delivered, block), offsetof(dz_rank_delivered, offset),
                 leaf.element);
    }
    Value* own_places = result_slot();
    Value* total = emitter_.stack_slot(b_.getInt64Ty(), "total");
    emitter_.check_status(runtime(
        "dz_rank_deliver", {number, rows, points, places.block, places.offset,
                            b_.getInt32(static_cast<unsigned>(count)), all, total, own_places}));
    gives(b_.CreateLoad(b_.getInt64Ty(), total));
    gives_block(own_places);
    for (std::size_t i = 0; i < count; ++i) {
      gives_block(
          byte_of(all, i * sizeof(dz_rank_delivered) + offsetof(dz_rank_delivered, delivered)));
    }
  }

  void reduce() {
    std::vector<Value*> counts;
    for (const ir::RankLeaf& leaf : what_.leaves) counts.push_back(product(leaf.rank));
    llvm::AllocaInst* sums = list(counts.size() * sizeof(dz_rank_sum), "sums");
    const auto at = [&](std::size_t i, std::size_t offset) {
      return byte_of(sums, i * sizeof(dz_rank_sum) + offset);
    };
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const ScalarType type = what_.leaves[i].element;
      const Memory own = next_memory(type);
      b_.CreateStore(b_.getInt32(combine_of(what_.ops[i])), at(i, offsetof(dz_rank_sum, combine)));
      b_.CreateStore(b_.getInt32(element_of(type)), at(i, offsetof(dz_rank_sum, element)));
      b_.CreateStore(own.block, at(i, offsetof(dz_rank_sum, block)));
      b_.CreateStore(own.offset, at(i, offsetof(dz_rank_sum, offset)));
      b_.CreateStore(counts[i], at(i, offsetof(dz_rank_sum, count)));
    }
    emitter_.check_status(runtime("dz_rank_reduce", {number_of(counts), sums}));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      gives_block(at(i, offsetof(dz_rank_sum, whole)));
    }
  }

  void collect() {
    next();  // how many ranks there are
    std::vector<Value*> bytes;
    for (const ir::RankLeaf& leaf : what_.leaves) {
      bytes.push_back(
          b_.CreateMul(product(leaf.rank), emitter_.integer(ir::byte_size(leaf.element))));
    }
    llvm::AllocaInst* pieces = list(bytes.size() * sizeof(dz_rank_piece), "pieces");
    for (std::size_t i = 0; i < bytes.size(); ++i) describe(pieces, i, bytes[i]);
    emitter_.check_status(runtime("dz_rank_collect", {number_of(bytes), pieces}));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      gives_block(member(pieces, i, offsetof(dz_rank_piece, all)));
    }
  }
  Value* member(Value* pieces, std::size_t i, std::size_t offset) {
    return byte_of(pieces, i * sizeof(dz_rank_piece) + offset);
  }
  Value* byte_of(Value* memory, std::size_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), memory, offset);
  }
  llvm::AllocaInst* list(std::size_t bytes, const char* name) {
    llvm::AllocaInst* slot = emitter_.stack_slot(llvm::ArrayType::get(b_.getInt8Ty(), bytes), name);
    slot->setAlignment(llvm::Align(alignof(dz_rank_piece)));
    return slot;
  }
  Value* number_of(const std::vector<Value*>& all) {
    return b_.getInt32(static_cast<unsigned>(all.size()));
  }
  void describe(Value* pieces, std::size_t i, Value* bytes) {
    const ir::RankLeaf& leaf = what_.leaves[i];
    Memory own{llvm::ConstantPointerNull::get(b_.getPtrTy()), emitter_.integer(0)};
    Value* bits = emitter_.integer(0);
    if (leaf.rank > 0) {
      own = next_memory(leaf.element);
    } else {
      const auto width = static_cast<unsigned>(8 * ir::byte_size(leaf.element));
      Value* value = emitter_.to_memory(next(), leaf.element);
      bits = b_.CreateZExt(b_.CreateBitCast(value, b_.getIntNTy(width)), b_.getInt64Ty());
    }
    b_.CreateStore(own.block, member(pieces, i, offsetof(dz_rank_piece, block)));
    b_.CreateStore(own.offset, member(pieces, i, offsetof(dz_rank_piece, offset)));
    b_.CreateStore(bytes, member(pieces, i, offsetof(dz_rank_piece, bytes)));
    b_.CreateStore(bits, member(pieces, i, offsetof(dz_rank_piece, bits)));
    b_.CreateStore(llvm::ConstantPointerNull::get(b_.getPtrTy()),
                   member(pieces, i, offsetof(dz_rank_piece, all)));
  }

  FunctionFrame& emitter_;
  llvm::IRBuilder<>& b_;
  const tree::Call& call_;
  Value* context_;
  Value* place_;
  Arena arena_;
  const ir::RankCall what_;
  std::size_t argument_ = 0;
  std::size_t result_ = 0;
};

}  // namespace

void emit_rank_call(FunctionFrame& emitter, const tree::Call& call, Value* context, Value* place,
                    Arena arena) {
  RankCallEmitter(emitter, call, context, place, arena).emit();
}

}  // namespace dagaz::codegen
