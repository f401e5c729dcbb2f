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
               (adjoint: [o][p][q]f32) : ([c][h][w]f32, [o][c][3][3]f32) =
  let layer (picture, weights) = convolution picture weights :> [o][p][q]f32
  in vjp layer (picture, weights) adjoint

-- | Layers as networks have them: several pictures, a number that is added for each channel, and zero
-- for what is negative.
def layer [b] [c] [o] [h] [w]
          (pictures: [b][c][h][w]f32)
          (weights: [o][c][3][3]f32)
          (offsets: [o]f32) =
  let rows = h - 2
  let columns = w - 2
  let one picture filter offset y x =
    f32.max 0 (offset + reduce (+) 0 (map2 (weighed y x) picture filter))
  in map (\picture ->
            map2 (\filter offset -> tabulate_2d rows columns (one picture filter offset))
                 weights
                 offsets)
         pictures

entry layer_gradient [b] [c] [o] [h] [w] [p] [q]
                     (pictures: [b][c][h][w]f32)
                     (weights: [o][c][3][3]f32)
                     (offsets: [o]f32)
                     (adjoint: [b][o][p][q]f32) : ([b][c][h][w]f32, [o][c][3][3]f32, [o]f32) =
  let sized (pictures, weights, offsets) = layer pictures weights offsets :> [b][o][p][q]f32
  in vjp sized (pictures, weights, offsets) adjoint
