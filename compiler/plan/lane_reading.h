// Reads a body as it would run in lanes, without emitting anything: which statements can, which
// each point has to run by itself, which rows are worth packing, and what the innermost loops do.
//
// The rules are those of emission (emit/lanes), over what is known of values instead of
// code for them: a value is the same for all points, affine in the points, or any (the uniform and
// varying values of ispc; Pharr and Mark, InPar 2012).
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "plan/lane_knowledge.h"

namespace dagaz::plan {

class LaneReading : public LaneKnowledge {
 public:
  using LaneKnowledge::LaneKnowledge;

  /// Packs rows of arrays that are read again and again and lie apart.
  void pack_rows(const ir::Body& body, const std::optional<ir::NameId>& rows);
  /// `body`, whose results that are arrays go to parts of arrays at the indices of `space`.
  std::vector<LaneResult> read(const ir::Body& body,
                               const std::vector<std::optional<LaneArrayValue>>& wanted);
  /// The part of a row-major array over the space, of points of this type.
  LaneArrayValue target(const std::vector<ir::SpaceDimension>& space, const ir::Type& type,
                        const Layout& layout);
  std::vector<LaneResult> lambda(const ir::Lambda& lambda, const std::vector<LaneResult>& arguments,
                                 const std::vector<std::optional<LaneArrayValue>>& wanted);
  std::vector<LaneValue> start(const std::vector<ir::Operand>& neutral);
  void combine(const ir::Lambda& op, const std::vector<LaneValue>& running,
               const std::vector<LaneValue>& values);

  /// The widths of the loops that read packed rows again.
  const std::vector<ir::Operand>& packed_widths() const { return packed_widths_; }

 private:
  struct Carried {
    std::size_t value;
    LaneArrayValue current;
    bool alternates;
  };
  using Iteration = std::function<void(const LaneValue& index)>;

  // ---- statements
  bool varies(const ir::Statement& statement) const;
  void statement(const ir::Statement& statement);
  void uniform_statement(const ir::Statement& statement);
  void serialise(const ir::Statement& statement);
  void own_what_it_consumes(const ir::Statement& statement);
  void read(const ir::Statement& s, const ir::Identity& e);
  void read(const ir::Statement& s, const ir::Scalar& e);
  void read(const ir::Statement& s, const ir::Assert& e);
  void read(const ir::Statement& s, const ir::Index& e);
  void read(const ir::Statement& s, const ir::Slice& e);
  void read(const ir::Statement& s, const ir::Permute& e);
  void read(const ir::Statement& s, const ir::Reshape& e);
  void read(const ir::Statement& s, const ir::Iota& e);
  void read(const ir::Statement& s, const ir::Replicate& e);
  void read(const ir::Statement& s, const ir::ArrayLiteral& e);
  void read(const ir::Statement& s, const ir::Concat& e);
  void read(const ir::Statement& s, const ir::Copy& e);
  void read(const ir::Statement& s, const ir::Scratch& e);
  void read(const ir::Statement& s, const ir::Update& e);

  // ---- loops and branches
  void read(const ir::Statement& s, const ir::Branch& e);
  void uniform_branch(const ir::Statement& s, const ir::Branch& e);
  void chosen_branch(const ir::Statement& s, const ir::Branch& e, const LaneValue& condition);
  void masked_branch(const ir::Statement& s, const ir::Branch& e);
  void read(const ir::Statement& s, const ir::Loop& e);
  Carried carry(const ir::Loop& e, std::size_t k);
  void bind_results(const ir::Statement& s, const ir::Loop& e, const std::vector<Carried>& arrays);
  void read(const ir::Statement& s, const ir::MapScanReduce& e);
  /// Whether what points write there as rows of their own is turned over on the way.
  bool can_turn(const LaneArrayValue& target, const ir::Type& type) const;
  void turn_rows(const ir::Statement& s, std::vector<std::optional<LaneArrayValue>>& targets);
  void step(const ir::Statement& s, const ir::MapScanReduce& e,
            const std::vector<LaneValue>& running,
            const std::vector<std::optional<LaneArrayValue>>& targets, const LaneValue& i);
  void continue_accumulator(ir::NameId to, const ir::Operand& from);
  void read(const ir::Statement& s, const ir::WithAccumulator& e);
  void read(const ir::Statement& s, const ir::Accumulate& e);
  void accumulate_own(const ir::Accumulate& e, const LaneAccumulator& own);
  bool add_in_rows(ir::NameId statement, const ir::Operand& count, const ir::Body& body,
                   const Iteration& iteration);
  std::int64_t rows_inside(const ir::Statement& s, const ir::MapScanReduce& e) const;
  bool in_rows(const ir::Statement& s, const ir::MapScanReduce& e,
               const std::vector<LaneValue>& running,
               const std::vector<std::optional<LaneArrayValue>>& targets, std::int64_t rows);
  bool try_rows(ir::NameId statement, std::int64_t rows, const std::function<void()>& read);
  void in_block_of_rows(std::int64_t rows, const Iteration& iteration);
  void in_shared_rows(const ir::Operand& width, std::int64_t rows, const Iteration& iteration);
  void in_disjoint_rows(const ir::Operand& width, std::int64_t rows, const Iteration& iteration);

  std::unordered_set<ir::NameId> prepared_;  // statements, by first result
  std::vector<ir::Operand> packed_widths_;
};

}  // namespace dagaz::plan
