-- Four products with the same right side, as the gates of a recurrent layer have: what a task copies of
-- it meets the rows of all four, so that tiles of fewer rows pay.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][m][p] (as: [4][n][m]f32) (b: [p][m]f32) =
  unzip4 (map4 (\w x y z -> unzip4 (map (\r -> (dot w r, dot x r, dot y r, dot z r)) b))
               as[0] as[1] as[2] as[3])
-- expect
--| -- main, line 5: segmented_map over [n][p]
--| x: [
--|   contraction width 16 cached 64 most_rows 768 most_points 48 least_rows 24 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [a, a.2, a.3, a.4] of_points [b] when [n >= 4, p >= 32, m >= 16],
--|   lane_blocks points 1 rows 0 block_rows 2 columns 2 width 8 least_chunk 8 shares_rows true packed [r] when [p >= 16, n >= 2],
--|   lane_blocks points 1 rows 0 block_rows 2 columns 2 width 8 when [p >= 16, n >= 2],
--|   lane_blocks points 1 rows 0 block_rows 4 width 4 least_chunk 8 shares_rows true packed [r] when [p >= 4, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 4 width 4 when [p >= 4, n >= 4],
--|   pointwise] operations [6, 5 * m] lanes 4
