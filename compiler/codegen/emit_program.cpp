// The dz_program constant: what the runtime knows about the compiled program.  The layouts are
// those of runtime/abi.h.
#include <algorithm>

#include <llvm/IR/Constants.h>

#include "abi.h"
#include "codegen/c_api.h"
#include "codegen/emit.h"
#include "codegen/emit_trace.h"
#include "codegen/host_target.h"
#include "codegen/kernel_failure.h"
#include "codegen/runtime_calls.h"
#include "ir/globals.h"
#include "ir/traces.h"
#include "support/check.h"
#include "support/library_folder.h"
#include "support/whole_range.h"
#include "tree/walk.h"

namespace dagaz::codegen {

using llvm::Constant;

namespace {

/// Builds constants of the host module.
class ConstantBuilder {
 public:
  explicit ConstantBuilder(PartModule& part) : part_(part) {}

  Constant* i32(std::int64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(part_.context),
                                  static_cast<std::uint64_t>(value), true);
  }
  Constant* i64(std::int64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(part_.context),
                                  static_cast<std::uint64_t>(value), true);
  }
  Constant* null() {
    return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(part_.context));
  }
  Constant* text(std::string_view text) { return global(llvm::ConstantDataArray::getString(
                                              part_.context, llvm::StringRef(text))); }
  /// The address of bytes that are as a file in memory.
  Constant* image(std::string_view bytes) {
    llvm::GlobalVariable* variable = global(
        llvm::ConstantDataArray::getString(part_.context, llvm::StringRef(bytes), false));
    variable->setAlignment(llvm::Align(64));
    return variable;
  }
  Constant* structure(std::vector<Constant*> members) {
    return llvm::ConstantStruct::getAnon(part_.context, members);
  }
  /// The address of an array of `items`, or null.
  Constant* list(const std::vector<Constant*>& items) {
    if (items.empty()) return null();
    auto* type = llvm::ArrayType::get(items[0]->getType(), items.size());
    return global(llvm::ConstantArray::get(type, items));
  }
  Constant* numbers(const std::vector<int>& numbers) {
    std::vector<Constant*> items;
    for (const int number : numbers) items.push_back(i32(number));
    return list(items);
  }

 private:
  llvm::GlobalVariable* global(Constant* value) {
    auto* variable = new llvm::GlobalVariable(part_.module, value->getType(), true,
                                              llvm::GlobalValue::PrivateLinkage, value);
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return variable;
  }

  PartModule& part_;
};

std::int64_t count(std::size_t size) { return static_cast<std::int64_t>(size); }

int type_kind(ir::ExternalKind kind) {
  switch (kind) {
    case ir::ExternalKind::scalar: return DZ_SCALAR_TYPE;
    case ir::ExternalKind::array: return DZ_ARRAY_TYPE;
    case ir::ExternalKind::record:
    case ir::ExternalKind::sum:
    case ir::ExternalKind::opaque_array:
    case ir::ExternalKind::opaque: return DZ_OPAQUE_TYPE;
  }
  DZ_UNREACHABLE("external kind");
}

int opaque_kind(ir::ExternalKind kind) {
  switch (kind) {
    case ir::ExternalKind::record: return DZ_RECORD;
    case ir::ExternalKind::sum: return DZ_SUM;
    case ir::ExternalKind::opaque_array: return DZ_OPAQUE_ARRAY;
    case ir::ExternalKind::scalar:
    case ir::ExternalKind::array:
    case ir::ExternalKind::opaque: return DZ_UNKNOWN;
  }
  DZ_UNREACHABLE("external kind");
}

Constant* type_constant(ConstantBuilder& make, const ir::ExternalType& type) {
  std::vector<Constant*> leaves;
  for (const ir::ExternalLeaf& leaf : type.leaves) {
    leaves.push_back(
        make.structure({make.i32(static_cast<int>(leaf.element)), make.i32(leaf.rank)}));
  }
  std::vector<Constant*> members;
  for (const ir::ExternalMember& member : type.members) {
    members.push_back(make.structure({make.text(member.name), make.i32(count(member.types.size())),
                                      make.numbers(member.types),
                                      make.numbers(member.leaf_index)}));
  }
  return make.structure({make.text(type.name), make.text(identifier_part(type)),
                         make.i32(type_kind(type.kind)), make.i32(opaque_kind(type.kind)),
                         make.i32(count(leaves.size())), make.list(leaves),
                         make.i32(count(members.size())), make.list(members),
                         make.i32(type.element_type), make.i32(type.rank)});
}

Constant* parameters(ConstantBuilder& make, const std::vector<ir::ExternalValue>& values) {
  std::vector<Constant*> items;
  for (const ir::ExternalValue& value : values) {
    items.push_back(make.structure(
        {make.text(value.name), make.i32(value.type), make.i32(value.unique ? 1 : 0)}));
  }
  return make.list(items);
}

Constant* entry_constant(ConstantBuilder& make, const ir::EntryPoint& entry,
                         llvm::Function* function) {
  return make.structure({make.text(entry.name),
                         entry.documentation.empty() ? make.null() : make.text(entry.documentation),
                         function, make.i32(count(entry.inputs.size())),
                         parameters(make, entry.inputs), make.i32(count(entry.outputs.size())),
                         parameters(make, entry.outputs)});
}

/// The source positions of a location, innermost first, a line each.
std::string backtrace(const Unit& unit, ir::LocationId location) {
  std::string lines;
  while (location.valid()) {
    const ir::Location& place = unit.program.locations[location.index];
    if (place.range.valid()) {
      lines += describe_whole(place.range, unit.files);
      lines += '\n';
    }
    location = place.inlined_at;
  }
  return lines;
}

Constant* kernel_constant(ConstantBuilder& make, PartModule& part, const Kernel& kernel) {
  const Unit& unit = part.unit;
  std::vector<int> bytes;
  for (const NameId name : kernel.captured) {
    const ir::Type type = unit.program.names.type(name);
    bytes.push_back(type.kind == ir::TypeKind::block
                        ? static_cast<int>(sizeof(void*))
                        : static_cast<int>(ir::byte_size(type.element)));
  }
  const bool sim = unit.program.target == tree::Target::sim;
  Constant* simulated = sim ? declare_kernel(part, kernel) : make.null();
  return make.structure({make.text(kernel.launch->kernel), simulated,
                         make.i32(count(bytes.size())), make.numbers(bytes),
                         make.text(written_at(unit, kernel.launch->location)),
                         make.i32(may_fail(kernel.launch->body) ? 1 : 0)});
}

int target_number(tree::Target target) {
  switch (target) {
    case tree::Target::cpu: return DZ_TARGET_CPU;
    case tree::Target::cuda: return DZ_TARGET_CUDA;
    case tree::Target::sim: return DZ_TARGET_SIM;
  }
  DZ_UNREACHABLE("target");
}

/// Device functions that call others are those that inlining leaves: they call themselves, so how
/// deep a thread's stack grows is the program's business.  Sixteen times what a GPU gives without
/// being asked.
std::int64_t kernel_stack_bytes(const Unit& unit) {
  const auto& functions = unit.program.functions;
  const bool recursive = std::any_of(functions.begin(), functions.end(), [](const auto& function) {
    bool calls = false;
    tree::for_each_instruction(function.body, [&](const tree::Instruction& one) {
      calls = calls || std::holds_alternative<tree::Call>(one.node);
    });
    return function.device && calls;
  });
  return recursive ? std::int64_t{16} << 10 : 0;
}

/// i32 initialise(context): computes the globals behind the `first` of them that the runtime sets.
llvm::Function* initialiser(PartModule& part, llvm::Function* compute, std::uint64_t first) {
  llvm::IRBuilder<> b(part.context);
  auto* type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, "dz.initialise", part.module);
  b.SetInsertPoint(llvm::BasicBlock::Create(part.context, "", function));
  llvm::Function* global = runtime_function(part.module, "dz_global");
  llvm::Value* context = function->getArg(0);
  llvm::Value* inputs = b.CreateCall(global, {context, b.getInt64(0)});
  llvm::Value* outputs = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), inputs, first);
  b.CreateRet(b.CreateCall(compute, {context, inputs, outputs}));
  return function;
}

/// The descriptions of the program's other versions, which other object files hold.
Constant* versions(ConstantBuilder& make, PartModule& part) {
  const Options& options = part.unit.options;
  std::vector<Constant*> others;
  for (const std::string& version : options.versions) {
    auto* other = new llvm::GlobalVariable(
        part.module, llvm::Type::getInt8Ty(part.context), true,
        llvm::GlobalValue::ExternalLinkage, nullptr, program_symbol(options.prefix, version));
    other->setVisibility(llvm::GlobalValue::HiddenVisibility);
    others.push_back(other);
  }
  return make.list(others);
}

/// The last members of the program: its globals and its tuning parameters.
struct GlobalsConstants {
  Constant* initialise;
  std::size_t count = 0;
  std::vector<Constant*> tuning;  // dz_tuning_param
};

/// A dz_tuning_param.
Constant* tuning_constant(ConstantBuilder& make, const Unit& unit, const std::string& name) {
  const auto tuned = unit.options.tuned.find(name);
  const bool is_set = tuned != unit.options.tuned.end();
  return make.structure(
      {make.text(name), make.i32(is_set ? 1 : 0), make.i64(is_set ? tuned->second : 0)});
}

GlobalsConstants globals_constants(ConstantBuilder& make, PartModule& part,
                                   const std::vector<llvm::Function*>& wrappers) {
  GlobalsConstants globals{make.null(), 0, {}};
  for (std::size_t i = 0; i < wrappers.size(); ++i) {
    const ir::EntryPoint& entry = part.unit.program.entries[i];
    if (!ir::computes_globals(entry)) continue;
    for (const ir::ExternalValue& one : entry.inputs) {
      globals.tuning.push_back(tuning_constant(make, part.unit, one.name));
    }
    const std::size_t inputs = part.unit.program.entry_inputs[i].size();
    globals.count = inputs + part.unit.program.entry_outputs[i].size();
    globals.initialise = initialiser(part, wrappers[i], inputs);
  }
  return globals;
}

}  // namespace

std::string written_at(const Unit& unit, ir::LocationId location) {
  std::string innermost;
  for (; location.valid(); location = unit.program.locations[location.index].inlined_at) {
    const Range& range = unit.program.locations[location.index].range;
    if (!range.valid()) continue;
    const std::string here = unit.files.describe(range);
    if (!is_library_file(here)) return here;
    if (innermost.empty()) innermost = here;
  }
  return innermost;
}

std::string program_symbol(const std::string& prefix, const std::string& version) {
  return "dz_program_" + prefix + (version.empty() ? "" : "." + version);
}

void emit_program(PartModule& part, const EntryPoints& entries, const Processor& processor,
                  const EmbeddedCode& code) {
  const std::string_view ptx = code.ptx;
  const Unit& unit = part.unit;
  ConstantBuilder make(part);
  std::vector<Constant*> types;
  for (const ir::ExternalType& type : unit.program.external_types) {
    types.push_back(type_constant(make, type));
  }
  std::vector<Constant*> entry_points;
  for (std::size_t i = 0; i < entries.functions.size(); ++i) {
    if (ir::computes_globals(unit.program.entries[i])) continue;
    entry_points.push_back(entry_constant(make, unit.program.entries[i], entries.functions[i]));
  }
  std::vector<Constant*> kernels;
  for (const Kernel& kernel : unit.division.kernels) {
    kernels.push_back(kernel_constant(make, part, kernel));
  }
  std::vector<Constant*> failures;
  for (const tree::Failure& failure : entries.failures) {
    failures.push_back(make.structure(
        {make.text(failure.text), make.text(backtrace(unit, failure.location))}));
  }
  std::vector<Constant*> traces;
  for (const std::string& name : traces_of(unit.program)) {
    const ir::Traced traced = ir::traced_by(name);
    traces.push_back(make.structure({make.text(traced.label), make.text(traced.type)}));
  }
  std::vector<Constant*> machine_code;
  for (const GpuCode& one : code.machine_code) {
    machine_code.push_back(make.structure(
        {make.i32(one.capability), make.image(one.image), make.i64(count(one.image.size()))}));
  }
  const GlobalsConstants globals = globals_constants(make, part, entries.functions);
  Constant* program = make.structure(
      {make.i32(DZ_ABI_VERSION), make.i32(target_number(unit.program.target)),
       make.text(unit.options.prefix), make.i32(count(types.size())), make.list(types),
       make.i32(count(entry_points.size())), make.list(entry_points),
       make.i32(count(kernels.size())), make.list(kernels), make.i32(count(failures.size())),
       make.list(failures), ptx.empty() ? make.null() : make.text(ptx), make.i64(count(ptx.size())),
       globals.initialise, make.i64(count(globals.count)), make.i32(count(globals.tuning.size())),
       make.list(globals.tuning), make.i64(kernel_stack_bytes(unit)),
       make.i32(count(traces.size())), make.list(traces),
       make.text(processor.name), make.text(processor.features),
       make.i32(count(unit.options.versions.size())), versions(make, part),
       make.i32(count(machine_code.size())), make.list(machine_code)});
  auto* symbol = new llvm::GlobalVariable(
      part.module, program->getType(), true, llvm::GlobalValue::ExternalLinkage, program,
      program_symbol(unit.options.prefix, unit.options.version));
  if (!unit.options.version.empty()) {
    symbol->setVisibility(llvm::GlobalValue::HiddenVisibility);
  } else if (unit.options.executable) {
    new llvm::GlobalVariable(part.module, symbol->getType(), true,
                             llvm::GlobalValue::ExternalLinkage, symbol, "dz_main_program");
  }
}

}  // namespace dagaz::codegen
