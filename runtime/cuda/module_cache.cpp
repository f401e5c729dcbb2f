// Loading modules.  What is kept is a key line, a hash of the machine code, and the code; whatever
// is wrong with it, the PTX is compiled again and the file replaced, so a stale or damaged file
// costs only time.
#include "cuda/module_cache.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "cache_folder.h"

namespace dagaz::runtime::cuda {

namespace {

/// FNV-1a, 64 bits: not against adversaries, who could write other code into the file, too.
uint64_t hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return value;
}

/// Another hash, with which the first identifies a text among all that a user ever compiles.
uint64_t other_hash(std::string_view text) {
  uint64_t value = text.size();
  for (const char c : text) {
    value = std::rotl(value + static_cast<unsigned char>(c), 23) * 0x9e3779b97f4a7c15U;
  }
  return value;
}

std::string key_line(const ModuleRequest& request) {
  return "dagaz-gpu-code " + std::to_string(hash(request.ptx)) + " " +
         std::to_string(other_hash(request.ptx)) + " " + std::to_string(request.ptx.size()) + " " +
         std::to_string(request.driver_version) + " " + request.device_name + "\n";
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

std::optional<std::string> file_content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return in ? std::optional<std::string>(std::move(text)) : std::nullopt;
}

/// Written beside the file and renamed, so that a reader never sees half of it.
void replace_file(const std::string& file, std::string_view content) {
  const std::string temporary = file + "." + std::to_string(getpid()) + ".new";
  {
    std::ofstream out(temporary, std::ios::binary);
    out << content;
    if (!out.flush()) {
      std::remove(temporary.c_str());
      return;
    }
  }
  if (std::rename(temporary.c_str(), file.c_str()) != 0) {
    std::remove(temporary.c_str());
  }
}

/// The user's folder, nothing where there is none or none is wanted.
std::unique_ptr<CacheFolder> users_folder() {
  const std::string around = users_cache_folder();
  std::string problem;  // a folder that nobody has asked for may be out of reach
  return around.empty() || around == "off"
             ? nullptr
             : std::make_unique<CacheFolder>(around + "/gpu", most_cache_bytes(), problem);
}

/// Machine code that was kept for a request.
class KeptCode {
 public:
  explicit KeptCode(const ModuleRequest& request)
      : file_(request.cache_file),
        key_(key_line(request)),
        folder_(file_.empty() ? users_folder() : nullptr) {}

  bool is_on() const { return !file_.empty() || folder_ != nullptr; }

  std::optional<std::string> find() const {
    std::optional<std::string> content =
        folder_ != nullptr ? folder_->find(name()) : file_content(file_);
    if (!content || !content->starts_with(key_)) {
      return std::nullopt;
    }
    const std::string code = content->substr(std::min(content->size(), key_.size() + hash_digits));
    const bool whole = !code.empty() && *content == with_key(code);
    return whole ? std::optional<std::string>(code) : std::nullopt;
  }

  void keep(std::string_view code) const {
    if (folder_ != nullptr) {
      folder_->keep(name(), with_key(code));
    } else {
      replace_file(file_, with_key(code));
    }
  }

 private:
  static constexpr size_t hash_digits = 20;

  std::string with_key(std::string_view code) const {
    const std::string digits = std::to_string(hash(code));
    return key_ + std::string(hash_digits - digits.size(), '0') + digits + std::string(code);
  }
  std::string name() const {
    return std::to_string(hash(key_)) + "-" + std::to_string(other_hash(key_));
  }

  std::string file_;
  std::string key_;
  std::unique_ptr<CacheFolder> folder_;
};

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

CUmodule load_machine_code(const void* image, std::string& problem) {
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

CUmodule load_module(const ModuleRequest& request, std::string& problem) {
  const std::string ptx(request.ptx);
  const KeptCode kept(request);
  if (!kept.is_on() || !can_link()) {
    return load_machine_code(ptx.c_str(), problem);
  }
  if (const std::optional<std::string> cached = kept.find()) {
    CUmodule module = load_machine_code(cached->data(), problem);
    if (module != nullptr) {
      return module;
    }
    problem.clear();
  }
  const std::string code = compile(ptx, problem);
  if (code.empty()) {
    return nullptr;
  }
  kept.keep(code);
  return load_machine_code(code.data(), problem);
}

}  // namespace dagaz::runtime::cuda
