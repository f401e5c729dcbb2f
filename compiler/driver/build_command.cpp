// dagaz build: executables, libraries with their C header and manifest, servers, and texts.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>

#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/cpp_header.h"
#include "driver/linker.h"
#include "driver/pipeline.h"
#include "driver/program_cache.h"
#include "driver/progress.h"
#include "driver/versions.h"
#include "ir/print.h"

namespace dagaz::driver {

namespace fs = std::filesystem;

namespace {

// A C identifier made of the output's name.
std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out = "p" + out;
  return out;
}

unsigned wanted(Emit emit) {
  switch (emit) {
    case Emit::executable:
    case Emit::server: return codegen::want_object;
    case Emit::library:
    case Emit::shared: return codegen::want_object | codegen::want_header;
    case Emit::header:
    case Emit::hpp: return codegen::want_header;
    case Emit::ptx: return codegen::want_ptx;
    case Emit::llvm: return codegen::want_llvm;
    case Emit::assembly: return codegen::want_assembly;
    case Emit::ir: return 0;
  }
  DZ_UNREACHABLE("emit");
}

// PATH/gmm → PATH/libgmm.a
std::string library_path(const std::string& output, std::string_view ending) {
  const fs::path path(output);
  return (path.parent_path() / ("lib" + path.filename().string())).string() + std::string(ending);
}

// What the one file that is written is called after the output's name; nothing where there are
// several, or where it is a program.
std::string_view extension(Emit emit) {
  switch (emit) {
    case Emit::executable:
    case Emit::server:
    case Emit::library:
    case Emit::shared: return "";
    case Emit::header: return ".h";
    case Emit::hpp: return ".hpp";
    case Emit::ptx: return ".ptx";
    case Emit::llvm: return ".ll";
    case Emit::assembly: return ".s";
    case Emit::ir: return ".ir";
  }
  DZ_UNREACHABLE("emit");
}

// The output's name: that of the source, or the one given, with or without the extension.
std::string output_name(const BuildOptions& options) {
  if (options.output.empty()) return fs::path(options.compile.file).stem().string();
  std::string name = options.output;
  const std::string_view ending = extension(options.emit);
  if (name.size() > ending.size() && name.ends_with(ending)) {
    name.resize(name.size() - ending.size());
  }
  return name;
}

// What the names of the C interface begin with.
std::string c_prefix(const BuildOptions& options, const std::string& output) {
  return options.prefix.empty() ? identifier(fs::path(output).filename().string())
                                : options.prefix;
}

// A text goes to NAME.extension, or to standard output with `-o -`.
bool write_text(const BuildOptions& options, const std::string& output, const std::string& text,
                Diagnostics& diagnostics) {
  const std::string path = output == "-" ? output : output + std::string(extension(options.emit));
  return write_file(path, text, diagnostics);
}

// What both kinds of library come with.
bool write_descriptions(const std::string& output, const codegen::Artifacts& artifacts,
                        Diagnostics& diagnostics) {
  return write_file(output + ".h", artifacts.header, diagnostics) &&
         write_file(output + ".json", artifacts.manifest, diagnostics);
}

bool write_artifacts(const BuildOptions& options, const std::string& output,
                     const codegen::Artifacts& artifacts, Diagnostics& diagnostics) {
  const Target target = linked_target(options.compile);
  const std::optional<std::string> mpicc =
      options.compile.ranks ? std::optional(mpi_compiler(options.mpicc)) : std::nullopt;
  switch (options.emit) {
    case Emit::executable:
      return link_executable(artifacts.objects, output, target, ProgramKind::executable, mpicc,
                             diagnostics);
    case Emit::server:
      return link_executable(artifacts.objects, output, target, ProgramKind::server, std::nullopt,
                             diagnostics);
    case Emit::library:
      return write_descriptions(output, artifacts, diagnostics) &&
             make_archive(artifacts.objects, library_path(output, ".a"), target, mpicc,
                          diagnostics);
    case Emit::shared:
      return write_descriptions(output, artifacts, diagnostics) &&
             link_shared(artifacts.objects, library_path(output, ".so"), c_prefix(options, output),
                         target, mpicc, diagnostics);
    case Emit::header:
      return write_text(options, output, artifacts.header, diagnostics);
    case Emit::hpp:
      return write_text(options, output,
                        cpp_header(artifacts.manifest, c_prefix(options, output),
                                   fs::path(output).filename().string() + ".h"),
                        diagnostics);
    case Emit::ptx:
      return write_text(options, output, artifacts.ptx, diagnostics);
    case Emit::llvm:
      return write_text(options, output, artifacts.llvm, diagnostics);
    case Emit::assembly:
      return write_text(options, output, artifacts.assembly, diagnostics);
    case Emit::ir: break;
  }
  DZ_UNREACHABLE("emit");
}

void build(Compilation& compilation, const BuildOptions& options, const std::string& output) {
  Diagnostics& diagnostics = compilation.diagnostics;
  std::optional<ir::ParallelProgram> program = front_end(compilation);
  if (!program) return;
  if (options.emit == Emit::ir) {
    const auto optimised = optimise(std::move(*program), pass_context(compilation));
    write_text(options, output, ir::print(optimised.program), diagnostics);
    return;
  }
  if (program->program.entries.empty() && options.emit != Emit::llvm) {
    diagnostics.report(DiagnosticKind::no_entry, Range{},
                       "`" + options.compile.file + "` has no entry point").hints.push_back(
        "write `entry` instead of `def` before a function, or name one `main`");
    return;
  }
  codegen::Options code_options;
  code_options.prefix = c_prefix(options, output);
  code_options.ranks = options.compile.ranks;
  code_options.executable = options.emit == Emit::executable || options.emit == Emit::server;
  const auto artifacts =
      compile_versions(std::move(*program), compilation, code_options, wanted(options.emit));
  if (!artifacts) return;
  const PassTimer timer(compilation.times, "link");
  write_artifacts(options, output, *artifacts, diagnostics);
}

// A file of its own in the place of what was there: that may be running.
bool write_executable(const std::string& path, const std::string& content) {
  std::error_code ignored;
  fs::remove(path, ignored);
  const int file = creat(path.c_str(), S_IRWXU | S_IRWXG | S_IRWXO);
  if (file < 0) return false;
  close(file);
  std::ofstream out(path, std::ios::binary);
  out << content;
  out.close();
  return static_cast<bool>(out);
}

// The file that a build system waits for.
std::string main_output(const BuildOptions& options, const std::string& output) {
  if (options.emit == Emit::library) return library_path(output, ".a");
  if (options.emit == Emit::shared) return library_path(output, ".so");
  return output + std::string(extension(options.emit));
}

// A rule of make's: what was made depends on what was read.  The library's files are in the
// compiler.
bool write_depfile(const BuildOptions& options, const std::string& output,
                   Compilation& compilation) {
  const auto escaped = [](const std::string& path) {
    std::string out;
    for (const char c : path) {
      if (c == ' ' || c == '#' || c == '\\') out += '\\';
      out += c == '$' ? "$$" : std::string(1, c);
    }
    return out;
  };
  std::string text = escaped(main_output(options, output)) + ":";
  for (std::size_t i = 0; i < compilation.files.size(); ++i) {
    const std::string& path = compilation.files.file(FileId{static_cast<std::uint32_t>(i)}).name();
    std::error_code error;
    if (fs::exists(path, error)) text += " \\\n  " + escaped(path);
  }
  return write_file(options.depfile, text + "\n", compilation.diagnostics);
}

// What is kept: executables.  Of their parts a build system wants to know all, also those that need
// not be read again; what an `mpicc` makes depends on what it stands for.
CompileOptions options_for_cache(const BuildOptions& options) {
  CompileOptions kept = options.compile;
  if (options.emit != Emit::executable || !options.depfile.empty() || kept.ranks) {
    kept.cache = cache_off;
  }
  return kept;
}

// Builds, or copies what an earlier build has made of the same.
int build_or_take(const BuildOptions& options, const std::string& output) {
  Compilation compilation(options.compile);
  ProgramCache cache(options_for_cache(options), PartsAre::executable, c_prefix(options, output),
                     compilation.diagnostics);
  if (compilation.diagnostics.has_errors()) return report(compilation) ? 1 : 0;
  if (const std::optional<CompiledProgram> kept = cache.find();
      kept && write_executable(output, kept->parts.front())) {
    std::cerr << kept->messages;
    return 0;
  }
  compilation.options.read = cache.reader();
  {
    const Progress progress(options.compile.file);
    build(compilation, options, output);
  }
  if (!options.depfile.empty() && !compilation.diagnostics.has_errors()) {
    write_depfile(options, output, compilation);
  }
  const Report said = report_of(compilation);
  std::cerr << said.text;
  if (!said.failed && cache.is_on()) {
    if (const auto executable = syntax::read_file(output)) cache.keep({said.text, {*executable}});
  }
  return said.failed ? 1 : 0;
}

}  // namespace

int build_command(const BuildOptions& options) {
  const std::vector<Target>& further = options.compile.further_targets;
  if (options.compile.target == Target::interpreter ||
      std::find(further.begin(), further.end(), Target::interpreter) != further.end()) {
    std::cerr << "dagaz: the interpreter runs programs, it builds none: use `dagaz run "
                 "--target=interpreter`\n";
    return 2;
  }
  if (options.emit == Emit::ptx && (options.compile.target != Target::cuda || !further.empty())) {
    std::cerr << "dagaz: --emit=ptx needs --target=cuda\n";
    return 2;
  }
  const bool is_for_cuda =
      options.compile.target == Target::cuda ||
      std::find(further.begin(), further.end(), Target::cuda) != further.end();
  if (!options.compile.gpu_code.empty() && !is_for_cuda) {
    std::cerr << "dagaz: --gpu-code needs --target=cuda\n";
    return 2;
  }
  if (options.compile.ranks && (!further.empty() || options.emit == Emit::server)) {
    std::cerr << "dagaz: --ranks=mpi makes executables and libraries, each for one target\n";
    return 2;
  }
  const bool text = options.emit == Emit::llvm || options.emit == Emit::assembly;
  if (text && versions_of(options.compile).size() > 1) {
    std::cerr << several_versions;
    return 2;
  }
  return build_or_take(options, output_name(options));
}

}  // namespace dagaz::driver
