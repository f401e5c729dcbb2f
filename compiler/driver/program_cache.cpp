// The key of an entry is made of what is known before a program is parsed: compiler, options, main
// file. The entry lists which other files were read, and those that were looked for and not there;
// it holds for as long as reading them gives the same.
#include "driver/program_cache.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "driver/compiler_identity.h"
#include "driver/digest.h"
#include "driver/tuning.h"

namespace dagaz::driver {

namespace {

constexpr std::string_view format = "dagaz program 1";

/// What is printed while compiling would not be printed again.
bool prints_more_than_messages(const CompileOptions& options) {
  return options.time_passes || options.memory_report || !options.print_after.empty() ||
         !options.stop_after.empty();
}

// ---------------------------------------------------------------- keys

class Key {
 public:
  Key& operator<<(std::string_view text) {
    digest_.add_field(text);
    return *this;
  }
  Key& operator<<(std::int64_t number) { return *this << std::to_string(number); }
  Key& operator<<(const std::vector<std::string>& texts) {
    *this << static_cast<std::int64_t>(texts.size());
    for (const std::string& one : texts) *this << one;
    return *this;
  }
  /// A file that need not be there.
  Key& add_file(const std::string& path) {
    const std::optional<std::string> text = syntax::read_file(path);
    return *this << (text ? "there" : "not there") << text.value_or("");
  }
  std::string text() { return digest_.text(); }

 private:
  Digest digest_;
};

Key& operator<<(Key& key, const elaborate::Derivatives& derivatives) {
  key << derivatives.of_all << static_cast<std::int64_t>(derivatives.of.size());
  for (const auto& [entry, parameters] : derivatives.of) key << entry << parameters;
  return key;
}

/// Each option has a name here, so that a new one is not forgotten: without one for it this does
/// not compile.
Key& operator<<(Key& key, const CompileOptions& options) {
  const auto& [file, read, target, further_targets, cpu, gpu, tf32, gpu_code, ptxas, optimisation,
               without, print_after, stop_after, pass_limit, verify, time_passes, memory_report,
               plan, tuned, plan_seed, safe, derivatives, entry_points, warnings,
               warnings_are_errors, style, ranks, cache] = options;
  key << file << name_of(target) << cpu << gpu << tf32 << optimisation << without << pass_limit
      << verify << plan << tuned << plan_seed.has_value() << std::to_string(plan_seed.value_or(0))
      << safe << derivatives << entry_points << warnings << warnings_are_errors << ranks
      << static_cast<std::int64_t>(style) << static_cast<std::int64_t>(further_targets.size());
  for (const Target further : further_targets) key << name_of(further);
  for (const std::string& one : gpu_code) key << one;
  key << static_cast<std::int64_t>(gpu_code.size()) << ptxas;
  key.add_file(file).add_file(tuning_file_of(file));
  if (!plan.empty()) key.add_file(plan);
  if (cpu == "native") key << processor_identity();
  return key;
}

// ---------------------------------------------------------------- entries

void add(std::string& entry, std::string_view text) {
  entry += std::to_string(text.size()) + ":";
  entry += text;
}

/// Takes an entry apart; anything is read as nothing after what makes no sense.
class EntryReader {
 public:
  explicit EntryReader(std::string_view entry) : rest_(entry) {}

  std::string_view next() {
    std::size_t size = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      size = size * 10 + static_cast<std::size_t>(rest_[digits++] - '0');
      if (size > rest_.size()) return fail();
    }
    if (digits == rest_.size() || rest_[digits] != ':') return fail();
    rest_.remove_prefix(digits + 1);
    if (size > rest_.size()) return fail();
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  bool at_end() const { return rest_.empty(); }
  bool is_good() const { return good_; }

 private:
  std::string_view fail() {
    good_ = false;
    rest_ = {};
    return {};
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

ProgramCache::ProgramCache(const CompileOptions& options, PartsAre what, std::string_view prefix,
                           Diagnostics& diagnostics)
    : read_(options.read) {
  const bool chosen = options.cache != cache_on;
  std::string path = chosen ? options.cache : runtime::users_cache_folder();
  if (path == cache_off || path.empty() || prints_more_than_messages(options)) return;
  std::string problem;
  path += "/programs";
  folder_.emplace(path, runtime::most_cache_bytes(), problem);
  if (!problem.empty()) {
    folder_.reset();
    // One that nobody has asked for may be in nobody's reach, as in a container.
    if (!chosen) return;
    diagnostics.report(DiagnosticKind::io, Range{},
                       "cannot keep compiled programs in `" + path + "`: " + problem);
    return;
  }
  Key key;
  key << format << compiler_identity() << prefix;
  if (what == PartsAre::executable) key << linking_identity();
  key << options;
  key_ = key.text();
}

std::optional<CompiledProgram> ProgramCache::find() const {
  if (!folder_) return std::nullopt;
  const std::optional<std::string> entry = folder_->find(key_);
  if (!entry) return std::nullopt;
  EntryReader reader(*entry);
  if (reader.next() != format) return std::nullopt;
  for (std::string_view path = reader.next(); !path.empty(); path = reader.next()) {
    const std::optional<std::string> text = read_(std::string(path));
    if ((text ? digest_of(*text) : "") != reader.next()) return std::nullopt;
  }
  CompiledProgram program;
  program.messages = reader.next();
  while (!reader.at_end()) program.parts.emplace_back(reader.next());
  if (!reader.is_good() || program.parts.empty()) return std::nullopt;
  return program;
}

syntax::FileReader ProgramCache::reader() {
  if (!folder_) return read_;
  return [this](const std::string& path) {
    std::optional<std::string> text = read_(path);
    reads_.push_back({path, text ? digest_of(*text) : ""});
    return text;
  };
}

void ProgramCache::keep(const CompiledProgram& program) const {
  if (!folder_) return;
  std::string entry;
  add(entry, format);
  for (const Read& one : reads_) {
    add(entry, one.path);
    add(entry, one.digest);
  }
  add(entry, "");
  add(entry, program.messages);
  for (const std::string& part : program.parts) add(entry, part);
  folder_->keep(key_, entry);
}

}  // namespace dagaz::driver
