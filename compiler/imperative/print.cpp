// The imperative tree as text, for people.
#include <string>

#include "imperative/imperative.h"
#include "support/match.h"
#include "support/text_writer.h"

namespace dagaz::imperative {

namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  void operator()(const Function& function) {
    out_ << (function.device ? "device function " : "function ") << function.name << "(";
    list(function.parameters);
    out_ << ") ";
    block(function.body);
    out_ << "  -> ";
    list(function.results);
    out_ << "\n\n";
  }
  void failures() {
    for (std::size_t k = 0; k < program_.failures.size(); ++k) {
      out_ << "failure " << k << ": " << program_.failures[k].text << "\n";
    }
  }
  std::string take() { return out_.take(); }

  void operator()(const Assign& e) {
    set(e.target);
    out_ << ir::name_of(e.op) << "." << ir::name_of(e.type);
    if (e.result != e.type) out_ << "." << ir::name_of(e.result);
    out_ << " ";
    list(e.arguments);
    if (e.reassociate) out_ << " reassociate";
  }
  void operator()(const Move& e) {
    set(e.target);
    use(e.value);
  }
  void operator()(const Load& e) {
    set(e.target);
    element(e.block, e.index, e.space);
    out_ << " : " << ir::name_of(e.type);
    if (e.invariant) out_ << " invariant";
  }
  void operator()(const Store& e) {
    element(e.block, e.index, e.space);
    out_ << " := ";
    use(e.value);
    out_ << " : " << ir::name_of(e.type);
  }
  void operator()(const For& e) {
    out_ << "for " << text(e.index) << " < ";
    use(e.bound);
    if (e.hints.independent) out_ << " independent";
    if (e.hints.unroll) out_ << " unroll";
    out_ << " ";
    block(e.body);
  }
  void operator()(const While& e) {
    out_ << "test ";
    block(e.test);
    out_ << " while " << text(e.condition) << " ";
    block(e.body);
  }
  void operator()(const If& e) {
    out_ << "if ";
    use(e.condition);
    out_ << " ";
    block(e.then_code);
    if (!e.else_code.empty()) {
      out_ << " else ";
      block(e.else_code);
    }
  }
  void operator()(const Allocate& e) {
    set(e.block);
    call("allocate", e.bytes);
  }
  void operator()(const Share& e) {
    set(e.target);
    call("share", e.source);
  }
  void operator()(const Release& e) { call("release", e.block); }
  void operator()(const AllocateScratch& e) {
    set(e.block);
    call("scratch", e.bytes);
  }
  void operator()(const ScratchScope& e) {
    out_ << "scratch scope ";
    block(e.body);
  }
  void operator()(const AllocateLocal& e) {
    set(e.block);
    out_ << "local " << e.bytes;
  }
  void operator()(const SharedMemory& e) {
    set(e.block);
    call("shared", e.byte_offset);
  }
  void operator()(const CopyElements& e) {
    out_ << "copy ";
    use(e.count);
    out_ << " " << ir::name_of(e.type) << ": ";
    element(e.target, e.target_index, Space::global);
    out_ << " := ";
    element(e.source, e.source_index, Space::global);
  }
  void operator()(const ReadElement& e) {
    set(e.target);
    out_ << "read ";
    element(e.block, e.index, Space::global);
    out_ << " : " << ir::name_of(e.type);
  }
  void operator()(const WriteElement& e) {
    out_ << "write ";
    element(e.block, e.index, Space::global);
    out_ << " := ";
    use(e.value);
    out_ << " : " << ir::name_of(e.type);
  }
  void operator()(const ParallelFor& e) {
    out_ << "parallel [" << text(e.begin) << ", " << text(e.end) << ") of ";
    use(e.count);
    out_ << " grain ";
    use(e.grain);
    out_ << " ";
    block(e.body);
  }
  void operator()(const PieceCount& e) {
    set(e.target);
    call("pieces", e.count);
    out_ << " grain ";
    use(e.grain);
  }
  void operator()(const Launch& e) {
    out_ << "launch " << e.kernel << " grid ";
    use(e.grid);
    out_ << " block " << e.block_threads << " shared ";
    use(e.shared_bytes);
    out_ << " ";
    block(e.body);
  }
  void operator()(const ReadSpecial& e) {
    static constexpr std::string_view names[] = {"thread_index", "block_index", "block_size",
                                                 "grid_size"};
    set(e.target);
    out_ << names[static_cast<int>(e.which)];
  }
  void operator()(const DeviceProperty& e) {
    set(e.target);
    out_ << "property " << e.property;
  }
  void operator()(const Barrier&) { out_ << "barrier"; }
  void operator()(const Shuffle& e) {
    static constexpr std::string_view modes[] = {"down", "up", "xor", "index"};
    set(e.target);
    out_ << "shuffle_" << modes[static_cast<int>(e.mode)] << " ";
    use(e.value);
    out_ << ", ";
    use(e.operand);
  }
  void operator()(const Fence&) { out_ << "fence"; }
  void operator()(const Atomic& e) {
    static constexpr std::string_view names[] = {"add",     "smin",   "smax",    "umin",    "umax",
                                                 "bit_and", "bit_or", "bit_xor", "exchange"};
    set(e.old);
    out_ << "atomic_" << names[static_cast<int>(e.op)] << " ";
    element(e.block, e.index, e.space);
    out_ << ", ";
    use(e.value);
    out_ << " : " << ir::name_of(e.type);
  }
  void operator()(const CompareExchange& e) {
    set(e.old);
    out_ << "compare_exchange ";
    element(e.block, e.index, e.space);
    out_ << ", ";
    use(e.expected);
    out_ << ", ";
    use(e.value);
    out_ << " : " << ir::name_of(e.type);
  }
  void operator()(const Call& e) {
    list(e.results);
    if (!e.results.empty()) out_ << " := ";
    out_ << e.function << "(";
    list(e.arguments);
    out_ << ")";
  }
  void operator()(const Fail& e) {
    out_ << "fail " << e.failure << " ";
    list(e.arguments);
  }

 private:
  std::string text(NameId name) const { return program_.names.text(name); }
  void use(NameId name) { out_ << text(name); }
  void use(const Operand& operand) {
    if (operand.is_name()) {
      use(operand.name());
      return;
    }
    const ir::Constant& constant = operand.constant();
    if (ir::is_float(constant.type)) {
      out_ << std::to_string(ir::float_value(constant));
    } else {
      out_ << ir::integer_value(constant);
    }
    if (constant.type != ScalarType::i64) out_ << ir::name_of(constant.type);
  }
  template <typename Item>
  void list(const std::vector<Item>& items) {
    bool first = true;
    for (const Item& item : items) {
      if (!first) out_ << ", ";
      first = false;
      use(item);
    }
  }
  void set(NameId name) { out_ << text(name) << " := "; }
  template <typename Argument>
  void call(std::string_view what, const Argument& argument) {
    out_ << what << " ";
    use(argument);
  }
  void element(NameId block, const Operand& index, Space space) {
    static constexpr std::string_view spaces[] = {"", "shared ", "local "};
    out_ << spaces[static_cast<int>(space)] << text(block) << "[";
    use(index);
    out_ << "]";
  }
  void block(const Code& code) {
    out_ << "{\n";
    out_.indent();
    for (const Instruction& instruction : code) {
      std::visit(*this, instruction.node);
      out_ << "\n";
    }
    out_.dedent();
    out_ << "}";
  }

  const Program& program_;
  TextWriter out_;
};

}  // namespace

std::string print(const Program& program) {
  Printer printer(program);
  for (const Function& function : program.functions) printer(function);
  printer.failures();
  return printer.take();
}

}  // namespace dagaz::imperative
