-- Ranges of a point are computed where they are read: the nest has all three dimensions.
entry moved [o] [n] [m] (shifts: [o]f32) (xs: [n][m]f32) =
  let rows = n - 2
  let columns = m - 2
  in map (\s -> tabulate_2d rows columns (\i j -> f32.sum (map (\y -> y * s) xs[i + 2]) + f32.i64 j)) shifts
entry other [o] [n] [m] (shifts: [o]f32) (xs: [n][m]f32) = map (map f32.sum) (moved shifts xs)
-- expect
--| -- moved, line 2: segmented_map over [o][x][x.2]
--| x.3: [
--|   contraction block_rows 3 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [s] of_points [y] when [o >= 6, x >= 16, m >= 16],
--|   lane_blocks points 2 rows 1 block_rows 4 columns 2 width 8 when [x.2 >= 16, x >= 4],
--|   lane_blocks points 2 rows 1 block_rows 8 width 4 when [x.2 >= 4, x >= 8],
--|   pointwise] operations [8, 2 * m] lanes 4
--| -- other, line 6: segmented_map over [o.2][x.4]
--| x.5: [
--|   lane_blocks rows 1 block_rows 4 columns 2 width 8 when [o.2 >= 16, x.4 >= 4],
--|   lane_blocks rows 1 block_rows 8 width 4 when [o.2 >= 4, x.4 >= 8],
--|   pointwise] operations [4, 5 * x.6, 2 * m.2 * x.6] lanes 4
