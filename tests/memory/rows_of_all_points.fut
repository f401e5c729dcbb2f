-- Points of two dimensions make rows that are read as rows of all points: they are neighbours in
-- memory, and what is flattened is no copy.
entry main [n] [m] (xs: [n][m]f32) : []f32 =
  let powers (x: f32) = loop p = [x, x * x] for _i < 3 do map (* x) p
  in flatten_3d (map transpose (map (map powers) xs))

-- expect
--| -- main
--|   xs: [n][m]f32, an argument
--|     x: [2]f32, result 0 of the thread
--|   x.2: [n][m][2]f32, block of 4*n*m*2 bytes, dimensions in order 0 2 1, given on
--|   turned: [n][2][m]f32, in x.2
--|   x.3: [t]f32, in x.2
