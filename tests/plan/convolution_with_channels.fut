-- Rows of a block are output channels, which read the same vectors of the picture; where these are few, rows
-- of the picture.
def weighed [h] [w] (y: i64) (x: i64) (plane: [h][w]f32) (window: [3][3]f32) : f32 =
  let row i = reduce (+) 0 (tabulate 3 (\j -> plane[y + i, x + j] * window[i, j]))
  in reduce (+) 0 (tabulate 3 row)

entry main [c] [o] [h] [w] (picture: [c][h][w]f32) (weights: [o][c][3][3]f32) =
  let rows = h - 2
  let columns = w - 2
  let one filter y x = reduce (+) 0 (map2 (weighed y x) picture filter)
  in map (\filter -> tabulate_2d rows columns (one filter)) weights
-- expect
--| -- main, line 11: segmented_map over [o][rows][columns]
--| x: [
--|   lane_blocks points 2 rows 0 block_rows 4 columns 2 width 8 when [columns >= 16, o >= 4],
--|   lane_blocks points 2 rows 1 block_rows 4 columns 2 width 8 when [columns >= 16, rows >= 4],
--|   lane_blocks points 2 rows 0 block_rows 8 width 4 when [columns >= 4, o >= 8],
--|   lane_blocks points 2 rows 1 block_rows 8 width 4 when [columns >= 4, rows >= 8],
--|   pointwise] operations [8, 40 * c] lanes 4
