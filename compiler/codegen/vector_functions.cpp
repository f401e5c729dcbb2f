// glibc names its vector functions by the x86-64 vector ABI: _ZGV, a letter for the instruction
// set (b SSE4, d AVX2, e AVX-512), N for "no mask", the lanes, a v for each parameter, and the
// scalar name.  The table of LLVM covers five functions and no AVX-512; glibc has all of these
// since 2.35.
#include "codegen/vector_functions.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/MC/MCSubtargetInfo.h>

namespace dagaz::codegen {

namespace {

struct VectorRow {
  const char* name;
  int arity;
  bool intrinsic;  // LLVM has an intrinsic of that name, which is what our code calls
};

constexpr VectorRow vector_rows[] = {
    {"exp", 1, true},    {"log", 1, true},    {"sin", 1, true},    {"cos", 1, true},
    {"pow", 2, true},    {"log2", 1, true},   {"log10", 1, true},  {"exp2", 1, true},
    {"exp10", 1, true},  {"acos", 1, false},  {"acosh", 1, false}, {"asin", 1, false},
    {"asinh", 1, false}, {"atan", 1, false},  {"atanh", 1, false}, {"atan2", 2, false},
    {"cbrt", 1, false},  {"cosh", 1, false},  {"erf", 1, false},   {"erfc", 1, false},
    {"expm1", 1, false}, {"hypot", 2, false}, {"log1p", 1, false}, {"sinh", 1, false},
    {"tan", 1, false},   {"tanh", 1, false},
};

/// One instruction set: its letter, the bytes of a vector, and the feature it needs.
struct Level {
  char letter;
  unsigned bytes;
  const char* feature;
};

constexpr Level levels[] = {{'b', 16, "+sse4.2"}, {'d', 32, "+avx2"}, {'e', 64, "+avx512f"}};

/// LLVM keeps references to the names, so they live as long as the process.
class Table {
 public:
  Table() {
    for (std::size_t level = 0; level < std::size(levels); ++level) {
      for (const VectorRow& row : vector_rows) {
        add(row, level, false);
        add(row, level, true);
      }
    }
  }
  const std::vector<llvm::VecDesc>& at(std::size_t level) const { return functions_[level]; }

 private:
  llvm::StringRef keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  void add(const VectorRow& row, std::size_t level, bool single) {
    const unsigned lanes = levels[level].bytes / (single ? 4 : 8);
    const std::string scalar = std::string(row.name) + (single ? "f" : "");
    const llvm::StringRef prefix = keep(std::string("_ZGV") + levels[level].letter + "N" +
                                        std::to_string(lanes) + std::string(
                                            static_cast<std::size_t>(row.arity), 'v'));
    const llvm::StringRef vector = keep(prefix.str() + "_" + scalar);
    const llvm::StringRef abi_prefix = keep("_ZGV_LLVM_N" + std::to_string(lanes) +
                                            std::string(static_cast<std::size_t>(row.arity), 'v'));
    const llvm::ElementCount width = llvm::ElementCount::getFixed(lanes);
    functions_[level].emplace_back(keep(scalar), vector, width, false, abi_prefix);
    if (row.intrinsic) {
      const std::string intrinsic =
          "llvm." + std::string(row.name) + (single ? ".f32" : ".f64");
      functions_[level].emplace_back(keep(intrinsic), vector, width, false, abi_prefix);
    }
  }

  std::deque<std::string> texts_;
  std::array<std::vector<llvm::VecDesc>, std::size(levels)> functions_;
};

}  // namespace

void add_vector_functions(llvm::TargetLibraryInfoImpl& library,
                          const llvm::TargetMachine& machine) {
  static const Table table;
  const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
  std::vector<llvm::VecDesc> usable;
  for (std::size_t level = 0; level < std::size(levels); ++level) {
    // The processor's own name implies features that its feature string does not list.
    if (!subtarget.checkFeatures(levels[level].feature)) continue;
    usable.insert(usable.end(), table.at(level).begin(), table.at(level).end());
  }
  library.addVectorizableFunctions(usable);
}

std::vector<VectorCall> vector_calls(llvm::Function& function) {
  std::vector<VectorCall> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    llvm::StringRef name = call->getCalledFunction()->getName();
    if (name.consume_front("_ZGV")) calls.push_back({call, name.split('_').second});
  }
  return calls;
}

}  // namespace dagaz::codegen
