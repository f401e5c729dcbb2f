// What an executable does: read arguments, run an entry point, print its results.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "api_value.h"
#include "command_line.h"
#include "calls.h"
#include "context.h"
#include "mapped_file.h"
#include "profile.h"
#include "ranks/alike.h"
#include "ranks/ranks.h"
#include "result_file.h"
#include "statistics.h"
#include "support/spelling.h"

namespace dagaz::runtime {

namespace {

using ContextPointer = std::unique_ptr<dz_context, void (*)(dz_context*)>;

class ProgramRun {
 public:
  ProgramRun(const dz_program& program, Options& options, dz_streams streams)
      : program_(program), options_(options), streams_(streams) {}

  int run();

 private:
  const dz_entry* find_entry() const;
  int unknown_entry() const;
  int check_forms();
  int check_table();
  bool read_input();
  int read_arguments();
  int upload_arguments();
  int call(double& microseconds);
  int prepare();
  int open_times();
  int together(int status);
  int run_all();
  bool is_too_inexact(int run, const std::vector<double>& measured, double start) const;
  bool goes_on(int run, const std::vector<double>& measured, double start) const;
  int print_results();
  void print_profile();
  int fail(const std::string& message) {
    failure_ = message;
    return complain(options_, streams_, message, exit_failure);
  }
  int fail_with_context_error(const char* otherwise) {
    return fail(take_error(*context_, otherwise));
  }
  const dz_type& type(const dz_parameter& parameter) const {
    return program_.types[parameter.type];
  }

  const dz_program& program_;
  Options& options_;
  dz_streams streams_;
  const dz_entry* entry_ = nullptr;
  int entry_index_ = 0;
  std::string input_;
  MappedFile file_;
  std::string failure_;  // the last message
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> times_{nullptr, std::fclose};
  std::vector<std::vector<Value>> arguments_;  // as read, for runs after one that consumed them
  ContextPointer context_{nullptr, dzr_context_free};
  // Values go before the context.
  std::vector<ApiValue> ins_;
  std::vector<ApiValue> outs_;
};

const dz_entry* ProgramRun::find_entry() const {
  for (int i = 0; i < program_.entry_count; ++i) {
    if (options_.entry == program_.entries[i].name) {
      return &program_.entries[i];
    }
  }
  return nullptr;
}

int ProgramRun::unknown_entry() const {
  std::string text = "there is no entry point `" + options_.entry + "`";
  text += program_.entry_count > 0 ? "; choose one with -e" : ", nor any other";
  std::vector<std::string_view> names;
  std::string list;
  for (int i = 0; i < program_.entry_count; ++i) {
    names.emplace_back(program_.entries[i].name);
    list += "\n  " + std::string(names.back());
  }
  const std::string meant = did_you_mean(options_.entry, names);
  text += meant + (meant.empty() && !list.empty() ? ":" : "") + list;
  return complain(options_, streams_, text, exit_usage);
}

int ProgramRun::check_forms() {
  if (options_.any_type) {
    return exit_success;
  }
  for (int i = 0; i < entry_->input_count; ++i) {
    if (!has_value_form(program_, entry_->inputs[i].type)) {
      return fail("argument " + std::to_string(i + 1) + " of " + entry_->name + " has type " +
                  type(entry_->inputs[i]).name + ", whose values cannot be read from text");
    }
  }
  for (int i = 0; options_.print_result && i < entry_->output_count; ++i) {
    if (!has_value_form(program_, entry_->outputs[i].type)) {
      return fail(std::string("the result of ") + entry_->name + " has type " +
                  type(entry_->outputs[i]).name + ", whose values cannot be printed (use -n)");
    }
  }
  return options_.print_result ? check_table() : exit_success;
}

/// A table holds one result, of at most two dimensions.
int ProgramRun::check_table() {
  if (options_.format != ValueFormat::csv) {
    return exit_success;
  }
  int leaves = 0;
  size_t rank = 0;
  for (int i = 0; i < entry_->output_count; ++i) {
    const dz_type& result = type(entry_->outputs[i]);
    leaves += result.leaf_count;
    for (int k = 0; k < result.leaf_count; ++k) {
      rank = std::max(rank, static_cast<size_t>(result.leaves[k].rank));
    }
  }
  if (leaves == 1 && rank <= most_csv_dimensions) {
    return exit_success;
  }
  return fail(std::string("the result of ") + entry_->name +
              " is not one value of at most two dimensions, as a CSV table is");
}

/// The first rank reads for all, but where all can read.
bool ProgramRun::read_input() {
  if (!options_.input.empty()) {
    return file_.open(options_.input);
  }
  // A program without arguments does not wait for somebody at a terminal to end the input.
  const bool nothing = entry_->input_count == 0 && isatty(fileno(streams_.in)) != 0;
  std::optional<std::string> input = nothing ? std::string() : read_everything(streams_.in);
  share_text(streams_.ranks, input);
  input_ = input.value_or("");
  return input.has_value();
}

int ProgramRun::read_arguments() {
  const std::string name = options_.input.empty() ? "standard input" : options_.input;
  if (!read_input()) {
    return fail("cannot read the arguments" + (options_.input.empty() ? "" : " in " + name) + ": " +
                std::strerror(errno));
  }
  ValueReader reader(options_.input.empty() ? std::string_view(input_) : file_.text(), name);
  for (int i = 0; i < entry_->input_count; ++i) {
    if (!read_leaves(reader, type(entry_->inputs[i]), arguments_.emplace_back())) {
      return fail(reader.error() + " (argument " + std::to_string(i + 1) + " of " +
                  std::to_string(entry_->input_count) + ", " + entry_->inputs[i].name + ": " +
                  type(entry_->inputs[i]).name + ")");
    }
  }
  if (!reader.at_end()) {
    return fail(name + " goes on after the " + std::to_string(entry_->input_count) +
                " arguments of " + entry_->name);
  }
  return exit_success;
}

/// Before the first run everything is copied to the device, later only what a run may have
/// overwritten.
int ProgramRun::upload_arguments() {
  const bool first = ins_.empty();
  for (int i = 0; i < entry_->input_count; ++i) {
    if (!first && entry_->inputs[i].unique == 0) {
      continue;
    }
    ApiValue value(*context_, entry_->inputs[i].type);
    const Reading reading = options_.input.empty() ? Reading::all : Reading::own_rows;
    if (upload(*context_, arguments_[static_cast<size_t>(i)], reading, value) != DZ_OK) {
      return fail_with_context_error("cannot copy the arguments to the device");
    }
    if (first) {
      ins_.push_back(std::move(value));
    } else {
      ins_[static_cast<size_t>(i)] = std::move(value);
    }
  }
  return dzr_context_sync(context_.get()) == DZ_OK
             ? exit_success
             : fail_with_context_error("the device failed");
}

int ProgramRun::call(double& microseconds) {
  std::vector<const void*> ins;
  std::vector<void*> outs;
  for (const ApiValue& value : ins_) {
    ins.push_back(value.argument());
  }
  outs_.clear();
  for (int i = 0; i < entry_->output_count; ++i) {
    outs_.emplace_back(*context_, entry_->outputs[i].type);
  }
  for (ApiValue& value : outs_) {
    outs.push_back(value.destination());
  }
  const double start = now_microseconds();
  int status = dzr_call_entry(context_.get(), entry_index_, outs.data(), ins.data());
  if (status == DZ_OK) {
    status = dzr_context_sync(context_.get());
  }
  microseconds = now_microseconds() - start;
  return status == DZ_OK ? exit_success : fail_with_context_error("the program failed");
}

int ProgramRun::open_times() {
  const bool is_first = streams_.ranks == nullptr || streams_.ranks->rank == 0;
  if (options_.runtime_file.empty() || !is_first) {
    return exit_success;
  }
  times_.reset(std::fopen(options_.runtime_file.c_str(), "w"));
  return times_ != nullptr ? exit_success
                           : fail("cannot write " + options_.runtime_file + ": " +
                                  std::strerror(errno));
}

/// What may fail on one rank alone has failed on all; the first rank says why.
int ProgramRun::together(int status) {
  const dz_rank_messages* ranks = streams_.ranks;
  if (ranks == nullptr || ranks->size == 1) {
    return status;
  }
  int64_t failing = status == exit_success ? 0 : ranks->size - ranks->rank;
  if (ranks->maximum(ranks->communicator, &failing) != 0 || failing == 0) {
    return failing == 0 ? status : exit_failure;
  }
  const int root = static_cast<int>(ranks->size - failing);
  std::optional<std::string> text = failure_;
  share_text(ranks, text, root);
  if (status == exit_success && ranks->rank == 0) {
    complain(options_, streams_, "rank " + std::to_string(root) + ": " + text.value_or(""),
             exit_failure);
  }
  return exit_failure;
}

int ProgramRun::run_all() {
  std::vector<double> measured;
  const double start = now_microseconds();
  for (int run = options_.warm_up ? -1 : 0; goes_on(run, measured, start); ++run) {
    int status = together(upload_arguments());
    double microseconds = 0;
    if (status == exit_success) {
      status = call(microseconds);
    }
    if (status != exit_success) {
      return status;
    }
    if (run < 0) {
      continue;
    }
    measured.push_back(microseconds);
    if (times_ != nullptr) {
      std::fprintf(times_.get(), "%lld\n", std::llround(microseconds));
    }
  }
  return exit_success;
}

/// Whether there is a run with this number, after those that took these times.  Ranks go by the
/// first one's times.
bool ProgramRun::goes_on(int run, const std::vector<double>& measured, double start) const {
  if (run < options_.runs) {
    return true;
  }
  char answer = is_too_inexact(run, measured, start) ? 1 : 0;
  const dz_rank_messages* ranks = streams_.ranks;
  if (options_.precision != 0 && ranks != nullptr &&
      ranks->broadcast(ranks->communicator, &answer, 1, 0) != 0) {
    return false;
  }
  return answer != 0;
}

bool ProgramRun::is_too_inexact(int run, const std::vector<double>& measured, double start) const {
  if (options_.precision == 0 || now_microseconds() - start >= options_.seconds * 1e6) {
    return false;
  }
  // Asked ever more seldom: sorting the times takes longer than a short run.
  const bool asked = run % std::max(1, run / 8) == 0;
  return !asked || relative_error(measured) > options_.precision;
}

int ProgramRun::print_results() {
  if (!options_.output.empty()) {
    const std::string problem = write_result_file(*context_, streams_.ranks, outs_,
                                                  options_.format, options_.output);
    return problem.empty() ? exit_success : fail(problem);
  }
  std::string text;
  for (const ApiValue& value : outs_) {
    if (write_leaves(*context_, value, options_.format, text) != DZ_OK) {
      return fail_with_context_error("cannot read the results from the device");
    }
  }
  const size_t written = std::fwrite(text.data(), 1, text.size(), streams_.out);
  if (written != text.size() || std::fflush(streams_.out) != 0) {
    return fail(std::string("cannot print the results: ") + std::strerror(errno));
  }
  return exit_success;
}

void ProgramRun::print_profile() {
  std::string report = "no report";
  if (dzr_context_sync(context_.get()) == DZ_OK) {
    report = context_->profile.report(context_->pool->statistics(), *options_.profile);
  }
  std::fprintf(streams_.error, report.ends_with('\n') ? "%s" : "%s\n", report.c_str());
}

int ProgramRun::prepare() {
  int status = check_forms();
  if (status == exit_success) {
    status = read_arguments();
  }
  if (status == exit_success) {
    status = open_times();
  }
  if (status != exit_success) {
    return status;
  }
  options_.config->ranks = streams_.ranks;
  options_.config->check_ranks = options_.check_ranks;
  context_.reset(dzr_context_new(options_.config.get()));
  if (context_ == nullptr) {
    return fail("out of memory");
  }
  dzr_context_set_logging_file(context_.get(), streams_.error);
  char* problem = dzr_context_get_error(context_.get());
  if (problem != nullptr) {
    const std::string text = problem;
    std::free(problem);
    return fail(text);
  }
  return exit_success;
}

int ProgramRun::run() {
  entry_ = find_entry();
  if (entry_ == nullptr) {
    return unknown_entry();
  }
  entry_index_ = static_cast<int>(entry_ - program_.entries);
  int status = together(prepare());
  if (status != exit_success) {
    return status;
  }
  status = run_all();
  if (status == exit_success && options_.print_result) {
    status = together(print_results());
  }
  if (options_.profile) {
    print_profile();
  }
  if (options_.rank_counts) {
    std::fputs(context_->ranks.counts().c_str(), streams_.error);
  }
  return status;
}

/// --dump-ptx: writes the GPU program and goes on.
int dump_gpu_program(const Options& options, dz_streams streams) {
  const char* text = dzr_config_get_program(options.config.get());
  if (text == nullptr) {
    return complain(options, streams, "this program has no GPU code to dump", exit_usage);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(options.dump_ptx.c_str(), "w"), std::fclose);
  if (file == nullptr || std::fputs(text, file.get()) < 0) {
    return complain(options, streams,
                    "cannot write " + options.dump_ptx + ": " + std::strerror(errno),
                    exit_failure);
  }
  return exit_success;
}

}  // namespace

int run_call(const dz_program& program, int argc, char** argv, dz_streams streams,
             CallKind kind) {
  int status = exit_success;
  std::optional<Options> options =
      parse_command_line(program, DriverKind::executable, argc, argv, streams, status);
  if (!options) {
    return status;
  }
  if (kind == CallKind::only && !are_alike(program, *options, argc, argv, streams.ranks)) {
    return exit_usage;
  }
  if (!options->calls.empty() && kind == CallKind::of_many) {
    return complain(*options, streams, "a call among --calls cannot be many", exit_usage);
  }
  if (!options->calls.empty()) {
    return run_calls(program, *options, streams);
  }
  if (!options->dump_ptx.empty()) {
    status = dump_gpu_program(*options, streams);
    if (status != exit_success) {
      return status;
    }
  }
  return ProgramRun(program, *options, streams).run();
}

}  // namespace dagaz::runtime

int dz_program_main(const dz_program* program, int argc, char** argv, dz_streams streams) {
  using namespace dagaz::runtime;
  return run_call(*program, argc, argv, streams, CallKind::only);
}

// What is wrong is wrong on all ranks, or they agree whose message it is.
int dz_rank_main(const dz_program* program, int argc, char** argv, const dz_rank_messages* ranks) {
  dz_streams streams{stdin, stdout, stderr, ranks};
  if (ranks == nullptr || ranks->rank == 0) {
    return dz_program_main(program, argc, argv, streams);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen("/dev/null", "r"),
                                                           std::fclose);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen("/dev/null", "w"),
                                                            std::fclose);
  if (in == nullptr || out == nullptr) {
    std::fputs("cannot open /dev/null\n", stderr);
    ranks->abort(ranks->communicator);
  }
  streams.in = in.get();
  streams.out = streams.error = out.get();
  return dz_program_main(program, argc, argv, streams);
}
