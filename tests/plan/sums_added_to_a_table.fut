-- The adjoint of a layer whose inputs are rows of a table: a product, and then the additions.
entry main [v] [e] [h] [b] (words: [b]i64) (w: [h][e]f32) (table: [v][e]f32) (adjoint: [b][h]f32) =
  vjp (\table -> map (\x -> map (\row -> f32.sum (map2 (*) row table[x])) w) words) table adjoint
-- expect
--| -- main, line 3: segmented_map over [b]
--| holds: [
--|   pointwise] operations [5] strip 256
--| -- main, line 3: segmented_map over [b][e]
--| sum: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_points of_rows [adjoint] of_points [row] when [b >= 24, e >= 32, h >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [e >= 16, b >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [e >= 4, b >= 8],
--|   interchanged] operations [6, 2 * h] lanes 4
--| -- main, line 3: segmented_map over [b]
--| adjoint.2: [
--|   pointwise] operations [6, 3 * e] additions [e]
