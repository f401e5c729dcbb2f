// What was measured of programs: a row for each input, and the file that `--json` writes, in the
// form of the peer's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace dagaz::driver {

struct Measurement {
  std::string program;  // FILE:ENTRY
  std::string dataset;
  std::vector<double> microseconds;
  std::optional<double> bytes;   // that a run must move, as the program states
  std::optional<double> flops;   // of a run, as the program states
  std::optional<double> memory;  // bytes held at most
};

/// `FILE:ENTRY DATASET   1234 µs ±0.8 % (min 1200, 12 runs) 3.4 GB/s 5.6 GFLOP/s 12 MiB`, what is
/// not known left out.
std::string row_of(const Measurement& measurement);

/// Puts a measurement into a report.
void add(nlohmann::json& report, const Measurement& measurement);

/// The measurements of a report; nothing, with `problem` set, where a file is none.
std::optional<std::vector<Measurement>> read_report(const std::string& path, std::string& problem);

/// How the times of `now` differ from those of `before`: a row for each input of both, with the
/// factor by which it became faster and whether chance explains that, then their geometric mean.
std::string comparison(const std::vector<Measurement>& before, const std::vector<Measurement>& now);

}  // namespace dagaz::driver
