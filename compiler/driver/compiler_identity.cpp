// A linker puts a digest of what it has linked into each file, as a note; reading that costs
// nothing, and a file that was built again to the same bytes is still the same.
#include "driver/compiler_identity.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "codegen/installation.h"
#include "driver/linker.h"
#include "driver/process.h"
#include "driver/version.h"

namespace dagaz::driver {

namespace {

/// The build id among the notes of a segment: each has a name and a description, rounded to words.
std::string build_id_among(std::string_view notes) {
  constexpr auto rounded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  Elf64_Nhdr note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t name_size = rounded(note.n_namesz);
    const std::size_t size = name_size + rounded(note.n_descsz);
    if (size > notes.size()) return "";
    if (note.n_type == NT_GNU_BUILD_ID && notes.starts_with(std::string_view("GNU\0", 4))) {
      return std::string(notes.substr(name_size, note.n_descsz));
    }
    notes.remove_prefix(size);
  }
  return "";
}

std::string build_id_of(std::string_view file) {
  Elf64_Ehdr header;
  if (file.size() < sizeof header || !file.starts_with(ELFMAG)) return "";
  std::memcpy(&header, file.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const std::size_t at = header.e_phoff + i * sizeof segment;
    if (at > file.size() || file.size() - at < sizeof segment) return "";
    std::memcpy(&segment, file.data() + at, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_offset > file.size()) continue;
    const std::string id = build_id_among(file.substr(segment.p_offset, segment.p_filesz));
    if (!id.empty()) return id;
  }
  return "";
}

/// The file's path, its size and when it was written: for what has no build id.
std::string state_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return path + " is not there";
  return path + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

std::string identity_of_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  std::string id;
  if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* content = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (content != MAP_FAILED) {
      id = build_id_of({static_cast<const char*>(content), size});
      munmap(content, size);
    }
  }
  if (file >= 0) close(file);
  return id.empty() ? state_of(path) : id;
}

}  // namespace

std::string compiler_identity() {
  std::string text(version);
  text += " " + identity_of_file(own_executable());
  for (const std::string& folder : codegen::library_folders()) {
    const std::string path = folder + "/libdagaz_codegen.so";
    if (std::error_code error; std::filesystem::exists(path, error)) {
      return text + " " + identity_of_file(path);
    }
  }
  return text;
}

std::string linking_identity() {
  const std::optional<std::string> folder = runtime_folder();
  if (!folder) return "";
  const char* compiler = std::getenv("CC");
  std::string text = compiler == nullptr ? "" : compiler;
  for (const char* name : {"libdagaz_runtime.a", "libdagaz_runtime_sim.a",
                           "libdagaz_program_main.a", "libdagaz_server_main.a"}) {
    text += "\n" + state_of(*folder + "/" + name);
  }
  return text;
}

std::string processor_identity() {
  std::string text;
#ifdef __x86_64__
  // Its name, model and features; without the number of the core, which the second word of leaf 1
  // has.
  constexpr struct { unsigned leaf, part; } questions[] = {
      {0, 0}, {1, 0}, {7, 0}, {7, 1}, {7, 2}, {0xd, 0}, {0xd, 1}, {0x14, 0}, {0x19, 0}, {0x24, 0},
      {0x80000001, 0}, {0x80000008, 0}};
  for (const auto [leaf, part] : questions) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, part, &a, &b, &c, &d) == 0) continue;
    if (leaf == 1) b = 0;
    for (const unsigned word : {leaf, part, a, b, c, d}) text += std::to_string(word) + " ";
  }
#endif
  constexpr unsigned long capabilities[] = {AT_HWCAP, AT_HWCAP2};
  for (const unsigned long question : capabilities) {
    text += std::to_string(getauxval(question)) + " ";
  }
  return text;
}

}  // namespace dagaz::driver
