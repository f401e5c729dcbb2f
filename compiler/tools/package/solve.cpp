// Russ Cox, "Minimal Version Selection" (research.swtch.com/vgo-mvs, 2018): the build list is what
// can be reached from the requirements of the root, each package in the greatest version that any
// requirement there names.  No version is ever chosen that nobody asked for, so nothing has to be
// searched.  Requirements of versions that were overtaken do not count.
#include "tools/package/solve.h"

namespace dagaz::tools::package {

namespace {

struct Chosen {
  Version version;
  std::vector<Requirement> requirements;
};

// Versions only rise, so this ends.
bool choose(const std::vector<Requirement>& wanted, const Lookup& lookup,
            std::map<std::string, Chosen>& chosen, std::string& problem) {
  std::vector<Requirement> waiting(wanted.rbegin(), wanted.rend());
  while (!waiting.empty()) {
    const Requirement next = std::move(waiting.back());
    waiting.pop_back();
    const auto known = chosen.find(next.package);
    if (known != chosen.end() && next.version <= known->second.version) continue;
    auto requirements = lookup(next, problem);
    if (!requirements) return false;
    waiting.insert(waiting.end(), requirements->rbegin(), requirements->rend());
    chosen[next.package] = {next.version, std::move(*requirements)};
  }
  return true;
}

}  // namespace

std::optional<std::map<std::string, Version>> solve(const std::vector<Requirement>& wanted,
                                                    const Lookup& lookup, std::string& problem) {
  std::map<std::string, Chosen> chosen;
  if (!choose(wanted, lookup, chosen, problem)) return std::nullopt;
  std::map<std::string, Version> list;
  std::vector<std::string> waiting;
  for (const Requirement& one : wanted) waiting.push_back(one.package);
  while (!waiting.empty()) {
    const std::string package = std::move(waiting.back());
    waiting.pop_back();
    const Chosen& found = chosen.at(package);
    if (!list.emplace(package, found.version).second) continue;
    for (const Requirement& one : found.requirements) waiting.push_back(one.package);
  }
  return list;
}

}  // namespace dagaz::tools::package
