#include "versions.h"

#include "cuda/driver.h"
#include "processor.h"

namespace dagaz::runtime {

static std::string_view target_name(const dz_program& version) {
  switch (version.target) {
    case DZ_TARGET_CPU: return "cpu";
    case DZ_TARGET_CUDA: return "cuda";
    case DZ_TARGET_SIM: return "sim";
    default: return "";
  }
}

bool can_run(const dz_program& version) {
  return lacking_processor(version, processor_has).empty() &&
         (version.target != DZ_TARGET_CUDA || cuda::has_device());
}

/// The last version for which both hold; null if there is none.
template <typename Matches>
static const dz_program* last_version(const dz_program& program, bool (*runs)(const dz_program&),
                                      const Matches& matches) {
  for (int i = program.version_count; i >= 0; --i) {
    const dz_program& version = i == 0 ? program : *program.versions[i - 1];
    if (matches(version) && runs(version)) {
      return &version;
    }
  }
  return nullptr;
}

const dz_program& best_version(const dz_program& program, bool (*runs)(const dz_program&)) {
  const dz_program* best = last_version(program, runs, [](const dz_program&) { return true; });
  return best != nullptr ? *best : program;
}

const dz_program* version_for(const dz_program& program, std::string_view device,
                              bool (*runs)(const dz_program&)) {
  if (device.empty()) {
    return &best_version(program, runs);
  }
  const auto all_run = [](const dz_program&) { return true; };
  if (const auto* of_target = last_version(program, runs, [&](const dz_program& version) {
        return device == target_name(version);
      })) {
    return of_target;
  }
  if (const auto* of_processor = last_version(program, all_run, [&](const dz_program& version) {
        return version.target == DZ_TARGET_CPU && device == version.processor;
      })) {
    return of_processor;
  }
  // If this machine lacks the GPU, the device will say so.
  return last_version(program, all_run,
                      [](const dz_program& version) { return version.target == DZ_TARGET_CUDA; });
}

std::string version_name(const dz_program& version) {
  return std::string(target_name(version)) +
         (version.target == DZ_TARGET_CPU ? std::string(" ") + version.processor : "");
}

std::string versions_of(const dz_program& program) {
  std::string names = version_name(program);
  for (int i = 0; i < program.version_count; ++i) {
    names += ", " + version_name(*program.versions[i]);
  }
  return names;
}

}  // namespace dagaz::runtime
