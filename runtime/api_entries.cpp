// Calling entry points: C values become leaves, results become C values.
#include "handles.h"

#include <algorithm>

using namespace dagaz::runtime;

namespace {

/// Gives back results that cannot be handed to the application.
void drop_leaves(dz_context& context, const dz_type& type, const dz_leaf* leaves) {
  for (int32_t i = 0; i < type.leaf_count; ++i) {
    if (type.leaves[i].rank > 0) {
      free_array(context, leaves[i].array);
    }
  }
}

void drop_results(dz_context& context, const dz_entry& entry, const std::vector<dz_leaf>& results) {
  const dz_leaf* leaves = results.data();
  for (int32_t i = 0; i < entry.output_count; ++i) {
    const dz_type& type = type_at(context, entry.outputs[i].type);
    drop_leaves(context, type, leaves);
    leaves += type.leaf_count;
  }
}

size_t count_leaves(const dz_context& context, const dz_parameter* parameters, int32_t count) {
  size_t total = 0;
  for (int32_t i = 0; i < count; ++i) {
    total += static_cast<size_t>(type_at(context, parameters[i].type).leaf_count);
  }
  return total;
}

int32_t store_results(dz_context& context, const dz_entry& entry, const dz_leaf* leaves,
                      void* const* outs) {
  int32_t status = DZ_OK;
  for (int32_t i = 0; i < entry.output_count; ++i) {
    const dz_type& type = type_at(context, entry.outputs[i].type);
    if (status == DZ_OK) {
      status = store_leaves(context, entry.outputs[i].type, leaves, outs[i]);
    }
    if (status != DZ_OK) {
      drop_leaves(context, type, leaves);
    }
    leaves += type.leaf_count;
  }
  return status;
}

/// Arguments that are consumed are gone after the first try.
int32_t run_entry(dz_context& context, const dz_entry& entry, std::vector<dz_leaf>& arguments,
                  std::vector<dz_leaf>& results) {
  const auto call = [&] {
    const int32_t own = entry.function(&context, arguments.data(), results.data());
    const int32_t status = context.ranks.settle(context, own);
    if (own == DZ_OK && status != DZ_OK) {
      drop_results(context, entry, results);
    }
    return status;
  };
  const dz_parameter* const end = entry.inputs + entry.input_count;
  if (std::any_of(entry.inputs, end, [](const dz_parameter& one) { return one.unique != 0; })) {
    return call();
  }
  return with_large_enough_arena(context, call, [&] { drop_results(context, entry, results); });
}

}  // namespace

int dzr_call_entry(dz_context* context, int entry, void* const* outs, const void* const* ins) {
  const Call call(*context);
  if (!context->usable) {
    return DZ_ERROR;
  }
  if (entry < 0 || entry >= context->program.entry_count) {
    return misuse(*context, "call", "the program has no entry point of that number");
  }
  const dz_entry& description = context->program.entries[entry];
  std::vector<dz_leaf> arguments;
  for (int32_t i = 0; i < description.input_count; ++i) {
    if (!append_leaves(*context, description.inputs[i].type, ins[i], arguments)) {
      return bad_value(*context, std::string("Error: argument ") + std::to_string(i) + " of " +
                                     description.name + " is not a value of type " +
                                     type_at(*context, description.inputs[i].type).name);
    }
  }
  std::vector<dz_leaf> results(
      count_leaves(*context, description.outputs, description.output_count));
  const int32_t alike = context->ranks.start_call(*context, description, arguments);
  if (alike != DZ_OK) {
    return alike;
  }
  if (context->config.logging) {
    context->log_line(std::string("call ") + description.name);
  }
  const bool measured = context->profile.active();
  const double start = measured ? now_microseconds() : 0;
  const int32_t status = run_entry(*context, description, arguments, results);
  if (measured) {
    context->profile.add_call(description.name, now_microseconds() - start);
  }
  if (status != DZ_OK) {
    context->errors.report(status, status == DZ_OUT_OF_MEMORY
                                       ? "Error: out of memory: no room for the arrays that one "
                                         "thread makes"
                                       : std::string("Error: ") + description.name + " failed");
    return status;
  }
  return store_results(*context, description, results.data(), outs);
}
