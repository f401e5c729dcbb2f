-- The gradient of filters of the past, whose taps are written out: what is filtered takes products, each tap a sum.
def causal [c] [t] [o] (d: i64) (x: [c][t]f32) (w: [o][c][2]f32) : [o][t]f32 =
  map (\f -> tabulate t (\i -> f32.tanh (f32.sum (map2 (\x w -> w[1] * x[i] + (if i >= d then w[0] * x[i - d] else 0)) x f)))) w
entry main [c] [t] [o] (d: i64) (x: [c][t]f32) (w: [o][c][2]f32) (s: [o][t]f32) = vjp (\(x, w) -> causal d x w) (x, w) s
-- expect
--| -- main, line 4: segmented_map over [o][t]
--| t.2: [
--|   lane_blocks points 1 columns 4 width 8 when [t >= 32, o * t >= 32 * resident],
--|   lane_blocks points 1 columns 4 width 8 when [t >= 32, 65536 >= 9 * c * o * t],
--|   lane_blocks points 1 columns 2 width 8 when [t >= 16, o * t >= 16 * resident],
--|   lane_blocks points 1 columns 2 width 8 when [t >= 16, 65536 >= 9 * c * o * t],
--|   lane_blocks points 1 width 8 when [t >= 8],
--|   pointwise] operations [23, 9 * c] lanes 4
--| -- main, line 4: segmented_map over [o][c]
--| adjoint: [
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [x] when [c >= 16, o >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [x] when [c >= 4, o >= 8],
--|   pointwise] operations [9, 9 * t] lanes 4
--| -- main, line 4: segmented_map over [o][t]
--| sums: [
--|   pointwise] operations [10] lanes 4 strip 256
--| -- main, line 4: segmented_map over [c][t]
--| sums.2: [
--|   contraction block_rows 2 width 16 depth 128 cached 128 most_rows 384 most_points 48 least_rows 48 least_points 6 split 512 point_packing by_points of_rows [x.2, x.3] of_points [sums.3, t.3] when [c >= 8, t >= 32, o >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [t >= 16, c >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [t >= 4, c >= 8],
--|   pointwise] operations [11, 5 * o] lanes 4
