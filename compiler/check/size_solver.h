// Unification of sizes in types that are known to be equal but for sizes.
//
// Every size variable is a binding with a constraint: a name of the program, a variable that may
// still become any size, or an unknown size that equals nothing but itself.  The rules for sizes
// of instantiated type parameters decide whether they are one size or a new one at each use:
// such a variable may turn out to be existential, and each of its copies then stands for itself.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check/context.h"
#include "check/rewrite.h"

namespace dagaz::check {

/// Why a constraint exists, for messages.
struct Usage {
  Range range;
  const char* what = "";
};

enum class SizeKind : std::uint8_t {
  none,          // not constrained: a name from outside the definition
  parameter,     // a name bound in the definition
  free,          // may become any size
  solved,
  unknown,       // computed by the program; equals only itself
  instantiated,  // of an instantiated type or size parameter; may become existential
  copy,          // another occurrence of an instantiated size
  existential,   // an instantiated size that was found to be existential
};

struct SizeConstraint {
  SizeKind kind = SizeKind::none;
  BindingId name;
  int level = 0;
  const Size* solution = nullptr;
  /// copy: the size copied.  existential: what it was unified with, if that has a name.
  BindingId other;
  int occurrence = 0;  // of a copy: which occurrence of the type parameter it belongs to
  ast::Liftedness liftedness = ast::Liftedness::lifted;
  Usage usage;
  bool any_argument = false;  // free: a `[]` written at a parameter
  Range computed_at;  // existential: where the size that it stands for is computed, if it is
};

class SizeSolver {
 public:
  explicit SizeSolver(Context& context);

  int level = 0;

  /// Forgets everything, for the next definition.
  void clear();

  void constrain(SizeConstraint constraint);
  /// A name bound by the program.
  void add_parameter(BindingId name);
  BindingId fresh(SizeKind kind, const Usage& usage, std::string_view name);
  BindingId unknown(const Range& range, const char* why, std::string_view name = "d");
  SizeConstraint* find(BindingId name);
  SizeKind kind(BindingId name);
  void remove(BindingId name);
  std::vector<SizeConstraint>& all() { return constraints_; }

  const Size* normal(const Size* size);
  const Type* normal(const Type* type);

  /// Makes the sizes of the two types equal.  On failure, `failure()` says why.
  bool unify(const Type* expected, const Type* actual, const Usage& usage);
  /// Like unify, but sizes that differ become new unknown sizes, which are added to `created`.
  const Type* unify_branches(const Type* a, const Type* b, const Usage& usage,
                             std::vector<BindingId>& created);

  struct Failure {
    const Size* expected = nullptr;  // null: the message says it all
    const Size* actual = nullptr;
    std::string message;
    bool consumption = false;
  };
  const Failure& failure() const { return failure_; }

  /// Fresh sizes for every dimension of `type`.
  const Type* with_fresh_sizes(const Type* type, SizeKind kind, const Usage& usage,
                               ast::Liftedness liftedness,
                               std::vector<BindingId>* created = nullptr);
  /// The next number for an occurrence of a type parameter.
  int next_occurrence() { return ++occurrences_; }

  /// Whether any instantiated size has been found existential so far.
  bool has_existentials() const { return existentials_ > 0; }
  /// Whether `name` is an instantiated size that is existential.
  bool is_pending(BindingId name);
  /// Of a pending copy: the one name for all copies of the same origin in the same occurrence.
  BindingId representative(BindingId name);
  /// Whether `a` and `b` have been found equal.
  bool same_variable(BindingId a, BindingId b);
  void mark_existential(SizeConstraint& constraint, BindingId key, const Range& computed_at);

 private:
  enum class Mode { exact, most_common };

  bool subunify(bool swapped, const Type* a, const Type* b);
  bool unify_arrows(bool swapped, const Arrow& a, const Arrow& b);
  bool unify_dimension(bool swapped, const Size* a, const Size* b);
  bool unify_exactly(bool swapped, const Size* a, const Size* b);
  bool absorb_or_fail(bool swapped, const Size* a, const Size* b);
  const Size* with_common_binders(const Size* size);
  bool link_if_possible(const Size* a, const Size* b);
  bool link(BindingId name, int name_level, const Size* size);
  bool is_flexible(BindingId name, int& at_level);
  bool mentions_bound(const Size* size);
  bool bound_before(BindingId inner, BindingId existential) const;
  bool link_local(const Size* variable, const Size* other, bool of_second);
  bool absorb(const Size* variable, const Size* other);
  void absorb_result(BindingId existential, const SizeConstraint& before, const Type* from);
  const Type* match_sizes(const Type* a, const Type* b, std::vector<BindingId>& created);
  const Size* match_size(const Size* a, const Size* b, std::vector<BindingId>& created);
  void register_binders(const Type* type, const Range& range);
  bool fail(const Size* expected, const Size* actual, std::string message);

  Context& context_;
  std::vector<SizeConstraint> constraints_;
  std::vector<std::uint32_t> slots_;  // by binding: position in constraints_ + 1
  std::vector<BindingId> bound_;      // names bound inside the types being unified
  /// Parameters of the same position in the first and the second type.
  std::vector<std::pair<BindingId, BindingId>> binder_pairs_;
  Mode mode_ = Mode::exact;
  Usage usage_;
  Failure failure_;
  int occurrences_ = 0;
  int existentials_ = 0;
  std::map<std::pair<int, BindingId>, BindingId> representatives_;
  std::map<std::string, int> unknown_names_;  // how many unknown sizes have this name
  struct Mismatch { const Size* a; const Size* b; const Size* fresh; };
  std::vector<Mismatch> mismatches_;
};

}  // namespace dagaz::check
