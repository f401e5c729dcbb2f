// Pieces of code are as heavy as they have instructions.  The heaviest comes first, each to the
// part that is lightest so far (Graham's LPT rule), into as many parts as make them worth a
// thread and an LLVM context.
#include "codegen/parts.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "support/match.h"
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
  std::size_t weight = 0;
  Treatment treatment = Treatment::all;
};

/// Whether memory is read and written in lanes at more places than one element at a time.
bool runs_in_lanes(const Code& code) {
  std::size_t lanes = 0;
  std::size_t elements = 0;
  tree::for_each_instruction(code, [&](const Instruction& one) {
    using namespace tree;
    lanes += as<LoadLanes>(one.node) != nullptr || as<StoreLanes>(one.node) != nullptr;
    elements += as<Load>(one.node) != nullptr || as<Store>(one.node) != nullptr ||
                as<ReadElement>(one.node) != nullptr || as<WriteElement>(one.node) != nullptr;
  });
  return lanes > elements;
}

/// Walks host code once: finds tasks and kernels, and weighs everything.
class Collector {
 public:
  Collector(const tree::Program& program, const Tunables& tunables, Division& division)
      : program_(program), tunables_(tunables), division_(division), tasks_(program.names) {}

  void collect() {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const tree::Function& function = program_.functions[i];
      // Parts that call a device function have their own copy of it.
      if (function.device) continue;
      function_ = &function;
      add({Piece::Kind::function, i}, function.body);
    }
  }

  std::vector<Piece> pieces;

 private:
  void add(Piece piece, const Code& body) {
    piece.weight = weigh(body);
    if (piece.kind == Piece::Kind::kernel) {
      piece.treatment = Treatment::simulated;
    } else if (runs_in_lanes(body)) {
      piece.treatment = Treatment::in_lanes;
    } else if (piece.weight > static_cast<std::size_t>(tunables_.reduced_piece)) {
      piece.treatment = Treatment::without_strength_reduction;
    }
    pieces.push_back(piece);
  }

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
    add({Piece::Kind::task, next}, loop.body);
  }

  void add_kernel(const tree::Launch& launch) {
    const std::size_t next = division_.kernels.size();
    if (!division_.kernel_numbers.try_emplace(launch.kernel, next).second) return;
    division_.kernels.push_back({&launch, tree::captured_variables(launch.body)});
    add({Piece::Kind::kernel, next}, launch.body);
  }

  const tree::Program& program_;
  const Tunables& tunables_;
  Division& division_;
  const tree::Function* function_ = nullptr;
  tree::Forms<const tree::ParallelFor*> tasks_;
};

/// Divides pieces into at most `most` parts, each worth `worth`; `first_weight` is what the first
/// part has anyway.
std::vector<Part> distribute(const tree::Program& program, const std::vector<Piece>& pieces,
                             std::size_t first_weight, std::size_t worth, std::size_t most) {
  std::size_t total = first_weight;
  for (const Piece& piece : pieces) total += piece.weight;
  std::vector<Part> parts(std::clamp<std::size_t>(total / worth, 1, most));
  parts[0].weight = first_weight;
  for (const Piece& piece : pieces) {
    Part& part = *std::min_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return a.weight < b.weight;
    });
    part.weight += piece.weight;
    switch (piece.kind) {
      case Piece::Kind::function: part.functions.push_back(&program.functions[piece.number]); break;
      case Piece::Kind::task: part.tasks.push_back(piece.number); break;
      case Piece::Kind::kernel: part.kernels.push_back(piece.number); break;
    }
  }
  const auto is_empty = [](const Part& part) {
    return part.functions.empty() && part.tasks.empty() && part.kernels.empty();
  };
  parts.erase(std::remove_if(parts.begin() + 1, parts.end(), is_empty), parts.end());
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
  Collector collector(program, tunables, division);
  collector.collect();
  std::vector<Piece>& pieces = collector.pieces;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.weight > b.weight; });
  const bool cuda = program.target == tree::Target::cuda;
  const auto is_device = [&](const Piece& one) {
    return cuda && one.kind == Piece::Kind::kernel;
  };
  const auto parts_of = [&](const auto& belongs, std::size_t weight, std::int64_t worth) {
    std::vector<Piece> some;
    std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(some), belongs);
    const std::int64_t most = how == Divide::never ? 1 : tunables.program_parts;
    return distribute(program, some, weight, static_cast<std::size_t>(worth),
                      static_cast<std::size_t>(most));
  };
  const std::size_t described = program.entries.size() + program.external_types.size();
  std::size_t weight = described * description_weight;
  for (const Treatment each :
       {Treatment::all, Treatment::without_strength_reduction, Treatment::in_lanes,
        Treatment::simulated}) {
    const auto belongs = [&](const Piece& one) {
      return !is_device(one) && (how == Divide::never || one.treatment == each);
    };
    const bool is_first = division.host.empty();
    if (!is_first && std::none_of(pieces.begin(), pieces.end(), belongs)) continue;
    for (Part& part : parts_of(belongs, std::exchange(weight, 0), tunables.part_of_program)) {
      part.treatment = each;
      division.host.push_back(std::move(part));
    }
    if (how == Divide::never) break;
  }
  if (cuda) division.device = parts_of(is_device, 0, tunables.part_of_kernels);
  return division;
}

}  // namespace dagaz::codegen
