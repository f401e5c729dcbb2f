// Kernels over a space of points, and the private memory of their threads.
//
// One thread per point.  Arrays that are too large for a thread's stack lie in one global block
// per array, thread by thread next to each other so that neighbours' accesses coalesce; a kernel
// that has such arrays starts no more threads than the device holds and strides over the points.
#include "imperative/lowering.h"
#include "imperative/walk.h"

namespace dagaz::imperative {

// dz_property numbers of runtime/abi.h.
static constexpr int property_resident_threads = 3;

Operand Lowering::resident_threads() {
  const NameId threads = variable("resident", ScalarType::i64);
  emit(DeviceProperty{threads, property_resident_threads});
  return threads;
}

void Lowering::choose_by_segments(const std::vector<ir::SpaceDimension>& space,
                                  const std::function<void()>& few,
                                  const std::function<void()>& many) {
  if (space.size() == 1) {
    few();
    return;
  }
  std::vector<Operand> outer = extents_of(space);
  const Operand width = outer.back();
  outer.pop_back();
  const Operand enough = less(resident_threads(), mul(product(outer), ir::i64_operand(4)));
  const Operand short_ones = less(width, ir::i64_operand(32));
  host_branch(scalar(ScalarOp::bit_or, ScalarType::boolean, {enough, short_ones}), many, few);
}

Operand Lowering::read_special(Special which) {
  const NameId value = variable("special", ScalarType::i32);
  emit(ReadSpecial{value, which});
  const NameId wide = variable("special", ScalarType::i64);
  emit(Assign{wide, ScalarOp::zero_extend, ScalarType::i32, ScalarType::i64, {value}});
  return wide;
}

// Letters, digits and underscores only, and a number that makes it unique.
std::string Lowering::kernel_name(std::string_view base) {
  std::string name;
  for (const char c : base) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name + "_" + std::to_string(kernel_count_++);
}

Code Lowering::kernel_body(const std::function<void()>& build) {
  const Mode outer = std::exchange(mode_, Mode::kernel);
  expansions_.clear();
  Code code = collect(build);
  mode_ = outer;
  return code;
}

void Lowering::launch(std::string_view kernel, const Operand& grid, const Operand& shared_bytes,
                      Code code) {
  mark_invariant(code);
  emit(Launch{kernel_name(kernel), grid, kernel_threads, shared_bytes, std::move(code), location_});
}

void Lowering::launch_points(const std::vector<Operand>& extents, std::string_view kernel,
                             const PointFunction& body) {
  const Operand total = product(extents);
  const Operand block = ir::i64_operand(kernel_threads);
  const NameId threads = variable("threads", ScalarType::i64);
  kernel_threads_total_ = threads;
  NameId thread;
  Code points;
  Code code = kernel_body([&] {
    const Operand index = add(mul(read_special(Special::block_index), block),
                              read_special(Special::thread_index));
    thread = mutable_variable("thread", ScalarType::i64, index);
    kernel_thread_ = thread;
    const NameId point = mutable_variable("point", ScalarType::i64, thread);
    points = collect([&] { body(unflatten(point, extents)); });
    if (expansions_.empty()) {
      emit(If{less(point, total), std::move(points), {}});
      return;
    }
    const NameId more = variable("more", ScalarType::boolean);
    Code test = collect([&] { emit(Assign{more, ScalarOp::slt, ScalarType::i64,
                                          ScalarType::boolean, {point, total}}); });
    points.push_back({Assign{point, ScalarOp::add, ScalarType::i64, ScalarType::i64,
                             {point, threads}}});
    emit(While{std::move(test), more, std::move(points)});
  });
  Operand grid = divide_up(total, block);
  const std::vector<Expansion> expansions = std::move(expansions_);
  expansions_.clear();
  if (!expansions.empty()) {
    grid = minimum(grid, maximum(divide(resident_threads(), block), ir::i64_operand(1)));
    move(threads, mul(grid, block));
    allocate_expansions(expansions, threads, code);
  }
  launch(kernel, grid, ir::i64_operand(0), std::move(code));
}

// ---------------------------------------------------------------- private memory

Place Lowering::expanded_array(const ir::Type& type, NameId block) {
  const Operand count = product(type.shape);
  expansions_.push_back({block, type.element, count});
  Place place = row_major(*this, block, kernel_thread_, type.shape, kernel_threads_total_);
  return place;
}

// Allocates each array for all threads before the kernel.  A size that the kernel computes is
// computed on the host too, if that takes only scalar arithmetic on what the host knows.
void Lowering::allocate_expansions(const std::vector<Expansion>& expansions,
                                   const Operand& threads, const Code& code) {
  for (const Expansion& one : expansions) {
    const Operand count = on_host(one.count, code);
    const Operand bytes =
        mul(mul(count, threads), ir::i64_operand(ir::byte_size(one.element)));
    emit(Allocate{one.block, bytes});
    own(one.block);
  }
}

namespace {

/// The instructions of a kernel by the variable they set; variables set more than once have none.
class Definitions {
 public:
  explicit Definitions(const Code& code) { visit_all(code); }

  bool is_set(NameId name) const { return count_.contains(name); }
  const Instruction* single(NameId name) const {
    const auto found = count_.find(name);
    return found == count_.end() || found->second.second > 1 ? nullptr : found->second.first;
  }

 private:
  void visit_all(const Code& code) {
    for (const Instruction& instruction : code) {
      InstructionVisitor visitor;
      visitor.use = [](const Operand&) {};
      visitor.set = [&](NameId name) {
        auto& entry = count_[name];
        entry.first = &instruction;
        ++entry.second;
      };
      visitor.nested = [&](const Code& inner) { visit_all(inner); };
      visit(instruction, visitor);
    }
  }
  std::unordered_map<NameId, std::pair<const Instruction*, int>> count_;
};

}  // namespace

Operand Lowering::on_host(const Operand& size, const Code& code) {
  const Definitions definitions(code);
  std::unordered_map<NameId, Operand> known;
  const std::function<Operand(const Operand&)> evaluate = [&](const Operand& operand) -> Operand {
    if (operand.is_constant() || !definitions.is_set(operand.name())) return operand;
    if (const auto found = known.find(operand.name()); found != known.end()) return found->second;
    const Instruction* instruction = definitions.single(operand.name());
    Operand result;
    if (const auto* assign = instruction ? as<Assign>(instruction->node) : nullptr) {
      Assign copied = *assign;
      for (Operand& argument : copied.arguments) argument = evaluate(argument);
      copied.target = variable("size", assign->result);
      result = copied.target;
      emit(std::move(copied));
    } else if (const auto* moved = instruction ? as<Move>(instruction->node) : nullptr) {
      result = evaluate(moved->value);
    } else {
      unsupported("an array inside a kernel whose size depends on data");
    }
    known[operand.name()] = result;
    return result;
  };
  return evaluate(size);
}

// ---------------------------------------------------------------- read-only data

// Blocks that the kernel does not write may be read through the read-only cache.
void Lowering::mark_invariant(Code& code) {
  std::unordered_set<NameId> written;
  const std::function<void(const Code&)> collect_written = [&](const Code& inner) {
    for (const Instruction& instruction : inner) {
      const Node& node = instruction.node;
      if (const auto* store = as<Store>(node)) written.insert(store->block);
      if (const auto* atomic = as<Atomic>(node)) written.insert(atomic->block);
      if (const auto* exchange = as<CompareExchange>(node)) written.insert(exchange->block);
      if (const auto* copy = as<CopyElements>(node)) written.insert(copy->target);
      // Through a variable that may mean several blocks anything may be written.
      if (const auto* share = as<Share>(node)) {
        written.insert(share->source);
        written.insert(share->target);
      }
      if (const auto* call = as<Call>(node)) {
        for (const Operand& argument : call->arguments) {
          if (argument.is_name()) written.insert(argument.name());
        }
      }
      InstructionVisitor visitor{[](const Operand&) {}, [](NameId) {}, collect_written};
      visit(instruction, visitor);
    }
  };
  collect_written(code);
  mark_invariant(code, written);
}

void Lowering::mark_invariant(Code& code, const std::unordered_set<NameId>& written) {
  for (Instruction& instruction : code) {
    if (auto* load = as<Load>(instruction.node)) {
      load->invariant = load->space == Space::global && !written.contains(load->block);
    } else if (auto* loop = as<For>(instruction.node)) {
      mark_invariant(loop->body, written);
    } else if (auto* repeat = as<While>(instruction.node)) {
      mark_invariant(repeat->test, written);
      mark_invariant(repeat->body, written);
    } else if (auto* branch = as<If>(instruction.node)) {
      mark_invariant(branch->then_code, written);
      mark_invariant(branch->else_code, written);
    }
  }
}

}  // namespace dagaz::imperative
