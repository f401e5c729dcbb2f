// See analysis.h.
#include "query/analysis.h"

#include <algorithm>

#include "check/declarations.h"
#include "check/print_type.h"
#include "check/recovered.h"
#include "support/library_folder.h"

namespace dagaz::query {

static bool has_other_than_syntax_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [](const Diagnostic& d) {
    return d.kind != DiagnosticKind::syntax && kind_severity(d.kind) == Severity::error;
  });
}

Analysis::Analysis(const std::string& path, std::string text, const syntax::FileReader& read,
                   std::optional<Span> wanted)
    : program_(syntax::parse_program_text(path, std::move(text), files_, names_, reading_, read,
                                          &recovery_)) {
  checked_.program = &program_;
  context_ = std::make_unique<check::Context>(program_, names_, checking_, checked_);
  context_->record = &record_;
  if (wanted) record_.wanted = Range{root().id, wanted->begin, wanted->end};
  check::Declarations(*context_).check_program();

  shown_ = reading_.all();
  if (!reading_.has_errors()) {
    shown_.insert(shown_.end(), checking_.all().begin(), checking_.all().end());
  } else if (!has_other_than_syntax_errors(reading_)) {
    const auto errors = check::independent_errors(checking_, recovery_, files_);
    shown_.insert(shown_.end(), errors.begin(), errors.end());
  }
  std::stable_sort(shown_.begin(), shown_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.range.begin < b.range.begin;
  });
}

bool Analysis::is_library(FileId file) const {
  return is_library_file(files_.file(file).name());
}

std::string type_text(const Analysis& analysis, const check::Type* type) {
  return type == nullptr ? "" : check::print_type(analysis.context(), type);
}

std::string value_type(const Analysis& analysis, BindingId id) {
  const check::Context& context = analysis.context();
  if (!id.valid() || !context.values.contains(id)) return "";
  const check::ValueInfo& info = context.values[id];
  if (info.kind == check::ValueKind::unusable) return "";
  if (info.scheme != nullptr) return check::print_scheme(context, *info.scheme);
  return type_text(analysis, info.unsized);
}

std::string type_definition(const Analysis& analysis, TypeNameId id) {
  const check::Context& context = analysis.context();
  if (!id.valid() || !context.type_names.contains(id)) return "";
  return type_text(analysis, context.type_names[id].definition);
}

}  // namespace dagaz::query
