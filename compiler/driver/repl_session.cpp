// See repl_session.h.  Programs run in a process of their own, so that one that ends in an error,
// or is interrupted, leaves the session as it is.
#include "driver/repl_session.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "check/print_type.h"
#include "driver/commands.h"
#include "driver/shown_value.h"
#include "support/match.h"
#include "syntax/imports.h"
#include "syntax/parse.h"

namespace dagaz::driver {

namespace {

constexpr const char* value_name = "repl_value";

// Runs `act` in a process of its own.  What it prints goes to `output` if that is not null.
// Returns its exit status; 1 if a signal ended it.
int apart(const std::function<int()>& act, std::string* output) {
  std::array<int, 2> ends{-1, -1};
  if (output != nullptr && pipe(ends.data()) != 0) return 1;
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    // What was read ahead of standard input belongs to the session.
    if (std::freopen("/dev/null", "r", stdin) == nullptr) _exit(1);
    if (output != nullptr) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
    }
    const int status = act();
    std::cout.flush();
    std::fflush(nullptr);
    _exit(status);
  }
  if (output != nullptr) {
    close(ends[1]);
    std::array<char, 65536> bytes;
    for (ssize_t count = 0; (count = read(ends[0], bytes.data(), bytes.size())) != 0;) {
      if (count > 0) output->append(bytes.data(), static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR) break;
    }
    close(ends[0]);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::cout << (WTERMSIG(status) == SIGINT ? "Interrupted.\n" : "The program was killed.\n");
  return 1;
}

// The program with all its names open to others, and the files that it imports.
struct Opened {
  std::string text;
  std::vector<std::string> imports;  // as they are written, with quotes
};

Opened open_names(const std::string& path, const std::string& text) {
  SourceFiles files;
  NameTable names;
  const FileId id = files.add(path, text);
  Opened result{text, {}};
  int depth = 0;
  std::string_view before;
  const std::vector<Range> tokens = syntax::scan(id, files, names).tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = files.text(tokens[i]);
    if (word == "{" || word == "(" || word == "[") ++depth;
    if (word == "}" || word == ")" || word == "]") --depth;
    if (word == "local" && depth == 0) {
      result.text.replace(tokens[i].begin, word.size(), word.size(), ' ');
    }
    const bool is_declaration = depth == 0 && before != "open" && before != "=";
    if (word == "import" && is_declaration && i + 1 < tokens.size()) {
      result.imports.emplace_back(files.text(tokens[i + 1]));
    }
    before = word;
  }
  return result;
}

// A file that is gone when this is.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "dagaz-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file >= 0) close(file);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Of the microseconds that the lines of `path` say.
void print_times(const std::string& path) {
  std::ifstream in(path);
  std::vector<long> times;
  for (long time = 0; in >> time;) times.push_back(time);
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::cout << times[times.size() / 2] << " µs, the fastest of " << times.size() << " runs "
            << times.front() << " µs\n";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool begins_declaration(const std::string& text) {
  std::istringstream in(text);
  std::string word;
  in >> word;
  for (const char* keyword : {"def", "type", "type~", "type^", "module", "open", "import", "local",
                              "entry"}) {
    if (word == keyword) return true;
  }
  return word.starts_with("#[");
}

}  // namespace

std::string ReplSession::root_name(int number) const {
  return (std::filesystem::path(folder_) / ("[" + std::to_string(number) + "].fut")).string();
}

syntax::FileReader ReplSession::reader() const {
  return [this](const std::string& path) -> std::optional<std::string> {
    const auto found = files_.find(path);
    return found != files_.end() ? found->second : syntax::read_file(path);
  };
}

std::string ReplSession::heading() const {
  return opening_ + " local module repl_library = import \"/prelude/soacs\" ";
}

bool ReplSession::report(const query::Analysis& analysis) const {
  bool failed = false;
  for (const Diagnostic& d : analysis.diagnostics()) {
    if (kind_severity(d.kind) != Severity::error) continue;
    std::cerr << render(d, analysis.files(), options_.style);
    failed = true;
  }
  return failed;
}

bool ReplSession::load(const std::string& path) {
  const std::optional<std::string> text = syntax::read_file(path);
  if (!text) {
    std::cerr << "dagaz: cannot read `" << path << "`\n";
    return false;
  }
  const query::Analysis analysis(path, *text, syntax::read_file);
  if (report(analysis)) return false;
  const Opened opened = open_names(path, *text);
  folder_ = std::filesystem::path(path).parent_path().string();
  files_.clear();
  files_[path] = opened.text;
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  files_[normal] = opened.text;
  opening_.clear();
  for (const std::string& import : opened.imports) opening_ += "open import " + import + " ";
  opening_ += "open import \"" + std::filesystem::path(path).stem().string() + "\"";
  return true;
}

ReplSession::Kind ReplSession::classify(const std::string& text, int number) {
  const auto parse = [&](bool as_expression, Diagnostics& mistakes, SourceFiles& files) {
    NameTable names;
    ast::Arena arena;
    const FileId id = files.add(root_name(number), text);
    const syntax::ParseInput input{files, arena, names, mistakes};
    if (as_expression) {
      syntax::parse_expression(id, input);
    } else {
      syntax::parse_file(id, input);
    }
    return !mistakes.has_errors();
  };
  SourceFiles files;
  Diagnostics as_declarations;
  if (parse(false, as_declarations, files)) return Kind::declarations;
  SourceFiles other_files;
  Diagnostics as_expression;
  if (parse(true, as_expression, other_files)) return Kind::expression;
  const bool declares = begins_declaration(text);
  const Diagnostics& mistakes = declares ? as_declarations : as_expression;
  const std::size_t end = text.find_last_not_of(" \t\n");
  const Diagnostic& first = mistakes.all().front();
  if (end == std::string::npos || first.range.begin > end) return Kind::unfinished;
  for (const Diagnostic& d : mistakes.all()) {
    std::cerr << render(d, declares ? files : other_files, options_.style);
  }
  return Kind::wrong;
}

void ReplSession::define(const std::string& text, int number) {
  const std::string name = root_name(number);
  const std::string program = opening_ + "\n" + text + "\n";
  const query::Analysis analysis(name, program, reader());
  if (report(analysis)) return;
  files_[name] = program;
  files_[std::filesystem::path(name).lexically_normal().string()] = program;
  opening_ = "open import \"[" + std::to_string(number) + "]\"";
}

ReplSession::Checked ReplSession::check_expression(const std::string& text, int number) {
  Checked result;
  const std::string program = heading() + "def " + value_name + "_whole =\n" + text + "\n";
  result.analysis = std::make_unique<query::Analysis>(root_name(number), program, reader());
  if (report(*result.analysis)) return {};
  const auto* value =
      as<ast::ValueDeclaration>(result.analysis->root().declarations.back()->node);
  result.scheme = value == nullptr ? nullptr : value->scheme;
  return result;
}

void ReplSession::print_type(const std::string& text, int number) {
  const Checked checked = check_expression(text, number);
  if (checked.scheme == nullptr) return;
  std::cout << text << " : "
            << check::print_scheme(checked.analysis->context(), *checked.scheme) << "\n";
}

std::string ReplSession::program(const std::string& text,
                                 const std::vector<std::string>& parts) const {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  const std::string name(value_name);
  return heading() + "def " + name + "_whole =\n" + text + "\nlocal def repl_map = " +
         "repl_library.map\nentry " + name + " = " +
         (parts.size() == 1 ? all : "(" + all + ")") + "\n";
}

bool ReplSession::run(const std::string& program, int number,
                      const std::vector<std::string>& arguments, std::string& output) const {
  RunOptions options;
  options.compile = options_;
  options.compile.warnings = false;
  options.compile.file = root_name(number);
  options.compile.read = [&](const std::string& path) -> std::optional<std::string> {
    return path == options.compile.file ? program : reader()(path);
  };
  options.program_arguments = {"-e", value_name};
  options.program_arguments.insert(options.program_arguments.end(), arguments.begin(),
                                   arguments.end());
  return apart([&] { return run_command(options); }, &output) == 0;
}

void ReplSession::evaluate(const std::string& text, int number, Timing timing) {
  const Checked checked = check_expression(text, number);
  if (checked.scheme == nullptr) return;
  const std::string type = check::print_scheme(checked.analysis->context(), *checked.scheme);
  const bool is_function = as<check::Arrow>(checked.scheme->type->node) != nullptr;
  if (is_function || !checked.scheme->type_parameters.empty()) {
    std::cout << "<function> : " << type << "\n";
    return;
  }
  const std::string whole = std::string(value_name) + "_whole";
  const Parts parts = parts_of(*checked.analysis, checked.scheme->type, whole);
  if (!parts.problem.empty()) {
    std::cerr << "dagaz: cannot show a value of type " << type << ": " << parts.problem << "\n";
    return;
  }
  std::string output;
  std::vector<std::string> arguments;
  const TemporaryFile times;
  if (timing == Timing::with) arguments = {"-t", times.path(), "-r", "5", "-n"};
  if (!parts.expressions.empty() &&
      !run(program(text, parts.expressions), number, arguments, output)) {
    return;
  }
  if (timing == Timing::with) return print_times(times.path());
  std::cout << shown_value(*checked.analysis, checked.scheme->type, lines_of(output)) << "\n";
}

void ReplSession::inspect(const std::string& text, int number, InspectStage stage) {
  const Checked checked = check_expression(text, number);
  if (checked.scheme == nullptr) return;
  const Parts parts =
      parts_of(*checked.analysis, checked.scheme->type, std::string(value_name) + "_whole");
  if (parts.expressions.empty() || !parts.problem.empty()) {
    std::cerr << "dagaz: only expressions that denote values are compiled\n";
    return;
  }
  const std::string source = program(text, parts.expressions);
  InspectOptions options;
  options.compile = options_;
  options.compile.warnings = false;
  options.compile.file = root_name(number);
  options.compile.read = [&](const std::string& path) -> std::optional<std::string> {
    return path == options.compile.file ? source : reader()(path);
  };
  options.stage = stage;
  apart([&] { return inspect_command(options); }, nullptr);
}

}  // namespace dagaz::driver
