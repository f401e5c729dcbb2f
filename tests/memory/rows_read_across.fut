-- Rows that are only read across lie with their points side by side.
entry across [n] (xs: [n]f32) : [4]f32 =
  let rows = map (\x -> [x, x * x, f32.sqrt x, 1]) xs
  in map f32.sum (transpose rows)
-- expect
--| -- across
--|   xs: [n]f32, an argument
--|     rows: [4]f32, result 0 of the thread
--|   rows.2: [n][4]f32, block of 4*n*4 bytes, dimensions in order 1 0, until x
--|   x.2: [4][n]f32, in rows.2
--|   x: [4]f32, block of 4*4 bytes, given on
