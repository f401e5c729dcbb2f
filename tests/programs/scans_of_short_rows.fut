-- Scans of many short rows, of rows as long as a vector, and of what their elements are summed to.
-- ==
-- entry: prefix_sums
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 3, 6], [4, 9, 15]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
-- input { [[7], [8], [-9]] } output { [[7], [8], [-9]] }
-- input { [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]] }
-- output { [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33]] }
entry prefix_sums [n] [m] (xs: [n][m]i32) : [n][m]i32 = map (scan (+) 0) xs

-- ==
-- entry: sums_of_sums
-- input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [1f32, 10f32, 100f32] }
-- output { [631f32, 1594f32] }
-- input { empty([2][0]f32) empty([0]f32) } output { [0f32, 0f32] }
-- input { empty([0][2]f32) [1f32, 2f32] } output { empty([0]f32) }
entry sums_of_sums [n] [m] (xs: [n][m]f32) (weights: [m]f32) : [n]f32 =
  map (\row -> f32.sum (map2 (*) weights (scan (+) 0 row))) xs

-- ==
-- entry: most_below
-- input { [[3, 1, 2], [-5, -1, -7], [0, 0, 0]] } output { [14i64, -24i64, 0i64] }
entry most_below [n] [m] (xs: [n][m]i32) : [n]i64 =
  map (\row ->
         let largest = scan i32.max i32.lowest row
         let smallest = scan i32.min i32.highest row
         in i64.i32 (i32.sum (map2 (+) largest smallest)) - i64.bool (m > 3))
      xs

-- ==
-- entry: rows_of_rows
-- input { [[1, 2], [3, 4]] 3i64 } output { [5i32, 13i32] }
-- input { [[1, 2], [3, 4]] 0i64 } output { [0i32, 0i32] }
entry rows_of_rows [n] [m] (xs: [n][m]i32) (k: i64) : [n]i32 =
  map (\row ->
         i32.sum (map (\j ->
                         let sums = scan (+) 0 row
                         in sums[j % m] + i32.bool (j > 100))
                      (iota k)))
      xs
