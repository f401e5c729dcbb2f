// Functions, entry points and the program as a whole.
//
// An entry point's function takes and gives blocks that start at element 0.  A function that
// other functions call passes each array as a block and an offset, row-major.
#include "imperative/lower.h"

#include <algorithm>

#include "imperative/delayed_reads.h"
#include "imperative/invariant_loads.h"
#include "imperative/lowering.h"
#include "ir/fields.h"

namespace dagaz::imperative {

Function Lowering::lower_entry(const ir::Function& function) {
  Doing doing("lowering an entry point");
  Function result{function.name, false, {}, {}, {}};
  function_name_ = function.name;
  mode_ = Mode::host;
  result.body = collect([&] {
    scopes_.push_back({});
    memory_ = memory::place_host(function, memory_context());
    for (const ir::Binder& parameter : function.parameters) {
      const ir::Type type = names().type(parameter.name);
      if (!type.is_array()) {
        result.parameters.push_back(parameter.name);
        continue;
      }
      const NameId block = block_variable(names().base(parameter.name));
      result.parameters.push_back(block);
      bind(parameter.name, row_major(*this, block, ir::i64_operand(0), type.shape));
    }
    lower_body(function.body, {}, [&](const std::vector<Value>& values) {
      for (const Value& value : values) {
        if (value.type.kind != ir::TypeKind::value) continue;
        result.results.push_back(value.place ? Operand(from_start(value)) : value.operand);
      }
    });
    scopes_.pop_back();
  });
  return result;
}

// A block that holds the array, and a reference to it, from element 0.
NameId Lowering::from_start(const Value& value) {
  const Place place = dense(*value.place, value.type);
  const NameId block = block_variable("result");
  branch(equal(place.offset, ir::i64_operand(0)), [&] { emit(Share{block, place.block}); },
         [&] {
           const Operand count = product(value.type.shape);
           emit(Allocate{block, byte_count(value.type)});
           emit(CopyElements{block, ir::i64_operand(0), place.block, place.offset, count,
                             value.type.element});
         });
  return block;
}

Function Lowering::lower_called(const ir::Function& function, Mode mode) {
  Doing doing("lowering a function");
  Function result{function.name, mode != Mode::host, {}, {}, {}};
  function_name_ = function.name;
  mode_ = mode;
  in_device_function_ = mode == Mode::kernel;
  const auto parameters = [&] {
    if (in_device_function_ && arena_functions_.contains(function.name)) receive_arena(result);
    for (const ir::Binder& parameter : function.parameters) {
      const ir::Type type = names().type(parameter.name);
      if (!type.is_array()) {
        result.parameters.push_back(parameter.name);
        continue;
      }
      const NameId block = block_variable(names().base(parameter.name));
      const NameId offset = variable("offset", ScalarType::i64);
      result.parameters.push_back(block);
      result.parameters.push_back(offset);
      bind(parameter.name, row_major(*this, block, offset, type.shape));
    }
  };
  const auto body = [&] {
    lower_body(function.body, {}, [&](const std::vector<Value>& values) {
      for (const Value& value : values) {
        if (value.type.kind != ir::TypeKind::value) continue;
        if (!value.place) {
          result.results.push_back(value.operand);
          continue;
        }
        const Join join = new_join(value.operand.name());
        set_join(join, value);
        result.results.push_back(join.block);
        result.results.push_back(join.offset);
      }
    });
  };
  if (mode == Mode::host) scopes_.push_back({});
  memory_ = mode == Mode::host ? memory::place_host(function, memory_context())
                               : memory::place_thread(function, memory_context());
  result.body = collect([&] {
    parameters();
    if (mode == Mode::host) {
      body();
    } else {
      with_private_scope(body);
    }
  });
  if (mode == Mode::host) scopes_.pop_back();
  in_device_function_ = false;
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
void Lowering::find_arena_functions() {
  std::vector<std::pair<std::string, std::vector<std::string>>> others;
  for (const ir::Function& function : source_.functions) {
    if (works_on_arrays(function, names())) {
      arena_functions_.insert(function.name);
    } else {
      others.emplace_back(function.name, std::vector<std::string>{});
      collect_calls(function.body, others.back().second);
    }
  }
  const auto calls_one = [&](const auto& caller) {
    return std::any_of(caller.second.begin(), caller.second.end(), [&](const std::string& callee) {
      return arena_functions_.contains(callee);
    });
  };
  for (auto found = others.end();
       (found = std::find_if(others.begin(), others.end(), calls_one)) != others.end();) {
    arena_functions_.insert(found->first);
    others.erase(found);
  }
}

void Lowering::lower_called_functions() {
  for (std::size_t k = 0; k < called_.size(); ++k) {
    const auto [name, mode] = called_[k];
    const ir::Function* original = function_named(source_, name);
    DZ_CHECK(original, "call of unknown function " + name);
    const ir::Function function = renamed_function(*original);
    Function lowered = lower_called(function, mode);
    lowered.name = called_name(name, mode);
    program_.functions.push_back(std::move(lowered));
  }
}

// A copy with names of its own, since a function may be lowered for several places.
ir::Function Lowering::renamed_function(const ir::Function& function) {
  ir::Lambda lambda{function.parameters, function.body, function.result_types};
  lambda = ir::renamed(lambda, names());
  return {function.name, lambda.parameters, function.consumes, lambda.result_types, lambda.body};
}

std::string Lowering::called_name(const std::string& function, Mode mode) {
  return function + (mode == Mode::host ? ".host" : ".device");
}

std::string Lowering::call(const std::string& function) {
  const std::pair<std::string, Mode> wanted{function, mode_ == Mode::host ? Mode::host : mode_};
  if (std::find(called_.begin(), called_.end(), wanted) == called_.end()) called_.push_back(wanted);
  return called_name(function, mode_);
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
    program.entry_outputs.emplace_back(
        function->result_types.begin() + entry.size_results, function->result_types.end());
  }
}

void Lowering::lower_program() {
  find_arena_functions();
  for (const ir::EntryPoint& entry : source_.entries) {
    if (function_named_in_result(entry.function)) continue;
    program_.functions.push_back(lower_entry(*function_named(source_, entry.function)));
  }
  lower_called_functions();
  add_arena_functions();
}

bool Lowering::function_named_in_result(const std::string& name) const {
  return std::any_of(program_.functions.begin(), program_.functions.end(),
                     [&](const Function& function) { return function.name == name; });
}

std::optional<Program> lower(ir::PlannedProgram planned, const plan::Settings& settings,
                             Target target, Diagnostics& diagnostics) {
  ir::Program& source = planned.program;
  for (ir::Function& function : source.functions) name_size_results(source.entries, function);
  Program program{target, std::move(source.names), source.locations, {}, {}, source.entries,
                  source.external_types, {}, {}};
  describe_entries(source, program);
  Emission emission{program.names};
  Lowering lowering(emission, program, planned, settings);
  try {
    lowering.lower_program();
  } catch (const Unsupported& problem) {
    const Range range = problem.location.valid()
                            ? source.locations[problem.location.index].range
                            : Range{};
    diagnostics.report(DiagnosticKind::unsupported, range,
                       "this cannot be compiled yet: " + problem.what);
    return std::nullopt;
  }
  if (target != Target::cpu) {
    mark_invariant_loads(program);
    delay_reads(program);
  }
  return program;
}

}  // namespace dagaz::imperative
