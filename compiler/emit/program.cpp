// Functions, entry points and the program as a whole.
//
// An entry point's function takes and gives blocks that start at element 0.  A function that
// other functions call passes each array as a block and an offset, row-major.
#include "emit/lower.h"

#include <algorithm>

#include "emit/control/recursion.h"
#include "emit/delayed_reads.h"
#include "emit/gpu/arena.h"
#include "emit/invariant_loads.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/joins.h"
#include "emit/rolled_nests.h"
#include "emit/shared_scratch.h"
#include "emit/statements.h"
#include "emit/unsupported.h"
#include "ir/fields.h"
#include "ir/traces.h"

namespace dagaz::emit {

static memory::Context memory_context(const Context& c) {
  return {c.names(), c.source.functions, c.settings};
}

// A block that holds the array, and a reference to it, from element 0.
static NameId from_start(Context& c, const Value& value) {
  const Place place = dense(c, *value.place, value.type);
  const NameId block = c.block_variable("result");
  c.branch(
      c.equal(place.offset, ir::i64_operand(0)),
      [&] {
        c.emit(Share{block, place.block});
      },
      [&] {
        const Operand count = c.product(value.type.shape);
        c.emit(Allocate{block, byte_count(c, value.type)});
        c.emit(CopyElements{block, ir::i64_operand(0), place.block, place.offset, count,
                            value.type.element});
      });
  return block;
}

enum class ArrayParameters { blocks, blocks_and_offsets };

// Adds the function's parameters to those of `result`, and says where its arrays are.
static void bind_parameters(Context& c, const ir::Function& function, ArrayParameters arrays,
                            Function& result) {
  for (const ir::Binder& parameter : function.parameters) {
    const ir::Type type = c.names().type(parameter.name);
    if (!type.is_array()) {
      result.parameters.push_back(parameter.name);
      continue;
    }
    const NameId block = c.block_variable(c.names().base(parameter.name));
    result.parameters.push_back(block);
    Operand offset = ir::i64_operand(0);
    if (arrays == ArrayParameters::blocks_and_offsets) {
      const NameId given = c.variable("offset", ScalarType::i64);
      result.parameters.push_back(given);
      offset = given;
    }
    c.arrays.bind(parameter.name, row_major(c, block, offset, type.shape));
  }
}

static Function emit_entry(Context& c, const ir::Function& function) {
  Doing doing("lowering an entry point");
  Function result{function.name, false, {}, {}, {}};
  c.function = function.name;
  c.mode = Mode::host;
  c.stack.limit = {};
  result.body = c.collect([&] {
    c.memory = memory::place_host(function, memory_context(c));
    bind_parameters(c, function, ArrayParameters::blocks, result);
    emit_body(c, function.body, {}, [&](const std::vector<Value>& values) {
      for (const Value& value : values) {
        if (value.type.kind != ir::TypeKind::value) continue;
        result.results.push_back(value.place ? Operand(from_start(c, value)) : value.operand);
      }
    });
  });
  return result;
}

// An array that a called function gives.
static void give_array(Context& c, const Value& value, Function& result) {
  const Join join = new_join(c, value.operand.name());
  set_join(c, join, value);
  result.results.push_back(join.block);
  result.results.push_back(join.offset);
}

// The one array of a function that sorts (ir::Sorts), sorted where it is.
static void emit_sort(Context& c, const ir::Function& function, Function& result) {
  const auto array = std::find_if(
      function.parameters.begin(), function.parameters.end(),
      [&](const ir::Binder& parameter) { return c.names().type(parameter.name).is_array(); });
  DZ_CHECK(array != function.parameters.end(), "a function that sorts without an array");
  const Value value = value_of(c, array->name);
  const Place place = dense(c, *value.place, value.type);
  c.emit(Sort{place.block, place.offset, value.type.shape[0], value.type.element,
              function.sorts == ir::Sorts::signed_numbers});
  give_array(c, value, result);
}

static Function emit_called(Context& c, const ir::Function& function, Mode mode) {
  Doing doing("lowering a function");
  Function result{function.name, mode != Mode::host, {}, {}, {}};
  c.function = function.name;
  c.mode = mode;
  c.thread.in_function = mode == Mode::kernel;
  const auto parameters = [&] {
    if (c.thread.in_function && c.thread.functions.contains(function.name))
      receive_arena(c, result);
    receive_stack_limit(c, result);
    bind_parameters(c, function, ArrayParameters::blocks_and_offsets, result);
  };
  const auto body = [&] {
    emit_body(c, function.body, {}, [&](const std::vector<Value>& values) {
      for (const Value& value : values) {
        if (value.type.kind != ir::TypeKind::value) continue;
        if (!value.place) {
          result.results.push_back(value.operand);
          continue;
        }
        give_array(c, value, result);
      }
    });
  };
  c.memory = mode == Mode::host ? memory::place_host(function, memory_context(c))
                                : memory::place_thread(function, memory_context(c));
  result.body = c.collect([&] {
    parameters();
    if (mode == Mode::host && function.sorts != ir::Sorts::no &&
        c.settings.arrays == ir::ArraysIn::memory) {
      emit_sort(c, function, result);
    } else if (mode == Mode::host) {
      body();
    } else {
      with_private_scope(c, body);
    }
  });
  c.thread.in_function = false;
  return result;
}

static const ir::Function* function_named(const ir::Program& program, const std::string& name) {
  for (const ir::Function& function : program.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

// ---------------------------------------------------------------- the arena of a kernel's thread

static void collect_calls(const ir::Body& body, std::vector<std::string>& functions) {
  for (const ir::Statement& statement : body.statements) {
    if (const auto* call = as<ir::Call>(statement.operation)) {
      const auto found = std::find(functions.begin(), functions.end(), call->function);
      if (found == functions.end()) functions.push_back(call->function);
    }
    ir::for_each_scope(statement.operation,
                       [&](const ir::Body& inner) { collect_calls(inner, functions); });
  }
}

static bool works_on_arrays(const ir::Function& function, const ir::Names& names) {
  const auto is_array = [&](NameId one) { return names.type(one).is_array(); };
  const std::vector<NameId> bound = ir::bound_names(function.body);
  return std::any_of(bound.begin(), bound.end(), is_array) ||
         std::any_of(function.parameters.begin(), function.parameters.end(),
                     [&](const ir::Binder& parameter) { return is_array(parameter.name); });
}

// Functions that have arrays, and those that call one.
static void find_arena_functions(Context& c) {
  std::vector<std::pair<std::string, std::vector<std::string>>> others;
  for (const ir::Function& function : c.source.functions) {
    if (ir::is_trace(function.name)) continue;  // takes no memory
    if (works_on_arrays(function, c.names())) {
      c.thread.functions.insert(function.name);
    } else {
      others.emplace_back(function.name, std::vector<std::string>{});
      collect_calls(function.body, others.back().second);
    }
  }
  const auto calls_one = [&](const auto& caller) {
    return std::any_of(caller.second.begin(), caller.second.end(), [&](const std::string& callee) {
      return c.thread.functions.contains(callee);
    });
  };
  for (auto found = others.end();
       (found = std::find_if(others.begin(), others.end(), calls_one)) != others.end();) {
    c.thread.functions.insert(found->first);
    others.erase(found);
  }
}

// A copy with names of its own, since a function may be lowered for several places.
static ir::Function renamed_function(Context& c, const ir::Function& function) {
  ir::Lambda lambda{function.parameters, function.body, function.result_types};
  lambda = ir::renamed(lambda, c.names());
  return {function.name,       lambda.parameters, function.consumes, lambda.result_types, lambda.body,
          function.noinline, function.sorts};
}

static void emit_called_functions(Context& c) {
  for (std::size_t k = 0; k < c.functions.all().size(); ++k) {
    const auto [name, mode] = c.functions.all()[k];
    const ir::Function* original = function_named(c.source, name);
    DZ_CHECK(original, "call of unknown function " + name);
    const ir::Function function = renamed_function(c, *original);
    Function lowered = emit_called(c, function, mode);
    lowered.name = CalledFunctions::name_of(name, mode);
    c.program.functions.push_back(std::move(lowered));
  }
}

static bool function_named_in_result(Context& c, const std::string& name) {
  return std::any_of(c.program.functions.begin(), c.program.functions.end(),
                     [&](const Function& function) { return function.name == name; });
}

/// Makes the size results of an entry point the very names in the types of its results: passes
/// may have given the types another name for a size than the result has.
static void name_size_results(std::vector<ir::EntryPoint>& entries, ir::Function& function) {
  const auto is_own = [&](const ir::EntryPoint& e) { return e.function == function.name; };
  const auto entry = std::find_if(entries.begin(), entries.end(), is_own);
  if (entry == entries.end()) return;
  std::vector<ir::Operand> sizes;
  const auto first = static_cast<std::ptrdiff_t>(entry->size_results);
  for (auto type = function.result_types.begin() + first; type != function.result_types.end();
       ++type) {
    for (const ir::Operand& size : type->shape) {
      const bool given = std::any_of(
          function.parameters.begin(), function.parameters.end(),
          [&](const ir::Binder& parameter) { return size == ir::Operand(parameter.name); });
      if (size.is_constant() || given) continue;
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    }
  }
  std::vector<ir::Operand>& results = function.body.results;
  results.erase(results.begin(), results.begin() + first);
  results.insert(results.begin(), sizes.begin(), sizes.end());
  std::vector<ir::Type>& types = function.result_types;
  types.erase(types.begin(), types.begin() + first);
  types.insert(types.begin(), sizes.size(), ir::scalar_of(ScalarType::i64));
  for (ir::EntryPoint& one : entries) {
    if (is_own(one)) one.size_results = static_cast<int>(sizes.size());
  }
}

static void describe_entries(const ir::Program& source, Program& program) {
  for (const ir::EntryPoint& entry : source.entries) {
    const ir::Function* function = function_named(source, entry.function);
    DZ_CHECK(function, "entry point without function: " + entry.name);
    std::vector<ir::Type> inputs;
    for (std::size_t k = static_cast<std::size_t>(entry.size_parameters);
         k < function->parameters.size(); ++k) {
      inputs.push_back(program.names.type(function->parameters[k].name));
    }
    program.entry_inputs.push_back(std::move(inputs));
    program.entry_outputs.emplace_back(function->result_types.begin() + entry.size_results,
                                       function->result_types.end());
  }
}

static void emit_program(Context& c) {
  find_arena_functions(c);
  for (const ir::EntryPoint& entry : c.source.entries) {
    if (function_named_in_result(c, entry.function)) continue;
    c.program.functions.push_back(emit_entry(c, *function_named(c.source, entry.function)));
  }
  emit_called_functions(c);
  add_arena_functions(c);
}

std::optional<Program> lower(ir::PlannedProgram planned, Target target,
                             Diagnostics& diagnostics) {
  ir::Program& source = planned.program;
  if (const auto problem = find_unsupported(source)) {
    const ir::LocationId at = problem->location;
    diagnostics.report(DiagnosticKind::unsupported,
                       at.valid() ? source.locations[at.index].range : Range{},
                       "this cannot be compiled yet: " + problem->what);
    return std::nullopt;
  }
  for (ir::Function& function : source.functions) name_size_results(source.entries, function);
  Program program{target, std::move(source.names), source.locations,      {},
                  {},     source.entries,          source.external_types, {},
                  {}};
  describe_entries(source, program);
  Emission emission{program.names};
  Context context(emission, program, planned);
  emit_program(context);
  if (!context.has_kernels()) share_scratch(program);
  if (context.settings.arrays == ir::ArraysIn::device) delay_reads(program, context.kernels);
  if (context.has_kernels()) mark_invariant_loads(program);
  if (context.settings.rolled_nests) keep_nests_rolled(program);
  return program;
}

}  // namespace dagaz::emit
