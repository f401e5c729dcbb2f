// An item of a PTX module is a variable, a declaration, a function or a kernel.  It begins with a
// directive at the beginning of a line and ends with the line that closes its braces, or with the
// first that ends in a semicolon outside of them.
#include "cuda/ptx_units.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>

namespace dagaz::runtime::cuda {

namespace {

enum class Kind { variable, declaration, function, kernel };

struct Item {
  Kind kind;
  std::string_view name;
  std::string_view text;
};

struct Module {
  std::string_view header;  // version, target and address size
  std::vector<Item> items;
};

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Calls `use` with each name in `text`, as long as it returns true.
template <typename Use>
void for_each_name(std::string_view text, const Use& use) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && in_name(text[end])) {
      ++end;
    }
    if (end > i && !use(text.substr(i, end - i))) {
      return;
    }
    i = std::max(end, i + 1);
  }
}

/// The line at the beginning of `text`, with what ends it.
std::string_view first_line(std::string_view text) {
  const size_t end = text.find('\n');
  return text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
}

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, line.find("//"));
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
    line.remove_suffix(1);
  }
  return line;
}

/// The name that an item defines or declares: of a function or kernel the first behind its
/// directive and outside of parentheses, of a variable the last before its size or value.
std::string_view name_of(std::string_view text, size_t directive) {
  std::string_view name;
  if (directive == std::string_view::npos) {
    for_each_name(text.substr(0, text.find_first_of("[=;")), [&](std::string_view one) {
      name = one;
      return true;
    });
    return name;
  }
  std::string_view rest = text.substr(text.find_first_not_of(" \t", directive));
  if (rest.starts_with('(')) {  // what is returned
    rest.remove_prefix(std::min(rest.size(), rest.find(')')));
  }
  for_each_name(rest, [&](std::string_view one) {
    name = one;
    return false;
  });
  return name;
}

/// The item at the beginning of `text`; nothing where it is not in the form that is known.
std::optional<Item> first_item(std::string_view text) {
  int depth = 0;
  bool has_body = false;
  size_t size = 0;
  while (size < text.size()) {
    const std::string_view whole = first_line(text.substr(size));
    const std::string_view line = without_comment(whole);
    size += whole.size();
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{')) -
             static_cast<int>(std::count(line.begin(), line.end(), '}'));
    has_body = has_body || line == "{";
    if (depth == 0 && !line.empty() && (has_body ? line == "}" : line.back() == ';')) {
      const std::string_view item = text.substr(0, size);
      const std::string_view head = first_line(item);
      const size_t entry = head.find(".entry ");
      const size_t function = head.find(".func ");
      const size_t directive = std::min(entry, function);
      constexpr size_t length = 6;  // of both
      const size_t behind = directive == std::string_view::npos ? directive : directive + length;
      const Kind kind = directive == std::string_view::npos ? Kind::variable
                        : !has_body                         ? Kind::declaration
                        : entry < function                  ? Kind::kernel
                                                            : Kind::function;
      return Item{kind, name_of(item, behind), item};
    }
  }
  return std::nullopt;
}

std::optional<Module> parse(std::string_view ptx) {
  constexpr std::string_view last_of_header = ".address_size";
  const size_t found = ptx.find(last_of_header);
  if (found == std::string_view::npos) {
    return std::nullopt;
  }
  const size_t start = found + first_line(ptx.substr(found)).size();
  Module module{ptx.substr(0, start), {}};
  std::string_view rest = ptx.substr(start);
  while (!rest.empty()) {
    const std::string_view line = first_line(rest);
    if (without_comment(line).empty()) {
      rest.remove_prefix(line.size());
      continue;
    }
    const std::optional<Item> item = line.starts_with('.') ? first_item(rest) : std::nullopt;
    if (!item || item->name.empty()) {
      return std::nullopt;
    }
    module.items.push_back(*item);
    rest.remove_prefix(item->text.size());
  }
  return module;
}

/// What each item stands on, and which items belong together.
class Grouping {
 public:
  explicit Grouping(const std::vector<Item>& items) : items_(items), needs_(items.size()) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind != Kind::kernel) {
        named_[items[i].name].push_back(i);
      }
    }
    for (size_t i = 0; i < items.size() && !named_.empty(); ++i) {
      note_needs(i);
    }
    group_.resize(items.size());
    std::iota(group_.begin(), group_.end(), size_t{0});
    for (size_t i = 0; i < items.size(); ++i) {
      for (const size_t needed : needs_[i]) {
        if (items[needed].kind == Kind::function) {
          group_[root(needed)] = root(i);
        }
      }
    }
  }

  size_t root(size_t item) const {
    while (group_[item] != item) {
      item = group_[item];
    }
    return item;
  }
  /// Marks an item and all that it stands on.
  void mark(size_t item, std::vector<bool>& marked) const {
    std::vector<size_t> open{item};
    while (!open.empty()) {
      const size_t one = open.back();
      open.pop_back();
      if (!marked[one]) {
        marked[one] = true;
        open.insert(open.end(), needs_[one].begin(), needs_[one].end());
      }
    }
  }

 private:
  void note_needs(size_t item) {
    for_each_name(items_[item].text, [&](std::string_view name) {
      const auto found = named_.find(name);
      if (found != named_.end()) {
        needs_[item].insert(needs_[item].end(), found->second.begin(), found->second.end());
      }
      return true;
    });
    std::sort(needs_[item].begin(), needs_[item].end());
    needs_[item].erase(std::unique(needs_[item].begin(), needs_[item].end()), needs_[item].end());
  }

  const std::vector<Item>& items_;
  std::unordered_map<std::string_view, std::vector<size_t>> named_;  // declared and defined
  std::vector<std::vector<size_t>> needs_;
  std::vector<size_t> group_;
};

}  // namespace

PtxUnits PtxUnits::whole(std::string_view ptx) {
  PtxUnits units;
  units.texts_.emplace_back(ptx);
  return units;
}

PtxUnits::PtxUnits(std::string_view ptx) {
  const std::optional<Module> module = parse(ptx);
  if (!module) {
    texts_.emplace_back(ptx);
    return;
  }
  const std::vector<Item>& items = module->items;
  const Grouping grouping(items);
  std::vector<std::vector<bool>> marked;
  std::unordered_map<size_t, size_t> unit_of_group;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == Kind::kernel) {
      const auto [unit, added] = unit_of_group.emplace(grouping.root(i), marked.size());
      if (added) {
        marked.emplace_back(items.size());
      }
      grouping.mark(i, marked[unit->second]);
      unit_of_[std::string(items[i].name)] = unit->second;
    }
  }
  for (const std::vector<bool>& chosen : marked) {
    std::string& text = texts_.emplace_back(module->header);
    for (size_t i = 0; i < items.size(); ++i) {
      if (chosen[i]) {
        text += items[i].text;
        text += '\n';
      }
    }
  }
  if (texts_.empty()) {
    texts_.emplace_back(ptx);
  }
}

size_t PtxUnits::unit_of(std::string_view kernel) const {
  const auto found = unit_of_.find(std::string(kernel));
  return found != unit_of_.end() ? found->second : 0;
}

}  // namespace dagaz::runtime::cuda
