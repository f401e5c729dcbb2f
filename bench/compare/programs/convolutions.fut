-- Layers of convolutions: each output channel sums 3 × 3 windows of all input channels.

def weighed [h] [w] (y: i64) (x: i64) (plane: [h][w]f32) (window: [3][3]f32) : f32 =
  let row i = reduce (+) 0 (tabulate 3 (\j -> plane[y + i, x + j] * window[i, j]))
  in reduce (+) 0 (tabulate 3 row)

entry convolution [c] [o] [h] [w] (picture: [c][h][w]f32) (weights: [o][c][3][3]f32) =
  let rows = h - 2
  let columns = w - 2
  let one filter y x = reduce (+) 0 (map2 (weighed y x) picture filter)
  in map (\filter -> tabulate_2d rows columns (one filter)) weights

entry gradient [c] [o] [h] [w] [p] [q]
               (picture: [c][h][w]f32)
               (weights: [o][c][3][3]f32)
               (adjoint: [o][p][q]f32)
               : ([c][h][w]f32, [o][c][3][3]f32) =
  let layer (picture, weights) = convolution picture weights :> [o][p][q]f32
  in vjp layer (picture, weights) adjoint
