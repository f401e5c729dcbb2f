-- What is put together only to be transposed is put together in that order.
entry columns [n][m] (xs: [n][m]f32) (ys: [n][m]f32) : [m][]f32 =
  transpose (map (map (+ 1)) xs ++ map (map (* 2)) ys)
-- expect
--| -- columns
--|   xs: [n][m]f32, an argument
--|   ys: [n][m]f32, an argument
--|   x: [n][m]f32, piece of x.2
--|   x.3: [n][m]f32, piece of x.2
--|   x.2: [t][m]f32, block of 4*t*m bytes, dimensions in order 1 0, given on
--|   x.4: [m][t]f32, in x.2
