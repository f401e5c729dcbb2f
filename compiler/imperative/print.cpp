// The imperative tree as text, for people and for telling whether two kernels are the same: every
// member that decides what code does is printed.
#include <string>
#include <unordered_map>

#include "imperative/imperative.h"
#include "ir/print.h"
#include "support/match.h"
#include "support/text_writer.h"

namespace dagaz::imperative {

namespace {

class Printer {
 public:
  enum class Naming { spelled, numbered };
  Printer(const ir::Names& names, Naming naming) : names_(names), naming_(naming) {}

  void operator()(const Function& function) {
    out_ << (function.device ? "device function " : "function ") << function.name << "(";
    list(function.parameters);
    out_ << ") ";
    block(function.body);
    out_ << "  -> ";
    list(function.results);
    out_ << "\n\n";
  }
  void failures(const std::vector<Failure>& failures) {
    for (std::size_t k = 0; k < failures.size(); ++k) {
      out_ << "failure " << k << ": " << failures[k].text << "\n";
    }
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
  /// A piece of the loop, alone.
  void piece(const ParallelFor& loop) {
    out_ << "[" << text(loop.begin) << ", " << text(loop.end) << ") ";
    block(loop.body);
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
    if (e.hints.vectorise) out_ << " vectorise";
    out_ << " ";
    block(e.body);
  }
  void operator()(const While& e) {
    out_ << "test ";
    block(e.test);
    out_ << " while " << text(e.condition) << (e.rolled ? " rolled " : " ");
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
    if (e.byte_offset != ir::i64_operand(0)) {
      out_ << " from byte ";
      use(e.byte_offset);
    }
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
  void operator()(const WriteTable& e) {
    element(e.block, e.index, Space::global);
    out_ << ".. := " << ir::name_of(e.type);
    for (const ir::Constant& value : e.values) out_ << " " << ir::print(Operand(value), names_);
  }
  void operator()(const Clear& e) {
    call("clear", e.block);
    out_ << " from byte ";
    use(e.byte_offset);
    call(" bytes", e.bytes);
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
  void operator()(const LoadLanes& e) {
    set(e.target);
    lanes(e.block, e.index, e.stride);
    out_ << " : " << ir::name_of(e.type);
  }
  void operator()(const StoreLanes& e) {
    lanes(e.block, e.index, e.stride);
    out_ << " := ";
    use(e.value);
    out_ << " : " << ir::name_of(e.type);
  }
  void operator()(const LaneNumbers& e) {
    set(e.target);
    out_ << "lane numbers";
  }
  void operator()(const CombineLanes& e) {
    set(e.target);
    out_ << "lanes " << ir::name_of(e.op) << "." << ir::name_of(e.type) << " ";
    use(e.value);
  }
  void operator()(const CombineEach& e) {
    set(e.target);
    out_ << "lanes of each " << ir::name_of(e.op) << "." << ir::name_of(e.type);
    for (const Operand& value : e.values) {
      out_ << " ";
      use(value);
    }
  }
  void operator()(const TransposeLanes& e) {
    for (std::size_t k = 0; k < e.targets.size(); ++k) {
      out_ << (k == 0 ? "" : ", ") << text(e.targets[k]);
    }
    out_ << " := transposed";
    for (const Operand& value : e.values) {
      out_ << " ";
      use(value);
    }
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
    out_ << " : " << ir::name_of(e.type);
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
  std::string text(NameId name) {
    if (naming_ == Naming::spelled) return names_.text(name);
    const auto [found, fresh] = numbers_.try_emplace(name, numbers_.size());
    const std::string number = std::to_string(found->second);
    return fresh ? number + ":" + ir::print(names_.type(name), names_) : number;
  }
  void use(NameId name) { out_ << text(name); }
  void use(const Operand& operand) {
    out_ << (operand.is_name() ? text(operand.name()) : ir::print(operand, names_));
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
  void lanes(NameId block, const Operand& index, const Operand& stride) {
    out_ << text(block) << "[";
    use(index);
    out_ << " + lane * ";
    use(stride);
    out_ << "]";
  }

  const ir::Names& names_;
  Naming naming_;
  std::unordered_map<NameId, std::size_t> numbers_;  // in order of appearance
  TextWriter out_;
};

}  // namespace

std::string print(const Program& program) {
  Printer printer(program.names, Printer::Naming::spelled);
  for (const Function& function : program.functions) printer(function);
  printer.failures(program.failures);
  return printer.take();
}

std::string form_of(const Code& code, const ir::Names& names) {
  Printer printer(names, Printer::Naming::numbered);
  printer.block(code);
  return printer.take();
}

std::string form_of(const ParallelFor& loop, const ir::Names& names) {
  Printer printer(names, Printer::Naming::numbered);
  printer.piece(loop);
  return printer.take();
}

}  // namespace dagaz::imperative
