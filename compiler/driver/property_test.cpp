// The order in which random words are taken, and the messages, are the peer's, so that a seed finds
// the same counterexample there and here: a word for each value, from which the program's generator
// or the words of the value's leaves follow; a word for each call of a shrinker.
#include "driver/property_test.h"

#include "data/split_mix.h"
#include "driver/property_values.h"
#include "values.h"

namespace dagaz::driver {

namespace {

// Ends the test of a property; caught where that began.
struct Broken {
  std::string message;
};

Leaves scalar(int32_t element, uint64_t value) {
  return {{element, {}, std::string(reinterpret_cast<const char*>(&value), sizeof value)}};
}

class PropertyTest {
 public:
  PropertyTest(const ir::Program& program, EntryCalls& calls, const Property& property,
               const PropertyTrials& trials)
      : program_(program), calls_(calls), property_(property), trials_(trials),
        entry_(*find_entry_point(program, property.name)),
        size_(property.size.value_or(trials.size)), random_(trials.seed),
        values_(program, [this](const auto& type, int64_t size, uint64_t seed,
                                std::string& problem) {
          return made_for_type(type, size, seed, problem);
        }) {}

  std::optional<std::string> run() {
    try {
      for (int i = 1; i <= trials_.count; ++i) {
        const uint64_t seed = random_.word();
        std::string problem;
        auto candidate = made(size_, seed, problem);
        if (!candidate) return described_failure_of_generator(seed, problem);
        candidate_ = std::move(*candidate);
        phase_ = "property, at " + sizes(size_, seed);
        const auto holds = property_holds(candidate_, problem);
        if (!holds) {
          return "Property " + property_.name + " failed with candidate=" + text(candidate_) +
                 " with error: " + problem;
        }
        if (!*holds) return counterexample(i, seed);
      }
    } catch (const Broken& broken) {
      return broken.message;
    }
    return std::nullopt;
  }

 private:
  static std::string sizes(int64_t size, uint64_t seed) {
    return "size=" + std::to_string(size) + " and seed=" + std::to_string(seed);
  }

  std::string text(const Leaves& value) const {
    return value_text(program_, entry_.inputs.front().type, value);
  }

  // The entry point's result; nothing and `problem` after an error of the program.
  std::optional<Leaves> call(const ir::EntryPoint& entry, const std::vector<Leaves>& inputs,
                             std::string& problem) {
    Answer answer = calls_.call(entry, inputs);
    if (answer.kind == Answer::Kind::value) return std::move(answer.value);
    if (answer.kind == Answer::Kind::lost) {
      std::string why;
      for (const std::string& line : answer.message) why += line.empty() ? "" : line + "\n";
      throw Broken{"Property " + property_.name + ": " + why + "while evaluating the " + phase_};
    }
    problem = "Runtime error: " + shown_list(answer.message);
    return std::nullopt;
  }

  std::optional<bool> property_holds(const Leaves& candidate, std::string& problem) {
    const auto result = call(entry_, {candidate}, problem);
    if (result) return result->front().bytes.front() != 0;
    problem = property_.name + " has " + problem;
    return std::nullopt;
  }

  // ---- candidates

  std::optional<Leaves> made(int64_t size, uint64_t seed, std::string& problem) {
    phase_ = "generator, at " + sizes(size, seed);
    if (!property_.generator) {
      return values_.argument(entry_, size, seed, problem);
    }
    return call(*find_entry_point(program_, *property_.generator),
                {scalar(DZ_I64, static_cast<uint64_t>(size)), scalar(DZ_U64, seed)}, problem);
  }

  std::optional<Leaves> made_for_type(const ir::ExternalType& type, int64_t size, uint64_t seed,
                                      std::string& problem) {
    const auto name = [&](int index) {
      return program_.external_types[static_cast<std::size_t>(index)].name;
    };
    const ir::EntryPoint* generator = find_entry_point(program_, "gen_" + type.name);
    const bool fits = generator != nullptr && generator->inputs.size() == 2 &&
                      name(generator->inputs[0].type) == "i64" &&
                      name(generator->inputs[1].type) == "u64" &&
                      name(generator->outputs.front().type) == type.name;
    if (!fits) return std::nullopt;
    return call(*generator, {scalar(DZ_I64, static_cast<uint64_t>(size)), scalar(DZ_U64, seed)},
                problem);
  }

  std::string described_failure_of_generator(uint64_t seed, const std::string& problem) const {
    if (!property_.generator) return "Automatic generator failed: " + problem;
    return "User Generator " + *property_.generator + " failed with " + sizes(size_, seed) +
           " with error: " + problem;
  }

  // ---- counterexamples

  std::string counterexample(int tries, uint64_t seed) {
    std::string out = "Property " + property_.name + " (size=" + std::to_string(size_) +
                      ", seed=" + std::to_string(trials_.seed) + ") failed after " +
                      std::to_string(tries) + " tests:\n";
    try {
      out += shrink(seed);
    } catch (const Broken& broken) {
      out += "Shrinking failed: " + broken.message + "\n";
    }
    return out + "Counterexample: " + text(candidate_);
  }

  // What there is to say about it.
  std::string shrink(uint64_t seed) {
    std::string problem;
    if (!property_.shrinker) {
      return shrink_by_size(seed, problem) ? "" : "Shrinking failed: " + problem + "\n";
    }
    if (shrink_by_program(problem)) return "";
    const std::string note = "Shrinking note: User shrinker failed: " + problem +
                             "\nAttempted auto-shrinker fallback.\n";
    problem.clear();
    return note + (shrink_by_size(seed, problem)
                       ? "Auto-shrinker fallback completed.\n"
                       : "Auto-shrinker fallback also failed: " + problem + "\n");
  }

  // Smaller sizes with the same seed, down to 1; false and `problem` if one cannot be tried.
  bool shrink_by_size(uint64_t seed, std::string& problem) {
    for (int64_t size = size_ - 1; size >= 1; --size) {
      auto smaller = made(size, seed, problem);
      if (!smaller) {
        problem = "Auto-shrinker generator failed: " +
                  (property_.generator ? "User Generator " + *property_.generator + " failed: "
                                       : "Automatic generator failed: ") + problem;
        return false;
      }
      phase_ = "property while shrinking, at " + sizes(size, seed);
      const auto holds = property_holds(*smaller, problem);
      if (!holds) {
        problem = "Property " + problem;
        return false;
      }
      if (!*holds) candidate_ = std::move(*smaller);
    }
    return true;
  }

  // By the program's shrinker, until it gave so many in a row that make the property true.  One
  // that gives back what it got would never end.
  bool shrink_by_program(std::string& problem) {
    const std::string& name = *property_.shrinker;
    const ir::EntryPoint& shrinker = *find_entry_point(program_, name);
    constexpr int most_unchanged = 1000;
    for (int kept = 0, unchanged = 0; kept < trials_.shrinks && unchanged < most_unchanged;) {
      const uint64_t word = random_.word();
      const std::string begin =
          "Error in shrinker " + name + " with random=" + std::to_string(word) + ": ";
      phase_ = "shrinker " + name + ", at random=" + std::to_string(word);
      auto smaller = call(shrinker, {candidate_, scalar(DZ_U64, word)}, problem);
      if (!smaller) {
        problem = begin + name + " has " + problem;
        return false;
      }
      const auto holds = property_holds(*smaller, problem);
      if (!holds) {
        problem = begin + "Property " + problem;
        return false;
      }
      ++kept;
      if (*holds) continue;
      kept = 0;
      unchanged = text(*smaller) == text(candidate_) ? unchanged + 1 : 0;
      candidate_ = std::move(*smaller);
    }
    return true;
  }

  const ir::Program& program_;
  EntryCalls& calls_;
  const Property& property_;
  const PropertyTrials& trials_;
  const ir::EntryPoint& entry_;
  int64_t size_;
  data::SplitMix random_;
  RandomValues values_;
  Leaves candidate_;
  std::string phase_;  // what is being evaluated
};

}  // namespace

std::optional<std::string> failure_of_property(const ir::Program& program, EntryCalls& calls,
                                               const Property& property,
                                               const PropertyTrials& trials) {
  return PropertyTest(program, calls, property, trials).run();
}

}  // namespace dagaz::driver
