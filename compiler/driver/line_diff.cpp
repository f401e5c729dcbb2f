// Lines that occur once in both texts are matched where their order is the same in both, by a
// longest increasing subsequence; between two of them the same is done again ("patience diff", of
// Bram Cohen).  What is left over is removed and added.
#include "driver/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dagaz::driver {

namespace {

constexpr std::size_t context_lines = 3;

using Lines = std::vector<std::string_view>;
/// Lines `begin` to `end` of a text.
struct Section {
  std::size_t begin, end;
};
/// Line `before` is line `after` of the other text.
struct Match {
  std::size_t before, after;
};

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

class Matcher {
 public:
  Matcher(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  std::vector<Match> all() {
    std::vector<std::pair<Section, Section>> pending{{{0, before_.size()}, {0, after_.size()}}};
    while (!pending.empty()) {
      auto [a, b] = pending.back();
      pending.pop_back();
      trim(a, b);
      const std::vector<Match> anchors = increasing(common_once(a, b));
      if (anchors.empty()) continue;
      for (const Match& anchor : anchors) {
        pending.push_back({{a.begin, anchor.before}, {b.begin, anchor.after}});
        matches_.push_back(anchor);
        a.begin = anchor.before + 1;
        b.begin = anchor.after + 1;
      }
      pending.emplace_back(a, b);
    }
    std::sort(matches_.begin(), matches_.end(),
              [](const Match& x, const Match& y) { return x.before < y.before; });
    return std::move(matches_);
  }

 private:
  // Matches the lines that the sections begin and end with.
  void trim(Section& a, Section& b) {
    while (a.begin < a.end && b.begin < b.end && before_[a.begin] == after_[b.begin]) {
      matches_.push_back({a.begin++, b.begin++});
    }
    while (a.begin < a.end && b.begin < b.end && before_[a.end - 1] == after_[b.end - 1]) {
      matches_.push_back({--a.end, --b.end});
    }
  }

  // The lines that occur once in each section, in the order of the first.
  std::vector<Match> common_once(const Section& a, const Section& b) const {
    struct Places {
      std::size_t in_a = 0, in_b = 0, b_place = 0;
    };
    std::unordered_map<std::string_view, Places> places;
    for (std::size_t i = a.begin; i < a.end; ++i) ++places[before_[i]].in_a;
    for (std::size_t i = b.begin; i < b.end; ++i) {
      Places& place = places[after_[i]];
      ++place.in_b;
      place.b_place = i;
    }
    std::vector<Match> found;
    for (std::size_t i = a.begin; i < a.end; ++i) {
      const Places& place = places[before_[i]];
      if (place.in_a == 1 && place.in_b == 1) found.push_back({i, place.b_place});
    }
    return found;
  }

  // The longest part of the list whose order is the same in both texts, by patience sorting.
  static std::vector<Match> increasing(const std::vector<Match>& list) {
    std::vector<std::size_t> tops;  // of each length, the part that ends earliest
    std::vector<std::size_t> previous(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto place = std::partition_point(tops.begin(), tops.end(), [&](std::size_t top) {
        return list[top].after < list[i].after;
      });
      previous[i] = place == tops.begin() ? i : *(place - 1);
      if (place == tops.end()) {
        tops.push_back(i);
      } else {
        *place = i;
      }
    }
    std::vector<Match> result(tops.size());
    std::size_t next = tops.empty() ? 0 : tops.back();
    for (auto place = result.rbegin(); place != result.rend(); ++place, next = previous[next]) {
      *place = list[next];
    }
    return result;
  }

  const Lines& before_;
  const Lines& after_;
  std::vector<Match> matches_;
};

void add_line(std::string& out, char sign, std::string_view line) {
  out += sign;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

std::string hunk_range(std::size_t begin, std::size_t count) {
  return std::to_string(count == 0 ? begin : begin + 1) + "," + std::to_string(count);
}

/// A run of lines of one kind: ' ' in both, '-' removed, '+' added.
struct Edit {
  char sign;
  std::size_t before, after;  // where the line is, or would be
};

std::vector<Edit> edits(const Lines& before, const Lines& after) {
  std::vector<Match> matches = Matcher(before, after).all();
  matches.push_back({before.size(), after.size()});
  std::vector<Edit> result;
  Match next{0, 0};
  for (const Match& match : matches) {
    while (next.before < match.before) result.push_back({'-', next.before++, next.after});
    while (next.after < match.after) result.push_back({'+', next.before, next.after++});
    if (next.before < before.size()) result.push_back({' ', next.before++, next.after++});
  }
  return result;
}

// The edits `begin` to `end` under their `@@` line.
void add_hunk(std::string& out, const std::vector<Edit>& list, const Section& part,
              const Lines& before, const Lines& after) {
  std::string lines;
  std::size_t removed = 0;
  std::size_t added = 0;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const Edit& edit = list[i];
    removed += edit.sign != '+' ? 1 : 0;
    added += edit.sign != '-' ? 1 : 0;
    add_line(lines, edit.sign, edit.sign == '+' ? after[edit.after] : before[edit.before]);
  }
  out += "@@ -" + hunk_range(list[part.begin].before, removed) + " +" +
         hunk_range(list[part.begin].after, added) + " @@\n" + lines;
}

}  // namespace

std::string line_diff(std::string_view name, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const Lines old_lines = split(before);
  const Lines new_lines = split(after);
  const std::vector<Edit> list = edits(old_lines, new_lines);
  std::string out = "--- " + std::string(name) + "\n+++ " + std::string(name) + "\n";
  const auto is_change = [](const Edit& edit) { return edit.sign != ' '; };
  auto change = std::find_if(list.begin(), list.end(), is_change);
  while (change != list.end()) {
    const auto first = static_cast<std::size_t>(change - list.begin());
    std::size_t last = first;
    for (std::size_t i = first; i < list.size() && i <= last + 2 * context_lines; ++i) {
      if (is_change(list[i])) last = i;
    }
    const Section part{first - std::min(first, context_lines),
                       std::min(last + 1 + context_lines, list.size())};
    add_hunk(out, list, part, old_lines, new_lines);
    change = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(last) + 1, list.end(),
                          is_change);
  }
  return out;
}

}  // namespace dagaz::driver
