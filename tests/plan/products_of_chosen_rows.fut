-- Rows that numbers choose are multiplied: what the points assert comes first, the product is one.
entry main [v][e][h][b] (rows: [v][e]f32) (w: [h][e]f32) (ids: [b]i64) : [b][h]f32 =
  map (\i -> map (\r -> f32.sum (map2 (*) r rows[i])) w) ids
-- expect
--| -- main, line 3: segmented_map over [b]
--| holds: [
--|   pointwise] operations [5] strip 256
--| -- main, line 3: segmented_map over [b][h]
--| x: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_elements of_rows [b.2] of_points [a] when [b >= 24, h >= 32, e >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [r] when [h >= 16, b >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [r] when [h >= 4, b >= 8],
--|   pointwise] operations [6, 2 * e] lanes 4
