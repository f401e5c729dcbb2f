// What the compiler tells the user: errors and warnings with places, labels and hints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace dagaz {

enum class Severity { error, warning };

/// One enumerator per row of diagnostic_kinds.def.
enum class DiagnosticKind {
#define DZ_KIND(name, text, severity, summary) name,
#include "support/diagnostic_kinds.def"
#undef DZ_KIND
};

/// The stable name of a kind, as shown in `error[name]`.
std::string_view kind_name(DiagnosticKind kind);
Severity kind_severity(DiagnosticKind kind);
/// One sentence that says what a diagnostic of this kind means.
std::string_view kind_summary(DiagnosticKind kind);

/// A secondary place, with what it has to do with the problem.
struct Label {
  Range range;
  std::string text;
};

/// Replaces what is at `range` by `text`.
struct Edit {
  Range range;
  std::string text;
  bool operator==(const Edit&) const = default;
};

/// Whether edits do what was meant for sure, so that they can be made without asking.
enum class Applicability { certain, possible };

/// What can be done; where that can be written down, also as edits, which belong together.
struct Hint {
  // Most are text alone, and written as such.
  Hint(std::string the_text);
  Hint(const char* the_text);
  Hint(std::string the_text, std::vector<Edit> the_edits, Applicability how);

  bool can_be_applied() const { return !edits.empty() && applicability == Applicability::certain; }

  std::string text;
  std::vector<Edit> edits;
  Applicability applicability = Applicability::possible;
};

/// One message.  `range` is the smallest culprit; `hints` come after an explanation.
struct Diagnostic {
  DiagnosticKind kind;
  Range range;
  std::string message;
  std::vector<Label> labels = {};
  std::vector<Hint> hints = {};
};

/// Collects the diagnostics of one compilation.
class Diagnostics {
 public:
  /// Adds a diagnostic and returns it, so that labels and hints can follow.
  Diagnostic& report(DiagnosticKind kind, const Range& range, std::string message);
  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return items_; }
  /// What was reported last, so that the caller of whoever reported it can add what it knows.
  Diagnostic& last() { return items_.back(); }

  /// What was reported up to here; `undo` forgets what came later.
  struct Mark { std::size_t items, errors; };
  Mark mark() const { return {items_.size(), errors_}; }
  void undo(const Mark& mark) {
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(mark.items), items_.end());
    errors_ = mark.errors;
  }

 private:
  std::vector<Diagnostic> items_;
  std::size_t errors_ = 0;
};

enum class RenderStyle { plain, colour, json };

/// The text of `diagnostic` as the user sees it:
///   FILE:LINE:COL: error[kind]: message
///    12 | source line
///       |     ^^^^ what is said about the culprit; then other labels and hints
/// With RenderStyle::json, one JSON object on one line.
std::string render(const Diagnostic& diagnostic, const SourceFiles& files, RenderStyle style);

}  // namespace dagaz
