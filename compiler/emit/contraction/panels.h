// Products in panels and blocks of sums; what they are and how large is plan/contraction.h's.
// The loops are described in panels.cpp.
#pragma once

#include <vector>

#include "emit/lanes/lanes.h"
#include "plan/product_parts.h"

namespace dagaz::emit {

/// Emits one map in host code.
class ProductPanels {
 public:
  ProductPanels(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                const ir::Contraction& plan, const std::vector<Destination>& targets);
  void run();

 private:
  /// Rows or points, and how tasks cut their panels.
  struct Side : plan::ProductSide {
    Operand panels;           // in all
    Operand tiles;            // into which tasks cut them
    Operand tile;             // panels of one
    std::vector<Place> held;  // of each value, the panels of this task: [panel][element][own]
  };
  /// Consecutive panels of a side.
  struct Range {
    Operand first;
    Operand count;
  };
  /// What a task does: blocks of these panels, sums of these pieces of all elements.
  struct Task {
    Range rows;
    Range points;
    Operand first_piece;
    Operand pieces;
    std::vector<Place> sums;  // of each value: [row panel][point panel][row][point]
    bool is_part;             // whether sums go there also at the end
  };
  /// Elements of the innermost loop of the sum that panels hold.
  struct Piece {
    Operand start;
    Operand length;
    Operand is_first;
    Operand is_last;
  };
  /// Panels of both sides that meet, by number: in all, and among those that are held.
  struct Meeting {
    Operand row;
    Operand held_row;
    Operand point;
    Operand held_point;
  };

  // ---- panels.cpp
  void cut_tiles_for(const Operand& worth);
  void whole_sums(const Operand& cost);
  void split_sums(const Operand& cost, const Operand& splits);
  Range range_of(const Side& side, const Operand& number);
  void bind_batch(const std::vector<Operand>& at);
  std::vector<Place> sum_arrays(const Operand& count, std::string_view base);
  void task(const Task& task);
  Piece piece_at(const Task& task, const Operand& number);
  void fetch_ends(const Task& task, const Piece& piece, const Meeting& at, const Operand& first);
  void block(const Task& task, const Piece& piece, const Meeting& at);
  std::vector<LaneScalar> add_products(Lanes& lanes, const Piece& piece, const Meeting& at);
  Operand sums_at(const Task& task, const Meeting& at);
  void combine_held(Lanes& lanes, const std::vector<LaneScalar>& sums,
                    const std::vector<Place>& held, const Operand& first);
  std::vector<NameId> bind_block(Lanes& lanes, const Operand& row, const Operand& point);
  void finish(Lanes& lanes, const std::vector<LaneScalar>& sums, const Operand& row,
              const Operand& point);

  // ---- packing.cpp
  void hold(Side& side, const Operand& panels);
  void pack(const Side& side, const Range& panels, const Piece& piece);
  void pack_by_points(const Side& side, const Range& panels, const Piece& piece);
  void pack_by_elements(const Side& side, const Operand& start, const Operand& base,
                        const Piece& piece);
  void pack_singly(const Side& side, const Operand& start, const Operand& base,
                   const Operand& first, const Piece& piece);
  void cross_over(const Side& side, Lanes& lanes, const LaneScalar& values, const Place& held,
                  const Operand& at);

  Operand start_of(const Side& side, const Operand& panel);
  Operand start_of_panel(const Side& side, const Operand& number);
  void bind_levels(Lanes& lanes, const LaneScalar& innermost);

  Context& c_;
  const ir::Statement& s_;
  const ir::SegmentedMap& e_;
  const ir::Contraction& plan_;
  const std::vector<Destination>& targets_;
  plan::SumParts parts_;
  ir::LaneBlocks shape_;  // of a block of sums
  Side rows_;
  Side points_;
  ir::Body combined_;           // what is added, from what panels hold
  Operand pieces_;              // of all elements
  Operand pieces_inside_;       // of the innermost loop of the sum
  Operand length_;              // of a piece, at most
  std::vector<Operand> batch_;  // extents of the other dimensions
};

}  // namespace dagaz::emit
