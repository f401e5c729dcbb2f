#include "reduce.h"

#include <chrono>

namespace dagaz::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

class Reducer {
 public:
  Reducer(Source program, const std::function<bool(const std::string&)>& fails, double seconds)
      : program_(std::move(program)),
        fails_(fails),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  Source run() {
    while (round() && Clock::now() < end_) {
    }
    return std::move(program_);
  }

 private:
  // From the largest expressions to the smallest: what stands first in preorder holds what follows.
  bool round() {
    bool changed = false;
    for (std::size_t number = 0; number < size_of(program_) && Clock::now() < end_; ++number) {
      if (replace(number)) changed = true;
    }
    return changed;
  }

  bool replace(std::size_t number) {
    const Source original = part_of(program_, number);
    if (number == 0 || (original.children.empty() && original.text[0] == original.fallback)) {
      return false;
    }
    const Source plain{original.type, original.fallback, {original.fallback}, {}};
    if (try_instead(number, plain)) return true;
    for (std::size_t i = 1; i < size_of(original); ++i) {
      Source copy = original;
      const Source& part = part_of(copy, i);
      const bool fits = part.type == original.type && part.type != "declaration";
      if (fits && Clock::now() < end_ && try_instead(number, part)) return true;
    }
    part_of(program_, number) = original;
    return false;
  }

  bool try_instead(std::size_t number, const Source& replacement) {
    Source kept = program_;
    part_of(program_, number) = replacement;
    if (fails_(render(program_))) return true;
    program_ = std::move(kept);
    return false;
  }

  Source program_;
  const std::function<bool(const std::string&)>& fails_;
  Clock::time_point end_;
};

}  // namespace

Source reduced(Source program, const std::function<bool(const std::string&)>& fails,
               double seconds) {
  return Reducer(std::move(program), fails, seconds).run();
}

}  // namespace dagaz::fuzz
