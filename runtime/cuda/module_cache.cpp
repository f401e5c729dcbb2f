// Loading modules.  A cache file holds a key line and machine code; whatever is wrong with it,
// the PTX is compiled again and the file rewritten, so a stale or damaged file costs only time.
#include "cuda/module_cache.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

namespace dagaz::runtime::cuda {

namespace {

/// FNV-1a, 64 bits: identifies the PTX within its own cache file, not against adversaries.
uint64_t hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return value;
}

std::string key_line(const ModuleRequest& request) {
  return "dagaz-gpu-code " + std::to_string(hash(request.ptx)) + " " +
         std::to_string(request.ptx.size()) + " " + std::to_string(request.driver_version) + " " +
         request.device_name + "\n";
}

/// The JIT's two logs, and the option arrays that point to them.
struct JitLogs {
  std::array<char, 16384> errors{};
  std::array<char, 4096> information{};
  std::array<int, 4> options = {jit_error_log_buffer, jit_error_log_bytes, jit_info_log_buffer,
                                jit_info_log_bytes};
  // Sizes are passed as pointers: that is the driver's convention.
  std::array<void*, 4> values = {errors.data(), reinterpret_cast<void*>(errors.size()),
                                 information.data(),
                                 reinterpret_cast<void*>(information.size())};

  std::string text() const {
    std::string log(errors.data());
    if (!log.empty() && information[0] != '\0') {
      log += '\n';
    }
    return log + information.data();
  }
};

std::string jit_problem(const char* what, CUresult result, const JitLogs& logs) {
  const std::string log = logs.text();
  return std::string(what) + " failed: " + describe(result) +
         (log.empty() ? "" : "\n" + log);
}

CUmodule load_image(const void* image, std::string& problem) {
  CUmodule module = nullptr;
  JitLogs logs;
  const CUresult result =
      driver().cuModuleLoadDataEx(&module, image, static_cast<unsigned>(logs.options.size()),
                                  logs.options.data(), logs.values.data());
  if (result != success) {
    problem = jit_problem("loading the program on the GPU", result, logs);
    return nullptr;
  }
  return module;
}

std::optional<std::string> read_cached(const ModuleRequest& request) {
  std::ifstream in(request.cache_file, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line) || line + "\n" != key_line(request)) {
    return std::nullopt;
  }
  std::string code((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return code.empty() ? std::nullopt : std::optional<std::string>(std::move(code));
}

/// Written beside the file and renamed, so that a reader never sees half of it.
void write_cached(const ModuleRequest& request, std::string_view code) {
  const std::string temporary = request.cache_file + ".new";
  {
    std::ofstream out(temporary, std::ios::binary);
    out << key_line(request) << code;
    if (!out.flush()) {
      std::remove(temporary.c_str());
      return;
    }
  }
  if (std::rename(temporary.c_str(), request.cache_file.c_str()) != 0) {
    std::remove(temporary.c_str());
  }
}

bool can_link() {
  const Driver& table = driver();
  return table.cuLinkCreate != nullptr && table.cuLinkAddData != nullptr &&
         table.cuLinkComplete != nullptr && table.cuLinkDestroy != nullptr;
}

/// PTX to machine code that can be kept; empty with `problem` set when the driver refuses.
std::string compile(const std::string& ptx, std::string& problem) {
  CUlinkState state = nullptr;
  JitLogs logs;
  CUresult result =
      driver().cuLinkCreate(static_cast<unsigned>(logs.options.size()), logs.options.data(),
                            logs.values.data(), &state);
  if (result != success) {
    problem = jit_problem("compiling the program for the GPU", result, logs);
    return {};
  }
  // The image includes the terminating zero, as the driver asks of PTX.
  std::string image = ptx;
  void* code = nullptr;
  size_t bytes = 0;
  result = driver().cuLinkAddData(state, jit_input_ptx, image.data(), image.size() + 1,
                                  "dagaz", 0, nullptr, nullptr);
  if (result == success) {
    result = driver().cuLinkComplete(state, &code, &bytes);
  }
  std::string kept;
  if (result == success) {
    kept.assign(static_cast<const char*>(code), bytes);
  } else {
    problem = jit_problem("compiling the program for the GPU", result, logs);
  }
  driver().cuLinkDestroy(state);  // frees `code`
  return kept;
}

}  // namespace

CUmodule load_module(const ModuleRequest& request, std::string& problem) {
  const std::string ptx(request.ptx);
  if (request.cache_file.empty() || !can_link()) {
    return load_image(ptx.c_str(), problem);
  }
  if (const std::optional<std::string> cached = read_cached(request)) {
    CUmodule module = load_image(cached->data(), problem);
    if (module != nullptr) {
      return module;
    }
    problem.clear();
  }
  const std::string code = compile(ptx, problem);
  if (code.empty()) {
    return nullptr;
  }
  write_cached(request, code);
  return load_image(code.data(), problem);
}

}  // namespace dagaz::runtime::cuda
