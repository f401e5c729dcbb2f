#include "driver/line_counts.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "support/library_folder.h"
#include "syntax/children.h"

namespace dagaz::driver {

namespace {

// Which no label of a program has: those are names, or positions with colons.
constexpr std::string_view line_prefix = "line ";

struct Line {
  FileId file;
  int number;
};

// Calls `visit(exp, line)` for the outermost expression that begins on each line, in the order in
// which they are written.
template <typename F>
void for_each_line(const Compilation& compilation, const F& visit) {
  for (const ast::File& file : compilation.syntax.files) {
    if (is_library_file(file.path)) continue;
    std::set<int> seen;
    ast::for_each_value(file.declarations, [&](const ast::ValueDeclaration& value, const auto&) {
      if (value.function.body == nullptr) return;
      ast::for_each_expression(*value.function.body, [&](const ast::Exp& exp) {
        const SourceFile& source = compilation.files.file(exp.range.file);
        const auto line = static_cast<int>(source.position(exp.range.begin).line);
        if (seen.insert(line).second) visit(exp, Line{exp.range.file, line});
      });
    });
  }
}

std::string label(const Line& line) {
  return std::string(line_prefix) + std::to_string(line.number) + " " +
         std::to_string(line.file.index);
}

// `let _ = #[trace(l)] () in e` in the place of `e`.
void mark(Compilation& compilation, ast::Exp& exp, const Line& line) {
  ast::Arena& arena = compilation.syntax.arena;
  const auto named = [&](std::string_view name) {
    ast::Attribute attribute;
    attribute.range = exp.range;
    attribute.name = compilation.names.intern(name);
    return attribute;
  };
  ast::Attribute trace = named("trace");
  trace.has_arguments = true;
  trace.arguments.push_back(named(label(line)));
  ast::Exp* nothing = arena.make(ast::Exp{exp.range, ast::Tuple{}});
  ast::Exp* traced = arena.make(ast::Exp{exp.range, ast::Attributed{trace, nothing}});
  ast::Pattern* ignored = arena.make(ast::Pattern{exp.range, ast::WildcardPattern{}});
  ast::Exp* original = arena.make(ast::Exp(exp));
  exp.node = ast::Let{{}, ignored, traced, original};
  exp.existentials.clear();  // they belong to what is evaluated
}

}  // namespace

static void mark_lines(Compilation& compilation) {
  std::vector<std::pair<ast::Exp*, Line>> chosen;
  // The walk is for readers, but the tree is ours.
  for_each_line(compilation, [&](const ast::Exp& exp, const Line& line) {
    chosen.emplace_back(const_cast<ast::Exp*>(&exp), line);
  });
  // Children first: what is put into a new place keeps its own children.
  for (std::size_t i = chosen.size(); i-- > 0;)
    mark(compilation, *chosen[i].first, chosen[i].second);
}

static LineCounts countable_lines(const Compilation& compilation) {
  LineCounts counts;
  for_each_line(compilation, [&](const ast::Exp&, const Line& line) {
    counts[compilation.files.file(line.file).name()][line.number] = 0;
  });
  return counts;
}

std::optional<ir::ParallelProgram> front_end_for(Compilation& compilation,
                                                const std::vector<std::string>& arguments) {
  const auto option = std::find(arguments.begin(), arguments.end(), count_lines_option);
  if (option == arguments.end() || option + 1 == arguments.end()) return front_end(compilation);
  if (!parse(compilation) || !check(compilation)) return std::nullopt;
  append_counts(option[1], countable_lines(compilation));
  mark_lines(compilation);
  return elaborate(compilation);
}

bool count_line(LineCounts& counts, const SourceFiles& files, std::string_view label) {
  if (!label.starts_with(line_prefix)) return false;
  std::istringstream in(std::string(label.substr(line_prefix.size())));
  int line = 0;
  std::uint32_t file = 0;
  if (!(in >> line >> file) || file >= files.size()) return false;
  ++counts[files.file(FileId{file}).name()][line];
  return true;
}

bool append_counts(const std::string& path, const LineCounts& counts) {
  std::ofstream out(path, std::ios::app);
  for (const auto& [file, lines] : counts) {
    for (const auto& [line, count] : lines) out << line << " " << count << " " << file << "\n";
  }
  out.close();
  return static_cast<bool>(out);
}

void add_counts(LineCounts& counts, const std::string& path) {
  std::ifstream in(path);
  int line = 0;
  int64_t count = 0;
  while (in >> line >> count && in.get() == ' ') {
    std::string file;
    std::getline(in, file);
    counts[file][line] += count;
  }
}

}  // namespace dagaz::driver
