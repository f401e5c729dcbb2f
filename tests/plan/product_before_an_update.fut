-- The product of all rows is a nest of its own, though what each row does with it has to stay in order.
entry main [n] [d] [h] (xs: [n][d]f32) (labels: [n]i64) (w: [h][d]f32) =
  let point x label =
    let row = map (\c -> f32.sum (map2 (*) x c)) w
    let changed = copy row with [label] = 1
    in (row, f32.sum changed)
  in unzip (map2 point xs labels)
-- expect
--| -- main, line 7: segmented_map over [n][h]
--| x: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [a] of_points [b] when [n >= 24, h >= 32, d >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [c] when [h >= 16, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [c] when [h >= 4, n >= 8],
--|   pointwise] operations [3, 2 * d] lanes 4
--| -- main, line 7: segmented_map over [n]
--| x.2: [
--|   lane_blocks columns 4 width 8 when [n >= 32 * resident],
--|   lane_blocks columns 4 width 8 when [n >= 32, 65536 >= 2 * h * n],
--|   lane_blocks columns 2 width 8 when [n >= 16 * resident],
--|   lane_blocks columns 2 width 8 when [n >= 16, 65536 >= 2 * h * n],
--|   lane_blocks width 8 when [n >= 8],
--|   pointwise] operations [6, 2 * h] lanes 4
