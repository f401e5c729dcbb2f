-- What a reduction makes for a part of an array is made there, and so is the next state of a loop that
-- keeps them all.
entry rows [n] [m] (steps: i64) (xs: [n][m]f32) : [][]f32 =
  loop ys = replicate steps (replicate n (0f32))
  for i < steps do
    ys with [i] = map f32.sum (map (map (* f32.i64 i)) xs)

entry history [n] (steps: i64) (ws: [n][n]f32) (xs: [n]f32) : [][]f32 =
  (.1) (loop (ys, all) = (xs, replicate steps (replicate n 0))
        for i < steps do
          (map (\w -> f32.sum (map2 (*) w ys)) ws, all with [i] = ys))

-- expect
--| -- rows
--|   xs: [n][m]f32, an argument
--|   x: [steps][n]f32, block of 4*steps*n bytes, given on
--|   ys: [steps][n]f32, loop in place, first x
--|     x.2: [n]f32, where it is put in ys
--|     x.3: [steps][n]f32, in x
--|   x.4: [steps][n]f32, in x
--| -- history
--|   ws: [n.2][n.2]f32, an argument
--|   xs.2: [n.2]f32, an argument
--|   x.5: [steps.2][n.2]f32, block of 4*steps.2*n.2 bytes, given on
--|   ys.2: [n.2]f32, loop renewed, first xs.2
--|   all: [steps.2][n.2]f32, loop in place, first x.5
--|     x.6: [n.2]f32, next row of all, given on
--|     x.7: [steps.2][n.2]f32, in x.5
--|   x.8: [n.2]f32, in ys.2
--|   x.9: [steps.2][n.2]f32, in x.5
