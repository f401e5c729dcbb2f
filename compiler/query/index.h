// Which name means what: every definition of a program, the places that use it, and which
// definitions are one to the user, as a value is and what a signature says about it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "query/analysis.h"
#include "query/walk.h"

namespace dagaz::query {

class Index {
 public:
  using Id = std::uint32_t;

  /// Of the library, names of declarations are enough, unless it is what is asked about.
  enum class Depth { of_programs, of_everything };
  explicit Index(const Analysis& analysis, Depth depth = Depth::of_programs);

  /// A name at a place: of a definition, or of its use.
  struct Occurrence {
    Range range;
    Id definition;
    bool is_definition;
    /// Stands for a field and its value: `{a}`.
    bool is_pun;
    /// What it means; of a use only.
    check::Member member = {};
  };
  /// The name that `offset` of `file` touches; a use before a definition at the same place.
  const Occurrence* at(FileId file, std::uint32_t offset) const;
  /// All names of `file`, in order.
  std::span<const Occurrence> in_file(FileId file) const;
  const std::vector<Occurrence>& all() const { return occurrences_; }

  const Definition& definition(Id id) const { return definitions_[id]; }
  std::size_t size() const { return definitions_.size(); }
  /// The definition whose name stands at `name`.
  std::optional<Id> find(const Range& name) const;
  /// Where the name of `member` is defined.
  static Range range_of(const Analysis& analysis, check::Member member);
  /// Of definitions that are one to the user, one that is the same for all.
  Id representative(Id id) const;
  /// The definition itself rather than what a signature says of it.
  Id implementation(Id id) const { return implementations_[representative(id)]; }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // file and first byte

  void collect_definitions(const Analysis& analysis);
  void identify_specifications(const Analysis& analysis);
  void collect_uses(const Analysis& analysis);
  void unite(Id a, Id b);

  bool is_shallow(const Analysis& analysis, FileId file) const {
    return depth_ == Depth::of_programs && analysis.is_library(file);
  }

  Depth depth_;
  std::vector<Definition> definitions_;
  std::map<Key, Id> by_place_;
  std::vector<Id> parents_;
  std::vector<Id> implementations_;
  std::vector<Occurrence> occurrences_;  // sorted by place
};

/// The documentation of a definition, or of one that is the same to the user.
std::string_view documentation(const Index& index, Index::Id id);

}  // namespace dagaz::query
