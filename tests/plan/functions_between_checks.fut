-- | A row inside of a task whose points may end early, where an index is wrong, and call a function: a loop
-- over them would call it point by point.  Without a function the loop stays one.

entry turned [n] [m] [k] (xs: [n][m]f32) (is: [k]i32) : [n][k]f32 =
  map (\row ->
         let sums = scan (+) 0 row
         in map (\i -> f32.cos sums[i64.i32 i] * sums[i64.i32 (i + 1)]) is)
      xs

entry moved [n] [m] [k] (xs: [n][m]f32) (is: [k]i32) : [n][k]f32 =
  map (\row ->
         let sums = scan (+) 0 row
         in map (\i -> sums[i64.i32 i] * sums[i64.i32 (i + 1)]) is)
      xs
-- expect
--| -- turned, line 5: segmented_map over [n]
--| x: [
--|   lane_blocks columns 4 width 16 turned [x.2] when [n >= 64 * resident],
--|   lane_blocks columns 4 width 16 turned [x.2] when [n >= 64, 65536 >= m * n, 65536 >= 23 * k * n],
--|   lane_blocks columns 2 width 16 turned [x.2] when [n >= 32 * resident],
--|   lane_blocks columns 2 width 16 turned [x.2] when [n >= 32, 65536 >= m * n, 65536 >= 23 * k * n],
--|   lane_blocks width 16 turned [x.2] when [n >= 16],
--|   pointwise] operations [2, m, 23 * k] lanes 4
--| -- turned, line 5: map_scan_reduce over [k]
--| x.2: [
--|   lane_blocks columns 2 width 16 when [k >= 32],
--|   pointwise]
--| -- moved, line 11: segmented_map over [n.2]
--| x.3: [
--|   pointwise] operations [2, m.2, 11 * k.2]
