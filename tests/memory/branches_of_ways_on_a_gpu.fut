-- target: cuda
-- Of two ways to take a nest each makes its result where that is wanted: in the row that an update
-- writes, and in the row where a loop keeps its next state.
entry rows [n] [m] (steps: i64) (xs: [n][m]f32) : [][]f32 =
  loop ys = replicate steps (replicate n (0f32))
  for i < steps do
    ys with [i] = map (\x -> 1 + f32.sum (map (* f32.i64 i) x)) xs

entry history [n] (steps: i64) (ws: [n][n]f32) (xs: [n]f32) : [][]f32 =
  (.1) (loop (ys, all) = (xs, replicate steps (replicate n 0))
        for i < steps do
          (map (\w -> f32.tanh (f32.sum (map2 (*) w ys))) ws, all with [i] = ys))

-- expect
--| -- rows
--|   xs: [n][m]f32, an argument
--|   x: [steps][n]f32, block of 4*steps*n bytes, given on
--|   ys: [steps][n]f32, loop in place, first x
--|       x.2: [n]f32, where x.3 lies
--|       x.4: [n]f32, block of 4*n bytes, until x.5
--|       x.5: [n]f32, where x.3 lies
--|     x.3: [n]f32, where it is put in ys
--|     x.6: [steps][n]f32, in x
--|   x.7: [steps][n]f32, in x
--| -- history
--|   ws: [n.2][n.2]f32, an argument
--|   xs.2: [n.2]f32, an argument
--|   x.8: [steps.2][n.2]f32, block of 4*steps.2*n.2 bytes, given on
--|   ys.2: [n.2]f32, loop renewed, first xs.2
--|   all: [steps.2][n.2]f32, loop in place, first x.8
--|       x.9: [n.2]f32, where x.10 lies
--|       x.11: [n.2]f32, block of 4*n.2 bytes, until x.12
--|       x.12: [n.2]f32, where x.10 lies
--|     x.10: [n.2]f32, next row of all, given on
--|     x.13: [steps.2][n.2]f32, in x.8
--|   x.14: [n.2]f32, in ys.2
--|   x.15: [steps.2][n.2]f32, in x.8
