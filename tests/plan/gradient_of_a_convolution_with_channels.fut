-- The gradient of the weights: nine sums of one loop for each two channels.
def weighed [h] [w] (y: i64) (x: i64) (plane: [h][w]f32) (window: [3][3]f32) : f32 =
  let row i = reduce (+) 0 (tabulate 3 (\j -> plane[y + i, x + j] * window[i, j]))
  in reduce (+) 0 (tabulate 3 row)

def convolution [c] [o] [h] [w] (picture: [c][h][w]f32) (weights: [o][c][3][3]f32) =
  let rows = h - 2
  let columns = w - 2
  let one filter y x = reduce (+) 0 (map2 (weighed y x) picture filter)
  in map (\filter -> tabulate_2d rows columns (one filter)) weights

entry main [c] [o] [h] [w] [p] [q]
           (picture: [c][h][w]f32)
           (weights: [o][c][3][3]f32)
           (adjoint: [o][p][q]f32) =
  vjp (\weights -> convolution picture weights :> [o][p][q]f32) weights adjoint
-- expect
--| -- main, line 16: segmented_map over [o][c]
--| adjoint: [
--|   lane_blocks rows 1 columns 2 width 8 laid_out [adjoint.2] when [o >= 16, c >= 2],
--|   lane_blocks rows 1 block_rows 2 width 4 laid_out [adjoint.2] when [o >= 4, c >= 2],
--|   pointwise] operations [7, 3 * rows, 21 * rows * columns] lanes 4
