// Configuration and life time of contexts: the first group of functions of api.h.
#include "context.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "processor.h"
#include "versions.h"

using dagaz::runtime::Call;
using dagaz::runtime::MemoryPool;

namespace dagaz::runtime {

char* c_string(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) {
    std::memcpy(copy, text.c_str(), text.size() + 1);
  }
  return copy;
}

static std::unique_ptr<Device> make_sim_device(dz_context& context) {
  if (dz_make_sim_device == nullptr) {
    context.errors.report(DZ_ERROR,
                          "this program was linked without the sim device: link it with "
                          "libdagaz_runtime_sim and -u dz_make_sim_device");
    return nullptr;
  }
  return std::unique_ptr<Device>(dz_make_sim_device(&context));
}

std::unique_ptr<Device> make_device(dz_context& context) {
  switch (context.program.target) {
    case DZ_TARGET_CPU:
      return make_cpu_device(context);
    case DZ_TARGET_CUDA:
      return make_cuda_device(context);
    case DZ_TARGET_SIM:
      return make_sim_device(context);
    default:
      context.errors.report(DZ_ERROR, "the program names a target that this runtime lacks");
      return nullptr;
  }
}

/// What kernels get at first; small in sim, whose memory is filled, and whose threads are few.
static int64_t first_arena_bytes(const dz_program& program) {
  return int64_t{program.target == DZ_TARGET_SIM ? 16 : 512} << 20;
}

int32_t with_large_enough_arena(dz_context& context, const std::function<int32_t()>& call,
                                const std::function<void()>& drop) {
  Arena& arena = context.arena;
  while (true) {
    arena.asked = false;
    arena.lacked = 0;
    int32_t status = call();
    if (status == DZ_OK) {
      status = arena.asked ? context.device->synchronise() : context.device->submit();
      if (status != DZ_OK) {
        drop();
      }
    }
    if (arena.lacked == 0) {
      return status;
    }
    // A level is at least a sixth of it.
    constexpr int64_t parts = 8;
    if (arena.lacked > INT64_MAX / parts || arena.bytes > INT64_MAX / 2) {
      return status;
    }
    arena.bytes = std::max(2 * arena.bytes, parts * arena.lacked);
    context.errors.begin_call();
    if (context.config.logging) {
      context.log_line("again, with " + std::to_string(arena.bytes) +
                       " bytes for the arrays of threads");
    }
  }
}

/// The version of the program that the settings ask for; where there is none, `start` says so.
static const dz_program& chosen_version(const dz_config& settings) {
  const dz_program& program = *settings.program;
  if (program.abi_version != DZ_ABI_VERSION || program.version_count == 0) {
    return program;
  }
  const dz_program* chosen = version_for(program, settings.device, can_run);
  return chosen != nullptr ? *chosen : program;
}

/// Everything about a context that can fail.
static void start(dz_context& context) {
  if (context.program.abi_version != DZ_ABI_VERSION) {
    context.errors.report(
        DZ_ERROR, "the program was compiled for runtime interface " +
                      std::to_string(context.program.abi_version) + ", but this runtime has " +
                      std::to_string(DZ_ABI_VERSION) + ": compile it again");
    return;
  }
  const dz_program& first = *context.config.program;
  const std::string& wanted = context.config.device;
  if (first.version_count > 0 && version_for(first, wanted, can_run) == nullptr) {
    context.errors.report(DZ_ERROR, "there is no version of this program for `" + wanted +
                                        "`, but for " + versions_of(first));
    return;
  }
  const std::string lacking = lacking_processor(context.program, processor_has);
  if (!lacking.empty()) {
    context.errors.report(DZ_ERROR, lacking);
    return;
  }
  if (first.version_count > 0) {
    context.log_line("version for " + version_name(context.program));
  }
  context.device = make_device(context);
  if (context.device == nullptr) {
    return;
  }
  const int64_t cap =
      context.config.memory_cap > 0 ? context.config.memory_cap : context.device->memory_limit();
  context.pool = std::make_unique<MemoryPool>(context, *context.device, cap);
  context.staging = std::make_unique<StagingMemory>(*context.device);
  context.globals.resize(static_cast<size_t>(context.program.global_count));
  for (const auto& [parameter, value] : context.config.tuning) {
    const auto place = 2 * static_cast<size_t>(parameter);
    context.globals[place].bits = 1;
    context.globals[place + 1].bits = static_cast<uint64_t>(value);
  }
  if (context.program.initialise != nullptr) {
    int32_t status = with_large_enough_arena(
        context, [&] { return context.program.initialise(&context); }, [] {});
    if (status == DZ_OK) {
      status = context.device->synchronise();
    }
    if (status != DZ_OK) {
      context.errors.report(status, "evaluating the program's constants failed");
      return;
    }
  }
  context.usable = true;
}

}  // namespace dagaz::runtime

dz_context::dz_context(const dz_config& settings)
    : config(settings),
      program(dagaz::runtime::chosen_version(settings)),
      profile(settings.profiling),
      scheduler(settings.num_threads),
      arena{dagaz::runtime::first_arena_bytes(program)},
      ranks(settings.ranks, settings.check_ranks) {}

void dz_context::log_line(const std::string& line) {
  if (config.logging) {
    std::fprintf(log, "%s\n", line.c_str());
  }
}

dz_config* dzr_config_new(const dz_program* program) {
  auto* config = new (std::nothrow) dz_config;
  if (config != nullptr) {
    config->program = program;
    for (int i = 0; i < program->tuning_count; ++i) {
      const dz_tuning_param& one = program->tuning_params[i];
      if (one.is_set != 0) {
        config->tuning[i] = one.value;
      }
    }
  }
  return config;
}

void dzr_config_free(dz_config* config) {
  if (config != nullptr && config->own_ranks != nullptr) {
    config->own_ranks->free(config->own_ranks);
  }
  delete config;
}

void dzr_config_set_debugging(dz_config* config, int flag) {
  config->debugging = flag != 0;
  config->profiling = flag != 0;
  config->logging = flag != 0;
}

void dzr_config_set_profiling(dz_config* config, int flag) {
  config->profiling = flag != 0;
}

void dzr_config_set_logging(dz_config* config, int flag) {
  config->logging = flag != 0;
}

void dzr_config_set_cache_file(dz_config* config, const char* file) {
  config->cache_file = file == nullptr ? "" : file;
}

void dzr_config_set_num_threads(dz_config* config, int threads) {
  config->num_threads = threads;
}

void dzr_config_set_device(dz_config* config, const char* name) {
  config->device = name == nullptr ? "" : name;
}

void dzr_config_set_unified_memory(dz_config* config, int flag) {
  config->unified_memory = flag;
}

void dzr_config_set_memory_cap(dz_config* config, int64_t bytes) {
  config->memory_cap = bytes < 0 ? 0 : bytes;
}

void dzr_config_set_stream(dz_config* config, void* stream) {
  config->stream = stream;
}

const char* dzr_config_get_program(dz_config* config) {
  if (config->gpu_code) {
    return config->gpu_code->c_str();
  }
  const char* text = config->program->ptx;
  for (int i = 0; text == nullptr && i < config->program->version_count; ++i) {
    text = config->program->versions[i]->ptx;
  }
  return text;
}

void dzr_config_set_program(dz_config* config, const char* text) {
  config->gpu_code = text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

void dzr_config_set_default(dz_config*, const char*, int) {}

// Code versions are chosen from the sizes and the device, so the tuning parameters are those that
// the program's text names.
int dzr_config_set_tuning_param(dz_config* config, const char* name, size_t value) {
  for (int i = 0; i < config->program->tuning_count; ++i) {
    if (std::strcmp(config->program->tuning_params[i].name, name) == 0) {
      config->tuning[i] = static_cast<int64_t>(value);
      return DZ_OK;
    }
  }
  return DZ_ERROR;
}

int dzr_tuning_param_count(const dz_program* program) {
  return program->tuning_count;
}

const char* dzr_tuning_param_name(const dz_program* program, int index) {
  return index >= 0 && index < program->tuning_count ? program->tuning_params[index].name : nullptr;
}

const char* dzr_tuning_param_class(const dz_program* program, int index) {
  return index >= 0 && index < program->tuning_count ? "user" : nullptr;
}

dz_context* dzr_context_new(dz_config* config) {
  auto* context = new (std::nothrow) dz_context(*config);
  if (context != nullptr) {
    dagaz::runtime::start(*context);
  }
  return context;
}

void dzr_context_free(dz_context* context) {
  if (context == nullptr) {
    return;
  }
  if (context->usable) {
    context->device->synchronise();
  }
  context->profile.clear();
  context->staging.reset();
  context->pool.reset();
  context->device.reset();
  delete context;
}

int dzr_context_sync(dz_context* context) {
  const std::lock_guard lock(context->calls);
  if (!context->usable) {
    return DZ_ERROR;
  }
  return context->device->synchronise();
}

char* dzr_context_get_error(dz_context* context) {
  const std::optional<std::string> text = context->errors.take();
  return text ? dagaz::runtime::c_string(*text) : nullptr;
}

void dzr_context_set_logging_file(dz_context* context, FILE* file) {
  context->log = file;
}

void dzr_context_pause_profiling(dz_context* context) {
  context->profile.pause();
}

void dzr_context_unpause_profiling(dz_context* context) {
  context->profile.resume();
}

char* dzr_context_report(dz_context* context) {
  const std::lock_guard lock(context->calls);
  if (!context->usable || context->device->synchronise() != DZ_OK) {
    return nullptr;
  }
  return dagaz::runtime::c_string(context->profile.report(
      context->pool->statistics(), dagaz::runtime::ReportFormat::json));
}

int dzr_context_clear_caches(dz_context* context) {
  const std::lock_guard lock(context->calls);
  if (!context->usable) {
    return DZ_ERROR;
  }
  const int status = context->device->synchronise();
  context->pool->clear();
  return status;
}
