#include "ranks/alike.h"

#include <cstdio>

#include "ranks/ranks.h"

namespace dagaz::runtime {

namespace {

/// Its entry points, with their types.
std::string interface_of(const dz_program& program) {
  std::string text;
  const auto add = [&](const dz_parameter* parameters, int count) {
    for (int i = 0; i < count; ++i) {
      text += std::string(" ") + program.types[parameters[i].type].name;
    }
  };
  for (int i = 0; i < program.entry_count; ++i) {
    const dz_entry& entry = program.entries[i];
    text += std::string(entry.name) + ":";
    add(entry.inputs, entry.input_count);
    text += " ->";
    add(entry.outputs, entry.output_count);
    text += "\n";
  }
  return text;
}

std::string words_of(int argc, char** argv) {
  std::string text;
  for (int i = 1; i < argc; ++i) {
    text += std::string(i > 1 ? " " : "") + argv[i];
  }
  return text;
}

/// Whether the first rank has the same text, which is what is left in it.
bool is_alike(const dz_rank_messages* ranks, std::string& text) {
  std::optional<std::string> first = text;
  if (!share_text(ranks, first)) {
    return false;
  }
  const bool same = *first == text;
  text = std::move(*first);
  return same;
}

std::string or_none(const std::string& text) { return text.empty() ? "no options" : text; }

}  // namespace

bool are_alike(const dz_program& program, const Options& options, int argc, char** argv,
               const dz_rank_messages* ranks) {
  if (ranks == nullptr || ranks->size == 1) {
    return true;
  }
  std::string interface = interface_of(program);
  const std::string own = words_of(argc, argv);
  std::string words = own;
  const bool same_program = is_alike(ranks, interface);
  const bool same_words = is_alike(ranks, words);
  // On standard error itself: what other ranks than the first print goes nowhere.
  if (!same_program) {
    std::fprintf(stderr, "%s: rank %d runs another program than rank 0\n",
                 options.program_name.c_str(), ranks->rank);
  } else if (!same_words) {
    std::fprintf(stderr, "%s: rank %d has other options than rank 0: `%s`, not `%s`\n",
                 options.program_name.c_str(), ranks->rank, or_none(own).c_str(),
                 or_none(words).c_str());
  }
  int64_t differ = same_program && same_words ? 0 : 1;
  return ranks->maximum(ranks->communicator, &differ) == 0 && differ == 0;
}

}  // namespace dagaz::runtime
