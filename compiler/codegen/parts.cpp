// Pieces of code are as heavy as they have instructions.  The heaviest comes first, each to the
// part that is lightest so far (Graham's LPT rule), into as many parts as make them worth a
// thread and an LLVM context.
#include "codegen/parts.h"

#include <algorithm>
#include <unordered_set>

#include "tree/form.h"
#include "tree/walk.h"

namespace dagaz::codegen {

namespace {

using tree::Code;
using tree::Instruction;

/// What describes one entry point or type to the runtime and to C.
constexpr std::size_t description_weight = 20;

/// A host function, task or kernel; each is in the list of the part that it names.
struct Piece {
  enum class Kind { function, task, kernel };
  Kind kind;
  std::size_t number;
  std::size_t weight;
};

/// Walks host code once: finds tasks and kernels, and weighs everything.
class Collector {
 public:
  Collector(const tree::Program& program, Division& division)
      : program_(program), division_(division), tasks_(program.names) {}

  void collect() {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const tree::Function& function = program_.functions[i];
      // Parts that call a device function have their own copy of it.
      if (function.device) continue;
      function_ = &function;
      pieces.push_back({Piece::Kind::function, i, weigh(function.body)});
    }
  }

  std::vector<Piece> pieces;

 private:
  std::size_t weigh(const Code& code) {
    std::size_t weight = 0;
    for (const Instruction& instruction : code) {
      ++weight;
      if (const auto* loop = std::get_if<tree::ParallelFor>(&instruction.node)) {
        add_task(*loop);
      } else if (const auto* launch = std::get_if<tree::Launch>(&instruction.node)) {
        add_kernel(*launch);
      } else {
        tree::for_each_code(instruction, [&](const Code& inner) { weight += weigh(inner); });
      }
    }
    return weight;
  }

  void add_task(const tree::ParallelFor& loop) {
    const std::size_t next = division_.tasks.size();
    const std::optional<std::size_t> same = tasks_.find(&loop);
    division_.task_numbers[&loop] = same.value_or(next);
    if (same) {
      Task& shared = division_.tasks[*same];
      shared.failures_vary = shared.failures_vary || failures_of(loop) != shared.failures;
      return;
    }
    tasks_.add(&loop, next);
    const std::string name = function_->name + "." + std::to_string(next);
    division_.tasks.push_back({name, &loop, captured_by(loop), failures_of(loop)});
    pieces.push_back({Piece::Kind::task, next, weigh(loop.body)});
  }

  void add_kernel(const tree::Launch& launch) {
    const std::size_t next = division_.kernels.size();
    if (!division_.kernel_numbers.try_emplace(launch.kernel, next).second) return;
    division_.kernels.push_back({&launch, tree::captured_variables(launch.body)});
    pieces.push_back({Piece::Kind::kernel, next, weigh(launch.body)});
  }

  const tree::Program& program_;
  Division& division_;
  const tree::Function* function_ = nullptr;
  tree::Forms<const tree::ParallelFor*> tasks_;
};

/// `first_weight` is what the first part has anyway.
std::vector<Part> distribute(const tree::Program& program, std::vector<Piece> pieces,
                             std::size_t first_weight, Divide how, const Tunables& tunables) {
  std::size_t total = first_weight;
  for (const Piece& piece : pieces) total += piece.weight;
  const std::size_t useful =
      std::clamp<std::size_t>(total / static_cast<std::size_t>(tunables.part_of_program), 1,
                              static_cast<std::size_t>(tunables.program_parts));
  std::vector<Part> parts(how == Divide::never ? 1 : useful);
  std::vector<std::size_t> weights(parts.size(), 0);
  weights[0] = first_weight;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.weight > b.weight; });
  for (const Piece& piece : pieces) {
    const auto lightest = std::min_element(weights.begin(), weights.end());
    *lightest += piece.weight;
    Part& part = parts[static_cast<std::size_t>(lightest - weights.begin())];
    switch (piece.kind) {
      case Piece::Kind::function: part.functions.push_back(&program.functions[piece.number]); break;
      case Piece::Kind::task: part.tasks.push_back(piece.number); break;
      case Piece::Kind::kernel: part.kernels.push_back(piece.number); break;
    }
  }
  return parts;
}

}  // namespace

std::vector<tree::NameId> captured_by(const tree::ParallelFor& loop) {
  std::vector<tree::NameId> captured = tree::captured_variables(loop.body);
  std::erase_if(captured, [&](auto name) { return name == loop.begin || name == loop.end; });
  return captured;
}

std::vector<int> failures_of(const tree::ParallelFor& loop) {
  std::vector<int> failures;
  std::unordered_set<int> seen;
  tree::for_each_instruction(loop.body, [&](const Instruction& instruction) {
    const auto* fail = std::get_if<tree::Fail>(&instruction.node);
    if (fail != nullptr && seen.insert(fail->failure).second) failures.push_back(fail->failure);
  });
  return failures;
}

Division divide(const tree::Program& program, Divide how, const Tunables& tunables) {
  Division division;
  Collector collector(program, division);
  collector.collect();
  std::vector<Piece> host;
  std::vector<Piece> device;
  const bool cuda = program.target == tree::Target::cuda;
  for (const Piece& piece : collector.pieces) {
    (cuda && piece.kind == Piece::Kind::kernel ? device : host).push_back(piece);
  }
  const std::size_t described = program.entries.size() + program.external_types.size();
  division.host = distribute(program, std::move(host), described * description_weight, how, tunables);
  if (cuda) division.device = distribute(program, std::move(device), 0, how, tunables);
  return division;
}

}  // namespace dagaz::codegen
