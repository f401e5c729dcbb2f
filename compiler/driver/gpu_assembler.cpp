#include "driver/gpu_assembler.h"

#include <fstream>
#include <iterator>

#include "driver/process.h"

namespace dagaz::driver {

namespace {

constexpr double assembler_timeout = 3600;  // seconds; large programs take minutes

/// What it says, without the end of its last line.
std::string words_of(const ProcessResult& done) {
  std::string text = done.timed_out ? "it takes too long" : done.errors + done.output;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<codegen::GpuCode> assembled(const std::string& ptx,
                                        const std::vector<std::string>& gpus,
                                        const std::string& ptxas, std::string& problem) {
  const std::string command = ptxas.empty() ? "ptxas" : ptxas;
  const TemporaryFolder folder;
  const std::string source = folder.path() + "/program.ptx";
  std::ofstream(source) << ptx;
  std::vector<codegen::GpuCode> made;
  for (const std::string& gpu : gpus) {
    const std::string output = folder.path() + "/" + gpu + ".cubin";
    const ProcessResult done =
        run_process({command, "-arch=" + gpu, source, "-o", output}, "", assembler_timeout);
    const bool missing = done.status == 127;
    std::string image = missing ? std::string() : content_of(output);
    if (done.status != 0 || image.empty()) {
      problem = missing
                    ? "cannot make machine code for GPUs: `" + command +
                          "` does not run; it comes with NVIDIA's CUDA toolkit and the Python "
                          "package nvidia-cuda-nvcc, and --ptxas names it"
                    : "`" + command + "` makes no machine code for " + gpu + ":\n" + words_of(done);
      return {};
    }
    made.push_back({std::stoi(gpu.substr(3)), std::move(image)});
  }
  return made;
}

}  // namespace dagaz::driver
