#include "driver/code_texts.h"

#include "driver/pipeline.h"
#include "driver/tuning.h"
#include "tree/print.h"

namespace dagaz::driver {

CodeTexts::CodeTexts(const CompileOptions& options)
    : compilation_(options), program_(front_end(compilation_)) {}

std::string CodeTexts::text_with(const std::vector<std::string>& tuned) {
  if (!program_) return "";
  compilation_.options.tuned = tuned;
  compilation_.history = {};
  const PassContext context = pass_context(compilation_);
  const passes::Tunables of_passes = tunables_of(context.options, context.diagnostics).passes;
  if (passes_ != of_passes) {
    flat_ = flatten(optimise(*program_, context), context);
    passes_ = of_passes;
  }
  const auto lowered = lower(flat_, context);
  return lowered ? tree::print(*lowered) : "";
}

}  // namespace dagaz::driver
