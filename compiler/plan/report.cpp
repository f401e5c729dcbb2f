#include "plan/report.h"

#include "ir/fields.h"
#include "ir/print.h"
#include "ir/ranks.h"
#include "support/match.h"
#include "support/text_writer.h"

namespace dagaz::plan {

namespace {

const ir::Schedule* schedule_of(const ir::Operation& operation) {
  return match(operation, [](const auto& one) -> const ir::Schedule* {
    if constexpr (requires { one.schedule; }) {
      return &one.schedule;
    } else {
      return nullptr;
    }
  });
}

class Reporter {
 public:
  Reporter(const ir::Program& program, const SourceFiles& files)
      : program_(program), files_(files) {}

  std::string run(const ir::Settings& settings) {
    if (settings != ir::Settings{}) out_ << ir::print(settings) << "\n";
    for (const ir::Function& function : program_.functions) {
      function_ = &function;
      body(function.body);
    }
    return out_.take();
  }

 private:
  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      const ir::Schedule* const schedule = schedule_of(one.operation);
      // What only fails or prints has no result to be known by.
      if (schedule != nullptr && !one.results.empty() && is_chosen(one.operation, *schedule)) {
        statement(one, *schedule);
      }
      if (ir::is_rank_call(one.operation)) meeting(one);
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { this->body(inner); });
    }
  }

  // Inside a thread iterations run one by one where nothing is said.
  static bool is_chosen(const ir::Operation& operation, const ir::Schedule& schedule) {
    if (as<ir::MapScanReduce>(operation) == nullptr) return !schedule.versions.empty();
    return schedule.versions.size() > 1 ||
           (schedule.versions.size() == 1 &&
            schedule.versions.front().strategy != ir::Strategy{ir::Pointwise{}});
  }

  void place_of(const ir::Statement& one) {
    out_ << "-- " << function_->name;
    if (const Range range = written_at(one.location); range.valid()) {
      out_ << ", line " << files_.file(range.file).position(range.begin).line;
    }
    out_ << ": ";
  }

  /// What each rank sends, as a comment: there is nothing to choose.
  void meeting(const ir::Statement& one) {
    const auto& call = std::get<ir::Call>(one.operation);
    const std::string volume = ir::rank_volume(call, program_.names);
    if (volume.empty()) return;
    place_of(one);
    out_ << call.function.substr(0, call.function.find(' ')) << ", " << volume << " bytes\n";
  }

  void statement(const ir::Statement& one, const ir::Schedule& schedule) {
    place_of(one);
    match(one.operation, [&](const auto& node) {
      using Node = std::decay_t<decltype(node)>;
      out_ << Node::mnemonic << " over ";
      if constexpr (requires { node.space; }) {
        for (const ir::SpaceDimension& each : node.space) size(each.extent);
        if (node.space.empty()) out_ << "one point";
      } else if constexpr (requires { node.width; }) {
        size(node.width);
      }
    });
    out_ << "\n" << program_.names.text(one.results[0].name) << ": [";
    for (std::size_t k = 0; k < schedule.versions.size(); ++k) {
      out_ << (k == 0 ? "\n  " : ",\n  ") << ir::print(schedule.versions[k], program_.names);
    }
    out_ << "]" << ir::print_work(schedule, program_.names) << "\n";
  }

  /// Where the outermost of the calls stands that it was inlined from.
  Range written_at(ir::LocationId location) const {
    Range range;
    for (; location.valid(); location = program_.locations[location.index].inlined_at) {
      range = program_.locations[location.index].range;
    }
    return range;
  }

  void size(const ir::Operand& extent) { out_ << "[" << ir::print(extent, program_.names) << "]"; }

  const ir::Program& program_;
  const SourceFiles& files_;
  const ir::Function* function_ = nullptr;
  TextWriter out_;
};

}  // namespace

std::string report(const ir::PlannedProgram& planned, const SourceFiles& files) {
  return Reporter(planned.program, files).run(planned.settings);
}

}  // namespace dagaz::plan
