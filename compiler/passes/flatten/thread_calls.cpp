// Functions called inside segments: they get a copy that has not been flattened, since there is
// no parallelism left for them to use.
#include "passes/flatten/thread_calls.h"

#include <set>
#include <string>

#include "ir/fields.h"
#include "ir/names.h"
#include "passes/flatten/each_body.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

static std::string thread_name(const std::string& function) { return function + "'thread"; }

static bool is_segmented(const Operation& operation) {
  return as<SegmentedMap>(operation) || as<SegmentedReduce>(operation) ||
         as<SegmentedScan>(operation) || as<SegmentedHistogram>(operation) ||
         as<SegmentedScatter>(operation);
}

namespace {

class Redirection {
 public:
  Redirection(Program& program, const std::vector<Function>& originals)
      : program_(program), originals_(originals) {}

  void run() {
    for (std::size_t k = 0; k < program_.functions.size(); ++k) {
      const bool thread = copies_.contains(program_.functions[k].name);
      Body body = std::move(program_.functions[k].body);
      redirect(body, thread);
      program_.functions[k].body = std::move(body);
    }
  }

 private:
  void redirect(Body& body, bool in_thread) {
    for (Statement& statement : body.statements) {
      if (auto* call = as<Call>(statement.operation); call && in_thread) {
        add_copy(call->function);
        call->function = thread_name(call->function);
      }
      const bool inside = in_thread || is_segmented(statement.operation);
      for_each_body(statement.operation, [&](Body& inner) { redirect(inner, inside); });
    }
  }

  void add_copy(const std::string& function) {
    if (!copies_.insert(thread_name(function)).second) return;
    for (const Function& original : originals_) {
      if (original.name != function) continue;
      Lambda lambda = renamed(Lambda{original.parameters, original.body, original.result_types},
                              program_.names);
      program_.functions.push_back({thread_name(function), std::move(lambda.parameters),
                                    original.consumes, std::move(lambda.result_types),
                                    std::move(lambda.body)});
      return;
    }
    DZ_UNREACHABLE("call of unknown function " + function);
  }

  Program& program_;
  const std::vector<Function>& originals_;
  std::set<std::string> copies_;
};

}  // namespace

void redirect_calls(Program& program, const std::vector<Function>& originals) {
  Redirection(program, originals).run();
}

}  // namespace dagaz::passes::flattening
