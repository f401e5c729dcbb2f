// A rule for each instruction: the types and lanes of what it reads and sets.
#include <algorithm>

#include "ir/kernel_threads.h"
#include "support/match.h"
#include "tree/verify_rules.h"

namespace dagaz::tree {

namespace {

class TypeRules {
 public:
  TypeRules(const Program& program, const Report& report)
      : program_(program), names_(program.names), report_(report) {}

  void operator()(const Assign& e) {
    const int lanes = lanes_of(names_.type(e.target));
    require(static_cast<int>(e.arguments.size()) == ir::arity_of(e.op), "number of arguments");
    for (std::size_t k = 0; k < e.arguments.size(); ++k) {
      is(e.arguments[k], ir::operand_type(e.op, e.type, static_cast<int>(k)), lanes);
    }
    require(e.result == ir::result_type(e.op, e.type, e.result), "type of the result");
    sets(e.target, e.result, lanes);
  }
  void operator()(const Move& e) {
    const ir::Type& type = names_.type(e.target);
    if (type.kind == ir::TypeKind::block) {
      require(e.value.is_name() && names_.type(e.value) == type, "a block becomes no block");
    } else {
      is(e.value, type.element, lanes_of(type));
    }
  }
  void operator()(const Load& e) {
    element(e.block, e.index);
    sets(e.target, e.type);
  }
  void operator()(const Store& e) {
    element(e.block, e.index);
    is(e.value, e.type);
  }
  void operator()(const For& e) {
    const ir::Type& type = names_.type(e.index);
    require(type.is_scalar() && ir::is_integer(type.element), "index of a loop");
    is(e.bound, type.element);
  }
  void operator()(const While& e) { is(e.condition, ScalarType::boolean); }
  void operator()(const If& e) { is(e.condition, ScalarType::boolean); }
  void operator()(const Allocate& e) {
    is_block(e.block);
    is_i64(e.bytes);
  }
  void operator()(const Share& e) {
    is_block(e.target);
    is_block(e.source);
    is_i64(e.byte_offset);
  }
  void operator()(const Release& e) { is_block(e.block); }
  void operator()(const AllocateScratch& e) {
    is_block(e.block);
    is_i64(e.bytes);
  }
  void operator()(const ScratchScope&) {}
  void operator()(const AllocateLocal& e) {
    is_block(e.block);
    require(e.bytes >= 0, "fewer bytes than none");
  }
  void operator()(const SharedMemory& e) {
    is_block(e.block);
    is_i64(e.byte_offset);
  }
  void operator()(const CopyElements& e) {
    element(e.target, e.target_index);
    element(e.source, e.source_index);
    is_i64(e.count);
  }
  void operator()(const Sort& e) {
    element(e.block, e.index);
    is_i64(e.count);
  }
  void operator()(const Fetch& e) { element(e.block, e.index); }
  void operator()(const WriteTable& e) {
    element(e.block, e.index);
    for (const ir::Constant& value : e.values) require(value.type == e.type, "type of an element");
  }
  void operator()(const Fill& e) {
    is_block(e.block);
    is_i64(e.byte_offset);
    is_i64(e.bytes);
  }
  void operator()(const ReadElement& e) {
    element(e.block, e.index);
    sets(e.target, e.type);
  }
  void operator()(const WriteElement& e) {
    element(e.block, e.index);
    is(e.value, e.type);
  }
  void operator()(const LoadLanes& e) {
    const int lanes = some_lanes(e.target.name);
    lane_element(e.block, e.index, e.stride, lanes);
    sets(e.target, e.type, lanes);
    if (e.mask) is(*e.mask, ScalarType::boolean, lanes);
    if (e.otherwise) is(*e.otherwise, e.type, lanes);
    require(e.mask || !e.otherwise, "what is read otherwise, without a mask");
    if (e.close) close_lanes(e);
  }
  void operator()(const StoreLanes& e) {
    const int lanes = some_lanes(e.value);
    lane_element(e.block, e.index, e.stride, lanes);
    is(e.value, e.type, lanes);
    if (e.mask) is(*e.mask, ScalarType::boolean, lanes);
  }
  void operator()(const LaneNumbers& e) {
    sets(e.target, ScalarType::i64, some_lanes(e.target.name));
  }
  void operator()(const CombineLanes& e) {
    const int lanes = some_lanes(e.value);
    halves(lanes);
    is(e.value, e.type, lanes);
    combines(e.op, e.type);
    sets(e.target, e.type);
  }
  void operator()(const CombineEach& e) {
    const int lanes = some_lanes(e.target.name);
    require(static_cast<int>(e.values.size()) == lanes, "number of values");
    halves(lanes);
    for (const Operand& value : e.values) all_lanes(value, e.type, lanes);
    combines(e.op, e.type);
    sets(e.target, e.type, lanes);
  }
  void operator()(const TransposeLanes& e) {
    const auto count = e.targets.size();
    require(count == e.values.size() && count > 0, "number of values");
    if (count == 0) return;
    halves(static_cast<int>(count));
    const ScalarType type = names_.type(e.targets[0]).element;
    for (const Assigned& target : e.targets) sets(target, type, static_cast<int>(count));
    for (const Operand& value : e.values) all_lanes(value, type, static_cast<int>(count));
  }
  void operator()(const CompressLanes& e) {
    const int lanes = some_lanes(e.target.name);
    all_lanes(e.value, e.type, lanes);
    all_lanes(e.mask, ScalarType::boolean, lanes);
    sets(e.target, e.type, lanes);
  }
  void operator()(const CountLanes& e) {
    all_lanes(e.mask, ScalarType::boolean, some_lanes(e.mask));
    sets(e.target, ScalarType::i64);
  }
  void operator()(const ShiftLanes& e) {
    const int lanes = some_lanes(e.target.name);
    require(e.lanes > 0 && e.lanes < lanes, "number of lanes");
    all_lanes(e.value, e.type, lanes);
    is(e.first, e.type);
    sets(e.target, e.type, lanes);
  }
  void operator()(const LastLane& e) {
    all_lanes(e.value, e.type, some_lanes(e.value));
    sets(e.target, e.type);
  }
  void operator()(const ParallelFor& e) {
    is_i64(e.count);
    is_i64(e.grain);
    if (e.moved) is_i64(*e.moved);
    sets(e.begin, ScalarType::i64);
    sets(e.end, ScalarType::i64);
  }
  void operator()(const PieceCount& e) {
    is_i64(e.count);
    is_i64(e.grain);
    sets(e.target, ScalarType::i64);
  }
  void operator()(const ThreadsMeet& e) {
    is_i64(e.count);
    sets(e.target, ScalarType::boolean);
  }
  void operator()(const AdditionPieces& e) {
    for (const Operand* one : {&e.count, &e.grain, &e.cost, &e.operations, &e.additions, &e.size}) {
      is_i64(*one);
    }
    sets(e.target, ScalarType::i64);
  }
  void operator()(const Launch& e) {
    is_i64(e.grid);
    is_i64(e.shared_bytes);
    if (e.moved) is_i64(*e.moved);
    require(e.block_threads > 0 && e.block_threads <= 1024, "threads of a block");
  }
  void operator()(const ReadSpecial& e) { sets(e.target, ScalarType::i32); }
  void operator()(const DeviceProperty& e) { sets(e.target, ScalarType::i64); }
  void operator()(const Barrier&) {}
  void operator()(const Shuffle& e) {
    is(e.value, e.type);
    is(e.operand, ScalarType::i32);
    sets(e.target, e.type);
  }
  void operator()(const Match& e) {
    is(e.value, ScalarType::i32);
    sets(e.target, ScalarType::i32);
    require(e.bits > 0 && e.bits <= 32, "bits of a match");
  }
  void operator()(const LoadMatrices& e) {
    element(e.block, e.index);
    for (const NameId target : e.targets) sets(target, ScalarType::i32);
    const std::size_t count = e.targets.size();
    require(count == 1 || count == 2 || count == 4, "number of matrices");
  }
  void operator()(const MultiplyMatrices& e) {
    const ir::MatrixShape shape = ir::shape_of(e.unit);
    const bool in_pairs = e.unit == ir::MatrixUnit::f16;
    const ScalarType factor = in_pairs ? ScalarType::i32 : ir::factor_type(e.unit);
    const auto are = [&](const std::vector<Operand>& operands, ScalarType type, int elements) {
      for (const Operand& one : operands) is(one, type);
      const int registers = elements / ir::warp_threads / (type == ScalarType::i32 ? 2 : 1);
      require(std::ssize(operands) == registers, "elements of a matrix");
    };
    require(e.unit != ir::MatrixUnit::none, "matrices are multiplied by nothing");
    are(e.rows, factor, shape.rows * shape.elements);
    are(e.points, factor, shape.points * shape.elements);
    are(e.sums, ir::sum_type(e.unit), shape.rows * shape.points);
    for (const NameId target : e.targets) sets(target, ir::sum_type(e.unit));
    require(e.targets.size() == e.sums.size(), "elements of a matrix");
  }
  void operator()(const CopyAsync& e) {
    element(e.target, e.target_index);
    element(e.source, e.source_index);
    is_i64(e.present);
    const std::int64_t bytes = e.elements * ir::byte_size(e.type);
    require(bytes == 4 || bytes == 8 || bytes == 16, "bytes of a copy");
  }
  void operator()(const CommitCopies&) {}
  void operator()(const AwaitCopies& e) { require(e.pending >= 0, "groups of copies"); }
  void operator()(const Fence&) {}
  void operator()(const Atomic& e) {
    element(e.block, e.index);
    is(e.value, e.type);
    sets(e.old, e.type);
    const bool any_type = e.op == AtomicOp::add || e.op == AtomicOp::exchange;
    require(any_type || !ir::is_float(e.type), "type of an atomic operation");
  }
  void operator()(const CompareExchange& e) {
    element(e.block, e.index);
    is(e.expected, e.type);
    is(e.value, e.type);
    sets(e.old, e.type);
  }
  void operator()(const Call& e) {
    const Function* callee = called(e.function);
    if (callee == nullptr) return;
    agree(e.arguments, callee->parameters);
    require(e.results.size() == callee->results.size(), "number of results");
    for (std::size_t k = 0; k < std::min(e.results.size(), callee->results.size()); ++k) {
      agree(e.results[k].name, names_.type(callee->results[k]));
    }
  }
  void operator()(const CallForEach& e) {
    is_i64(e.count);
    const Function* callee = called(e.function);
    if (callee == nullptr) return;
    std::vector<Operand> arguments = e.arguments;
    arguments.insert(arguments.end(), 2, ir::i64_operand(0));
    agree(arguments, callee->parameters);
    require(callee->results.empty(), "number of results");
  }
  void operator()(const StackLimit& e) { sets(e.target, ScalarType::i64); }
  void operator()(const StackLeft& e) {
    is_i64(e.limit);
    sets(e.target, ScalarType::boolean);
  }
  void operator()(const Fail& e) {
    const auto failures = static_cast<int>(program_.failures.size());
    require((e.failure >= 0 && e.failure < failures) ||
                (e.failure == arena_exhausted && e.arguments.size() == 1),
            "there is no such failure");
    for (const Operand& argument : e.arguments) is_i64(argument);
  }

 private:
  void require(bool holds, std::string_view what) {
    if (!holds) report_(std::string(what));
  }
  std::string text(const Operand& operand) const {
    return operand.is_name() ? "`" + names_.text(operand.name()) + "`" : "the constant";
  }
  static std::string text(ScalarType type, int lanes) {
    const std::string scalar(ir::name_of(type));
    return lanes == 0 ? scalar : "[" + std::to_string(lanes) + "]" + scalar;
  }
  static bool has_lanes(const ir::Type& type, ScalarType element, int lanes) {
    return type.kind == ir::TypeKind::value && type.element == element && type.rank() == 1 &&
           lanes_of(type) == lanes;
  }
  void is(const Operand& operand, ScalarType type, int lanes = 0) {
    const ir::Type found = names_.type(operand);
    if (found == ir::scalar_of(type)) return;
    if (lanes > 0 && has_lanes(found, type, lanes)) return;
    report_(text(operand) + " is no " + text(type, lanes));
  }
  void all_lanes(const Operand& operand, ScalarType type, int lanes) {
    if (has_lanes(names_.type(operand), type, lanes)) return;
    report_(text(operand) + " is no " + text(type, lanes));
  }
  void is_i64(const Operand& operand) { is(operand, ScalarType::i64); }
  void sets(NameId name, ScalarType type, int lanes = 0) {
    const ir::Type& found = names_.type(name);
    const bool fits = lanes == 0 ? found == ir::scalar_of(type) : has_lanes(found, type, lanes);
    if (!fits) report_("`" + names_.text(name) + "` is no " + text(type, lanes));
  }
  void is_block(NameId name) {
    if (names_.type(name) != block_type()) report_("`" + names_.text(name) + "` is no block");
  }
  void element(NameId block, const Operand& index) {
    is_block(block);
    is_i64(index);
  }
  void lane_element(NameId block, const Operand& index, const Operand& stride, int lanes) {
    is_block(block);
    is(index, ScalarType::i64, lanes);
    is_i64(stride);
  }
  void close_lanes(const LoadLanes& e) {
    require(!e.mask && lanes_of(names_.type(e.index)) == 0, "lanes that need not lie close");
    require(e.stride.is_constant() && ir::integer_value(e.stride.constant()) > 0,
            "close lanes, without a constant stride");
  }
  int some_lanes(const Operand& operand) {
    const int lanes = lanes_of(names_.type(operand));
    if (lanes == 0) report_(text(operand) + " has no lanes");
    return lanes;
  }
  void halves(int lanes) {
    require(lanes > 0 && (lanes & (lanes - 1)) == 0, "the number of lanes is no power of two");
  }
  void combines(ScalarOp op, ScalarType type) {
    require(ir::arity_of(op) == 2 && ir::operand_type(op, type, 0) == type &&
                ir::operand_type(op, type, 1) == type && ir::result_type(op, type, type) == type,
            "the operation does not combine two values to one of their type");
  }
  /// Null, and reported, if there is none.
  const Function* called(const std::string& name) {
    const auto callee = std::find_if(program_.functions.begin(), program_.functions.end(),
                                     [&](const Function& one) { return one.name == name; });
    if (callee != program_.functions.end()) return &*callee;
    report_("there is no function \"" + name + "\"");
    return nullptr;
  }
  void agree(const std::vector<Operand>& arguments, const std::vector<NameId>& parameters) {
    require(arguments.size() == parameters.size(), "number of arguments");
    for (std::size_t k = 0; k < std::min(arguments.size(), parameters.size()); ++k) {
      agree(arguments[k], names_.type(parameters[k]));
    }
  }
  void agree(const Operand& operand, const ir::Type& type) {
    if (names_.type(operand) != type) report_(text(operand) + " has another type in the function");
  }

  const Program& program_;
  const ir::Names& names_;
  const Report& report_;
};

}  // namespace

void verify_types(const Instruction& instruction, const Program& program, const Report& report) {
  std::visit(TypeRules(program, report), instruction.node);
}

}  // namespace dagaz::tree
