// From object code to files that users run or link: the C compiler as linker, archives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "support/diagnostic.h"

namespace dagaz::driver {

/// Writes `text` to `path`, or to stdout if `path` is "-".  Reports failure.
bool write_file(const std::string& path, const std::string& text, Diagnostics& diagnostics);

/// Where the runtime's libraries are: beside the compiler in a build tree, in ../lib/dagaz once
/// installed, or where DAGAZ_RUNTIME says.
std::optional<std::string> runtime_folder();

enum class ProgramKind { executable, server };

/// Links object code and the runtime into an executable at `output`.  With `mpicc`, the compiler of
/// an MPI, it is one that several processes may run together.
bool link_executable(const std::vector<std::string>& objects, const std::string& output,
                     Target target, ProgramKind kind, const std::optional<std::string>& mpicc,
                     Diagnostics& diagnostics);
/// The `mpicc` to take: `wanted`, or else $MPICC, or else the one on the path.
std::string mpi_compiler(const std::string& wanted);

/// Links object code and the runtime into a shared library that shows the C interface, whose names
/// begin with `prefix`, and what runtime/interface.h describes.  With `mpicc` several processes may
/// share its work.
bool link_shared(const std::vector<std::string>& objects, const std::string& output,
                 const std::string& prefix, Target target, const std::optional<std::string>& mpicc,
                 Diagnostics& diagnostics);

/// Makes the archive `output` of the object code and the runtime, so that an application links it
/// alone, and the system libraries that README names.  With `mpicc`, which then links the
/// application, several processes may share its work.
bool make_archive(const std::vector<std::string>& objects, const std::string& output, Target target,
                  const std::optional<std::string>& mpicc, Diagnostics& diagnostics);

}  // namespace dagaz::driver
