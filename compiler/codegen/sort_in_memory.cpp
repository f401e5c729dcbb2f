// Sorting for programs that run inside the compiler.  Highway's library measures the machine's clock
// when it is loaded, which takes longer than compiling a short program: what needs it is a module of
// its own, beside this one, that is loaded when a program sorts.
#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "cpu/sort_run.h"

namespace {

using SortRun = decltype(&dz_sort_run);

SortRun loaded() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&dz_sort_run), &here) == 0) return nullptr;
  const std::string path = here.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  void* const module = dlopen((folder + "libdagaz_sort.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return nullptr;
  return reinterpret_cast<SortRun>(dlsym(module, "dz_sort_run"));
}

}  // namespace

extern "C" void dz_sort_run(void* numbers, int64_t count, int32_t bytes, int32_t with_sign) {
  static const SortRun in_vectors = loaded();
  if (in_vectors != nullptr) return in_vectors(numbers, count, bytes, with_sign);
  dagaz::runtime::with_numbers(numbers, bytes, with_sign != 0,
                               [&](auto* typed) { std::sort(typed, typed + count); });
}
