-- Rows that are only read across lie with their points side by side.
entry across [n] (xs: [n]f32) : [4]f32 =
  let powers (x: f32) = loop p = [x, x * x, f32.sqrt x, 1] for _i < 3 do map (* x) p
  in map f32.sum (transpose (map powers xs))

-- expect
--| -- across
--|   xs: [n]f32, an argument
--|     x: [4]f32, result 0 of the thread
--|   x.2: [n][4]f32, block of 4*n*4 bytes, dimensions in order 1 0, until x.3
--|   x.4: [4][n]f32, in x.2
--|   x.3: [4]f32, block of 4*4 bytes, given on
