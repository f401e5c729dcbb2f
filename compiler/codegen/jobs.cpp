// Each thread takes the next job until there are no more.  The threads have as much stack as the
// compiler's own: nested code is walked recursively.
#include "codegen/jobs.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>  // for LLVM's header

#include <llvm/Support/thread.h>

namespace dagaz::codegen {

void run(const std::vector<Job>& jobs, unsigned threads) {
  constexpr unsigned stack_size = 1u << 29;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) jobs[i]();
  };
  const std::size_t wanted = threads == 0 ? llvm::thread::hardware_concurrency() : threads;
  std::vector<llvm::thread> helpers;
  for (std::size_t i = 1; i < std::min(wanted, jobs.size()); ++i) {
    helpers.emplace_back(std::optional<unsigned>(stack_size), work);
  }
  work();
  for (llvm::thread& helper : helpers) helper.join();
}

}  // namespace dagaz::codegen
