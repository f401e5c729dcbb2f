// Unification of types without sizes.  Type variables are unknown types about which something may
// already be known: that they are one of some primitives, have certain fields, or certain
// constructors.  Levels say how deep inside local functions a variable was made, so that it is
// never solved by a type parameter that is bound further inside.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/context.h"

namespace dagaz::check {

class TypeSolver {
 public:
  explicit TypeSolver(Context& context) : context_(context) {}

  int level = 0;

  const Type* fresh(const Range& range, ast::Liftedness liftedness = ast::Liftedness::lifted);
  const Type* fresh_primitive(const Range& range, PrimitiveSet allowed);
  const Type* fresh_record(const Range& range, Symbol field, const Type* type);
  const Type* fresh_sum(const Range& range, Symbol constructor, std::vector<const Type*> payload);

  /// `type`, or what the variable that it is stands for, as far as known.
  const Type* head(const Type* type) const;
  /// `type` with all solved variables replaced.
  const Type* resolve(const Type* type) const;
  std::string print(const Type* type) const;

  /// Makes `a` and `b` equal.  On failure nothing changes, and `failure()` says why.
  bool equate(const Type* a, const Type* b);
  /// Why the last `equate` failed, beyond the two types being different; may be empty.
  const std::string& failure() const { return failure_; }

  /// Whether `type` is an unsolved variable of which nothing is known.
  bool is_unknown(const Type* type) const;
  /// The constructor that was written where `type` is a sum of which nothing else is known.
  std::optional<ast::Name> only_constructor(const Type* type) const;

  /// Whether a type grew too large, which has been reported.
  bool gave_up() const { return gave_up_; }

  // The end of a definition.
  struct Unsolved { std::uint32_t index; };
  std::size_t size() const { return metas_.size(); }
  enum class Kind : std::uint8_t { free, primitive, record, sum, solved };
  Kind kind(std::uint32_t index) const { return metas_[index].kind; }
  const Range& range(std::uint32_t index) const { return metas_[index].range; }
  ast::Liftedness liftedness(std::uint32_t index) const { return metas_[index].liftedness; }
  PrimitiveSet allowed(std::uint32_t index) const { return metas_[index].allowed; }
  void solve(std::uint32_t index, const Type* type);
  /// What is known of a record or sum variable, for messages.
  std::string describe(std::uint32_t index) const;

 private:
  using Fields = std::vector<std::pair<Symbol, const Type*>>;
  using Constructors = std::vector<std::pair<Symbol, std::vector<const Type*>>>;
  struct Meta {
    Kind kind = Kind::free;
    ast::Liftedness liftedness = ast::Liftedness::lifted;
    PrimitiveSet allowed = 0;
    int level = 0;
    Range range;
    const Type* solution = nullptr;
    Fields fields;
    Constructors constructors;
  };

  const Type* add(Meta meta);
  bool fail(std::string why);
  bool equate_parts(const Type* a, const Type* b);
  void save(std::uint32_t index);
  bool equate_variables(std::uint32_t a, std::uint32_t b);
  bool bind(std::uint32_t index, const Type* type);
  bool bind_record(std::uint32_t index, const Meta& meta, const Type* type);
  bool bind_sum(std::uint32_t index, const Meta& meta, const Type* type);
  /// Checks that `index` does not occur in `type`, and lowers levels and liftedness inside.  Counts
  /// the parts of `type`, and gives up where they are too many.
  bool admit(std::uint32_t index, const Type* type);
  bool equate_records(const Record& a, const Record& b);
  bool equate_sums(const Sum& a, const Sum& b);
  bool merge_fields(Fields& into, const Fields& from);
  bool merge_constructors(Constructors& into, const Constructors& from);
  std::string variable_name(std::uint32_t index) const;

  Context& context_;
  mutable std::vector<Meta> metas_;  // `head` shortens ways through solved ones
  std::string failure_;
  std::size_t admitted_ = 0;
  bool gave_up_ = false;
  mutable std::vector<std::uint32_t> describing_;  // variables whose description is under way
  mutable std::vector<std::uint32_t> mentioned_;   // variables that messages have named
  // While types are equated: what to restore if they turn out to differ.
  int depth_ = 0;
  std::vector<std::pair<std::uint32_t, Meta>> trail_;
};

}  // namespace dagaz::check
