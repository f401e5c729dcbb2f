// Functions called inside segments: they get a copy that has not been flattened, since there is
// no parallelism left for them to use.
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/flatten/each_body.h"
#include "passes/flatten/flattener.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

static std::string thread_name(const std::string& function) { return function + "'thread"; }

static bool is_segmented(const Operation& operation) {
  return as<SegmentedMap>(operation) || as<SegmentedReduce>(operation) ||
         as<SegmentedScan>(operation) || as<SegmentedHistogram>(operation) ||
         as<SegmentedScatter>(operation);
}

void Flattener::redirect_calls() {
  for (std::size_t k = 0; k < program_.functions.size(); ++k) {
    const bool thread = thread_copies_.contains(program_.functions[k].name);
    Body body = std::move(program_.functions[k].body);
    redirect_calls(body, thread);
    program_.functions[k].body = std::move(body);
  }
}

void Flattener::redirect_calls(Body& body, bool in_thread) {
  for (Statement& statement : body.statements) {
    if (auto* call = as<Call>(statement.operation); call && in_thread) {
      add_thread_copy(call->function);
      call->function = thread_name(call->function);
    }
    const bool inside = in_thread || is_segmented(statement.operation);
    for_each_body(statement.operation, [&](Body& inner) { redirect_calls(inner, inside); });
  }
}

void Flattener::add_thread_copy(const std::string& function) {
  if (!thread_copies_.insert(thread_name(function)).second) return;
  for (const Function& original : originals_) {
    if (original.name != function) continue;
    Lambda lambda =
        renamed(Lambda{original.parameters, original.body, original.result_types}, names_);
    program_.functions.push_back({thread_name(function), std::move(lambda.parameters),
                                  original.consumes, std::move(lambda.result_types),
                                  std::move(lambda.body)});
    return;
  }
  DZ_UNREACHABLE("call of unknown function " + function);
}

}  // namespace dagaz::passes::flattening
