-- target: cuda
-- A scatter writes into its destination; rows are not turned for a GPU.
entry place [n] (at: [n]i64) (xs: [n]f32) : [n]f32 =
  let rows = map (\x -> [x, x * x]) xs
  let sums = map f32.sum (transpose rows)
  in scatter (replicate n sums[0]) at (map (+ sums[1]) xs)
-- expect
--| -- place
--|   at: [n]i64, an argument
--|   xs: [n]f32, an argument
--|     rows: [2]f32, result 0 of the thread
--|   rows.2: [n][2]f32, block of 4*n*2 bytes, until sums
--|   sums.2: [2][n]f32, in rows.2
--|   sums: [2]f32, block of 4*2 bytes, until x
--|   x.2: [n]f32, block of 4*n bytes, given on
--|   x.3: [n]f32, in x.2
