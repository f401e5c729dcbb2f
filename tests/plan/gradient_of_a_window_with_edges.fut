-- The adjoint of a window at whose edges elements count several times: a window over zeros around the points, and sums of
-- what is beyond the edges.
def held (n: i64) (i: i64) : i64 = i64.max 0 (i64.min (n - 1) i)
def windows [h] [w] (k: [5][5]f32) (image: [h][w]f32) : [h][w]f32 =
  let sum f = f32.sum (tabulate 5 (\t -> f (t - 2)))
  in tabulate_2d h w (\y x ->
                        sum (\s -> sum (\t -> k[s + 2, t + 2] * image[held h (y + s), held w (x + t)])))
entry main [h] [w] (k: [5][5]f32) (image: [h][w]f32) (adjoint: [h][w]f32) : [h][w]f32 =
  vjp (windows k) image adjoint
-- expect
--| -- main, line 9: segmented_map over [t][t.2]
--| sums: [
--|   pointwise] operations [15] lanes 4 strip 256
--| -- main, line 9: segmented_map over [t.3][t.4]
--| sums.2: [
--|   lane_blocks points 1 rows 0 width 8 when [t.4 >= 8, t.3 >= 1],
--|   pointwise] operations [92] lanes 4
--| -- main, line 9: segmented_map over [h][w]
--| sums.3: [
--|   pointwise edges true] operations [83] lanes 4
--| -- main, line 9: segmented_map over [h][w][5][5]
--| adjoint: [
--|   pointwise] operations [19] additions [1]
