#include "driver/linker.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "driver/process.h"

namespace dagaz::driver {

namespace fs = std::filesystem;

namespace {

constexpr double link_timeout = 300;  // seconds

void report_io(Diagnostics& diagnostics, std::string message) {
  diagnostics.report(DiagnosticKind::io, Range{}, std::move(message));
}

std::vector<std::string> runtime_archives(Target target) {
  std::vector<std::string> names;
  if (target == Target::sim) names.push_back("libdagaz_runtime_sim.a");
  names.push_back("libdagaz_runtime.a");
  return names;
}

std::vector<std::string> system_libraries(Target target) {
  // Programs that do not sort need no vqsort where they run.
  std::vector<std::string> names{"-Wl,--push-state,--as-needed", "-lhwy_contrib",
                                 "-Wl,--pop-state", "-lstdc++", "-lm", "-ldl", "-lpthread"};
  if (target == Target::sim) names.insert(names.begin(), "-lboost_context");
  return names;
}

// The archives of `names` that exist; the runtime itself must.
std::optional<std::vector<std::string>> archive_paths(const std::vector<std::string>& names,
                                                      Diagnostics& diagnostics) {
  const std::optional<std::string> folder = runtime_folder();
  if (!folder) {
    report_io(diagnostics, "cannot find the runtime library `libdagaz_runtime.a` beside the "
                           "compiler; set DAGAZ_RUNTIME to its folder");
    return std::nullopt;
  }
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    std::error_code error;
    const std::string path = *folder + "/" + name;
    if (fs::exists(path, error)) paths.push_back(path);
  }
  return paths;
}

// Runs a command that is, or starts, `tool`.
bool run_tool(const std::string& tool, const std::vector<std::string>& command,
              const std::string& input, const std::string& purpose, Diagnostics& diagnostics) {
  const ProcessResult result = run_process(command, input, link_timeout);
  if (result.status == 0) return true;
  if (result.status == 127) {
    report_io(diagnostics, "cannot " + purpose + ": `" + tool +
                               "` is not installed (Debian, Ubuntu: apt install gcc)");
  } else {
    report_io(diagnostics, "cannot " + purpose + ": `" + tool + "` failed:\n" +
                               result.errors + result.output);
  }
  return false;
}

// The C compiler the user prefers.
std::string c_compiler() {
  const char* chosen = std::getenv("CC");
  return chosen != nullptr && *chosen != '\0' ? chosen : "cc";
}

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    if (fs::exists(fs::path(folder) / program, error)) return true;
  }
  return false;
}

// Two linkers take a third of the time of the usual one, which is most of the time that a small
// program takes to build.
std::string fast_linker_option() {
  for (const std::string name : {"mold", "gold"}) {
    if (is_on_path("ld." + name)) return "-fuse-ld=" + name;
  }
  return "";
}

}  // namespace

std::optional<std::string> runtime_folder() {
  const fs::path here = fs::path(own_executable()).parent_path();
  std::vector<fs::path> candidates{here / "runtime", here / ".." / "lib" / "dagaz"};
  if (const char* chosen = std::getenv("DAGAZ_RUNTIME"))
    candidates.insert(candidates.begin(), chosen);
  for (const fs::path& folder : candidates) {
    std::error_code error;
    if (fs::exists(folder / "libdagaz_runtime.a", error)) {
      return fs::canonical(folder, error).string();
    }
  }
  return std::nullopt;
}

bool write_file(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  if (path == "-") {
    std::cout << text << std::flush;
    return true;
  }
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) report_io(diagnostics, "cannot write `" + path + "`");
  return static_cast<bool>(out);
}

// Writes each to a file of its own: STEM.o, STEM.1.o, …
static std::optional<std::vector<std::string>> write_objects(
    const std::vector<std::string>& objects, const std::string& stem, Diagnostics& diagnostics) {
  std::vector<std::string> files;
  for (const std::string& object : objects) {
    const std::string number = files.empty() ? "" : "." + std::to_string(files.size());
    files.push_back(stem + number + ".o");
    if (!write_file(files.back(), object, diagnostics)) return std::nullopt;
  }
  return files;
}

// `CC OPTIONS -o OUTPUT objects archives libraries`; `command` begins it.
static bool link(std::vector<std::string> command, const std::string& output,
                 const std::vector<std::string>& object_files,
                 const std::vector<std::string>& archive_names, Target target,
                 Diagnostics& diagnostics) {
  const auto archives = archive_paths(archive_names, diagnostics);
  if (!archives) return false;
  command.insert(command.end(), {"-o", output});
  command.insert(command.end(), object_files.begin(), object_files.end());
  // The runtime names the sim device weakly, and a program without kernels not at all.
  if (target == Target::sim) command.push_back("-Wl,-u,dz_make_sim_device");
  command.push_back("-Wl,--start-group");
  command.insert(command.end(), archives->begin(), archives->end());
  command.push_back("-Wl,--end-group");
  // A package for machines without these libraries brings them along.
  const fs::path folder = *runtime_folder();
  if (fs::exists(folder / "libhwy_contrib.so")) {
    command.insert(command.end(), {"-L" + folder.string(), "-Wl,-rpath," + folder.string()});
  }
  for (std::string& library : system_libraries(target)) command.push_back(std::move(library));
  // A C compiler that does not know the option, or that linker, is asked again without.
  if (const std::string option = fast_linker_option(); !option.empty()) {
    std::vector<std::string> fast = command;
    fast.push_back(option);
    if (run_process(fast, "", link_timeout).status == 0) return true;
  }
  return run_tool(command.front(), command, "", "link `" + output + "`", diagnostics);
}

std::string mpi_compiler(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  const char* chosen = std::getenv("MPICC");
  return chosen != nullptr && *chosen != '\0' ? chosen : "mpicc";
}

static std::string mpi_shim() { return runtime_folder().value_or("") + "/mpi_shim.c"; }

static bool has_mpi(const std::string& mpicc, Diagnostics& diagnostics) {
  if (run_process({mpicc, "--version"}, "", link_timeout).status == 0) return true;
  Diagnostic& said = diagnostics.report(
      DiagnosticKind::io, Range{}, "cannot compile for MPI: `" + mpicc + "` does not run");
  said.hints.push_back("install one (Debian, Ubuntu: apt install libopenmpi-dev, or libmpich-dev), "
                       "or name it with --mpicc or in MPICC");
  return false;
}

bool link_executable(const std::vector<std::string>& objects, const std::string& output,
                     Target target, ProgramKind kind, const std::optional<std::string>& mpicc,
                     Diagnostics& diagnostics) {
  const TemporaryFolder folder;
  const auto object_files = write_objects(objects, folder.path() + "/program", diagnostics);
  if (!object_files) return false;
  std::vector<std::string> names{kind == ProgramKind::server ? "libdagaz_server_main.a"
                                                             : "libdagaz_program_main.a"};
  for (std::string& name : runtime_archives(target)) names.push_back(std::move(name));
  std::vector<std::string> command{mpicc.value_or(c_compiler())};
  if (mpicc) {
    if (!has_mpi(*mpicc, diagnostics)) return false;
    command.insert(command.end(), {"-O2", mpi_shim()});
  }
  return link(std::move(command), output, *object_files, names, target, diagnostics);
}

bool link_shared(const std::vector<std::string>& objects, const std::string& output,
                 const std::string& prefix, Target target, const std::optional<std::string>& mpicc,
                 Diagnostics& diagnostics) {
  if (mpicc && !has_mpi(*mpicc, diagnostics)) return false;
  const TemporaryFolder folder;
  const auto object_files = write_objects(objects, folder.path() + "/program", diagnostics);
  if (!object_files) return false;
  const std::string script = folder.path() + "/names";
  if (!write_file(script,
                  "{ global: dagaz_interface; dz_program_" + prefix + "; " + prefix +
                      "_*; local: *; };\n",
                  diagnostics)) {
    return false;
  }
  std::vector<std::string> command{mpicc.value_or(c_compiler()), "-shared",
                                   "-Wl,-u,dagaz_interface", "-Wl,--version-script=" + script};
  if (mpicc) command.insert(command.end(), {"-O2", "-fPIC", mpi_shim()});
  return link(std::move(command), output, *object_files, runtime_archives(target), target,
              diagnostics);
}

// Compiles the calls of MPI into an object file of the folder.
static std::optional<std::string> compile_shim(const std::string& mpicc, const std::string& folder,
                                               Diagnostics& diagnostics) {
  if (!has_mpi(mpicc, diagnostics)) return std::nullopt;
  const std::string object = folder + "/mpi_shim.o";
  const std::vector<std::string> command{mpicc, "-O2", "-fPIC", "-c", mpi_shim(), "-o", object};
  if (!run_tool(mpicc, command, "", "compile `" + mpi_shim() + "`", diagnostics)) {
    return std::nullopt;
  }
  return object;
}

bool make_archive(const std::vector<std::string>& objects, const std::string& output, Target target,
                  const std::optional<std::string>& mpicc, Diagnostics& diagnostics) {
  const TemporaryFolder folder;
  auto object_files = write_objects(objects, folder.path() + "/program", diagnostics);
  if (!object_files) return false;
  if (mpicc) {
    const auto shim = compile_shim(*mpicc, folder.path(), diagnostics);
    if (!shim) return false;
    object_files->push_back(*shim);
  }
  const auto archives = archive_paths(runtime_archives(target), diagnostics);
  if (!archives) return false;
  // ar's script language is the portable way to put archives into an archive.  It has no quotes, so
  // ar runs in the folder, where everything has a plain name.
  std::string script = "create out.a\n";
  for (const std::string& file : *object_files) {
    script += "addmod " + fs::path(file).filename().string() + "\n";
  }
  std::error_code error;
  for (std::size_t i = 0; i < archives->size() && !error; ++i) {
    const std::string name = "runtime" + std::to_string(i) + ".a";
    fs::create_symlink((*archives)[i], fs::path(folder.path()) / name, error);
    script += "addlib " + name + "\n";
  }
  script += "save\nend\n";
  const std::vector<std::string> command{"sh", "-c", "cd \"$1\" && exec ar -M", "sh",
                                         folder.path()};
  if (!error && !run_tool("ar", command, script, "make `" + output + "`", diagnostics))
    return false;
  if (!error) {
    fs::copy_file(fs::path(folder.path()) / "out.a", output, fs::copy_options::overwrite_existing,
                  error);
  }
  if (error) report_io(diagnostics, "cannot write `" + output + "`: " + error.message());
  return !error;
}

}  // namespace dagaz::driver
