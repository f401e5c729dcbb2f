#include "driver/bench_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "statistics.h"

namespace dagaz::driver {

namespace {

constexpr int name_columns = 48;
/// Differences that come by chance less often than this are called differences.
constexpr double significant = 0.01;

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string padded(std::string name) {
  if (name.size() < name_columns) name.resize(name_columns, ' ');
  return name;
}

std::string name_of(const Measurement& one) { return one.program + " " + one.dataset; }

const Measurement* find(const std::vector<Measurement>& all, const Measurement& like) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Measurement& one) {
    return one.program == like.program && one.dataset == like.dataset;
  });
  return found == all.end() ? nullptr : &*found;
}

std::string comparison_row(const Measurement& before, const Measurement& now, double factor) {
  const bool chance =
      runtime::probability_of_same(before.microseconds, now.microseconds) >= significant;
  const char* says = chance ? "no difference" : factor >= 1 ? "faster" : "slower";
  return padded(name_of(now)) + formatted(" %12.0f µs %12.0f µs  %6.2f× %s\n",
                                          runtime::median(before.microseconds),
                                          runtime::median(now.microseconds), factor, says);
}

}  // namespace

std::string row_of(const Measurement& measurement) {
  const std::vector<double>& times = measurement.microseconds;
  const double middle = runtime::median(times);
  const double error = runtime::relative_error(times);
  std::string row = padded(name_of(measurement)) + formatted(" %12.0f µs", middle);
  if (std::isfinite(error)) row += formatted(" ±%.1f %%", 100 * error);
  row += formatted("  (min %.0f, %zu runs)", *std::min_element(times.begin(), times.end()),
                   times.size());
  // Bytes or operations in a microsecond are millions in a second.
  if (measurement.bytes && middle > 0) {
    row += formatted("  %.3g GB/s", *measurement.bytes / middle / 1e3);
  }
  if (measurement.flops && middle > 0) {
    row += formatted("  %.3g GFLOP/s", *measurement.flops / middle / 1e3);
  }
  if (measurement.memory) row += formatted("  %.3g MiB", *measurement.memory / 1048576);
  return row;
}

void add(nlohmann::json& report, const Measurement& measurement) {
  nlohmann::json& dataset = report[measurement.program]["datasets"][measurement.dataset];
  dataset["runtimes"] = measurement.microseconds;
  if (measurement.memory) dataset["bytes"] = {{"device", *measurement.memory}};
  if (measurement.bytes) dataset["moved"] = *measurement.bytes;
  if (measurement.flops) dataset["flops"] = *measurement.flops;
}

std::optional<std::vector<Measurement>> read_report(const std::string& path, std::string& problem) {
  std::ifstream in(path);
  if (!in) {
    problem = "cannot read `" + path + "`";
    return std::nullopt;
  }
  std::vector<Measurement> result;
  try {
    const nlohmann::json report = nlohmann::json::parse(in);
    for (const auto& [program, content] : report.items()) {
      for (const auto& [name, dataset] : content.at("datasets").items()) {
        // A dataset that failed is a text.
        if (!dataset.is_object()) continue;
        Measurement one;
        one.program = program;
        one.dataset = name;
        one.microseconds = dataset.at("runtimes").get<std::vector<double>>();
        if (!one.microseconds.empty()) result.push_back(std::move(one));
      }
    }
  } catch (const nlohmann::json::exception&) {
    problem = "`" + path + "` is not what `dagaz bench --json` writes";
    return std::nullopt;
  }
  return result;
}

std::string comparison(const std::vector<Measurement>& before,
                       const std::vector<Measurement>& now) {
  std::string text;
  std::string alone;
  double logarithms = 0;
  int compared = 0;
  for (const Measurement& one : now) {
    const Measurement* old = find(before, one);
    if (old == nullptr) {
      alone += padded(name_of(one)) + " only in the second file\n";
      continue;
    }
    const double factor =
        runtime::median(old->microseconds) / std::max(runtime::median(one.microseconds), 1e-3);
    text += comparison_row(*old, one, factor);
    logarithms += std::log(std::max(factor, 1e-9));
    ++compared;
  }
  for (const Measurement& one : before) {
    if (find(now, one) == nullptr) alone += padded(name_of(one)) + " only in the first file\n";
  }
  text += alone;
  if (compared > 0) {
    text += padded("geometric mean of " + std::to_string(compared)) +
            formatted(" %38.2f×\n", std::exp(logarithms / compared));
  }
  return text;
}

}  // namespace dagaz::driver
