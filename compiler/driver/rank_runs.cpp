#include "driver/rank_runs.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "driver/test_input.h"

namespace dagaz::driver {

namespace {

std::string path_of(const std::string& folder, std::size_t k) {
  return folder + "/call" + std::to_string(k);
}

/// What `--calls` of an executable reads; the statuses of earlier calls go.
void write_calls(const std::string& folder, const std::vector<RankCall>& calls) {
  std::ofstream list(folder + "/calls");
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const std::string path = path_of(folder, k);
    std::ofstream(path + ".in", std::ios::binary) << calls[k].input;
    std::ofstream(path + ".status", std::ios::trunc);
    list << path << "\t-e\t" << calls[k].entry << "\t-b\n";
  }
}

/// Nothing where the call was not finished.
bool read_call(const std::string& path, ProcessResult& result) {
  std::ifstream file(path + ".status");
  if (!(file >> result.status)) return false;
  result.output = read_file(path + ".out").value_or("");
  result.errors = read_file(path + ".err").value_or("");
  return true;
}

}  // namespace

std::vector<std::string> rank_launcher(int ranks) {
  const char* chosen = std::getenv("MPIRUN");
  std::istringstream words(chosen != nullptr && *chosen != '\0' ? chosen : "mpirun");
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(std::move(word));
  command.insert(command.end(), {"-n", std::to_string(ranks)});
  return command;
}

std::vector<ProcessResult> run_on_ranks(const std::string& folder, int ranks,
                                        const std::vector<RankCall>& calls, double timeout) {
  std::vector<std::string> command = rank_launcher(ranks);
  command.push_back(folder + "/program");
  std::vector<ProcessResult> results(calls.size());
  if (calls.size() > 1) {
    write_calls(folder, calls);
    std::vector<std::string> all = command;
    all.insert(all.end(), {"--calls", folder + "/calls"});
    run_process(all, "", timeout);
  }
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (calls.size() > 1 && read_call(path_of(folder, k), results[k])) continue;
    std::vector<std::string> one = command;
    one.insert(one.end(), {"-e", calls[k].entry, "-b"});
    results[k] = run_process(one, calls[k].input, timeout);
  }
  return results;
}

}  // namespace dagaz::driver
